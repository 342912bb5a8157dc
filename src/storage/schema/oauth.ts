import { OAUTH_KINDS } from "../../ports/oauth.ts";

const KINDS = OAUTH_KINDS.map((kind) => `'${kind}'`).join(", ");

/** What the authorization server keeps: clients, grants, tokens and codes. What proves something is a digest. */
export const OAUTH_TABLES = `
CREATE TABLE oauth_records (
  kind TEXT NOT NULL CHECK (kind IN (${KINDS})),
  digest TEXT NOT NULL CHECK (digest LIKE 'sha256:%'),
  grant_id TEXT,
  person_id TEXT REFERENCES people (id),
  client_id TEXT,
  user_code TEXT UNIQUE CHECK (user_code LIKE 'sha256:%'),
  name TEXT NOT NULL,
  host TEXT NOT NULL,
  payload TEXT NOT NULL,
  consumed_at TEXT,
  created_at TEXT NOT NULL,
  last_used_at TEXT,
  expires_at TEXT NOT NULL,
  PRIMARY KEY (kind, digest),
  CHECK (kind NOT IN ('Grant', 'AccessToken', 'RefreshToken', 'AuthorizationCode')
    OR (grant_id IS NOT NULL AND person_id IS NOT NULL AND client_id IS NOT NULL)),
  CHECK (kind <> 'Client' OR client_id IS NOT NULL)
);
CREATE UNIQUE INDEX oauth_grants ON oauth_records (grant_id) WHERE kind = 'Grant';
CREATE INDEX oauth_records_of_grant ON oauth_records (grant_id);
CREATE INDEX oauth_records_of_person ON oauth_records (person_id, kind);
CREATE INDEX oauth_records_of_client ON oauth_records (client_id, kind);
CREATE INDEX oauth_records_by_end ON oauth_records (expires_at);
`;
