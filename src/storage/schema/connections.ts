/** Connections, their definitions and the last calls. */
export const CONNECTION_TABLES = `
CREATE TABLE connections (
  name TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('mcp', 'openapi', 'http')),
  title TEXT NOT NULL,
  url TEXT,
  command TEXT,
  document TEXT,
  base_url TEXT,
  credential TEXT,
  private_origin TEXT,
  state TEXT NOT NULL CHECK (state IN ('unknown', 'reachable', 'failing', 'syncing')),
  problem TEXT,
  checked_at TEXT,
  synced_at TEXT,
  owner TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);

CREATE TABLE connection_definitions (
  connection TEXT NOT NULL,
  source_name TEXT NOT NULL,
  name TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  effect TEXT NOT NULL CHECK (effect IN ('read', 'write', 'destructive')),
  idempotent INTEGER NOT NULL CHECK (idempotent IN (0, 1)),
  state TEXT NOT NULL CHECK (state IN ('active', 'quarantined', 'hidden', 'removed')),
  digest TEXT NOT NULL CHECK (digest LIKE 'sha256:%'),
  synced_at TEXT NOT NULL,
  overrides TEXT NOT NULL,
  definition TEXT NOT NULL,
  pending_definition TEXT,
  pending_review TEXT,
  PRIMARY KEY (connection, source_name),
  UNIQUE (connection, name)
);

CREATE TABLE connection_calls (
  id TEXT PRIMARY KEY,
  connection TEXT NOT NULL,
  definition TEXT NOT NULL,
  at TEXT NOT NULL,
  caller TEXT NOT NULL,
  ok INTEGER NOT NULL CHECK (ok IN (0, 1)),
  outcome TEXT NOT NULL,
  http_status INTEGER,
  elapsed_ms INTEGER NOT NULL,
  digest TEXT NOT NULL,
  run_id TEXT,
  arguments TEXT,
  result TEXT
);
CREATE INDEX connection_calls_definition ON connection_calls (connection, definition, id);
CREATE INDEX connection_calls_caller ON connection_calls (caller, id);

CREATE TABLE connection_revision (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  revision INTEGER NOT NULL
);
INSERT INTO connection_revision (id, revision) VALUES (1, 0);
`;
