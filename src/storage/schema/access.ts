/** API keys, the agent policy, and single named values of the service itself. */
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
INSERT INTO counters (name, value) VALUES ('webhook_cursor', 0), ('probe', 0);
`;
