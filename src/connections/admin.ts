import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { traceparentOf } from "../kernel/trace.ts";
import { runOfCall } from "../ports/meta-keys.ts";
import type { SyncReportView } from "../model/connections.ts";
import type { ConnectionRecord } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { StoreTx } from "../ports/store.ts";
import { GATEWAY } from "./definition.ts";
import { privateOriginOf, type ConnectionInput, type NewConnection } from "./input.ts";
import { programsForbidden } from "./mcp-errors.ts";
import { pinDefinitions } from "./pinning.ts";
import { sealCommand } from "./program-secrets.ts";
import { readOffer } from "./reading.ts";
import type { ManagedConnections } from "./service.ts";
import { recordChange } from "../audit/record.ts";

/** The most connections of one service. */
export const MAX_CONNECTIONS = 500;

/** Adds a connection and accepts what it offers as a whole. Nothing is stored when it cannot be read. */
export async function addConnection(
  connections: ManagedConnections,
  input: NewConnection,
  context: CallContext,
): Promise<{ connection: ConnectionRecord; report: SyncReportView }> {
  const { store, clock, settings } = context.services;
  if (input.command && settings.programEnvironment === null) throw programsForbidden();
  const at = new Date(clock.now()).toISOString();
  const draft: ConnectionRecord = {
    name: input.name,
    kind: input.kind,
    title: input.title ?? input.name,
    url: input.url ?? null,
    command: null,
    baseUrl: input.baseUrl ?? (input.kind === "http" ? (input.url ?? null) : null),
    credential: input.credential ?? null,
    privateOrigin: privateOriginOf(input.allowPrivateOrigin, input.baseUrl ?? input.url ?? null),
    state: "reachable",
    problem: null,
    checkedAt: at,
    syncedAt: at,
    owner: context.caller.id,
    createdAt: at,
    updatedAt: at,
  };
  if ((await store.read.connections.get(draft.name)) !== null) throw taken(draft.name);
  if (input.command) {
    const command = await sealCommand(draft.name, input.command, null, context);
    return addRead(connections, { ...draft, command }, input, context);
  }
  return addRead(connections, draft, input, context);
}

async function addRead(
  connections: ManagedConnections,
  draft: ConnectionRecord,
  input: NewConnection,
  context: CallContext,
): Promise<{ connection: ConnectionRecord; report: SyncReportView }> {
  const document = input.document ?? null;
  const offer = await readOffer(draft, document, connections, context).catch((error: unknown) => {
    connections.sessions.forget(draft.name);
    throw explained(error, draft);
  });
  const connection = {
    ...draft,
    title: input.title ?? offer.title ?? input.name,
    // A document that was pasted says itself where its API is.
    privateOrigin: draft.privateOrigin ?? privateOriginOf(input.allowPrivateOrigin, offer.address),
  };
  const report = await pinDefinitions(
    {
      connection: connection.name,
      listed: offer.definitions,
      acceptNew: true,
      async open(tx, isWhole) {
        const { items } = await tx.connections.list({ limit: MAX_CONNECTIONS });
        if (items.length >= MAX_CONNECTIONS) {
          throw new AppError(
            "conflict",
            `There are ${MAX_CONNECTIONS} connections already; remove one first.`,
          );
        }
        const first = isWhole ? connection : { ...connection, ...UNFINISHED, syncedAt: null };
        if (!(await tx.connections.insert(first, document))) throw taken(connection.name);
      },
      check: (tx) => checkThere(tx, connection.name),
      async close(tx, { added, unchanged }) {
        await tx.connections.update(connection);
        await remember(tx, connection, "created", { definitions: added.length + unchanged }, context);
      },
    },
    context,
  );
  await connections.index.refresh(true);
  return { connection, report };
}

/** A connection whose definitions are stored in several transactions, until the last of them. */
const UNFINISHED = {
  state: "syncing",
  problem: "Its definitions are being stored. If it stays like this, sync it again.",
} as const;

