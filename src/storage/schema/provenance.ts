import { SUBJECT_KINDS } from "../../ports/provenance.ts";

/* A kind that is added after a release needs a migration of its own as well. */
const KINDS = SUBJECT_KINDS.map((kind) => `'${kind}'`).join(", ");

/**
 * The provenance log: leaves, subtree hashes, signed checkpoints and keys. On PostgreSQL a record has no `leaf_index` until
 * the sequencer has put it into the log; `ordinal` is the order of insertion.
 */
export const PROVENANCE_TABLES = `
CREATE TABLE provenance_records (
  leaf_index NUMBERED CHECK (leaf_index >= 0),
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN (${KINDS})),
  subject_id TEXT NOT NULL,
  run_id TEXT,
  digest TEXT NOT NULL CHECK (digest LIKE '%sha256:%'),
  lookup_key TEXT NOT NULL,
  privacy TEXT NOT NULL CHECK (privacy IN ('public', 'internal', 'confidential', 'restricted')),
  body TEXT NOT NULL,
  leaf_hash TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX provenance_by_run ON provenance_records (run_id, id) WHERE run_id IS NOT NULL;
-- Steps are found through their run: every other index would cost each step a write.
CREATE INDEX provenance_by_subject ON provenance_records (subject_id, id) WHERE kind <> 'step';
CREATE INDEX provenance_by_lookup_key ON provenance_records (lookup_key, id) WHERE kind <> 'step';
CREATE INDEX provenance_by_leaf_hash ON provenance_records (leaf_hash) WHERE kind <> 'step';
-- postgres: CREATE INDEX provenance_unnumbered ON provenance_records (ordinal) WHERE leaf_index IS NULL;

CREATE TABLE provenance_nodes (
  level INTEGER NOT NULL CHECK (level >= 0),
  node_index INTEGER NOT NULL CHECK (node_index >= 0),
  hash TEXT NOT NULL,
  PRIMARY KEY (level, node_index)
);

CREATE TABLE provenance_checkpoints (
  tree_size INTEGER PRIMARY KEY CHECK (tree_size >= 0),
  root_hash TEXT NOT NULL,
  key_id TEXT NOT NULL REFERENCES signing_keys (id),
  signature TEXT NOT NULL,
  created_at TEXT NOT NULL
);
`;

/** Before the tables that refer to it. */
export const KEY_TABLES = `
CREATE TABLE signing_keys (
  id TEXT PRIMARY KEY,
  public_key TEXT NOT NULL UNIQUE,
  private_key TEXT NOT NULL,
  created_at TEXT NOT NULL,
  retired_at TEXT
);
`;
