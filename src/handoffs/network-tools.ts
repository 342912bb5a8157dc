import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { traceparentOf } from "../kernel/trace.ts";
import { allows } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { NetworkToolRecord } from "../ports/records.ts";
import type { ListedTool } from "../ports/siblings.ts";
import type { NetworkToolStore } from "../ports/store.ts";

/** A name that can stand after `server:`; others cannot be called from here and are left out. */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const MAX_DEFINITION = 64 * 1024;
const PAGE = 100;

/** What a sync found, by what became of each tool. */
export interface SyncReport {
  readonly server: string;
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly restored: readonly string[];
  readonly unchanged: number;
  readonly quarantined: number;
  readonly refused: readonly string[];
}

/**
 * Compares a server's tools with their pinned definitions, in one transaction. A new tool is pinned as it is, a
 * changed one is quarantined with its new definition beside the pinned one, a missing one is marked as removed.
 */
export async function pinTools(
  server: string,
  listed: readonly ListedTool[],
  context: CallContext,
): Promise<SyncReport> {
  const { store, clock } = context.services;
  const at = new Date(clock.now()).toISOString();
  const fit = listed.filter(isFit);
  const refused = listed.filter((tool) => !isFit(tool)).map(({ name }) => name.slice(0, 128));
  return store.transact(async (tx) => {
    const known = new Map((await allOf(tx.networkTools)).map((record) => [record.id, record]));
    const report = {
      added: new Array<string>(),
      changed: new Array<string>(),
      removed: new Array<string>(),
      restored: new Array<string>(),
    };
    let unchanged = 0;
    const seen = new Set<string>();
    for (const tool of fit) {
      const id = `${server}:${tool.name}`;
      if (seen.has(id)) continue;
      seen.add(id);
      const next = compared(known.get(id), { id, server, ...tool }, at);
      if (next.kind === "unchanged") unchanged++;
      else report[next.kind].push(id);
      known.set(id, next.record);
      await tx.networkTools.put(next.record);
    }
    for (const record of known.values()) {
      if (record.server !== server || seen.has(record.id) || record.state === "removed") continue;
      report.removed.push(record.id);
      const gone = { ...record, state: "removed" as const, pendingDefinition: null, syncedAt: at };
      known.set(record.id, gone);
      await tx.networkTools.put(gone);
    }
    const quarantined = [...known.values()].filter(({ state }) => state === "quarantined").length;
    const counts = {
      added: report.added.length,
      changed: report.changed.length,
      removed: report.removed.length,
      quarantined,
    };
    await tx.events.append([
      {
        type: "svc.tools.synced",
        subject: server,
        traceparent: traceparentOf(context.trace),
        data: { server, ...counts, unchanged },
        publicData: { server, ...counts },
      },
    ]);
    return { server, ...report, unchanged, quarantined, refused };
  });
}

interface Compared {
  readonly kind: "added" | "changed" | "restored" | "unchanged";
  readonly record: NetworkToolRecord;
}

function compared(
  pinned: NetworkToolRecord | undefined,
  tool: ListedTool & { readonly id: string; readonly server: string },
  at: string,
): Compared {
  const { id, server, name, definition } = tool;
  const digest = digestOf(definition);
  if (pinned === undefined) {
    const record: NetworkToolRecord = {
      id,
      server,
      name,
      digest,
      definition,
      state: "active",
      pendingDefinition: null,
      syncedAt: at,
    };
    return { kind: "added", record };
  }
  if (pinned.digest === digest) {
    const record: NetworkToolRecord = { ...pinned, state: "active", pendingDefinition: null, syncedAt: at };
    return { kind: pinned.state === "active" ? "unchanged" : "restored", record };
  }
  const record: NetworkToolRecord = {
    ...pinned,
    state: "quarantined",
    pendingDefinition: definition,
    syncedAt: at,
  };
  const same = pinned.pendingDefinition !== null && digestOf(pinned.pendingDefinition) === digest;
  return { kind: same && pinned.state === "quarantined" ? "unchanged" : "changed", record };
}

