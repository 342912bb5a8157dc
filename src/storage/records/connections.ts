import { isJsonObject, isObject, type Json, type JsonObject } from "../../kernel/json.ts";
import {
  CONNECTED_EFFECTS,
  CONNECTION_KINDS,
  CONNECTION_STATES,
  DEFINITION_STATES,
} from "../../model/connection-states.ts";
import type {
  ConnectionCallRecord,
  ConnectionCommand,
  ConnectionRecord,
  ConnectionStore,
  DefinitionChange,
  DefinitionHead,
  DefinitionListing,
  DefinitionOverrides,
  DefinitionRecord,
  DefinitionReview,
} from "../../ports/connections.ts";
import type { Page, PageRequest } from "../../ports/store.ts";
import { narrowed, selectPage, type Condition, type Order } from "../paging.ts";
import { int, jsonText, object, oneOf, optInt, optJsonText, optObject, optText, text } from "../rows.ts";
import { insertInto, type Row, type Sql } from "../sql.ts";

const COLUMNS =
  "name, kind, title, url, command, base_url, credential, private_origin, state, problem, checked_at, synced_at, " +
  "owner, created_at, updated_at";
const INSERT = `${insertInto("connections", `${COLUMNS}, document`)} ON CONFLICT (name) DO NOTHING`;
const SELECT = `SELECT ${COLUMNS} FROM connections`;
const GET = `${SELECT} WHERE name = ?`;
const HAS_DOCUMENT = "SELECT name FROM connections WHERE name = ? AND document IS NOT NULL";
const GET_DOCUMENT = "SELECT document FROM connections WHERE name = ?";
const CHANGES =
  "title = ?, url = ?, command = ?, base_url = ?, credential = ?, private_origin = ?, state = ?, problem = ?, " +
  "checked_at = ?, synced_at = ?, owner = ?, updated_at = ?";
const UPDATE = `UPDATE connections SET ${CHANGES} WHERE name = ?`;
const UPDATE_WITH_DOCUMENT = `UPDATE connections SET ${CHANGES}, document = ? WHERE name = ?`;
const OBSERVE =
  "UPDATE connections SET state = ?, problem = ?, checked_at = ? WHERE name = ? AND state <> 'syncing'";
const REMOVE = "DELETE FROM connections WHERE name = ?";
const REMOVE_DEFINITIONS = "DELETE FROM connection_definitions WHERE connection = ?";
const REMOVE_CALLS = "DELETE FROM connection_calls WHERE connection = ?";
const BY_NAME: Order = { columns: ["name"], kind: "text", direction: "ASC" };

const HEAD_COLUMNS = "connection, source_name, name, title, description, effect, idempotent, state, digest";
const DEFINITION_COLUMNS = `${HEAD_COLUMNS}, synced_at, overrides, pending_review, definition, pending_definition`;
const PUT_DEFINITION = `${insertInto("connection_definitions", DEFINITION_COLUMNS)}
  ON CONFLICT (connection, source_name) DO UPDATE SET name = excluded.name, title = excluded.title,
  description = excluded.description, effect = excluded.effect, idempotent = excluded.idempotent,
  state = excluded.state, digest = excluded.digest, synced_at = excluded.synced_at, overrides = excluded.overrides,
  pending_review = excluded.pending_review, definition = excluded.definition, pending_definition = excluded.pending_definition`;
const SELECT_DEFINITION = `SELECT ${DEFINITION_COLUMNS} FROM connection_definitions`;
const FIND_DEFINITION = `${SELECT_DEFINITION} WHERE connection = ? AND (name = ? OR source_name = ?)
  ORDER BY CASE WHEN name = ? THEN 0 ELSE 1 END LIMIT 1`;
const DEFINITIONS = `${SELECT_DEFINITION} WHERE connection = ? ORDER BY name`;
const LISTING = `SELECT ${HEAD_COLUMNS}, synced_at, overrides, pending_review
  FROM connection_definitions WHERE connection = ? ORDER BY name`;
