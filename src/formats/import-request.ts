import type { Static } from "typebox";
import { canonicalJson } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import { isSameSource } from "../kernel/same-source.ts";
import type { ImportReport, ProposedConnection } from "../model/workflows.ts";
import { requireScope } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import { checkFor, isLarge } from "../workflows/checking.ts";
import type { Imported, ImportedConnection } from "./format.ts";
import { createWorkflow } from "../workflows/library.ts";
import { fullView } from "../workflows/views.ts";

const MAX_NAMES = 50;

/** What is imported, and how. */
interface ImportRequest {
  readonly text?: string;
  readonly document?: JsonObject | null;
  readonly save?: boolean;
  readonly name?: string;
}

/** What was read, what got lost, and with `save` the stored draft. */
export async function importFrom(
  { text, document: given, save, name = "" }: ImportRequest,
  context: CallContext,
): Promise<Static<typeof ImportReport>> {
  const imported = await readWorkflowFor(text ?? given ?? {}, context);
  const title = name === "" ? imported.name : name;
  const { document, connections } = await withConnections(imported, context);
  const verdict = await checkFor(document, null, context);
  const report = {
    format: imported.format,
    name: title,
    description: imported.description,
    tags: [...imported.tags],
    document,
    losses: imported.losses.map((loss) => ({ ...loss })),
    connections,
    triggers: [...(imported.triggers ?? [])],
    validation: {
      valid: verdict.valid,
      errors: verdict.errors,
      warnings: verdict.warnings,
      problems: verdict.problems.map((item) => ({ ...item })),
    },
  };
  if (save !== true) return { ...report, saved: false };
  requireScope(context.caller, "write");
  const record = await createWorkflow(
    { name: title, description: imported.description.slice(0, 4_000), tags: imported.tags, document },
    context,
  );
  return { ...report, saved: true, workflow: fullView(record) };
}

/**
 * The connections that an import calls. Requests to an address that has a connection go to that one. A connection of
 * the same name that leads elsewhere is left alone: the import gets another name. Without a key nothing is looked up,
 * because connections are not public.
 */
async function withConnections(
  imported: Imported,
  context: CallContext,
): Promise<{ readonly document: JsonObject; readonly connections: ProposedConnection[] }> {
  const proposed = imported.connections ?? [];
  if (proposed.length === 0) return { document: imported.document, connections: [] };
  const names = new Map<string, string>();
  const connections: ProposedConnection[] = [];
  for (const connection of proposed) {
    const found = context.caller.kind === "anonymous" ? null : await nameFor(connection, names, context);
    const name = found?.name ?? connection.name;
    names.set(connection.name, name);
    connections.push({ ...connection, ...(found ?? { state: "new" }), name });
  }
  return { document: renamed(imported.document, names), connections };
}

async function nameFor(
  connection: ImportedConnection,
  taken: ReadonlyMap<string, string>,
  context: CallContext,
): Promise<Pick<ProposedConnection, "name" | "state" | "adds">> {
  const { store } = context.services;
  const used = new Set(taken.values());
  const there = await sameAddress(connection, used, context);
  if (there !== null) return there;
  for (let n = 1; n <= MAX_NAMES; n++) {
    const name = n === 1 ? connection.name : `${connection.name.slice(0, 27)}-${n}`;
    if (used.has(name)) continue;
    const known = await store.read.connections.get(name);
    if (known === null) return { name, state: "new" };
    // A file that names its address only by a variable fits whatever address was chosen for it.
    if (known.kind !== "http" || connection.url !== null) continue;
    if ((await lacking(connection, name, context))?.length === 0) return { name, state: "ready" };
  }
  throw new AppError("conflict", `There are ${MAX_NAMES} connections named like "${connection.name}".`, {
    nextAction: "Remove those that are not used.",
  });
}

const MAX_CONNECTIONS = 500;

/** The connection of own requests to the same address: one that has them all, else the first that can have them. */
async function sameAddress(
  connection: ImportedConnection,
  used: ReadonlySet<string>,
  context: CallContext,
): Promise<Pick<ProposedConnection, "name" | "state" | "adds"> | null> {
  if (connection.url === null) return null;
  const { items } = await context.services.store.read.connections.list({ limit: MAX_CONNECTIONS });
  const same = items.filter((known) => !used.has(known.name) && isSameSource(known, connection));
  let first: Pick<ProposedConnection, "name" | "state" | "adds"> | null = null;
  for (const { name } of same) {
    const adds = await lacking(connection, name, context);
    if (adds?.length === 0) return { name, state: "ready" };
    if (adds !== null) first ??= { name, adds, state: "extend" };
  }
  return first;
}

