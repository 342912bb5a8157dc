/**
 * Which worker has a run, and which workers there are; used on PostgreSQL, where several share the runs. A run is wanted when
 * a worker has to look at it: it begins, or what it waits for has happened.
 */
export const WORKER_TABLES = `
ALTER TABLE runs ADD COLUMN worker TEXT;
ALTER TABLE runs ADD COLUMN wanted INTEGER NOT NULL DEFAULT 0;

CREATE TABLE workers (
  id TEXT PRIMARY KEY,
  seen_at TEXT NOT NULL
);

-- postgres: CREATE INDEX runs_wanted ON runs (created_at, id) WHERE wanted = 1 AND worker IS NULL AND finished_at IS NULL;
-- postgres: CREATE INDEX runs_of_worker ON runs (worker) WHERE worker IS NOT NULL AND finished_at IS NULL;
-- postgres: UPDATE runs SET wanted = 1 WHERE finished_at IS NULL;
`;