const TOUCH = "UPDATE connection_definitions SET synced_at = ? WHERE connection = ? AND state <> 'removed'";
const DROP =
  "UPDATE connection_definitions SET state = 'removed', pending_definition = NULL, pending_review = NULL, " +
  "synced_at = ? WHERE connection = ? AND source_name = ?";
const HEADS = `SELECT ${HEAD_COLUMNS} FROM connection_definitions ORDER BY connection, name`;
const HEADS_OF = `SELECT ${HEAD_COLUMNS} FROM connection_definitions WHERE connection = ? ORDER BY name`;

const CALL_COLUMNS =
  "id, connection, definition, at, caller, ok, outcome, http_status, elapsed_ms, digest, run_id, arguments, result";
const INSERT_CALL = insertInto("connection_calls", CALL_COLUMNS);
const TRIM_CALLS = `DELETE FROM connection_calls WHERE connection = ? AND definition = ? AND id <= (
  SELECT id FROM connection_calls WHERE connection = ? AND definition = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`;
const SELECT_CALL = `SELECT ${CALL_COLUMNS} FROM connection_calls`;
const LAST_CALLS: Order = { columns: ["id"], kind: "text", direction: "DESC" };

const REVISION = "SELECT revision FROM connection_revision WHERE id = 1";
const CHANGED = "UPDATE connection_revision SET revision = revision + 1 WHERE id = 1";

function connection(row: Row): ConnectionRecord {
  return {
    name: text(row, "name"),
    kind: oneOf(row, "kind", CONNECTION_KINDS),
    title: text(row, "title"),
    url: optText(row, "url"),
    command: commandOf(optObject(row, "command")),
    baseUrl: optText(row, "base_url"),
    credential: optText(row, "credential"),
    privateOrigin: optText(row, "private_origin"),
    state: oneOf(row, "state", CONNECTION_STATES),
    problem: optText(row, "problem"),
    checkedAt: optText(row, "checked_at"),
    syncedAt: optText(row, "synced_at"),
    owner: text(row, "owner"),
    createdAt: text(row, "created_at"),
    updatedAt: text(row, "updated_at"),
  };
}

function commandOf(stored: JsonObject | null): ConnectionCommand | null {
  if (stored === null) return null;
  const { command, args, env, credentials } = stored;
  return {
    command: typeof command === "string" ? command : "",
    args: Array.isArray(args) ? args.filter((item) => typeof item === "string") : [],
    env: textsOf(env),
    credentials: textsOf(credentials),
  };
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).flatMap(([name, text]) =>
      typeof text === "string" ? [[name, text]] : [],
    ),
  );
}

function head(row: Row): DefinitionHead {
  return {
    connection: text(row, "connection"),
    sourceName: text(row, "source_name"),
    name: text(row, "name"),
    title: text(row, "title"),
    description: text(row, "description"),
    effect: oneOf(row, "effect", CONNECTED_EFFECTS),
    idempotent: int(row, "idempotent") === 1,
    state: oneOf(row, "state", DEFINITION_STATES),
    digest: text(row, "digest"),
  };
}

function headValues(given: DefinitionHead): readonly (string | number)[] {
  return [
    given.connection,
    given.sourceName,
    given.name,
    given.title,
    given.description,
    given.effect,
    given.idempotent ? 1 : 0,
    given.state,
    given.digest,
  ];
}

function listed(row: Row): DefinitionListing {
  return {
    ...head(row),
    syncedAt: text(row, "synced_at"),
    overrides: overridesOf(object(row, "overrides")),
    review: reviewOf(optObject(row, "pending_review")),
  };
}

function definition(row: Row): DefinitionRecord {
  return {
    ...listed(row),
    definition: object(row, "definition"),
    pendingDefinition: optObject(row, "pending_definition"),
  };
}

const REASONS = ["new", "renamed", "changed"] as const;
const CHANGE_KINDS = ["added", "removed", "changed"] as const;

