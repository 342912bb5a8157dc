import {
  MAIL_MODES,
  NOTIFICATION_STATES,
  type NotificationRecord,
  type NotificationSettings,
  type NotificationStore,
  type NotificationTarget,
} from "../../ports/notifications.ts";
import { int, oneOf, optText, text } from "../rows.ts";
import { insertInto, marks, type Row, type Sql } from "../sql.ts";

const SETTINGS = "person_id, mail, unsubscribe_token";
const PUT_SETTINGS = `${insertInto("notification_settings", SETTINGS)} ON CONFLICT (person_id) DO UPDATE SET
  mail = excluded.mail`;
const SELECT_SETTINGS = `SELECT ${SETTINGS} FROM notification_settings`;
const TARGET = "id, owner, url, secret, created_by, created_at";
const INSERT_TARGET = insertInto("notification_targets", TARGET);
const SELECT_TARGET = `SELECT ${TARGET} FROM notification_targets`;
const COLUMNS =
  "id, sequence, kind, approval_id, channel, recipient, state, attempts, next_attempt_at, last_error, created_at, sent_at";
const ADD = `${insertInto("notifications", COLUMNS)} ON CONFLICT DO NOTHING`;
const SELECT = `SELECT ${COLUMNS} FROM notifications`;
const DUE = "state = 'pending' AND next_attempt_at <= ?";
/** The outer conditions are looked at again when another replica took the row first. */
const CLAIM = `UPDATE notifications SET next_attempt_at = ?, attempts = attempts + 1 WHERE id IN
  (SELECT id FROM notifications WHERE ${DUE} ORDER BY next_attempt_at, id LIMIT ?) AND ${DUE} RETURNING ${COLUMNS}`;
const SETTLE = `UPDATE notifications SET state = ?, next_attempt_at = ?, last_error = ?, sent_at = ? WHERE id = ?`;
const NEXT_DIGEST = `SELECT min(next_attempt_at) AS at FROM notifications
  WHERE channel = 'email' AND recipient = ? AND state = 'pending' AND attempts = 0 AND next_attempt_at > ?`;
const TRIM = "DELETE FROM notifications WHERE state IN ('sent', 'dropped') AND created_at < ?";
const CURSOR = "SELECT value FROM counters WHERE name = 'notification_cursor'";
const SET_CURSOR = "UPDATE counters SET value = ? WHERE name = 'notification_cursor'";

function settings(row: Row): NotificationSettings {
  return {
    personId: text(row, "person_id"),
    mail: oneOf(row, "mail", MAIL_MODES),
    unsubscribeToken: text(row, "unsubscribe_token"),
  };
}

function target(row: Row): NotificationTarget {
  return {
    id: text(row, "id"),
    owner: text(row, "owner"),
    url: text(row, "url"),
    secret: text(row, "secret"),
    createdBy: text(row, "created_by"),
    createdAt: text(row, "created_at"),
  };
}

function notification(row: Row): NotificationRecord {
  return {
    id: text(row, "id"),
    sequence: int(row, "sequence"),
    kind: text(row, "kind"),
    approvalId: text(row, "approval_id"),
    channel: oneOf(row, "channel", ["email", "webhook"]),
    recipient: text(row, "recipient"),
    state: oneOf(row, "state", NOTIFICATION_STATES),
    attempts: int(row, "attempts"),
    nextAttemptAt: optText(row, "next_attempt_at"),
    lastError: optText(row, "last_error"),
    createdAt: text(row, "created_at"),
    sentAt: optText(row, "sent_at"),
  };
}

/** Notifications over either database. */
export class NotificationRecords implements NotificationStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async settings(personId: string): Promise<NotificationSettings | null> {
    const row = await this.#sql.get(`${SELECT_SETTINGS} WHERE person_id = ?`, [personId]);
    return row === undefined ? null : settings(row);
  }

  async putSettings({ personId, mail, unsubscribeToken }: NotificationSettings): Promise<void> {
    await this.#sql.run(PUT_SETTINGS, [personId, mail, unsubscribeToken]);
  }

  async byToken(token: string): Promise<NotificationSettings | null> {
    const row = await this.#sql.get(`${SELECT_SETTINGS} WHERE unsubscribe_token = ?`, [token]);
    return row === undefined ? null : settings(row);
  }

  async insertTarget(record: NotificationTarget): Promise<void> {
    const { id, owner, url, secret, createdBy, createdAt } = record;
    await this.#sql.run(INSERT_TARGET, [id, owner, url, secret, createdBy, createdAt]);
  }

  async targets(owners?: readonly string[]): Promise<readonly NotificationTarget[]> {
    const where = owners === undefined ? "" : ` WHERE owner IN (${marks(owners.length)})`;
    return (await this.#sql.all(`${SELECT_TARGET}${where} ORDER BY created_at, id`, owners ?? [])).map(
      target,
    );
  }

  async target(id: string): Promise<NotificationTarget | null> {
    const row = await this.#sql.get(`${SELECT_TARGET} WHERE id = ?`, [id]);
    return row === undefined ? null : target(row);
  }

  async removeTarget(id: string): Promise<boolean> {
    return (await this.#sql.run("DELETE FROM notification_targets WHERE id = ?", [id])) === 1;
  }

  async add(record: NotificationRecord): Promise<void> {
    await this.#sql.run(ADD, [
      record.id,
      record.sequence,
      record.kind,
      record.approvalId,
      record.channel,
      record.recipient,
      record.state,
      record.attempts,
      record.nextAttemptAt,
      record.lastError,
      record.createdAt,
      record.sentAt,
    ]);
  }

  async nextDigestAt(personId: string, after: string): Promise<string | null> {
    const row = await this.#sql.get(NEXT_DIGEST, [personId, after]);
    return row === undefined ? null : optText(row, "at");
  }

  async isDue(now: string): Promise<boolean> {
    return (await this.#sql.get(`SELECT id FROM notifications WHERE ${DUE} LIMIT 1`, [now])) !== undefined;
  }

  async claim(now: string, leaseUntil: string, limit: number): Promise<readonly NotificationRecord[]> {
    const rows = await this.#sql.all(CLAIM, [leaseUntil, now, limit, now]);
    return rows.map(notification).sort((a, b) => a.sequence - b.sequence);
  }

  async settle({ state, nextAttemptAt, lastError, sentAt, id }: NotificationRecord): Promise<void> {
    await this.#sql.run(SETTLE, [state, nextAttemptAt, lastError, sentAt, id]);
  }

  async ofApproval(approvalId: string): Promise<readonly NotificationRecord[]> {
    const rows = await this.#sql.all(`${SELECT} WHERE approval_id = ? ORDER BY sequence, id`, [approvalId]);
    return rows.map(notification);
  }

  trim(before: string): Promise<number> {
    return this.#sql.run(TRIM, [before]);
  }

  async cursor(): Promise<number> {
    const row = await this.#sql.get(CURSOR + this.#sql.forUpdate, []);
    return row === undefined ? 0 : int(row, "value");
  }

  async setCursor(sequence: number): Promise<void> {
    await this.#sql.run(SET_CURSOR, [sequence]);
  }
}
