import {
  MAIL_MODES,
  NOTIFICATION_STATES,
  type NotificationRecord,
  type NotificationSettings,
  type NotificationStore,
  type NotificationTarget,
} from "../../ports/notifications.ts";
import { optText } from "../rows.ts";
import { marks, type Sql } from "../sql.ts";
import { changesOne, exec, numberOf, first } from "./statements.ts";
import { is, table } from "../table.ts";

const NOTIFICATION_SETTINGS = table<NotificationSettings>("notification_settings", {
  personId: is.text,
  mail: is.oneOf(MAIL_MODES),
  unsubscribeToken: is.text,
});
const PUT_SETTINGS = `${NOTIFICATION_SETTINGS.insert} ON CONFLICT (person_id) DO UPDATE SET
  mail = excluded.mail`;
const NOTIFICATION_TARGETS = table<NotificationTarget>("notification_targets", {
  id: is.text,
  owner: is.text,
  url: is.text,
  secret: is.text,
  createdBy: is.text,
  createdAt: is.text,
});
const NOTIFICATIONS = table<NotificationRecord>("notifications", {
  id: is.text,
  sequence: is.int,
  kind: is.text,
  approvalId: is.text,
  channel: is.oneOf(["email", "webhook"]),
  recipient: is.text,
  state: is.oneOf(NOTIFICATION_STATES),
  attempts: is.int,
  nextAttemptAt: is.optText,
  lastError: is.optText,
  createdAt: is.text,
  sentAt: is.optText,
});
const ADD = `${NOTIFICATIONS.insert} ON CONFLICT DO NOTHING`;
const DUE = "state = 'pending' AND next_attempt_at <= ?";
/** The outer conditions are looked at again when another replica took the row first. */
const CLAIM = `UPDATE notifications SET next_attempt_at = ?, attempts = attempts + 1 WHERE id IN
  (SELECT id FROM notifications WHERE ${DUE} ORDER BY next_attempt_at, id LIMIT ?) AND ${DUE} RETURNING ${NOTIFICATIONS.columns}`;
const SETTLE = `UPDATE notifications SET state = ?, next_attempt_at = ?, last_error = ?, sent_at = ? WHERE id = ?`;
const NEXT_DIGEST = `SELECT min(next_attempt_at) AS at FROM notifications
  WHERE channel = 'email' AND recipient = ? AND state = 'pending' AND attempts = 0 AND next_attempt_at > ?`;
const TRIM = "DELETE FROM notifications WHERE state IN ('sent', 'dropped') AND created_at < ?";
const CURSOR = "SELECT value FROM counters WHERE name = 'notification_cursor'";
const SET_CURSOR = "UPDATE counters SET value = ? WHERE name = 'notification_cursor'";

/** Notifications over either database. */
export const notificationRecords = (sql: Sql): NotificationStore => ({
  settings: (personId) =>
    NOTIFICATION_SETTINGS.one(sql, `${NOTIFICATION_SETTINGS.select} WHERE person_id = ?`, [personId]),
  putSettings: async (record) => exec(sql, PUT_SETTINGS, NOTIFICATION_SETTINGS.values(record)),
  byToken: (token) =>
    NOTIFICATION_SETTINGS.one(sql, `${NOTIFICATION_SETTINGS.select} WHERE unsubscribe_token = ?`, [token]),
  insertTarget: async (record) => exec(sql, NOTIFICATION_TARGETS.insert, NOTIFICATION_TARGETS.values(record)),
  targets(owners) {
    const where = owners === undefined ? "" : ` WHERE owner IN (${marks(owners.length)})`;
    return NOTIFICATION_TARGETS.all(
      sql,
      `${NOTIFICATION_TARGETS.select}${where} ORDER BY created_at, id`,
      owners ?? [],
    );
  },
  target: (id) => NOTIFICATION_TARGETS.one(sql, `${NOTIFICATION_TARGETS.select} WHERE id = ?`, [id]),
  removeTarget: (id) => changesOne(sql, "DELETE FROM notification_targets WHERE id = ?", [id]),
  add: async (record) => exec(sql, ADD, NOTIFICATIONS.values(record)),
  nextDigestAt: (personId, after) => first(sql, NEXT_DIGEST, [personId, after], (row) => optText(row, "at")),
  isDue: async (now) =>
    (await sql.get(`SELECT id FROM notifications WHERE ${DUE} LIMIT 1`, [now])) !== undefined,
  async claim(now, leaseUntil, limit) {
    const rows = await sql.all(CLAIM, [leaseUntil, now, limit, now]);
    return rows.map(NOTIFICATIONS.read).sort((a, b) => a.sequence - b.sequence);
  },
  settle: async ({ state, nextAttemptAt, lastError, sentAt, id }) =>
    exec(sql, SETTLE, [state, nextAttemptAt, lastError, sentAt, id]),
  async ofApproval(approvalId) {
    const rows = await sql.all(`${NOTIFICATIONS.select} WHERE approval_id = ? ORDER BY sequence, id`, [
      approvalId,
    ]);
    return rows.map(NOTIFICATIONS.read);
  },
  trim: (before) => sql.run(TRIM, [before]),
  cursor: () => numberOf(sql, CURSOR + sql.forUpdate, [], "value"),
  setCursor: async (sequence) => exec(sql, SET_CURSOR, [sequence]),
});
