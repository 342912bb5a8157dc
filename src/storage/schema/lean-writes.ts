/**
 * What each step and each run writes, made smaller. A step's leaf is kept as its body alone, from which every other
 * field follows; subtree hashes below 64 leaves are computed from the leaves; one index serves all open runs.
 */
export const LEAN_WRITES = `
CREATE TABLE provenance_records_next (
  leaf_index INTEGER PRIMARY KEY CHECK (leaf_index >= 0),
  id TEXT,
  kind TEXT,
  subject_id TEXT,
  run_id TEXT,
  digest TEXT,
  lookup_key TEXT,
  privacy TEXT CHECK (privacy IN ('public', 'internal', 'confidential', 'restricted')),
  body TEXT NOT NULL,
  leaf_hash TEXT NOT NULL,
  envelope TEXT,
  created_at TEXT,
  CHECK ((id IS NULL) = (kind IS NULL))
);
INSERT INTO provenance_records_next (leaf_index, id, kind, subject_id, run_id, digest, lookup_key, privacy, body,
  leaf_hash, envelope, created_at)
  SELECT leaf_index, id, kind, subject_id, run_id, digest, lookup_key, privacy, body, leaf_hash, envelope, created_at
  FROM provenance_records;
DROP TABLE provenance_records;
ALTER TABLE provenance_records_next RENAME TO provenance_records;
CREATE UNIQUE INDEX provenance_by_id ON provenance_records (id) WHERE id IS NOT NULL;
CREATE INDEX provenance_by_run ON provenance_records (run_id, leaf_index) WHERE run_id IS NOT NULL;
CREATE INDEX provenance_by_subject ON provenance_records (subject_id, leaf_index) WHERE kind <> 'step';
CREATE INDEX provenance_by_lookup_key ON provenance_records (lookup_key, leaf_index) WHERE kind <> 'step';
CREATE INDEX provenance_by_leaf_hash ON provenance_records (leaf_hash) WHERE kind <> 'step';
DELETE FROM provenance_nodes WHERE level < 6;

DROP INDEX runs_active;
DROP INDEX runs_queued;
DROP INDEX runs_going;
CREATE INDEX runs_open ON runs (state, created_at, id)
  WHERE state IN ('queued', 'running', 'waiting', 'cancelling');
`;
