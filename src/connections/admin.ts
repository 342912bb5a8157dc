import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import { traceparentOf } from "../kernel/trace.ts";
import {
  CONNECTED_EFFECTS,
  type ConnectionRecord,
  type DefinitionOverrides,
  type DefinitionRecord,
  type SyncReport,
} from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { StoreTx } from "../ports/store.ts";
import { DEFINITION_NAME, GATEWAY, headOf } from "./definition.ts";
import { privateOriginOf, readChanges, readNewConnection, type ConnectionInput } from "./input.ts";
import { programsForbidden } from "./mcp-sessions.ts";
import { pinDefinitions } from "./pinning.ts";
import { readOffer, withReadDocument } from "./reading.ts";
import type { ManagedConnections } from "./service.ts";

/** The most connections of one service. */
const MAX_CONNECTIONS = 500;

/** Adds a connection and accepts what it offers as a whole. Nothing is stored when it cannot be read. */
export async function addConnection(
  connections: ManagedConnections,
  body: Json | undefined,
  context: CallContext,
): Promise<{ connection: ConnectionRecord; report: SyncReport }> {
  const input = readNewConnection(await withReadDocument(body, context));
  const { store, clock, settings } = context.services;
  if (input.command && settings.programEnvironment === null) throw programsForbidden();
  const at = new Date(clock.now()).toISOString();
  const document = input.document ?? null;
  const draft: ConnectionRecord = {
    name: input.name,
    kind: input.kind,
    title: input.title ?? input.name,
    url: input.url ?? null,
    command: input.command ?? null,
    baseUrl: input.baseUrl ?? (input.kind === "http" ? (input.url ?? null) : null),
    credential: input.credential ?? null,
    privateOrigin: privateOriginOf(input.allowPrivateOrigin, addressOf(input)),
    state: "reachable",
    problem: null,
    checkedAt: at,
    syncedAt: at,
    owner: context.caller.id,
    createdAt: at,
    updatedAt: at,
  };
  if ((await store.read.connections.get(draft.name)) !== null) throw taken(draft.name);
  const offer = await readOffer(draft, document, connections, context).catch((error: unknown) => {
    connections.sessions.forget(draft.name);
    throw explained(error, draft);
  });
  const connection = { ...draft, title: input.title ?? offer.title ?? input.name };
  const report = await store.transact(async (tx) => {
    const { items } = await tx.connections.list({ limit: MAX_CONNECTIONS });
    if (items.length >= MAX_CONNECTIONS) {
      throw new AppError("conflict", `There are ${MAX_CONNECTIONS} connections already; remove one first.`);
    }
    if (!(await tx.connections.insert(connection, document))) throw taken(connection.name);
    const pinned = await pinDefinitions(tx, connection.name, offer.definitions, true, context);
    await remember(tx, connection, "created", { definitions: pinned.added.length }, context);
    return pinned;
  });
  await connections.index.refresh(true);
  return { connection, report };
}

function addressOf({ baseUrl, url, document }: ConnectionInput): string | null {
  if (baseUrl ?? url) return baseUrl ?? url ?? null;
  const servers = document?.["servers"];
  const [first] = Array.isArray(servers) ? servers : [];
  const given = isJsonObject(first) ? first["url"] : undefined;
  if (typeof given === "string") return given;
  const host = document?.["host"];
  return typeof host === "string" ? `http://${host}` : null;
}

function taken(name: string): AppError {
  return new AppError("conflict", `There is a connection named "${name}" already.`, {
    nextAction: "Choose another name, or change the one that is there.",
  });
}

/** A private address is refused with the way to allow it for this connection only. */
function explained(error: unknown, { privateOrigin }: ConnectionRecord): unknown {
  if (!(error instanceof AppError) || error.code !== "blocked" || privateOrigin !== null) return error;
  return new AppError("blocked", error.message, {
    nextAction:
      "An admin can allow exactly this host and port for this connection with allowPrivateOrigin: true.",
  });
}

