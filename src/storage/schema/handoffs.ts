/** Handoffs in and out, and answers kept for replays. */
export const HANDOFF_TABLES = `
CREATE TABLE handoffs (
  id TEXT NOT NULL,
  direction TEXT NOT NULL CHECK (direction IN ('in', 'out')),
  peer TEXT NOT NULL,
  capability TEXT NOT NULL,
  packet TEXT NOT NULL,
  packet_digest TEXT NOT NULL CHECK (packet_digest LIKE 'sha256:%'),
  state TEXT NOT NULL CHECK (state IN
    ('preview_ready', 'ready', 'sending', 'accepted', 'completed', 'degraded', 'rejected')),
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  next_attempt_at TEXT,
  result_ref TEXT CHECK (result_ref <> ''),
  output_artifact_ids TEXT NOT NULL,
  evidence TEXT,
  run_id TEXT REFERENCES runs (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (direction, id),
  CONSTRAINT completed_needs_result_ref CHECK (state <> 'completed' OR result_ref IS NOT NULL)
);
CREATE INDEX handoffs_newest ON handoffs (created_at, id);
CREATE INDEX handoffs_due ON handoffs (next_attempt_at) WHERE next_attempt_at IS NOT NULL;

CREATE TABLE idempotency_keys (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  answer TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
`;
