/** The provenance log: leaves, subtree hashes, signed checkpoints and keys. */
export const PROVENANCE_TABLES = `
CREATE TABLE provenance_records (
  leaf_index INTEGER PRIMARY KEY CHECK (leaf_index >= 0),
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  run_id TEXT,
  digest TEXT NOT NULL,
  lookup_key TEXT NOT NULL,
  privacy TEXT NOT NULL CHECK (privacy IN ('public', 'internal', 'confidential', 'restricted')),
  body TEXT NOT NULL,
  leaf_hash TEXT NOT NULL,
  envelope TEXT,
  created_at TEXT NOT NULL
);
CREATE INDEX provenance_by_run ON provenance_records (run_id, leaf_index) WHERE run_id IS NOT NULL;
-- Steps are found through their run: every other index would cost each step a write.
CREATE INDEX provenance_by_subject ON provenance_records (subject_id, leaf_index) WHERE kind <> 'step';
CREATE INDEX provenance_by_lookup_key ON provenance_records (lookup_key, leaf_index) WHERE kind <> 'step';
CREATE INDEX provenance_by_leaf_hash ON provenance_records (leaf_hash) WHERE kind <> 'step';

CREATE TABLE provenance_nodes (
  level INTEGER NOT NULL CHECK (level >= 0),
  node_index INTEGER NOT NULL CHECK (node_index >= 0),
  hash TEXT NOT NULL,
  PRIMARY KEY (level, node_index)
);

CREATE TABLE provenance_checkpoints (
  tree_size INTEGER PRIMARY KEY CHECK (tree_size >= 0),
  root_hash TEXT NOT NULL,
  key_id TEXT NOT NULL,
  signature TEXT NOT NULL,
  created_at TEXT NOT NULL
);

CREATE TABLE signing_keys (
  id TEXT PRIMARY KEY,
  public_key TEXT NOT NULL UNIQUE,
  private_key TEXT NOT NULL,
  created_at TEXT NOT NULL,
  retired_at TEXT
);
`;
