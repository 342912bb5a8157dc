/** Triggers, and every occasion on which one started a run or was to. A key makes an occasion happen once. */
export const TRIGGER_TABLES = `
CREATE TABLE triggers (
  id TEXT PRIMARY KEY,
  workflow_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('schedule', 'webhook', 'form', 'event')),
  slug TEXT UNIQUE,
  settings TEXT NOT NULL,
  acts_for TEXT NOT NULL,
  acts_via TEXT,
  paused_at TEXT,
  pause_note TEXT,
  due_at TEXT,
  fire_at TEXT,
  last_run_id TEXT,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  created_at TEXT NOT NULL,
  CHECK ((due_at IS NULL) = (fire_at IS NULL))
);
CREATE INDEX triggers_newest ON triggers (created_at, id);
CREATE INDEX triggers_of_workflow ON triggers (workflow_id, created_at, id);
CREATE INDEX triggers_due ON triggers (fire_at) WHERE fire_at IS NOT NULL AND paused_at IS NULL;

CREATE TABLE trigger_firings (
  id TEXT PRIMARY KEY,
  trigger_id TEXT NOT NULL REFERENCES triggers (id),
  firing_key TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'started', 'skipped', 'missed', 'failed')),
  due_at TEXT,
  payload TEXT,
  run_id TEXT,
  depth INTEGER NOT NULL CHECK (depth >= 0),
  reason TEXT,
  created_at TEXT NOT NULL,
  UNIQUE (trigger_id, firing_key),
  CHECK ((state = 'started') = (run_id IS NOT NULL))
);
CREATE INDEX trigger_firings_newest ON trigger_firings (trigger_id, created_at, id);
CREATE INDEX trigger_firings_queued ON trigger_firings (trigger_id, due_at, id) WHERE state = 'queued';
CREATE INDEX trigger_firings_of_run ON trigger_firings (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX trigger_firings_old ON trigger_firings (created_at);
INSERT INTO counters (name, value) VALUES ('trigger_cursor', 0);
`;
