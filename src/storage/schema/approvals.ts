import { quotedList } from "../sql.ts";
import { VERDICTS } from "../../model/states.ts";

/** Whom approvals are assigned to, comments on them, and who is out of office. */
export const APPROVAL_TABLES = `
CREATE TABLE approval_assignees (
  approval_id TEXT NOT NULL REFERENCES approvals (id),
  entry TEXT NOT NULL,
  PRIMARY KEY (approval_id, entry)
);
CREATE INDEX approval_assignees_by_entry ON approval_assignees (entry, approval_id);

-- A person votes once, and a seat counts once: a vote in another person's place uses up that person's vote.
CREATE TABLE approval_votes (
  approval_id TEXT NOT NULL REFERENCES approvals (id),
  voter TEXT NOT NULL,
  seat TEXT NOT NULL,
  verdict TEXT NOT NULL CHECK (verdict IN (${quotedList(VERDICTS)})),
  reason TEXT,
  at TEXT NOT NULL,
  assertion TEXT,
  PRIMARY KEY (approval_id, voter),
  UNIQUE (approval_id, seat)
);

CREATE TABLE approval_comments (
  id TEXT PRIMARY KEY,
  approval_id TEXT NOT NULL REFERENCES approvals (id),
  author TEXT NOT NULL,
  body TEXT NOT NULL CHECK (body <> ''),
  created_at TEXT NOT NULL
);
CREATE INDEX approval_comments_of ON approval_comments (approval_id, created_at, id);

CREATE TABLE absences (
  person_id TEXT PRIMARY KEY REFERENCES people (id),
  substitute_id TEXT NOT NULL REFERENCES people (id),
  from_at TEXT NOT NULL,
  until_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  CHECK (person_id <> substitute_id),
  CHECK (from_at < until_at)
);
CREATE INDEX absences_by_substitute ON absences (substitute_id, until_at);
`;
