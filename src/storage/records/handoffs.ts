import type { Sql } from "../sql.ts";
import { HANDOFF_STATES } from "../../model/states.ts";
import type { HandoffRecord, IdempotencyRecord } from "../../ports/records.ts";
import type { HandoffStore, IdempotencyStore } from "../../ports/store.ts";
import { narrowed, selectPage, type Condition, type Order } from "../paging.ts";
import { changesOne } from "./statements.ts";
import { is, table } from "../table.ts";

const HANDOFFS = table<HandoffRecord>("handoffs", {
  id: is.text,
  direction: is.oneOf(["in", "out"]),
  peer: is.text,
  capability: is.text,
  packet: is.object,
  packetDigest: is.text,
  state: is.oneOf(HANDOFF_STATES),
  attempts: is.int,
  nextAttemptAt: is.optText,
  resultRef: is.optText,
  outputArtifactIds: is.strings,
  evidence: is.optObject,
  runId: is.optText,
  createdBy: is.optText,
  createdAt: is.text,
  updatedAt: is.text,
});
const INSERT = `${HANDOFFS.insert} ON CONFLICT (direction, id) DO NOTHING`;
const GET = `${HANDOFFS.select} WHERE direction = ? AND id = ?`;
const UPDATE = HANDOFFS.update(
  [
    "packet",
    "state",
    "attempts",
    "nextAttemptAt",
    "resultRef",
    "outputArtifactIds",
    "evidence",
    "runId",
    "updatedAt",
  ],
  "WHERE direction = ? AND id = ? AND state = ?",
);
const DUE = `${HANDOFFS.select} WHERE next_attempt_at IS NOT NULL AND next_attempt_at <= ?
  ORDER BY next_attempt_at, id LIMIT ?`;
/** Two packets of one moment may share an id when one went out and one came in. */
const NEWEST: Order = { columns: ["created_at", "id", "direction"], kind: "text", direction: "DESC" };

const KEYS = table<IdempotencyRecord>("idempotency_keys", {
  scope: is.text,
  key: is.text,
  requestDigest: is.text,
  answer: is.object,
  createdAt: is.text,
});
const INSERT_KEY = `${KEYS.insert} ON CONFLICT (scope, key) DO NOTHING`;
const GET_KEY = `${KEYS.select} WHERE scope = ? AND key = ?`;
const TRIM_KEYS = "DELETE FROM idempotency_keys WHERE created_at < ?";

/** Handoffs over either database. */
export const handoffRecords = (sql: Sql): HandoffStore => ({
  insert: (record) => changesOne(sql, INSERT, HANDOFFS.values(record)),
  get: (id, direction) => HANDOFFS.one(sql, GET, [direction, id]),
  list(page, filter = {}) {
    const where: Condition[] = [];
    if (filter.ownedBy !== undefined) where.push({ sql: "created_by = ?", values: [filter.ownedBy] });
    if (filter.state !== undefined) where.push({ sql: "state = ?", values: [filter.state] });
    const only = filter.direction === undefined ? [] : [{ sql: "direction = ?", values: [filter.direction] }];
    return selectPage(sql, HANDOFFS.select, narrowed(where, only), NEWEST, page, HANDOFFS.read);
  },
  async update(record, expectedState) {
    const { direction, id } = record;
    return changesOne(sql, UPDATE.sql, [...UPDATE.values(record), direction, id, expectedState]);
  },
  due: (now, limit) => HANDOFFS.all(sql, DUE, [now, limit]),
});

/** Kept answers over either database. */
export const idempotencyRecords = (sql: Sql): IdempotencyStore => ({
  get: (scope, key) => KEYS.one(sql, GET_KEY, [scope, key]),
  insert: (record) => changesOne(sql, INSERT_KEY, KEYS.values(record)),
  trim: (before) => sql.run(TRIM_KEYS, [before]),
});
