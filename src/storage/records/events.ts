import { newId } from "../../kernel/ids.ts";
import { isoTime } from "../../kernel/time.ts";
import type { Clock } from "../../ports/platform.ts";
import type { DeliveryRecord, EventRecord, NewEvent, WebhookRecord } from "../../ports/records.ts";
import type { EventStore, Page, PageRequest, WebhookStore } from "../../ports/store.ts";
import { NEWEST, selectPage, type Filter } from "../paging.ts";
import { int, optInt } from "../rows.ts";
import type { Sql } from "../sql.ts";
import { OverSql } from "./over-sql.ts";
import { column, is, table } from "../table.ts";

const EVENTS = table<EventRecord>("events", {
  // The database numbers events.
  sequence: column(int, () => null),
  id: is.text,
  type: is.text,
  subject: is.text,
  time: is.text,
  traceparent: is.optText,
  data: is.object,
  publicData: is.optObject,
  madeIn: is.optText,
});
const SELECT_AFTER = `${EVENTS.select} WHERE sequence > ?`;
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

const WEBHOOKS = table<WebhookRecord>("webhooks", {
  id: is.text,
  url: is.text,
  types: is.strings,
  secrets: is.strings,
  state: is.oneOf(["active", "paused"]),
  createdAt: is.text,
});
const GET_WEBHOOK = `${WEBHOOKS.select} WHERE id = ?`;
const UPDATE_WEBHOOK = WEBHOOKS.update(["url", "types", "secrets", "state"], "WHERE id = ?");
const REMOVE_DELIVERIES = "DELETE FROM deliveries WHERE webhook_id = ?";
const REMOVE_WEBHOOK = "DELETE FROM webhooks WHERE id = ?";

const DELIVERIES = table<DeliveryRecord>("deliveries", {
  id: is.text,
  webhookId: is.text,
  sequence: is.int,
  subject: is.text,
  state: is.oneOf(["pending", "delivered", "dead"]),
  attempts: is.int,
  nextAttemptAt: is.optText,
  lastError: is.optText,
  createdAt: is.text,
  deliveredAt: is.optText,
});
const PUT_DELIVERY = `${DELIVERIES.insert} ON CONFLICT (webhook_id, sequence) DO UPDATE SET
  state = excluded.state, attempts = excluded.attempts, next_attempt_at = excluded.next_attempt_at,
  last_error = excluded.last_error, delivered_at = excluded.delivered_at`;
const FIRST_OF_SUBJECT = `d.state = 'pending' AND d.next_attempt_at <= ? AND w.state = 'active' AND NOT EXISTS
  (SELECT 1 FROM deliveries e WHERE e.webhook_id = d.webhook_id AND e.subject = d.subject
    AND e.state = 'pending' AND e.sequence < d.sequence)`;
const DUE_DELIVERIES = `SELECT ${DELIVERIES.columnsOf("d")} FROM deliveries d
  JOIN webhooks w ON w.id = d.webhook_id WHERE ${FIRST_OF_SUBJECT} ORDER BY d.sequence LIMIT ?`;
/** The outer conditions are looked at again when another replica took the row first. */
const CLAIM_DELIVERIES = `UPDATE deliveries SET next_attempt_at = ?, attempts = attempts + 1 WHERE id IN
  (SELECT d.id FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE ${FIRST_OF_SUBJECT}
    ORDER BY d.sequence LIMIT ?) AND state = 'pending' AND next_attempt_at <= ? RETURNING ${DELIVERIES.columns}`;
const TRIM_DELIVERIES = "DELETE FROM deliveries WHERE state = 'delivered' AND created_at < ?";
const CURSOR = "SELECT value FROM counters WHERE name = 'webhook_cursor'";
const SET_CURSOR = "UPDATE counters SET value = ? WHERE name = 'webhook_cursor'";

/** The outbox over either database. */
export class EventRecords extends OverSql implements EventStore {
  readonly #clock: Clock;
  /** The newest sequence that SQLite gave here; 0 when it gave none. */
  written = 0;
  appended = false;

