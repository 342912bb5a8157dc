/**
 * What was sent to runs, which step has used it, and which steps wait for an event. `seen` is how far the outbox was
 * read for that step.
 */
export const SIGNAL_TABLES = `
CREATE TABLE run_signals (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  name TEXT NOT NULL,
  signal_key TEXT NOT NULL,
  payload TEXT,
  sent_by TEXT NOT NULL,
  sent_at TEXT NOT NULL,
  used_by TEXT,
  UNIQUE (run_id, name, signal_key)
);

-- A run whose first step waits is stored after this row.
CREATE TABLE event_waits (
  run_id TEXT NOT NULL,
  step_id TEXT NOT NULL,
  type TEXT NOT NULL,
  seen INTEGER NOT NULL,
  PRIMARY KEY (run_id, step_id)
);
CREATE INDEX event_waits_behind ON event_waits (seen);
`;
