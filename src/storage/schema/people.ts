import { quotedList } from "../sql.ts";
import { INVITATION_KINDS, PERSON_STATES, ROLES, SIGN_IN_METHODS } from "../../ports/people.ts";
import { CHALLENGE_PURPOSES } from "../../ports/passkeys.ts";
import { TOKEN_KINDS } from "../../ports/tokens.ts";

/** People, their groups, tokens, sessions, one-time links and recovery codes. Tokens and codes are kept as digests only. */
export const PEOPLE_TABLES = `
CREATE TABLE people (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE CHECK (email = lower(email)),
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN (${quotedList(ROLES)})),
  state TEXT NOT NULL CHECK (state IN (${quotedList(PERSON_STATES)})),
  password TEXT,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  created_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_by TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  last_sign_in_at TEXT
);
CREATE INDEX people_newest ON people (created_at, id);

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  person_id TEXT NOT NULL REFERENCES people (id),
  digest TEXT NOT NULL CHECK (digest LIKE 'sha256:%'),
  next_digest TEXT,
  next_at TEXT,
  previous_digest TEXT,
  method TEXT NOT NULL CHECK (method IN (${quotedList(SIGN_IN_METHODS)})),
  client TEXT NOT NULL,
  address TEXT NOT NULL,
  created_at TEXT NOT NULL,
  rotated_at TEXT NOT NULL,
  last_used_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
);
CREATE INDEX sessions_of_person ON sessions (person_id, created_at);
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE TABLE invitations (
  digest TEXT PRIMARY KEY CHECK (digest LIKE 'sha256:%'),
  kind TEXT NOT NULL CHECK (kind IN (${quotedList(INVITATION_KINDS)})),
  person_id TEXT REFERENCES people (id),
  created_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  CHECK ((person_id IS NULL) = (kind = 'owner'))
);
CREATE INDEX invitations_of_person ON invitations (person_id);

CREATE TABLE recovery_codes (
  person_id TEXT NOT NULL REFERENCES people (id),
  digest TEXT NOT NULL CHECK (digest LIKE 'sha256:%'),
  PRIMARY KEY (person_id, digest)
);

CREATE TABLE person_groups (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL CHECK (name <> ''),
  name_key TEXT NOT NULL UNIQUE,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  created_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_by TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE INDEX person_groups_newest ON person_groups (created_at, id);

CREATE TABLE group_members (
  group_id TEXT NOT NULL REFERENCES person_groups (id),
  person_id TEXT NOT NULL REFERENCES people (id),
  added_by TEXT NOT NULL,
  added_at TEXT NOT NULL,
  PRIMARY KEY (group_id, person_id)
);
CREATE INDEX group_members_of_person ON group_members (person_id);

CREATE TABLE person_tokens (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN (${quotedList(TOKEN_KINDS)})),
  person_id TEXT NOT NULL REFERENCES people (id),
  name TEXT NOT NULL,
  digest TEXT NOT NULL UNIQUE CHECK (digest LIKE 'sha256:%'),
  scopes TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  revoked_at TEXT,
  revoked_by TEXT,
  last_used_at TEXT,
  CHECK ((revoked_at IS NULL) = (revoked_by IS NULL))
);
CREATE INDEX person_tokens_of_person ON person_tokens (person_id, created_at);

CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  person_id TEXT NOT NULL REFERENCES people (id),
  name TEXT NOT NULL,
  public_key TEXT NOT NULL,
  counter INTEGER NOT NULL CHECK (counter >= 0),
  transports TEXT NOT NULL,
  synced INTEGER NOT NULL CHECK (synced IN (0, 1)),
  created_at TEXT NOT NULL,
  last_used_at TEXT
);
CREATE INDEX passkeys_of_person ON passkeys (person_id, created_at);

CREATE TABLE passkey_challenges (
  digest TEXT PRIMARY KEY CHECK (digest LIKE 'sha256:%'),
  purpose TEXT NOT NULL CHECK (purpose IN (${quotedList(CHALLENGE_PURPOSES)})),
  subject TEXT NOT NULL,
  expires_at TEXT NOT NULL
);
CREATE INDEX passkey_challenges_by_end ON passkey_challenges (expires_at);

CREATE TABLE sign_in_attempts (
  key TEXT PRIMARY KEY CHECK (key LIKE 'sha256:%'),
  full_at INTEGER NOT NULL
);
CREATE INDEX sign_in_attempts_by_end ON sign_in_attempts (full_at);

CREATE TABLE person_identities (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  person_id TEXT NOT NULL REFERENCES people (id),
  created_at TEXT NOT NULL,
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX person_identities_of_person ON person_identities (person_id);
`;
