/**
 * The event outbox, webhooks and their deliveries. `sequence` grows by one with each event. On PostgreSQL it is null until
 * the sequencer has numbered the event; `ordinal` is the order of insertion, in an index until then.
 */
export const EVENT_TABLES = `
CREATE TABLE events (
  sequence NUMBERED,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  time TEXT NOT NULL,
  traceparent TEXT,
  data TEXT NOT NULL,
  public_data TEXT
);
-- postgres: CREATE INDEX events_unnumbered ON events (ordinal) WHERE sequence IS NULL;

CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  types TEXT NOT NULL,
  secrets TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('active', 'paused')),
  created_at TEXT NOT NULL
);
CREATE INDEX webhooks_newest ON webhooks (created_at, id);

CREATE TABLE deliveries (
  id TEXT PRIMARY KEY,
  webhook_id TEXT NOT NULL REFERENCES webhooks (id),
  sequence INTEGER NOT NULL,
  subject TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'dead')),
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  next_attempt_at TEXT,
  last_error TEXT,
  created_at TEXT NOT NULL,
  delivered_at TEXT,
  UNIQUE (webhook_id, sequence),
  CHECK ((state = 'delivered') = (delivered_at IS NOT NULL)),
  CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL))
);
CREATE INDEX deliveries_newest ON deliveries (webhook_id, created_at, id);
CREATE INDEX deliveries_order ON deliveries (webhook_id, subject, sequence) WHERE state = 'pending';
CREATE INDEX deliveries_due ON deliveries (next_attempt_at) WHERE state = 'pending';
`;
