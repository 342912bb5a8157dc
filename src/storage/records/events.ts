import { newId } from "../../kernel/ids.ts";
import { isoTime } from "../../kernel/time.ts";
import type { Clock } from "../../ports/platform.ts";
import type { DeliveryRecord, EventRecord, NewEvent, WebhookRecord } from "../../ports/records.ts";
import type { EventStore, Page, PageRequest, WebhookStore } from "../../ports/store.ts";
import { NEWEST, selectPage, type Filter } from "../paging.ts";
import {
  int,
  jsonText,
  object,
  oneOf,
  optInt,
  optJsonText,
  optObject,
  optText,
  strings,
  text,
} from "../rows.ts";
import { insertInto, type Row, type Sql } from "../sql.ts";

const COLUMNS = "sequence, id, type, subject, time, traceparent, data, public_data";
const INSERT = insertInto("events", COLUMNS);
const SELECT_AFTER = `SELECT ${COLUMNS} FROM events WHERE sequence > ?`;
const IN_ORDER = "ORDER BY sequence LIMIT ?";
const AFTER = `${SELECT_AFTER} ${IN_ORDER}`;
const OF_RUNS_AFTER = `${SELECT_AFTER} AND type LIKE 'svc.run.%' ${IN_ORDER}`;
const BOUNDS = `SELECT (SELECT min(sequence) FROM events) AS first, (SELECT max(sequence) FROM events) AS last`;
const LAST = "SELECT max(sequence) AS last FROM events";
const TRIM_BEFORE = "DELETE FROM events WHERE sequence < ?";
/**
 * PostgreSQL only. Insertion order is causal order: a transaction that follows another has the later ordinals. Both sides
 * name what the index of unnumbered rows holds, so that the cost does not grow with the table.
 */
const NUMBER = `WITH pending AS (
    SELECT ordinal, row_number() OVER (ORDER BY ordinal) AS nth FROM events WHERE sequence IS NULL
    ORDER BY ordinal LIMIT ?),
  before AS (SELECT coalesce(max(sequence), 0) AS last FROM events)
  UPDATE events SET sequence = before.last + pending.nth FROM pending, before
  WHERE events.ordinal = pending.ordinal AND events.sequence IS NULL RETURNING sequence`;

const WEBHOOK_COLUMNS = "id, url, types, secrets, state, created_at";
const INSERT_WEBHOOK = insertInto("webhooks", WEBHOOK_COLUMNS);
const SELECT_WEBHOOK = `SELECT ${WEBHOOK_COLUMNS} FROM webhooks`;
const GET_WEBHOOK = `${SELECT_WEBHOOK} WHERE id = ?`;
const UPDATE_WEBHOOK = "UPDATE webhooks SET url = ?, types = ?, secrets = ?, state = ? WHERE id = ?";
const REMOVE_DELIVERIES = "DELETE FROM deliveries WHERE webhook_id = ?";
const REMOVE_WEBHOOK = "DELETE FROM webhooks WHERE id = ?";

const DELIVERY_COLUMNS =
  "id, webhook_id, sequence, subject, state, attempts, next_attempt_at, last_error, created_at, delivered_at";
const PUT_DELIVERY = `${insertInto("deliveries", DELIVERY_COLUMNS)} ON CONFLICT (webhook_id, sequence) DO UPDATE SET
  state = excluded.state, attempts = excluded.attempts, next_attempt_at = excluded.next_attempt_at,
  last_error = excluded.last_error, delivered_at = excluded.delivered_at`;
const SELECT_DELIVERY = `SELECT ${DELIVERY_COLUMNS} FROM deliveries`;
const FIRST_OF_SUBJECT = `d.state = 'pending' AND d.next_attempt_at <= ? AND w.state = 'active' AND NOT EXISTS
  (SELECT 1 FROM deliveries e WHERE e.webhook_id = d.webhook_id AND e.subject = d.subject
    AND e.state = 'pending' AND e.sequence < d.sequence)`;
const DUE_DELIVERIES = `SELECT ${DELIVERY_COLUMNS.replaceAll(/\w+/g, "d.$&")} FROM deliveries d
  JOIN webhooks w ON w.id = d.webhook_id WHERE ${FIRST_OF_SUBJECT} ORDER BY d.sequence LIMIT ?`;
/** The outer conditions are looked at again when another replica took the row first. */
const CLAIM_DELIVERIES = `UPDATE deliveries SET next_attempt_at = ?, attempts = attempts + 1 WHERE id IN
  (SELECT d.id FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE ${FIRST_OF_SUBJECT}
    ORDER BY d.sequence LIMIT ?) AND state = 'pending' AND next_attempt_at <= ? RETURNING ${DELIVERY_COLUMNS}`;
const TRIM_DELIVERIES = "DELETE FROM deliveries WHERE state = 'delivered' AND created_at < ?";
const CURSOR = "SELECT value FROM counters WHERE name = 'webhook_cursor'";
const SET_CURSOR = "UPDATE counters SET value = ? WHERE name = 'webhook_cursor'";

function event(row: Row): EventRecord {
  return {
    sequence: int(row, "sequence"),
    id: text(row, "id"),
    type: text(row, "type"),
    subject: text(row, "subject"),
    time: text(row, "time"),
    traceparent: optText(row, "traceparent"),
    data: object(row, "data"),
    publicData: optObject(row, "public_data"),
  };
}

function webhook(row: Row): WebhookRecord {
  return {
    id: text(row, "id"),
    url: text(row, "url"),
    types: strings(row, "types"),
    secrets: strings(row, "secrets"),
    state: oneOf(row, "state", ["active", "paused"]),
    createdAt: text(row, "created_at"),
  };
}

