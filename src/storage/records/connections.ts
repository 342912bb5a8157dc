import { Value } from "typebox/value";
import type { JsonObject } from "../../kernel/json.ts";
import {
  CONNECTED_EFFECTS,
  CONNECTION_KINDS,
  CONNECTION_STATES,
  DEFINITION_STATES,
} from "../../model/connection-states.ts";
import { ConnectionCommand, DefinitionOverrides, DefinitionReview } from "../../model/connections.ts";
import type {
  ConnectionCallRecord,
  ConnectionRecord,
  ConnectionStore,
  DefinitionHead,
  DefinitionListing,
  DefinitionRecord,
} from "../../ports/connections.ts";
import { narrowed, selectPage, type Condition, type Order } from "../paging.ts";
import { int, jsonText, object, optJsonText, optObject, optText } from "../rows.ts";
import { insertInto, type Sql } from "../sql.ts";
import { exec, first } from "./statements.ts";
import { column, is, named, table } from "../table.ts";

const CONNECTIONS = table<ConnectionRecord>("connections", {
  name: is.text,
  kind: is.oneOf(CONNECTION_KINDS),
  title: is.text,
  url: is.optText,
  command: column((row, name) => commandOf(optObject(row, name)), optJsonText),
  baseUrl: is.optText,
  credential: is.optText,
  privateOrigin: is.optText,
  state: is.oneOf(CONNECTION_STATES),
  problem: is.optText,
  checkedAt: is.optText,
  syncedAt: is.optText,
  owner: is.text,
  createdAt: is.text,
  updatedAt: is.text,
});
const INSERT = `${insertInto("connections", `${CONNECTIONS.columns}, document`)} ON CONFLICT (name) DO NOTHING`;
const GET = `${CONNECTIONS.select} WHERE name = ?`;
const HAS_DOCUMENT = "SELECT name FROM connections WHERE name = ? AND document IS NOT NULL";
const GET_DOCUMENT = "SELECT document FROM connections WHERE name = ?";
const UPDATE = CONNECTIONS.update(
  [
    "title",
    "url",
    "command",
    "baseUrl",
    "credential",
    "privateOrigin",
    "state",
    "problem",
    "checkedAt",
    "syncedAt",
    "owner",
    "updatedAt",
  ],
  "WHERE name = ?",
);
const SET_DOCUMENT = "UPDATE connections SET document = ? WHERE name = ?";
const OBSERVE =
  "UPDATE connections SET state = ?, problem = ?, checked_at = ? WHERE name = ? AND state <> 'syncing'";
const REMOVE = "DELETE FROM connections WHERE name = ?";
const REMOVE_DEFINITIONS = "DELETE FROM connection_definitions WHERE connection = ?";
const REMOVE_CALLS = "DELETE FROM connection_calls WHERE connection = ?";
const BY_NAME: Order = { columns: ["name"], kind: "text", direction: "ASC" };

const HEAD = {
  connection: is.text,
  sourceName: is.text,
  name: is.text,
  title: is.text,
  description: is.text,
  effect: is.oneOf(CONNECTED_EFFECTS),
  idempotent: is.flag,
  state: is.oneOf(DEFINITION_STATES),
  digest: is.text,
};
const LISTED = {
  ...HEAD,
  syncedAt: is.text,
  overrides: column((row, name) => overridesOf(object(row, name)), jsonText),
  review: named(
    "pending_review",
    column((row, name) => reviewOf(optObject(row, name)), optJsonText),
  ),
};
const HEADS = table<DefinitionHead>("connection_definitions", HEAD);
const LISTINGS = table<DefinitionListing>("connection_definitions", LISTED);
const DEFINITIONS = table<DefinitionRecord>("connection_definitions", {
  ...LISTED,
  definition: is.object,
  pendingDefinition: is.optObject,
});
const PUT_DEFINITION = DEFINITIONS.upsert("connection", "sourceName");
const FIND_DEFINITION = `${DEFINITIONS.select} WHERE connection = ? AND (name = ? OR source_name = ?)
  ORDER BY CASE WHEN name = ? THEN 0 ELSE 1 END LIMIT 1`;
const OF_CONNECTION = "WHERE connection = ? ORDER BY name";
const TOUCH = "UPDATE connection_definitions SET synced_at = ? WHERE connection = ? AND state <> 'removed'";
const DROP =
  "UPDATE connection_definitions SET state = 'removed', pending_definition = NULL, pending_review = NULL, " +
  "synced_at = ? WHERE connection = ? AND source_name = ?";

const CONNECTION_CALLS = table<ConnectionCallRecord>("connection_calls", {
  id: is.text,
  connection: is.text,
  definition: is.text,
  at: is.text,
  by: named("caller", is.text),
  ok: is.flag,
  outcome: is.text,
  httpStatus: is.optInt,
  elapsedMs: is.int,
  digest: is.text,
  runId: is.optText,
  arguments: is.optObject,
  result: is.optObject,
});
const TRIM_CALLS = `DELETE FROM connection_calls WHERE connection = ? AND definition = ? AND id <= (
  SELECT id FROM connection_calls WHERE connection = ? AND definition = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`;
