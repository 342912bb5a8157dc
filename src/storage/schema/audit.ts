/** Who did what when. Each filter of the list has an index that ends in its order. */
export const AUDIT_TABLES = `
CREATE TABLE audit_entries (
  id TEXT PRIMARY KEY,
  action TEXT NOT NULL CHECK (action <> ''),
  actor TEXT NOT NULL CHECK (actor <> ''),
  subject TEXT NOT NULL CHECK (subject <> ''),
  detail TEXT NOT NULL,
  provenance_id TEXT REFERENCES provenance_records (id),
  created_at TEXT NOT NULL
);
CREATE INDEX audit_newest ON audit_entries (created_at, id);
CREATE INDEX audit_by_actor ON audit_entries (actor, created_at, id);
CREATE INDEX audit_by_subject ON audit_entries (subject, created_at, id);
CREATE INDEX audit_by_action ON audit_entries (action, created_at, id);
`;
