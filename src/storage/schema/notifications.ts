import { quotedList } from "../sql.ts";
import { MAIL_MODES, NOTIFICATION_STATES } from "../../ports/notifications.ts";

/** Messages to people about approvals, where they go and how. */
export const NOTIFICATION_TABLES = `
CREATE TABLE notification_settings (
  person_id TEXT PRIMARY KEY REFERENCES people (id),
  mail TEXT NOT NULL CHECK (mail IN (${quotedList(MAIL_MODES)})),
  unsubscribe_token TEXT NOT NULL UNIQUE
);

CREATE TABLE notification_targets (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  url TEXT NOT NULL,
  secret TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX notification_targets_of ON notification_targets (owner);

CREATE TABLE notifications (
  id TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL,
  kind TEXT NOT NULL,
  approval_id TEXT NOT NULL REFERENCES approvals (id),
  channel TEXT NOT NULL CHECK (channel IN ('email', 'webhook')),
  recipient TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN (${quotedList(NOTIFICATION_STATES)})),
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  next_attempt_at TEXT,
  last_error TEXT,
  created_at TEXT NOT NULL,
  sent_at TEXT,
  UNIQUE (sequence, channel, recipient),
  CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL)),
  CHECK ((state = 'sent') = (sent_at IS NOT NULL))
);
CREATE INDEX notifications_due ON notifications (next_attempt_at) WHERE state = 'pending';
CREATE INDEX notifications_of ON notifications (approval_id);

INSERT INTO counters (name, value) VALUES ('notification_cursor', 0);
`;