/** Changes a connection. When its source changes, it is read again and what differs is quarantined. */
export async function changeConnection(
  connections: ManagedConnections,
  name: string,
  body: Json | undefined,
  context: CallContext,
): Promise<{ connection: ConnectionRecord; report: SyncReport | null }> {
  const input = readChanges(await withReadDocument(body, context));
  const { store, clock, settings } = context.services;
  const current = await existing(connections, name);
  if (input.command && settings.programEnvironment === null) throw programsForbidden();
  const at = new Date(clock.now()).toISOString();
  const document =
    input.document === undefined ? await store.read.connections.document(name) : input.document;
  const merged = {
    document,
    baseUrl: input.baseUrl === undefined ? current.baseUrl : input.baseUrl,
    url: input.url === undefined ? current.url : input.url,
  };
  const next: ConnectionRecord = {
    ...current,
    baseUrl: merged.baseUrl,
    url: merged.url,
    title: input.title ?? current.title,
    command: input.command === undefined ? current.command : input.command,
    credential: input.credential === undefined ? current.credential : input.credential,
    privateOrigin:
      input.allowPrivateOrigin === undefined
        ? current.privateOrigin
        : privateOriginOf(input.allowPrivateOrigin, addressOf(merged)),
    updatedAt: at,
  };
  const isMoved =
    input.document !== undefined ||
    next.url !== current.url ||
    JSON.stringify(next.command) !== JSON.stringify(current.command);
  const offer = isMoved
    ? await readOffer(next, document, connections, context).catch((error: unknown) => {
        throw explained(error, next);
      })
    : null;
  const report = await store.transact(async (tx) => {
    if (!(await tx.connections.update(next, input.document))) throw missing(name);
    await remember(tx, next, "updated", { changed: Object.keys(input) }, context);
    if (offer === null) {
      await tx.connections.changed();
      return null;
    }
    return pinDefinitions(tx, name, offer.definitions, false, context);
  });
  connections.sessions.forget(name);
  await connections.index.refresh(true);
  return { connection: next, report };
}

/** Removes a connection with its definitions and its history. */
export async function removeConnection(
  connections: ManagedConnections,
  name: string,
  context: CallContext,
): Promise<ConnectionRecord> {
  const current = await existing(connections, name);
  await context.services.store.transact(async (tx) => {
    if (!(await tx.connections.remove(name))) throw missing(name);
    await tx.connections.changed();
    await remember(tx, current, "deleted", {}, context);
  });
  connections.sessions.forget(name);
  await connections.index.refresh(true);
  return current;
}

/** Reads a connection again; new and changed definitions wait to be accepted. */
export async function syncConnection(
  connections: ManagedConnections,
  name: string,
  context: CallContext,
): Promise<{ connection: ConnectionRecord; report: SyncReport }> {
  const { store, clock } = context.services;
  const current = await existing(connections, name);
  const at = new Date(clock.now()).toISOString();
  const document = await store.read.connections.document(name);
  let offer;
  try {
    offer = await readOffer(current, document, connections, context);
  } catch (error) {
    if (error instanceof AppError) {
      const seen = { state: "failing", problem: error.message, checkedAt: at } as const;
      await store.transact((tx) => tx.connections.observe(name, seen));
      connections.index.observed(name, "failing", error.message);
    }
    throw explained(error, current);
  }
  const next: ConnectionRecord = {
    ...current,
    state: "reachable",
    problem: null,
    checkedAt: at,
    syncedAt: at,
  };
  const { definitions } = offer;
  const report = await store.transact(async (tx) => {
    if (!(await tx.connections.update(next))) throw missing(name);
    return pinDefinitions(tx, name, definitions, false, context);
  });
  await connections.index.refresh(true);
  return { connection: next, report };
}

