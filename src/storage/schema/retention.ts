/** How long runs are kept, and the indexes by which old ones and what belongs to them are found. */
export const RETENTION_TABLES = `
CREATE TABLE retention_rules (
  workflow_id TEXT NOT NULL PRIMARY KEY,
  details_days INTEGER,
  runs_days INTEGER,
  runs_kept INTEGER,
  updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL
);
ALTER TABLE runs ADD COLUMN details_removed_at TEXT;
CREATE INDEX runs_with_details ON runs (workflow_id, created_at, id)
  WHERE finished_at IS NOT NULL AND parent_run_id IS NULL AND details_removed_at IS NULL;
CREATE INDEX runs_without_details ON runs (workflow_id, created_at, id)
  WHERE details_removed_at IS NOT NULL AND parent_run_id IS NULL;
CREATE INDEX runs_of_parent ON runs (parent_run_id) WHERE parent_run_id IS NOT NULL;
CREATE INDEX handoffs_of_run ON handoffs (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX connection_calls_of_run ON connection_calls (run_id) WHERE run_id IS NOT NULL;
`;
