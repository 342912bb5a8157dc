import { pointerSegment } from "../kernel/paths.ts";
import { beginningOf } from "../kernel/text.ts";
import { digestOf } from "../kernel/canonical-json.ts";
import { isJsonRecord, isObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { DefinitionChange, DefinitionOverrides, DefinitionReview } from "../model/connections.ts";
import type {
  ConnectedEffect,
  ConnectedTool,
  ConnectionRecord,
  DefinitionRecord,
} from "../ports/connections.ts";
import type { Effect } from "../ports/definitions.ts";

/** A name that can stand after `connection:`. */
export const DEFINITION_NAME = /^[A-Za-z0-9_.-]{1,128}$/;
/** A name that can stand before the colon. */
const CONNECTION_NAME = /^[a-z][a-z0-9-]{0,30}$/;
/** The canonical gateway of `SUITE_MCP_URL`. */
export const GATEWAY = "mcp";

const MAX_TEXT = 300;

/** `connection:name` taken apart; null when it is no such name. */
export function partsOf(id: string): { readonly connection: string; readonly name: string } | null {
  const cut = id.indexOf(":");
  if (cut < 1) return null;
  const connection = id.slice(0, cut);
  const name = id.slice(cut + 1);
  return CONNECTION_NAME.test(connection) && name !== "" ? { connection, name } : null;
}

/** The parts of a definition that follow from it and from what an admin corrected. */
export function headOf(
  definition: JsonObject,
  overrides: DefinitionOverrides,
  name: string,
): { title: string; description: string; effect: ConnectedEffect; idempotent: boolean } {
  const { title, description } = definition;
  const annotations = isObject(definition["annotations"]) ? definition["annotations"] : {};
  const readOnly = annotations["readOnlyHint"] === true;
  const effect: ConnectedEffect =
    overrides.effect ??
    (readOnly ? "read" : annotations["destructiveHint"] === true ? "destructive" : "write");
  return {
    title: overrides.title ?? (typeof title === "string" && title !== "" ? title.slice(0, MAX_TEXT) : name),
    description:
      overrides.description ?? (typeof description === "string" ? beginningOf(description, MAX_TEXT) : ""),
    effect,
    idempotent:
      overrides.idempotent ??
      (effect === "read" ||
        annotations["idempotentHint"] === true ||
        overrides.idempotencyHeader !== undefined ||
        typeof definition["idempotencyHeader"] === "string"),
  };
}

/** What is callable, as the dispatcher, the validator and the planner see it. */
export function connectedTool(record: DefinitionRecord, connection: ConnectionRecord): ConnectedTool {
  const { definition, overrides } = record;
  const input = isJsonRecord(definition["inputSchema"]) ? definition["inputSchema"] : { type: "object" };
  const fixed = overrides.fixedArguments;
  return {
    ...record,
    id: `${record.connection}:${record.name}`,
    inputSchema: fixed === undefined ? input : withoutFixed(input, fixed),
    outputSchema: outputOf(definition, connection.kind),
    pin: pinOf(record, connection),
    toolEffect: TOOL_EFFECTS[record.effect],
    credential: connection.credential,
    reachable: connection.state,
  };
}

function pinOf(
  { sourceName, digest, overrides }: DefinitionRecord,
  { kind, url, command, baseUrl, credential, privateOrigin }: ConnectionRecord,
): string {
  const program = command === null ? null : { ...command };
  const place = { kind, url, command: program, baseUrl, credential, privateOrigin };
  const { fixedArguments = null, idempotencyHeader = null } = overrides;
  return digestOf({ sourceName, digest, fixedArguments, idempotencyHeader, ...place });
}

const TOOL_EFFECTS: Readonly<Record<ConnectedEffect, Effect>> = {
  read: "none",
  write: "external",
  destructive: "destructive",
};

/** The schema of `data` in the envelope of a call. */
function outputOf(definition: JsonObject, kind: ConnectionRecord["kind"]): JsonObject | null {
  const output = definition["outputSchema"];
  if (kind !== "mcp") return isJsonRecord(output) ? output : null;
  if (!isJsonRecord(output)) return null;
  const { $schema, $defs, definitions, ...rest } = output;
  return {
    ...($schema !== undefined && { $schema }),
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
    type: "object",
    properties: { content: { type: "array" }, structuredContent: rest },
  };
}

/** The schema without what an admin has fixed. */
function withoutFixed(schema: JsonObject, fixed: JsonObject): JsonObject {
  const { properties, required } = schema;
  if (!isJsonRecord(properties)) return schema;
  const kept: [string, Json][] = [];
  const gone = new Set<string>();
  for (const [name, property] of Object.entries(properties)) {
    const value = fixed[name];
    if (property === undefined) continue;
    if (value === undefined) kept.push([name, property]);
    else if (isJsonRecord(value) && isJsonRecord(property) && isJsonRecord(property["properties"])) {
      const inner = withoutFixed(property, value);
      kept.push([name, inner]);
      if (!Array.isArray(inner["required"]) || inner["required"].length === 0) gone.add(name);
    } else gone.add(name);
  }
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  return {
    ...schema,
    properties: Object.fromEntries(kept),
    required: names.filter((name) => !gone.has(name)),
  };
}

/** Arguments with what an admin has fixed; the fixed values win. */
export function withFixed(args: JsonObject, fixed: JsonObject | undefined): JsonObject {
  if (fixed === undefined) return args;
  const merged: Record<string, Json | undefined> = { ...args };
  for (const [name, value] of Object.entries(fixed)) {
    const given = merged[name];
    merged[name] = isJsonRecord(value) && isJsonRecord(given) ? withFixed(given, value) : value;
  }
  return merged;
}

const MAX_CHANGES = 100;
const MAX_SHOWN = 400;

/** What differs between the accepted and the new definition, member by member. */
export function changesBetween(before: JsonObject, after: JsonObject): readonly DefinitionChange[] {
  const found: DefinitionChange[] = [];
  const compare = (a: Json | undefined, b: Json | undefined, pointer: string): void => {
    if (found.length >= MAX_CHANGES || a === b) return;
    if (isJsonRecord(a) && isJsonRecord(b)) {
      for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
        compare(a[key], b[key], `${pointer}/${pointerSegment(key)}`);
      return;
    }
    if (a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b)) return;
    const change = a === undefined ? "added" : b === undefined ? "removed" : "changed";
    found.push({ pointer, change, before: shown(a), after: shown(b) });
  };
  compare(before, after, "");
  return found;
}

/** What is kept of the changes beside a definition that waits, in characters: lists show it for hundreds of them. */
const KEPT_CHARS = 3_000;

/** The first changes, as many as a list can show, and how many there are besides. */
export function firstChanges(
  changes: readonly DefinitionChange[],
): Pick<DefinitionReview, "changes" | "moreChanges"> {
  let size = 0;
  const fit = changes.filter((change, index) => {
    size += JSON.stringify(change).length;
    return index === 0 || size <= KEPT_CHARS;
  });
  return { changes: fit, moreChanges: changes.length - fit.length };
}

function shown(value: Json | undefined): Json {
  if (value === undefined) return null;
  const text = JSON.stringify(value);
  return text.length <= MAX_SHOWN ? value : `${text.slice(0, MAX_SHOWN)}…`;
}

/** Digest of what a definition does, whatever it is called: a renamed one keeps it. */
export function bodyDigest(definition: JsonObject): string {
  const { name: _name, title: _title, ...rest } = definition;
  return digestOf(rest);
}