async function checkThere(tx: StoreTx, name: string): Promise<void> {
  if ((await tx.connections.get(name)) === null) throw missing(name);
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
  input: ConnectionInput,
  context: CallContext,
): Promise<{ connection: ConnectionRecord; report: SyncReportView | null }> {
  const { store, clock, settings } = context.services;
  const current = await existing(connections, name);
  if (input.command && settings.programEnvironment === null) throw programsForbidden();
  const at = new Date(clock.now()).toISOString();
  const document =
    input.document === undefined ? await store.read.connections.document(name) : input.document;
  const baseUrl = input.baseUrl === undefined ? current.baseUrl : input.baseUrl;
  const url = input.url === undefined ? current.url : input.url;
  const changed: ConnectionRecord = {
    ...current,
    baseUrl,
    url,
    title: input.title ?? current.title,
    command: input.command
      ? await sealCommand(name, input.command, current.command, context)
      : input.command === undefined
        ? current.command
        : null,
    credential: input.credential === undefined ? current.credential : input.credential,
    privateOrigin:
      input.allowPrivateOrigin === undefined
        ? current.privateOrigin
        : privateOriginOf(input.allowPrivateOrigin, baseUrl ?? url),
    updatedAt: at,
  };
  // Only the document says where the API is when no address does.
  const wantsAddress = Boolean(input.allowPrivateOrigin) && changed.privateOrigin === null;
  const isMoved =
    input.document !== undefined ||
    changed.url !== current.url ||
    JSON.stringify(changed.command) !== JSON.stringify(current.command);
  const offer =
    isMoved || (wantsAddress && document !== null)
      ? await readOffer(changed, document, connections, context).catch((error: unknown) => {
          throw explained(error, changed);
        })
      : null;
  const next: ConnectionRecord = {
    ...changed,
    privateOrigin: changed.privateOrigin ?? privateOriginOf(input.allowPrivateOrigin, offer?.address ?? null),
  };
  const update = async (tx: StoreTx, state: Partial<ConnectionRecord>): Promise<void> => {
    if (!(await tx.connections.update({ ...next, ...state }, input.document))) throw missing(name);
    await remember(tx, next, "updated", { changed: Object.keys(input) }, context);
  };
  const report =
    !isMoved || offer === null
      ? null
      : await pinDefinitions(
          {
            connection: name,
            listed: offer.definitions,
            acceptNew: current.syncedAt === null,
            open: (tx, isWhole) => update(tx, isWhole ? {} : UNFINISHED),
            check: (tx) => checkThere(tx, name),
            async close(tx) {
              await tx.connections.update(synced(next, at));
            },
          },
          context,
        );
  if (report === null) {
    await store.transact(async (tx) => {
      await update(tx, {});
      await tx.connections.changed();
    });
  }
  connections.sessions.forget(name);
  await connections.index.refresh(true);
  return { connection: report === null ? next : synced(next, at), report };
}

function synced(connection: ConnectionRecord, at: string): ConnectionRecord {
  return { ...connection, state: "reachable", problem: null, checkedAt: at, syncedAt: at };
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
  await connections.sessions.removeFolder(name);
  await connections.index.refresh(true);
  return current;
}

/** Reads a connection again; new and changed definitions wait to be accepted. */
export async function syncConnection(
  connections: ManagedConnections,
  name: string,
  context: CallContext,
): Promise<{ connection: ConnectionRecord; report: SyncReportView }> {
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
  const next = synced(current, at);
  const isFirst = current.syncedAt === null;
  const report = await pinDefinitions(
    {
      connection: name,
      listed: offer.definitions,
      // The first sync was accepted as a whole; one that was cut off is completed here.
      acceptNew: isFirst,
      async open(tx, isWhole) {
        if (!(await tx.connections.update(isWhole ? next : { ...current, ...UNFINISHED })))
          throw missing(name);
      },
      check: (tx) => checkThere(tx, name),
      async close(tx, { added, unchanged }) {
        await tx.connections.update(next);
        if (isFirst) await remember(tx, next, "created", { definitions: added.length + unchanged }, context);
      },
    },
    context,
  );
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

/** No connection of this name. */
export function missing(name: string): AppError {
  return new AppError("not_found", `There is no connection named "${name.slice(0, 60)}".`, {
    nextAction: 'GET /api/svc/connections lists them (at /mcp list {"kind": "connection"}).',
  });
}

/** Announces and proves a change of a connection. */
export async function remember(
  tx: StoreTx,
  connection: ConnectionRecord,
  change: "created" | "updated" | "deleted" | "definition",
  more: JsonObject,
  context: CallContext,
): Promise<void> {
  const about = { name: connection.name, kind: connection.kind };
  const { state: _state, problem: _problem, checkedAt: _checked, ...stated } = connection;
  const by = context.caller.id;
  await recordChange(tx, context.services.provenance, {
    action: `connection.${change === "definition" ? "updated" : change}`,
    by,
    subject: connection.name,
    traceparent: traceparentOf(context.trace),
    madeIn: runOfCall(context.meta),
    data: { ...about, ...more, by },
    fact: {
      kind: "connection",
      subjectId: connection.name,
      digest: digestOf({ ...stated, command: stated.command === null ? null : { ...stated.command } }),
      privacy: "confidential",
      predicate: { ...about, change, ...more, by },
    },
  });
}