/** The connection of this name that can be changed here. */
export async function existing(connections: ManagedConnections, name: string): Promise<ConnectionRecord> {
  if (name === GATEWAY) {
    throw new AppError("conflict", "The connection mcp comes from SUITE_MCP_URL and is not changed here.", {
      nextAction: "Change the setting and restart; sync_network_tools reads its tools again.",
    });
  }
  const record = await connections.connection(name);
  if (record === null) throw missing(name);
  return record;
}

function missing(name: string): AppError {
  return new AppError("not_found", `There is no connection named "${name.slice(0, 60)}".`, {
    nextAction: "GET /api/svc/connections lists what there is.",
  });
}

async function remember(
  tx: StoreTx,
  connection: ConnectionRecord,
  change: "created" | "updated" | "deleted" | "definition",
  more: JsonObject,
  context: CallContext,
): Promise<void> {
  const about = { name: connection.name, kind: connection.kind };
  await tx.events.append([
    {
      type: `svc.connection.${change === "definition" ? "updated" : change}`,
      subject: connection.name,
      traceparent: traceparentOf(context.trace),
      data: { ...about, ...more, by: context.caller.id },
      publicData: null,
    },
  ]);
  const { state: _state, problem: _problem, checkedAt: _checked, ...stated } = connection;
  await context.services.provenance.append(tx, [
    {
      kind: "connection",
      subjectId: connection.name,
      digest: digestOf({ ...stated, command: stated.command === null ? null : { ...stated.command } }),
      privacy: "confidential",
      predicate: { ...about, change, ...more, by: context.caller.id },
    },
  ]);
}

/** What an admin does to a definition. */
export type DefinitionChangeRequest =
  | { readonly kind: "accept"; readonly digest: string | null }
  | { readonly kind: "hide" }
  | { readonly kind: "edit"; readonly body: Json | undefined };

/** Accepts, hides or edits a definition, in one transaction. */
export async function changeDefinition(
  connections: ManagedConnections,
  id: string,
  request: DefinitionChangeRequest,
  context: CallContext,
): Promise<DefinitionRecord> {
  const { record: found, connection } = await connections.record(id);
  const next = await context.services.store.transact(async (tx) => {
    const current = await tx.connections.definition(found.connection, found.sourceName);
    if (current === null) throw missing(found.connection);
    const changed = await changedBy(tx, current, request);
    await tx.connections.putDefinition(changed);
    await tx.connections.changed();
    const about = {
      definition: changed.name,
      action: request.kind,
      state: changed.state,
      digest: changed.digest,
    };
    await remember(tx, connection, "definition", about, context);
    return changed;
  });
  await connections.index.refresh(true);
  return next;
}

/** Accepts everything of a connection that waits. */
export async function acceptAll(
  connections: ManagedConnections,
  name: string,
  context: CallContext,
): Promise<readonly DefinitionRecord[]> {
  const connection = name === GATEWAY ? connections.gateway : await existing(connections, name);
  if (connection === null) throw missing(name);
  const accepted = await context.services.store.transact(async (tx) => {
    const waiting = (await tx.connections.definitions(name)).filter(({ state }) => state === "quarantined");
    const next = waiting.map((record) => acceptedBy(record, null));
    for (const record of next) await tx.connections.putDefinition(record);
    await tx.connections.changed();
    await remember(
      tx,
      connection,
      "definition",
      { action: "accept", definitions: next.map((item) => item.name) },
      context,
    );
    return next;
  });
  await connections.index.refresh(true);
  return accepted;
}

async function changedBy(
  tx: StoreTx,
  record: DefinitionRecord,
  request: DefinitionChangeRequest,
): Promise<DefinitionRecord> {
  if (request.kind === "accept") return acceptedBy(record, request.digest);
  if (record.state === "removed") throw new AppError("conflict", "The definition is gone from its server.");
  if (request.kind === "hide") {
    if (record.state === "quarantined") {
      throw new AppError("conflict", "The definition waits to be accepted; it cannot be called anyway.", {
        nextAction: "Accept it first, or leave it in quarantine.",
      });
    }
    return { ...record, state: "hidden" };
  }
  const { name, overrides } = readEdit(request.body, record);
  if (name !== record.name) {
    const other = await tx.connections.definition(record.connection, name);
    if (other !== null && other.sourceName !== record.sourceName) {
      throw new AppError("conflict", `There is a definition named "${name}" already.`);
    }
  }
  return { ...record, name, overrides, ...headOf(record.definition, overrides, record.sourceName) };
}

