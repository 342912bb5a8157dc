/** Artifacts with all their versions, and rendered forms. */
export const ARTIFACT_TABLES = `
CREATE TABLE artifacts (
  id TEXT PRIMARY KEY,
  version INTEGER NOT NULL CHECK (version >= 1),
  privacy TEXT NOT NULL CHECK (privacy IN ('public', 'internal', 'confidential', 'restricted')),
  created_at TEXT NOT NULL,
  deleted_at TEXT
);
CREATE INDEX artifacts_newest ON artifacts (created_at, id);

CREATE TABLE artifact_versions (
  id TEXT NOT NULL REFERENCES artifacts (id),
  version INTEGER NOT NULL CHECK (version >= 1),
  title TEXT NOT NULL,
  type TEXT NOT NULL,
  privacy TEXT NOT NULL CHECK (privacy IN ('public', 'internal', 'confidential', 'restricted')),
  digest TEXT NOT NULL CHECK (digest LIKE 'sha256:%'),
  content TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  PRIMARY KEY (id, version)
);

CREATE TABLE rendered_forms (
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  source TEXT NOT NULL,
  form TEXT NOT NULL,
  created_at TEXT NOT NULL,
  last_rendered_at TEXT NOT NULL,
  render_count INTEGER NOT NULL CHECK (render_count >= 1)
);
CREATE INDEX rendered_forms_newest ON rendered_forms (created_at, id);
`;
