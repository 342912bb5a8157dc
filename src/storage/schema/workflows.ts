/** Workflows, their published versions and templates. */
export const WORKFLOW_TABLES = `
CREATE TABLE workflows (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  tags TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('draft', 'published', 'archived')),
  visibility TEXT NOT NULL CHECK (visibility IN ('private', 'public')),
  owner TEXT,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  document TEXT NOT NULL,
  digest TEXT NOT NULL CHECK (digest LIKE 'sha256:%'),
  published_version INTEGER CHECK (published_version >= 1),
  created_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_by TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK (status <> 'published' OR published_version IS NOT NULL)
);
CREATE INDEX workflows_newest ON workflows (created_at, id);

CREATE TABLE workflow_versions (
  workflow_id TEXT NOT NULL REFERENCES workflows (id),
  version INTEGER NOT NULL CHECK (version >= 1),
  digest TEXT NOT NULL CHECK (digest LIKE 'sha256:%'),
  document TEXT NOT NULL,
  published_at TEXT NOT NULL,
  published_by TEXT NOT NULL,
  PRIMARY KEY (workflow_id, version)
);

CREATE TABLE workflow_editors (
  workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
  version INTEGER NOT NULL CHECK (version >= 1),
  editor TEXT NOT NULL,
  PRIMARY KEY (workflow_id, version, editor)
);

CREATE TABLE templates (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  tags TEXT NOT NULL,
  document TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX templates_newest ON templates (created_at, id);
`;
