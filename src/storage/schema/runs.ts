/** Runs with the documents they are pinned to, their steps and attempts, and the approvals they wait for. */
export const RUN_TABLES = `
CREATE TABLE documents (
  digest TEXT PRIMARY KEY CHECK (digest LIKE 'sha256:%'),
  document TEXT NOT NULL
);

CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  workflow_id TEXT REFERENCES workflows (id),
  workflow_version INTEGER,
  document_digest TEXT NOT NULL REFERENCES documents (digest),
  kind TEXT NOT NULL CHECK (kind IN ('run', 'dry_run')),
  state TEXT NOT NULL CHECK (state IN
    ('queued', 'running', 'waiting', 'cancelling', 'succeeded', 'failed', 'timed_out', 'cancelled')),
  visibility TEXT NOT NULL CHECK (visibility IN ('private', 'public')),
  inputs TEXT NOT NULL,
  outputs TEXT,
  error TEXT,
  trace_id TEXT NOT NULL,
  span_id TEXT NOT NULL,
  epoch INTEGER NOT NULL CHECK (epoch >= 0),
  wake_at TEXT,
  started_by TEXT NOT NULL,
  scopes TEXT NOT NULL,
  parent_run_id TEXT REFERENCES runs (id),
  parent_step_id TEXT,
  handoff_id TEXT,
  created_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT,
  CHECK ((finished_at IS NOT NULL) = (state IN ('succeeded', 'failed', 'timed_out', 'cancelled')))
);
CREATE INDEX runs_newest ON runs (created_at, id);
CREATE INDEX runs_of_workflow ON runs (workflow_id, created_at, id);
CREATE INDEX runs_open ON runs (state, created_at, id) WHERE finished_at IS NULL;
CREATE INDEX runs_of_trace ON runs (trace_id);
CREATE INDEX runs_waking ON runs (wake_at) WHERE wake_at IS NOT NULL;

CREATE TABLE steps (
  run_id TEXT NOT NULL REFERENCES runs (id),
  step_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN
    ('pending', 'ready', 'running', 'backoff', 'waiting', 'succeeded', 'failed', 'skipped', 'cancelled',
     'outcome_unknown')),
  attempt INTEGER NOT NULL CHECK (attempt >= 0),
  port TEXT,
  input TEXT,
  output TEXT,
  error TEXT,
  idempotency_key TEXT,
  wake_at TEXT,
  started_at TEXT,
  finished_at TEXT,
  PRIMARY KEY (run_id, step_id)
);

CREATE TABLE attempts (
  run_id TEXT NOT NULL,
  step_id TEXT NOT NULL,
  attempt INTEGER NOT NULL CHECK (attempt >= 1),
  state TEXT NOT NULL CHECK (state IN ('running', 'succeeded', 'failed', 'timed_out', 'cancelled', 'cut_off')),
  span_id TEXT NOT NULL,
  error TEXT,
  started_at TEXT NOT NULL,
  finished_at TEXT,
  PRIMARY KEY (run_id, step_id, attempt),
  FOREIGN KEY (run_id, step_id) REFERENCES steps (run_id, step_id)
);

CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  step_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN
    ('pending', 'approved', 'rejected', 'changes_requested', 'expired', 'cancelled', 'superseded')),
  title TEXT NOT NULL,
  shown TEXT NOT NULL,
  shown_digest TEXT NOT NULL CHECK (shown_digest LIKE 'sha256:%'),
  form_schema TEXT,
  approvers TEXT NOT NULL,
  required INTEGER NOT NULL CHECK (required >= 1),
  step_up INTEGER NOT NULL CHECK (step_up IN (0, 1)),
  delegations TEXT NOT NULL,
  claimed_by TEXT,
  due_at TEXT,
  expires_at TEXT,
  created_at TEXT NOT NULL,
  decided_at TEXT,
  decided_by TEXT,
  reason TEXT,
  answers TEXT,
  CHECK (state <> 'pending' OR (decided_at IS NULL AND decided_by IS NULL)),
  CHECK (state NOT IN ('approved', 'rejected', 'changes_requested') OR (decided_at IS NOT NULL AND decided_by IS NOT NULL))
);
CREATE INDEX approvals_newest ON approvals (created_at, id);
CREATE INDEX approvals_of_run ON approvals (run_id);
CREATE INDEX approvals_decided ON approvals (step_id, decided_at) WHERE decided_at IS NOT NULL;
CREATE UNIQUE INDEX approvals_one_open ON approvals (run_id, step_id) WHERE state = 'pending';
CREATE INDEX approvals_expiring ON approvals (expires_at) WHERE state = 'pending' AND expires_at IS NOT NULL;

-- One decision wins, whatever statement comes later.
-- sqlite: CREATE TRIGGER approvals_one_decision BEFORE UPDATE OF state, decided_by, answers ON approvals
-- sqlite:   WHEN OLD.state <> 'pending' BEGIN SELECT RAISE(ABORT, 'the approval is decided already'); END;
-- postgres: CREATE FUNCTION refuse_second_decision() RETURNS trigger LANGUAGE plpgsql AS
-- postgres:   'BEGIN RAISE check_violation USING MESSAGE = ''the approval is decided already''; END';
-- postgres: CREATE TRIGGER approvals_one_decision BEFORE UPDATE OF state, decided_by, answers ON approvals
-- postgres:   FOR EACH ROW WHEN (OLD.state <> 'pending') EXECUTE FUNCTION refuse_second_decision();
`;
