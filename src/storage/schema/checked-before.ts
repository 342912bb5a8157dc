/**
 * Rules that PostgreSQL would prepare anew for every batch of checkpoints and that the batch has made sure of already:
 * its statement holds the runs of its steps, and the store looks at states before they are sent. Two rules of runs become
 * one. Pages of runs have room for the next state of a run, so that a claim need not touch the indexes.
 */
export const CHECKED_BEFORE = `
-- postgres: ALTER TABLE steps DROP CONSTRAINT steps_run_id_fkey, DROP CONSTRAINT steps_state_check,
-- postgres:   DROP CONSTRAINT steps_attempt_check;
-- postgres: ALTER TABLE runs DROP CONSTRAINT runs_check, DROP CONSTRAINT runs_state_check,
-- postgres:   DROP CONSTRAINT runs_kind_check, DROP CONSTRAINT runs_visibility_check, DROP CONSTRAINT runs_epoch_check,
-- postgres:   ADD CONSTRAINT runs_state_check CHECK (CASE
-- postgres:     WHEN state IN ('queued', 'running', 'waiting', 'cancelling') THEN finished_at IS NULL
-- postgres:     WHEN state IN ('succeeded', 'failed', 'timed_out', 'cancelled') THEN finished_at IS NOT NULL
-- postgres:     ELSE false END), SET (fillfactor = 60);
-- postgres: ALTER TABLE provenance_records DROP CONSTRAINT provenance_records_next_check,
-- postgres:   DROP CONSTRAINT provenance_records_next_leaf_index_check,
-- postgres:   DROP CONSTRAINT provenance_records_next_privacy_check;
-- postgres: ALTER TABLE provenance_nodes DROP CONSTRAINT provenance_nodes_level_check,
-- postgres:   DROP CONSTRAINT provenance_nodes_node_index_check;
-- postgres: ALTER TABLE provenance_checkpoints DROP CONSTRAINT provenance_checkpoints_tree_size_check;
`;