const LAST_CALLS: Order = { columns: ["id"], kind: "text", direction: "DESC" };

const REVISION = "SELECT revision FROM connection_revision WHERE id = 1";
const CHANGED = "UPDATE connection_revision SET revision = revision + 1 WHERE id = 1";

/** What an older build did not write is empty; what it wrote in another shape counts as nothing. */
function commandOf(stored: JsonObject | null): ConnectionCommand | null {
  const whole = { args: [], env: {}, credentials: {}, ...stored };
  return Value.Check(ConnectionCommand, whole) ? whole : null;
}

function reviewOf(stored: JsonObject | null): DefinitionReview | null {
  const whole = { changes: [], moreChanges: 0, ...stored };
  return Value.Check(DefinitionReview, whole) ? whole : null;
}

function overridesOf(stored: JsonObject): DefinitionOverrides {
  return Value.Check(DefinitionOverrides, stored) ? stored : {};
}

/** Connections over either database. */
export const connectionRecords = (sql: Sql): ConnectionStore => ({
  async insert(record, document) {
    const inserted = await sql.run(INSERT, [...CONNECTIONS.values(record), document]);
    if (inserted !== 1) return false;
    // A sync of an earlier connection of this name may have ended after its removal.
    await sql.run(REMOVE_DEFINITIONS, [record.name]);
    return true;
  },
  get: (name) => CONNECTIONS.one(sql, GET, [name]),
  document: (name) => first(sql, GET_DOCUMENT, [name], (row) => optText(row, "document")),
  hasDocument: async (name) => (await sql.get(HAS_DOCUMENT, [name])) !== undefined,
  list: (page) => selectPage(sql, CONNECTIONS.select, {}, BY_NAME, page, CONNECTIONS.read),
  async update(record, document) {
    const changed = await sql.run(UPDATE.sql, [...UPDATE.values(record), record.name]);
    if (changed === 1 && document !== undefined) await sql.run(SET_DOCUMENT, [document, record.name]);
    return changed === 1;
  },
  observe: async (name, seen) => exec(sql, OBSERVE, [seen.state, seen.problem, seen.checkedAt, name]),
  async remove(name) {
    const removed = (await sql.run(REMOVE, [name])) === 1;
    if (!removed) return false;
    await sql.run(REMOVE_DEFINITIONS, [name]);
    await sql.run(REMOVE_CALLS, [name]);
    return true;
  },
  async addDefinition(given, json, syncedAt) {
    const waits = given.state === "quarantined";
    const review: DefinitionReview = { digest: given.digest, reason: "new", changes: [], moreChanges: 0 };
    await sql.run(PUT_DEFINITION, [
      ...HEADS.values(given),
      syncedAt,
      "{}",
      waits ? jsonText(review) : null,
      json,
      waits ? json : null,
    ]);
  },
  dropDefinition: async (from, sourceName, syncedAt) => exec(sql, DROP, [syncedAt, from, sourceName]),
  touchDefinitions: async (from, syncedAt) => exec(sql, TOUCH, [syncedAt, from]),
  putDefinition: async (record) => exec(sql, PUT_DEFINITION, DEFINITIONS.values(record)),
  definition: (from, name) => DEFINITIONS.one(sql, FIND_DEFINITION, [from, name, name, name]),
  definitions: (from) => DEFINITIONS.all(sql, `${DEFINITIONS.select} ${OF_CONNECTION}`, [from]),
  listing: (from) => LISTINGS.all(sql, `${LISTINGS.select} ${OF_CONNECTION}`, [from]),
  heads: (from) =>
    from === undefined
      ? HEADS.all(sql, `${HEADS.select} ORDER BY connection, name`, [])
      : HEADS.all(sql, `${HEADS.select} ${OF_CONNECTION}`, [from]),
  async insertCalls(calls, keepEach) {
    await sql.insert(
      CONNECTION_CALLS.insert,
      calls.map((item) => CONNECTION_CALLS.values(item)),
    );
    const touched = new Map(calls.map((item) => [`${item.connection}:${item.definition}`, item]));
    for (const { connection: from, definition: of } of touched.values()) {
      await sql.run(TRIM_CALLS, [from, of, from, of, keepEach]);
    }
  },
  calls(filter, page) {
    const { connection: from, definition: of, by } = filter;
    const where: Condition[] = [];
    if (from !== undefined && of !== undefined)
      where.push({ sql: "connection = ? AND definition = ?", values: [from, of] });
    if (by !== undefined) where.push({ sql: "caller = ?", values: [by] });
    const only = from !== undefined && of === undefined ? [{ sql: "connection = ?", values: [from] }] : [];
    return selectPage(
      sql,
      CONNECTION_CALLS.select,
      narrowed(where, only),
      LAST_CALLS,
      page,
      CONNECTION_CALLS.read,
    );
  },
  async revision() {
    const row = await sql.get(REVISION, []);
    return row === undefined ? 0 : int(row, "revision");
  },
  changed: async () => exec(sql, CHANGED, []),
});