function reviewOf(stored: JsonObject | null): DefinitionReview | null {
  if (stored === null) return null;
  const { digest, reason, renamedFrom, changes, moreChanges } = stored;
  return {
    digest: typeof digest === "string" ? digest : "",
    reason: REASONS.find((known) => known === reason) ?? "changed",
    ...(typeof renamedFrom === "string" && { renamedFrom }),
    changes: (Array.isArray(changes) ? changes : []).flatMap(changeOf),
    moreChanges: typeof moreChanges === "number" ? moreChanges : 0,
  };
}

function changeOf(stored: Json): readonly DefinitionChange[] {
  if (!isJsonObject(stored) || typeof stored["pointer"] !== "string") return [];
  const { pointer, change, before = null, after = null } = stored;
  return [{ pointer, change: CHANGE_KINDS.find((known) => known === change) ?? "changed", before, after }];
}

function overridesOf(stored: JsonObject): DefinitionOverrides {
  const { title, description, effect, idempotent, idempotencyHeader, fixedArguments } = stored;
  const known = CONNECTED_EFFECTS.find((name) => name === effect);
  return {
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    ...(known !== undefined && { effect: known }),
    ...(typeof idempotent === "boolean" && { idempotent }),
    ...(typeof idempotencyHeader === "string" && { idempotencyHeader }),
    ...(isStoredObject(fixedArguments) && { fixedArguments }),
  };
}

/** What was parsed from our own text is JSON all the way down. */
function isStoredObject(value: unknown): value is JsonObject {
  return isObject(value);
}

function call(row: Row): ConnectionCallRecord {
  return {
    id: text(row, "id"),
    connection: text(row, "connection"),
    definition: text(row, "definition"),
    at: text(row, "at"),
    by: text(row, "caller"),
    ok: int(row, "ok") === 1,
    outcome: text(row, "outcome"),
    httpStatus: optInt(row, "http_status"),
    elapsedMs: int(row, "elapsed_ms"),
    digest: text(row, "digest"),
    runId: optText(row, "run_id"),
    arguments: optObject(row, "arguments"),
    result: optObject(row, "result"),
  };
}

