import { newId } from "../../kernel/ids.ts";
import { isoTime } from "../../kernel/time.ts";
import type { Clock } from "../../ports/platform.ts";
import type { DeliveryRecord, EventRecord, WebhookRecord } from "../../ports/records.ts";
import type { EventStore, WebhookStore } from "../../ports/store.ts";
import { NEWEST, selectPage, type Filter } from "../paging.ts";
import { int, optInt } from "../rows.ts";
import type { Sql } from "../sql.ts";
import { changesOne, exec, insertRows, numberOf, type Written } from "./statements.ts";
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
export const eventRecords = (sql: Sql, clock: Clock, written: Written): EventStore => ({
  async append(events) {
    if (events.length === 0) return;
    written.appended = true;
    const time = isoTime(clock.now());
    written.lastEvent = await sql.insert(
      EVENTS.insert,
      events.map((event) => EVENTS.values({ ...event, sequence: 0, id: newId("event"), time })),
    );
  },
  async number(limit) {
    if (sql.dialect === "sqlite") return { count: 0, last: 0 };
    await sql.lock();
    const rows = await sql.all(NUMBER, [limit]);
    return { count: rows.length, last: Math.max(0, ...rows.map((row) => int(row, "sequence"))) };
  },
  after: (sequence, limit) => EVENTS.all(sql, AFTER, [sequence, limit]),
  ofRunsAfter: (sequence, limit) => EVENTS.all(sql, OF_RUNS_AFTER, [sequence, limit]),
  async bounds() {
    const row = await sql.get(BOUNDS, []);
    if (row === undefined) return { first: 0, last: 0 };
    return { first: optInt(row, "first") ?? 0, last: optInt(row, "last") ?? 0 };
  },
  trim: async (before) => sql.run(TRIM_BEFORE, [Math.min(before, await last(sql))]),
});

async function last(sql: Sql): Promise<number> {
  const row = await sql.get(LAST, []);
  return row === undefined ? 0 : (optInt(row, "last") ?? 0);
}

/** Webhooks and deliveries over either database. */
export const webhookRecords = (sql: Sql): WebhookStore => ({
  insert: async (record) => exec(sql, WEBHOOKS.insert, WEBHOOKS.values(record)),
  get: (id) => WEBHOOKS.one(sql, GET_WEBHOOK, [id]),
  list: (page) => selectPage(sql, WEBHOOKS.select, {}, NEWEST, page, WEBHOOKS.read),
  async update(record) {
    const values = [...UPDATE_WEBHOOK.values(record), record.id];
    return changesOne(sql, UPDATE_WEBHOOK.sql, values);
  },
  async remove(id) {
    await sql.run(REMOVE_DELIVERIES, [id]);
    return changesOne(sql, REMOVE_WEBHOOK, [id]);
  },
  putDelivery: async (record) => insertRows(sql, PUT_DELIVERY, [DELIVERIES.values(record)]),
  dueDeliveries: (now, limit) => DELIVERIES.all(sql, DUE_DELIVERIES, [now, limit]),
  async claimDeliveries(now, leaseUntil, limit) {
    const claimed = await DELIVERIES.all(sql, CLAIM_DELIVERIES, [leaseUntil, now, limit, now]);
    return claimed.toSorted((a, b) => a.sequence - b.sequence);
  },
  deliveries(webhookId, page, state) {
    const of = { sql: "webhook_id = ?", values: [webhookId] };
    const where: Filter =
      state === "dead"
        ? { along: [{ ...of, sql: `${of.sql} AND state = 'dead'` }] }
        : { along: [of], only: state === undefined ? [] : [{ sql: "state = ?", values: [state] }] };
    return selectPage(sql, DELIVERIES.select, where, NEWEST, page, DELIVERIES.read);
  },
  trimDeliveries: (before) => sql.run(TRIM_DELIVERIES, [before]),
  cursor: () => numberOf(sql, CURSOR + sql.forUpdate, [], "value"),
  setCursor: async (sequence) => exec(sql, SET_CURSOR, [sequence]),
});