  constructor(sql: Sql, clock: Clock) {
    super(sql);
    this.#clock = clock;
  }

  async append(events: readonly NewEvent[]): Promise<void> {
    if (events.length === 0) return;
    this.appended = true;
    const time = isoTime(this.#clock.now());
    this.written = await this.sql.insert(
      EVENTS.insert,
      events.map((event) => EVENTS.values({ ...event, sequence: 0, id: newId("event"), time })),
    );
  }

  async number(limit: number): Promise<{ readonly count: number; readonly last: number }> {
    if (this.sql.dialect === "sqlite") return { count: 0, last: 0 };
    await this.sql.lock();
    const rows = await this.sql.all(NUMBER, [limit]);
    return { count: rows.length, last: Math.max(0, ...rows.map((row) => int(row, "sequence"))) };
  }

  after(sequence: number, limit: number): Promise<readonly EventRecord[]> {
    return EVENTS.all(this.sql, AFTER, [sequence, limit]);
  }

  ofRunsAfter(sequence: number, limit: number): Promise<readonly EventRecord[]> {
    return EVENTS.all(this.sql, OF_RUNS_AFTER, [sequence, limit]);
  }

  async bounds(): Promise<{ readonly first: number; readonly last: number }> {
    const row = await this.sql.get(BOUNDS, []);
    if (row === undefined) return { first: 0, last: 0 };
    return { first: optInt(row, "first") ?? 0, last: optInt(row, "last") ?? 0 };
  }

  async trim(before: number): Promise<number> {
    return this.sql.run(TRIM_BEFORE, [Math.min(before, await this.#last())]);
  }

  async #last(): Promise<number> {
    const row = await this.sql.get(LAST, []);
    return row === undefined ? 0 : (optInt(row, "last") ?? 0);
  }
}

/** Webhooks and deliveries over either database. */
export class WebhookRecords extends OverSql implements WebhookStore {
  async insert(record: WebhookRecord): Promise<void> {
    await this.sql.run(WEBHOOKS.insert, WEBHOOKS.values(record));
  }

  get(id: string): Promise<WebhookRecord | null> {
    return WEBHOOKS.one(this.sql, GET_WEBHOOK, [id]);
  }

  list(page: PageRequest): Promise<Page<WebhookRecord>> {
    return selectPage(this.sql, WEBHOOKS.select, {}, NEWEST, page, WEBHOOKS.read);
  }

  async update(record: WebhookRecord): Promise<boolean> {
    const values = [...UPDATE_WEBHOOK.values(record), record.id];
    return this.changesOne(UPDATE_WEBHOOK.sql, values);
  }

  async remove(id: string): Promise<boolean> {
    await this.sql.run(REMOVE_DELIVERIES, [id]);
    return this.changesOne(REMOVE_WEBHOOK, [id]);
  }

  async putDelivery(record: DeliveryRecord): Promise<void> {
    await this.sql.insert(PUT_DELIVERY, [DELIVERIES.values(record)]);
  }

  dueDeliveries(now: string, limit: number): Promise<readonly DeliveryRecord[]> {
    return DELIVERIES.all(this.sql, DUE_DELIVERIES, [now, limit]);
  }

  async claimDeliveries(now: string, leaseUntil: string, limit: number): Promise<readonly DeliveryRecord[]> {
    const claimed = await DELIVERIES.all(this.sql, CLAIM_DELIVERIES, [leaseUntil, now, limit, now]);
    return claimed.toSorted((a, b) => a.sequence - b.sequence);
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
    return selectPage(this.sql, DELIVERIES.select, where, NEWEST, page, DELIVERIES.read);
  }

  trimDeliveries(before: string): Promise<number> {
    return this.sql.run(TRIM_DELIVERIES, [before]);
  }

  async cursor(): Promise<number> {
    const row = await this.sql.get(CURSOR + this.sql.forUpdate, []);
    return row === undefined ? 0 : int(row, "value");
  }

  async setCursor(sequence: number): Promise<void> {
    await this.sql.run(SET_CURSOR, [sequence]);
  }
}
