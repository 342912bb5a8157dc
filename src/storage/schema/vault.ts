/** Credentials: what is public of them in clear, what is secret as ciphertext; and sign-ins that wait for a browser. */
export const VAULT_TABLES = `
CREATE TABLE credentials (
  name TEXT NOT NULL,
  owner TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('bearer', 'apiKey', 'basic', 'oauth2')),
  hosts TEXT NOT NULL,
  settings TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('ready', 'consent_required')),
  master_key_id TEXT NOT NULL,
  wrapped_key TEXT NOT NULL,
  sealed TEXT NOT NULL,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  token_issued_at TEXT,
  token_expires_at TEXT,
  lease_by TEXT,
  lease_until TEXT,
  created_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (name, owner)
);

CREATE TABLE oauth_flows (
  state_digest TEXT PRIMARY KEY CHECK (state_digest LIKE 'sha256:%'),
  name TEXT NOT NULL,
  owner TEXT NOT NULL,
  master_key_id TEXT NOT NULL,
  wrapped_key TEXT NOT NULL,
  sealed TEXT NOT NULL,
  started_by TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  FOREIGN KEY (name, owner) REFERENCES credentials (name, owner) ON DELETE CASCADE
);
CREATE INDEX oauth_flows_by_credential ON oauth_flows (name, owner);
CREATE INDEX oauth_flows_by_end ON oauth_flows (expires_at);
`;