/** Connections over either database. */
export class ConnectionRecords implements ConnectionStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async insert(record: ConnectionRecord, document: string | null): Promise<boolean> {
    const inserted = await this.#sql.run(INSERT, [
      record.name,
      record.kind,
      record.title,
      record.url,
      optJsonText(record.command),
      record.baseUrl,
      record.credential,
      record.privateOrigin,
      record.state,
      record.problem,
      record.checkedAt,
      record.syncedAt,
      record.owner,
      record.createdAt,
      record.updatedAt,
      document,
    ]);
    if (inserted !== 1) return false;
    // A sync of an earlier connection of this name may have ended after its removal.
    await this.#sql.run(REMOVE_DEFINITIONS, [record.name]);
    return true;
  }

  async get(name: string): Promise<ConnectionRecord | null> {
    const row = await this.#sql.get(GET, [name]);
    return row === undefined ? null : connection(row);
  }

  async document(name: string): Promise<string | null> {
    const row = await this.#sql.get(GET_DOCUMENT, [name]);
    return row === undefined ? null : optText(row, "document");
  }

  async hasDocument(name: string): Promise<boolean> {
    return (await this.#sql.get(HAS_DOCUMENT, [name])) !== undefined;
  }

  list(page: PageRequest): Promise<Page<ConnectionRecord>> {
    return selectPage(this.#sql, SELECT, {}, BY_NAME, page, connection);
  }

  async update(record: ConnectionRecord, document?: string | null): Promise<boolean> {
    const values = [
      record.title,
      record.url,
      optJsonText(record.command),
      record.baseUrl,
      record.credential,
      record.privateOrigin,
      record.state,
      record.problem,
      record.checkedAt,
      record.syncedAt,
      record.owner,
      record.updatedAt,
    ];
    const changed =
      document === undefined
        ? await this.#sql.run(UPDATE, [...values, record.name])
        : await this.#sql.run(UPDATE_WITH_DOCUMENT, [...values, document, record.name]);
    return changed === 1;
  }

  async observe(
    name: string,
    seen: Pick<ConnectionRecord, "state" | "problem"> & { readonly checkedAt: string },
  ): Promise<void> {
    await this.#sql.run(OBSERVE, [seen.state, seen.problem, seen.checkedAt, name]);
  }

  async remove(name: string): Promise<boolean> {
    const removed = (await this.#sql.run(REMOVE, [name])) === 1;
    if (!removed) return false;
    await this.#sql.run(REMOVE_DEFINITIONS, [name]);
    await this.#sql.run(REMOVE_CALLS, [name]);
    return true;
  }

  async addDefinition(given: DefinitionHead, json: string, syncedAt: string): Promise<void> {
    const waits = given.state === "quarantined";
    const review: DefinitionReview = { digest: given.digest, reason: "new", changes: [], moreChanges: 0 };
    await this.#sql.run(PUT_DEFINITION, [
      ...headValues(given),
      syncedAt,
      "{}",
      waits ? jsonText(review) : null,
      json,
      waits ? json : null,
    ]);
  }

  async dropDefinition(from: string, sourceName: string, syncedAt: string): Promise<void> {
    await this.#sql.run(DROP, [syncedAt, from, sourceName]);
  }

  async touchDefinitions(from: string, syncedAt: string): Promise<void> {
    await this.#sql.run(TOUCH, [syncedAt, from]);
  }

  async putDefinition(record: DefinitionRecord): Promise<void> {
    await this.#sql.run(PUT_DEFINITION, [
      ...headValues(record),
      record.syncedAt,
      jsonText(record.overrides),
      optJsonText(record.review),
      jsonText(record.definition),
      optJsonText(record.pendingDefinition),
    ]);
  }

  async definition(from: string, name: string): Promise<DefinitionRecord | null> {
    const row = await this.#sql.get(FIND_DEFINITION, [from, name, name, name]);
    return row === undefined ? null : definition(row);
  }

  async definitions(from: string): Promise<readonly DefinitionRecord[]> {
    return (await this.#sql.all(DEFINITIONS, [from])).map(definition);
  }

  async listing(from: string): Promise<readonly DefinitionListing[]> {
    return (await this.#sql.all(LISTING, [from])).map(listed);
  }

  async heads(from?: string): Promise<readonly DefinitionHead[]> {
    const rows = from === undefined ? this.#sql.all(HEADS, []) : this.#sql.all(HEADS_OF, [from]);
    return (await rows).map(head);
  }

  async insertCalls(calls: readonly ConnectionCallRecord[], keepEach: number): Promise<void> {
    await this.#sql.insert(
      INSERT_CALL,
      calls.map((item) => [
        item.id,
        item.connection,
        item.definition,
        item.at,
        item.by,
        item.ok ? 1 : 0,
        item.outcome,
        item.httpStatus,
        item.elapsedMs,
        item.digest,
        item.runId,
        optJsonText(item.arguments),
        optJsonText(item.result),
      ]),
    );
    const touched = new Map(calls.map((item) => [`${item.connection}:${item.definition}`, item]));
    for (const { connection: from, definition: of } of touched.values()) {
      await this.#sql.run(TRIM_CALLS, [from, of, from, of, keepEach]);
    }
  }

  calls(
    filter: { readonly connection?: string; readonly definition?: string; readonly by?: string },
    page: PageRequest,
  ): Promise<Page<ConnectionCallRecord>> {
    const { connection: from, definition: of, by } = filter;
    const where: Condition[] = [];
    if (from !== undefined && of !== undefined)
      where.push({ sql: "connection = ? AND definition = ?", values: [from, of] });
    if (by !== undefined) where.push({ sql: "caller = ?", values: [by] });
    const only = from !== undefined && of === undefined ? [{ sql: "connection = ?", values: [from] }] : [];
    return selectPage(this.#sql, SELECT_CALL, narrowed(where, only), LAST_CALLS, page, call);
  }

  async revision(): Promise<number> {
    const row = await this.#sql.get(REVISION, []);
    return row === undefined ? 0 : int(row, "revision");
  }

  async changed(): Promise<void> {
    await this.#sql.run(CHANGED, []);
  }
}
