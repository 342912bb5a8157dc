/** API keys, tools of other servers, the agent policy, and single named values of the service itself. */
export const ACCESS_TABLES = `
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  digest TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT,
  last_used_at TEXT
);
CREATE INDEX api_keys_newest ON api_keys (created_at, id);

CREATE TABLE network_tools (
  id TEXT PRIMARY KEY,
  server TEXT NOT NULL,
  name TEXT NOT NULL,
  digest TEXT NOT NULL CHECK (digest LIKE 'sha256:%'),
  definition TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('active', 'quarantined', 'removed')),
  pending_definition TEXT,
  synced_at TEXT NOT NULL,
  UNIQUE (server, name)
);

CREATE TABLE policy_revisions (
  revision INTEGER PRIMARY KEY CHECK (revision >= 1),
  policy TEXT NOT NULL,
  digest TEXT NOT NULL CHECK (digest LIKE 'sha256:%'),
  changed_by TEXT NOT NULL,
  created_at TEXT NOT NULL
);

CREATE TABLE counters (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
);
INSERT INTO counters (name, value) VALUES ('events', 0), ('webhook_cursor', 0), ('probe', 0);
`;