function delivery(row: Row): DeliveryRecord {
  return {
    id: text(row, "id"),
    webhookId: text(row, "webhook_id"),
    sequence: int(row, "sequence"),
    subject: text(row, "subject"),
    state: oneOf(row, "state", ["pending", "delivered", "dead"]),
    attempts: int(row, "attempts"),
    nextAttemptAt: optText(row, "next_attempt_at"),
    lastError: optText(row, "last_error"),
    createdAt: text(row, "created_at"),
    deliveredAt: optText(row, "delivered_at"),
  };
}

/** The outbox over either database. */
export class EventRecords implements EventStore {
  readonly #sql: Sql;
  readonly #clock: Clock;
  /** The newest sequence that SQLite gave here; 0 when it gave none. */
  written = 0;
  appended = false;

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql;
    this.#clock = clock;
  }

  async append(events: readonly NewEvent[]): Promise<void> {
    if (events.length === 0) return;
    this.appended = true;
    const time = isoTime(this.#clock.now());
    this.written = await this.#sql.insert(
      INSERT,
      events.map((event) => [
        null,
        newId("event"),
        event.type,
        event.subject,
        time,
        event.traceparent,
        jsonText(event.data),
        optJsonText(event.publicData),
      ]),
    );
  }

  async number(limit: number): Promise<{ readonly count: number; readonly last: number }> {
    if (this.#sql.dialect === "sqlite") return { count: 0, last: 0 };
    await this.#sql.lock();
    const rows = await this.#sql.all(NUMBER, [limit]);
    return { count: rows.length, last: Math.max(0, ...rows.map((row) => int(row, "sequence"))) };
  }

  async after(sequence: number, limit: number): Promise<readonly EventRecord[]> {
    return (await this.#sql.all(AFTER, [sequence, limit])).map(event);
  }

  async ofRunsAfter(sequence: number, limit: number): Promise<readonly EventRecord[]> {
    return (await this.#sql.all(OF_RUNS_AFTER, [sequence, limit])).map(event);
  }

  async bounds(): Promise<{ readonly first: number; readonly last: number }> {
    const row = await this.#sql.get(BOUNDS, []);
    if (row === undefined) return { first: 0, last: 0 };
    return { first: optInt(row, "first") ?? 0, last: optInt(row, "last") ?? 0 };
  }

  async trim(before: number): Promise<number> {
    return this.#sql.run(TRIM_BEFORE, [Math.min(before, await this.#last())]);
  }

  async #last(): Promise<number> {
    const row = await this.#sql.get(LAST, []);
    return row === undefined ? 0 : (optInt(row, "last") ?? 0);
  }
}

/** Webhooks and deliveries over either database. */
export class WebhookRecords implements WebhookStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async insert(record: WebhookRecord): Promise<void> {
    await this.#sql.run(INSERT_WEBHOOK, [
      record.id,
      record.url,
      jsonText(record.types),
      jsonText(record.secrets),
      record.state,
      record.createdAt,
    ]);
  }

  async get(id: string): Promise<WebhookRecord | null> {
    const row = await this.#sql.get(GET_WEBHOOK, [id]);
    return row === undefined ? null : webhook(row);
  }

  list(page: PageRequest): Promise<Page<WebhookRecord>> {
    return selectPage(this.#sql, SELECT_WEBHOOK, {}, NEWEST, page, webhook);
  }

  async update(record: WebhookRecord): Promise<boolean> {
    const changed = await this.#sql.run(UPDATE_WEBHOOK, [
      record.url,
      jsonText(record.types),
      jsonText(record.secrets),
      record.state,
      record.id,
    ]);
    return changed === 1;
  }

  async remove(id: string): Promise<boolean> {
    await this.#sql.run(REMOVE_DELIVERIES, [id]);
    return (await this.#sql.run(REMOVE_WEBHOOK, [id])) === 1;
  }

  async putDelivery(record: DeliveryRecord): Promise<void> {
    await this.#sql.insert(PUT_DELIVERY, [
      [
        record.id,
        record.webhookId,
        record.sequence,
        record.subject,
        record.state,
        record.attempts,
        record.nextAttemptAt,
        record.lastError,
        record.createdAt,
        record.deliveredAt,
      ],
    ]);
  }

  async dueDeliveries(now: string, limit: number): Promise<readonly DeliveryRecord[]> {
    return (await this.#sql.all(DUE_DELIVERIES, [now, limit])).map(delivery);
  }

  async claimDeliveries(now: string, leaseUntil: string, limit: number): Promise<readonly DeliveryRecord[]> {
    const rows = await this.#sql.all(CLAIM_DELIVERIES, [leaseUntil, now, limit, now]);
    return rows.map(delivery).sort((a, b) => a.sequence - b.sequence);
  }

  deliveries(
    webhookId: string,
    page: PageRequest,
    state?: DeliveryRecord["state"],
  ): Promise<Page<DeliveryRecord>> {
    const of = { sql: "webhook_id = ?", values: [webhookId] };
    const where: Filter =
      state === "dead"
        ? { along: [{ ...of, sql: `${of.sql} AND state = 'dead'` }] }
        : { along: [of], only: state === undefined ? [] : [{ sql: "state = ?", values: [state] }] };
    return selectPage(this.#sql, SELECT_DELIVERY, where, NEWEST, page, delivery);
  }

  trimDeliveries(before: string): Promise<number> {
    return this.#sql.run(TRIM_DELIVERIES, [before]);
  }

  async cursor(): Promise<number> {
    const row = await this.#sql.get(CURSOR + this.#sql.forUpdate, []);
    return row === undefined ? 0 : int(row, "value");
  }

  async setCursor(sequence: number): Promise<void> {
    await this.#sql.run(SET_CURSOR, [sequence]);
  }
}
