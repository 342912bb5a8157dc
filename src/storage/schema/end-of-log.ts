/**
 * Pages say how the digests of their step results begin; those that say nothing are older, and have the first form. Where
 * the log ends is a counter of PostgreSQL: whoever writes to the log moves it, so no leaf has to be a row to show the end.
 */
export const END_OF_LOG = `
ALTER TABLE run_pages ADD COLUMN digest_form TEXT;
ALTER TABLE counters ADD COLUMN witness TEXT;
-- postgres: INSERT INTO counters (name, value, witness) SELECT 'log', coalesce(max(leaf_index) + 1, 0), coalesce(
-- postgres:   (SELECT leaf_hash FROM provenance_records ORDER BY leaf_index DESC LIMIT 1), '') FROM provenance_records;
`;