function isFit({ name, definition }: ListedTool): boolean {
  return TOOL_NAME.test(name) && JSON.stringify(definition).length <= MAX_DEFINITION;
}

/** An operator takes a quarantined tool's new definition; the digest proves which one was looked at. */
export async function acceptTool(body: unknown, context: CallContext): Promise<JsonObject> {
  if (!allows(context.caller, "admin")) {
    throw new AppError(
      context.caller.kind === "anonymous" ? "unauthorized" : "forbidden",
      "Accepting a changed tool needs an admin key.",
    );
  }
  if (!isJsonObject(body) || typeof body["id"] !== "string" || typeof body["digest"] !== "string") {
    throw new AppError(
      "invalid_input",
      "Name the tool's id and the digest of the definition you looked at.",
      {
        problems: [{ pointer: "", message: "must have id and digest" }],
      },
    );
  }
  const { id, digest } = body;
  const { store } = context.services;
  const accepted = await store.transact(async (tx) => {
    const record = await tx.networkTools.get(id);
    if (record === null) throw new AppError("not_found", "There is no synced tool with this id.");
    if (record.state !== "quarantined" || record.pendingDefinition === null) {
      throw new AppError("conflict", "The tool does not wait to be accepted.");
    }
    if (digestOf(record.pendingDefinition) !== digest) {
      throw new AppError("conflict", "The tool's definition has changed since you looked at it.");
    }
    const next: NetworkToolRecord = {
      ...record,
      digest,
      definition: record.pendingDefinition,
      pendingDefinition: null,
      state: "active",
    };
    await tx.networkTools.put(next);
    return next;
  });
  return { tool: networkToolView(accepted) };
}

/** The synced tool of this id, callable; throws when it is unknown, quarantined or gone. */
export async function callableTool(id: string, context: CallContext): Promise<NetworkToolRecord> {
  const { networkTools } = context.services.store.read;
  const record = await networkTools.get(id);
  if (record === null) {
    const near = nearestNames(
      id,
      (await allOf(networkTools)).map((tool) => tool.id),
    );
    throw new AppError("not_found", "There is no synced tool of this name.", {
      nextAction: near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "Call sync_network_tools first.",
    });
  }
  if (record.state === "quarantined") {
    throw new AppError("blocked", "The tool's definition changed and waits for an operator to accept it.", {
      nextAction: "An operator accepts it at POST /api/svc/network-tools/accept.",
      details: { id, pinnedDigest: record.digest, newDigest: digestOf(record.pendingDefinition ?? {}) },
    });
  }
  if (record.state === "removed") throw new AppError("not_found", "The tool is gone from its server.");
  return record;
}

/** Every synced tool, for a holder of a key. */
export async function listNetworkTools(context: CallContext): Promise<JsonObject> {
  if (context.caller.kind === "anonymous") {
    throw new AppError("unauthorized", "A valid API key is required.");
  }
  return { tools: (await allOf(context.services.store.read.networkTools)).map(networkToolView) };
}

/** A synced tool of this id that its server still has; null when there is none. */
export async function knownTool(id: string, { services }: CallContext): Promise<NetworkToolRecord | null> {
  const record = await services.store.read.networkTools.get(id);
  return record?.state === "removed" ? null : record;
}

/** The synced tools as a registry lists them. Callers without a key get none: what was synced is not public. */
export async function syncedTools(context: CallContext): Promise<readonly NetworkToolRecord[]> {
  if (context.caller.kind === "anonymous") return [];
  const all = await allOf(context.services.store.read.networkTools);
  return all.filter(({ state }) => state !== "removed");
}

/** What is shown of a synced tool. */
function networkToolView(record: NetworkToolRecord): JsonObject {
  const { id, server, name, digest, state, definition, pendingDefinition, syncedAt } = record;
  return {
    id,
    server,
    name,
    state,
    digest,
    definition,
    ...(pendingDefinition !== null && { pendingDefinition, pendingDigest: digestOf(pendingDefinition) }),
    syncedAt,
  };
}

async function allOf(tools: NetworkToolStore): Promise<readonly NetworkToolRecord[]> {
  const found: NetworkToolRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await tools.list({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
    found.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}
