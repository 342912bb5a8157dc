import {
  MAIL_MODES,
  NOTIFICATION_STATES,
  type NotificationRecord,
  type NotificationSettings,
  type NotificationStore,
  type NotificationTarget,
} from "../../ports/notifications.ts";
import { int, optText } from "../rows.ts";
import { marks } from "../sql.ts";
import { OverSql } from "./over-sql.ts";
import { is, table } from "../table.ts";

const NOTIFICATION_SETTINGS = table<NotificationSettings>("notification_settings", {
  personId: is.text,
  mail: is.oneOf(MAIL_MODES),
  unsubscribeToken: is.text,
});
const PUT_SETTINGS = `${NOTIFICATION_SETTINGS.insert} ON CONFLICT (person_id) DO UPDATE SET
  mail = excluded.mail`;
const SELECT_SETTINGS = NOTIFICATION_SETTINGS.select;
const NOTIFICATION_TARGETS = table<NotificationTarget>("notification_targets", {
  id: is.text,
  owner: is.text,
  url: is.text,
  secret: is.text,
  createdBy: is.text,
  createdAt: is.text,
});
const INSERT_TARGET = NOTIFICATION_TARGETS.insert;
const SELECT_TARGET = NOTIFICATION_TARGETS.select;
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
const SELECT = NOTIFICATIONS.select;
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
export class NotificationRecords extends OverSql implements NotificationStore {
  settings(personId: string): Promise<NotificationSettings | null> {
    return NOTIFICATION_SETTINGS.one(this.sql, `${SELECT_SETTINGS} WHERE person_id = ?`, [personId]);
  }

  async putSettings(record: NotificationSettings): Promise<void> {
    await this.sql.run(PUT_SETTINGS, NOTIFICATION_SETTINGS.values(record));
  }

  byToken(token: string): Promise<NotificationSettings | null> {
    return NOTIFICATION_SETTINGS.one(this.sql, `${SELECT_SETTINGS} WHERE unsubscribe_token = ?`, [token]);
  }

  async insertTarget(record: NotificationTarget): Promise<void> {
    await this.sql.run(INSERT_TARGET, NOTIFICATION_TARGETS.values(record));
  }

  targets(owners?: readonly string[]): Promise<readonly NotificationTarget[]> {
    const where = owners === undefined ? "" : ` WHERE owner IN (${marks(owners.length)})`;
    return NOTIFICATION_TARGETS.all(
      this.sql,
      `${SELECT_TARGET}${where} ORDER BY created_at, id`,
      owners ?? [],
    );
  }

  target(id: string): Promise<NotificationTarget | null> {
    return NOTIFICATION_TARGETS.one(this.sql, `${SELECT_TARGET} WHERE id = ?`, [id]);
  }

  removeTarget(id: string): Promise<boolean> {
    return this.changesOne("DELETE FROM notification_targets WHERE id = ?", [id]);
  }

  async add(record: NotificationRecord): Promise<void> {
    await this.sql.run(ADD, NOTIFICATIONS.values(record));
  }

  async nextDigestAt(personId: string, after: string): Promise<string | null> {
    const row = await this.sql.get(NEXT_DIGEST, [personId, after]);
    return row === undefined ? null : optText(row, "at");
  }

  async isDue(now: string): Promise<boolean> {
    return (await this.sql.get(`SELECT id FROM notifications WHERE ${DUE} LIMIT 1`, [now])) !== undefined;
  }

  async claim(now: string, leaseUntil: string, limit: number): Promise<readonly NotificationRecord[]> {
    const rows = await this.sql.all(CLAIM, [leaseUntil, now, limit, now]);
    return rows.map(NOTIFICATIONS.read).sort((a, b) => a.sequence - b.sequence);
  }

  async settle({ state, nextAttemptAt, lastError, sentAt, id }: NotificationRecord): Promise<void> {
    await this.sql.run(SETTLE, [state, nextAttemptAt, lastError, sentAt, id]);
  }

  async ofApproval(approvalId: string): Promise<readonly NotificationRecord[]> {
    const rows = await this.sql.all(`${SELECT} WHERE approval_id = ? ORDER BY sequence, id`, [approvalId]);
    return rows.map(NOTIFICATIONS.read);
  }

  trim(before: string): Promise<number> {
    return this.sql.run(TRIM, [before]);
  }

  async cursor(): Promise<number> {
    const row = await this.sql.get(CURSOR + this.sql.forUpdate, []);
    return row === undefined ? 0 : int(row, "value");
  }

  async setCursor(sequence: number): Promise<void> {
    await this.sql.run(SET_CURSOR, [sequence]);
  }
}
