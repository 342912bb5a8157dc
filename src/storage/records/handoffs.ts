import { HANDOFF_STATES } from "../../model/states.ts";
import type { HandoffRecord, IdempotencyRecord } from "../../ports/records.ts";
import type { HandoffStore, IdempotencyStore, Page, PageRequest } from "../../ports/store.ts";
import { narrowed, selectPage, type Condition, type Order } from "../paging.ts";
import { int, jsonText, object, oneOf, optJsonText, optObject, optText, strings, text } from "../rows.ts";
import { insertInto, type Row, type Sql } from "../sql.ts";

const COLUMNS =
  "id, direction, peer, capability, packet, packet_digest, state, attempts, next_attempt_at, result_ref, " +
  "output_artifact_ids, evidence, run_id, created_by, created_at, updated_at";
const INSERT = `${insertInto("handoffs", COLUMNS)} ON CONFLICT (direction, id) DO NOTHING`;
const SELECT = `SELECT ${COLUMNS} FROM handoffs`;
const GET = `${SELECT} WHERE direction = ? AND id = ?`;
const UPDATE = `UPDATE handoffs SET packet = ?, state = ?, attempts = ?, next_attempt_at = ?, result_ref = ?,
  output_artifact_ids = ?, evidence = ?, run_id = ?, updated_at = ? WHERE direction = ? AND id = ? AND state = ?`;
const DUE = `${SELECT} WHERE next_attempt_at IS NOT NULL AND next_attempt_at <= ?
  ORDER BY next_attempt_at, id LIMIT ?`;
/** Two packets of one moment may share an id when one went out and one came in. */
const NEWEST: Order = { columns: ["created_at", "id", "direction"], kind: "text", direction: "DESC" };

const KEY_COLUMNS = "scope, key, request_digest, answer, created_at";
const INSERT_KEY = `${insertInto("idempotency_keys", KEY_COLUMNS)} ON CONFLICT (scope, key) DO NOTHING`;
const GET_KEY = `SELECT ${KEY_COLUMNS} FROM idempotency_keys WHERE scope = ? AND key = ?`;
const TRIM_KEYS = "DELETE FROM idempotency_keys WHERE created_at < ?";

function handoff(row: Row): HandoffRecord {
  return {
    id: text(row, "id"),
    direction: oneOf(row, "direction", ["in", "out"]),
    peer: text(row, "peer"),
    capability: text(row, "capability"),
    packet: object(row, "packet"),
    packetDigest: text(row, "packet_digest"),
    state: oneOf(row, "state", HANDOFF_STATES),
    attempts: int(row, "attempts"),
    nextAttemptAt: optText(row, "next_attempt_at"),
    resultRef: optText(row, "result_ref"),
    outputArtifactIds: strings(row, "output_artifact_ids"),
    evidence: optObject(row, "evidence"),
    runId: optText(row, "run_id"),
    createdBy: optText(row, "created_by"),
    createdAt: text(row, "created_at"),
    updatedAt: text(row, "updated_at"),
  };
}

/** Handoffs over either database. */
export class HandoffRecords implements HandoffStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async insert(record: HandoffRecord): Promise<boolean> {
    const inserted = await this.#sql.run(INSERT, [
      record.id,
      record.direction,
      record.peer,
      record.capability,
      jsonText(record.packet),
      record.packetDigest,
      record.state,
      record.attempts,
      record.nextAttemptAt,
      record.resultRef,
      jsonText(record.outputArtifactIds),
      optJsonText(record.evidence),
      record.runId,
      record.createdBy,
      record.createdAt,
      record.updatedAt,
    ]);
    return inserted === 1;
  }

  async get(id: string, direction: "in" | "out"): Promise<HandoffRecord | null> {
    const row = await this.#sql.get(GET, [direction, id]);
    return row === undefined ? null : handoff(row);
  }

  list(
    page: PageRequest,
    filter: { ownedBy?: string; direction?: "in" | "out"; state?: HandoffRecord["state"] } = {},
  ): Promise<Page<HandoffRecord>> {
    const where: Condition[] = [];
    if (filter.ownedBy !== undefined) where.push({ sql: "created_by = ?", values: [filter.ownedBy] });
    if (filter.state !== undefined) where.push({ sql: "state = ?", values: [filter.state] });
    const only = filter.direction === undefined ? [] : [{ sql: "direction = ?", values: [filter.direction] }];
    return selectPage(this.#sql, SELECT, narrowed(where, only), NEWEST, page, handoff);
  }

  async update(record: HandoffRecord, expectedState: HandoffRecord["state"]): Promise<boolean> {
    const changed = await this.#sql.run(UPDATE, [
      jsonText(record.packet),
      record.state,
      record.attempts,
      record.nextAttemptAt,
      record.resultRef,
      jsonText(record.outputArtifactIds),
      optJsonText(record.evidence),
      record.runId,
      record.updatedAt,
      record.direction,
      record.id,
      expectedState,
    ]);
    return changed === 1;
  }

  async due(now: string, limit: number): Promise<readonly HandoffRecord[]> {
    return (await this.#sql.all(DUE, [now, limit])).map(handoff);
  }
}

/** Kept answers over either database. */
export class IdempotencyRecords implements IdempotencyStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async get(scope: string, key: string): Promise<IdempotencyRecord | null> {
    const row = await this.#sql.get(GET_KEY, [scope, key]);
    if (row === undefined) return null;
    return {
      scope: text(row, "scope"),
      key: text(row, "key"),
      requestDigest: text(row, "request_digest"),
      answer: object(row, "answer"),
      createdAt: text(row, "created_at"),
    };
  }

  async insert(record: IdempotencyRecord): Promise<boolean> {
    const inserted = await this.#sql.run(INSERT_KEY, [
      record.scope,
      record.key,
      record.requestDigest,
      jsonText(record.answer),
      record.createdAt,
    ]);
    return inserted === 1;
  }

  trim(before: string): Promise<number> {
    return this.#sql.run(TRIM_KEYS, [before]);
  }
}
