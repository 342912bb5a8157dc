/** The indexes of lists that hold one caller's records, the public ones, or those in a state that few are in. */
export const LIST_INDEXES = `
CREATE INDEX runs_of_caller ON runs (started_by, created_at, id);
CREATE INDEX runs_public ON runs (created_at, id) WHERE visibility = 'public';
CREATE INDEX runs_not_succeeded ON runs (state, created_at, id) WHERE finished_at IS NOT NULL AND state <> 'succeeded';
CREATE INDEX workflows_of_maker ON workflows (created_by, created_at, id);
CREATE INDEX workflows_public ON workflows (created_at, id) WHERE visibility = 'public' AND status = 'published';
CREATE INDEX artifacts_of_maker ON artifacts (created_by, created_at, id);
CREATE INDEX artifacts_public ON artifacts (created_at, id) WHERE privacy = 'public';
CREATE INDEX approvals_pending ON approvals (created_at, id) WHERE state = 'pending';
DROP INDEX handoffs_newest;
CREATE INDEX handoffs_newest ON handoffs (created_at, id, direction);
CREATE INDEX handoffs_of_maker ON handoffs (created_by, created_at, id, direction);
CREATE INDEX handoffs_by_state ON handoffs (state, created_at, id, direction);
CREATE INDEX deliveries_dead ON deliveries (webhook_id, created_at, id) WHERE state = 'dead';
`;