function acceptedBy(record: DefinitionRecord, digest: string | null): DefinitionRecord {
  if (record.state === "hidden") return { ...record, state: "active" };
  const { pendingDefinition } = record;
  if (record.state !== "quarantined" || pendingDefinition === null) {
    throw new AppError("conflict", `The definition does not wait to be accepted; it is ${record.state}.`);
  }
  const next = digestOf(pendingDefinition);
  if (digest !== null && digest !== next) {
    throw new AppError("conflict", "The definition has changed since you looked at it.", {
      nextAction: "Look at its difference again.",
      details: { digest: next },
    });
  }
  return {
    ...record,
    ...headOf(pendingDefinition, record.overrides, record.sourceName),
    definition: pendingDefinition,
    pendingDefinition: null,
    digest: next,
    state: "active",
  };
}

const EDITS = ["name", "title", "description", "effect", "idempotent", "idempotencyHeader", "fixedArguments"];

function readEdit(
  body: Json | undefined,
  record: DefinitionRecord,
): { readonly name: string; readonly overrides: DefinitionOverrides } {
  const given = isJsonObject(body) ? body : {};
  const unknown = Object.keys(given).filter((name) => !EDITS.includes(name));
  const bad = (pointer: string, message: string, expected: string): AppError =>
    new AppError("invalid_input", message, { problems: [{ pointer, message, expected }] });
  if (unknown.length > 0)
    throw bad(`/${unknown[0] ?? ""}`, `"${unknown[0] ?? ""}" is not known here.`, EDITS.join(", "));
  const name = given["name"] === undefined ? record.name : (given["name"] ?? record.sourceName);
  if (typeof name !== "string" || !DEFINITION_NAME.test(name)) {
    throw bad("/name", "The name is not fit.", "letters, digits, _ . - (at most 128)");
  }
  const next: Record<string, Json | undefined> = { ...record.overrides };
  for (const [field, check] of Object.entries(CHECKS)) {
    const value = given[field];
    if (value === undefined) continue;
    if (value === null) delete next[field];
    else if (check.fits(value)) next[field] = value;
    else throw bad(`/${field}`, `${field} is not fit.`, check.expected);
  }
  return { name, overrides: overridesFrom(next) };
}

const CHECKS: Readonly<Record<string, { fits: (value: Json) => boolean; expected: string }>> = {
  title: { fits: (value) => typeof value === "string" && value.length <= 300, expected: "a text or null" },
  description: {
    fits: (value) => typeof value === "string" && value.length <= 4_000,
    expected: "a text or null",
  },
  effect: {
    fits: (value) => CONNECTED_EFFECTS.some((known) => known === value),
    expected: `${CONNECTED_EFFECTS.join(", ")} or null`,
  },
  idempotent: { fits: (value) => typeof value === "boolean", expected: "true, false or null" },
  idempotencyHeader: {
    fits: (value) => typeof value === "string" && /^[A-Za-z0-9-]{1,64}$/.test(value),
    expected: "the name of a header, or null",
  },
  fixedArguments: { fits: (value) => isJsonObject(value), expected: "an object of arguments, or null" },
};

function overridesFrom(given: JsonObject): DefinitionOverrides {
  const { title, description, idempotent, idempotencyHeader, fixedArguments } = given;
  const effect = CONNECTED_EFFECTS.find((known) => known === given["effect"]);
  return {
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    ...(effect !== undefined && { effect }),
    ...(typeof idempotent === "boolean" && { idempotent }),
    ...(typeof idempotencyHeader === "string" && { idempotencyHeader }),
    ...(isJsonObject(fixedArguments) && { fixedArguments }),
  };
}