/**
 * The names of the requests that a connection does not have; null when it has a request under one of them that goes
 * elsewhere or does not take what the imported step sends.
 */
async function lacking(
  { document }: ImportedConnection,
  connection: string,
  context: CallContext,
): Promise<string[] | null> {
  const { services } = context;
  const text = await services.store.read.connections.document(connection);
  const written = text === null ? [] : requestsIn(text);
  if (written === null) return null;
  const known = new Map(written.filter(isJsonObject).map((request) => [request["name"], request]));
  const adds: string[] = [];
  for (const request of document.requests) {
    const { name } = request;
    if (typeof name !== "string") continue;
    const same = known.get(name);
    if (same !== undefined && !takes(same, request)) return null;
    if (services.connections.head(`${connection}:${name}`) === undefined) adds.push(name);
  }
  return adds;
}

/** The requests of a connection's document; null when it was given in another way than as JSON. */
function requestsIn(text: string): readonly unknown[] | null {
  try {
    const document: unknown = JSON.parse(text);
    return isJsonObject(document) && Array.isArray(document["requests"]) ? document["requests"] : null;
  } catch {
    return null;
  }
}

/** True when a request can be sent with everything that another one is sent with. */
function takes(known: JsonObject, given: JsonObject): boolean {
  const hasNames = (one: Json | undefined, other: Json | undefined): boolean =>
    Object.keys(isJsonObject(other) ? other : {}).every(
      (name) => isJsonObject(one) && Object.hasOwn(one, name),
    );
  return (
    aimOf(known) === aimOf(given) &&
    ["query", "headers", "path_parameters"].every((part) => hasNames(known[part], given[part])) &&
    hasBody(known["body"], given["body"])
  );
}

/** True when a body of the second schema fits the first, as far as its members tell. */
function hasBody(known: Json | undefined, given: Json | undefined): boolean {
  if (given === undefined) return true;
  if (!isJsonObject(known) || !isJsonObject(given)) return false;
  const [taken, sent] = [known["properties"], given["properties"]];
  if (!isJsonObject(taken) || !isJsonObject(sent)) return canonicalJson(known) === canonicalJson(given);
  return Object.entries(sent).every(([name, schema]) => {
    const one = Object.hasOwn(taken, name) ? taken[name] : undefined;
    if (!isJsonObject(one) || !isJsonObject(schema)) return false;
    return one["type"] === undefined || canonicalJson(one["type"]) === canonicalJson(schema["type"] ?? null);
  });
}

/** What a request is sent to, and how its body is written. */
function aimOf({ method, path, contentType }: JsonObject): string {
  const verb = typeof method === "string" ? method.toUpperCase() : "GET";
  return JSON.stringify([verb, path ?? "", contentType ?? null]);
}

/** The document with the names under which its connections are or will be. */
function renamed(document: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  const { nodes } = document;
  if (!Array.isArray(nodes) || [...names].every(([from, to]) => from === to)) return document;
  return {
    ...document,
    nodes: nodes.map((node: JsonObject) => {
      const { tool } = node;
      if (typeof tool !== "string" || !tool.includes(":")) return node;
      const [connection = "", request = ""] = tool.split(":");
      return { ...node, tool: `${names.get(connection) ?? connection}:${request}` };
    }),
  };
}

/** Reads a workflow that a caller sent. YAML and large documents are read in a worker thread. */
async function readWorkflowFor(source: string | JsonObject, context: CallContext): Promise<Imported> {
  // YAML and shell text are read character by character, so their cost is the caller's choice.
  const isYaml = typeof source === "string" && !source.trimStart().startsWith("{");
  const given = typeof source === "string" ? { text: source } : source;
  if (isYaml || isLarge(given))
    return context.services.workers.run("import_workflow", { source }, context.signal);
  // The formats of others are loaded when one is read.
  const { readWorkflow } = await import("./importing.ts");
  return readWorkflow(source);
}
