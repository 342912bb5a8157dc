import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { traceparentOf } from "../kernel/trace.ts";
import type { DefinitionRecord, SyncReport } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { StoreTx } from "../ports/store.ts";
import { DEFINITION_NAME, headOf } from "./definition.ts";

/** A tool or operation as its server describes it. */
export interface ListedDefinition {
  readonly name: string;
  readonly digest: string;
  /** The definition, or those of its members that its head is made of. */
  readonly about: JsonObject;
  /** The definition as JSON text; empty where the digest is one that was known. */
  readonly text: string;
}

/** A definition that is at hand, as it is listed. */
export function listedDefinition(name: string, definition: JsonObject): ListedDefinition {
  return { name, digest: digestOf(definition), about: definition, text: JSON.stringify(definition) };
}

/** The most definitions of one connection. */
export const MAX_DEFINITIONS = 5_000;
const MAX_DEFINITION_CHARS = 512 * 1024;

/**
 * Compares what a server lists with the pinned definitions. A changed one is quarantined with its new definition
 * beside the pinned one, a missing one is removed; a new one is active when `acceptNew`, else quarantined too.
 */
export async function pinDefinitions(
  tx: StoreTx,
  connection: string,
  listed: readonly ListedDefinition[],
  acceptNew: boolean,
  context: CallContext,
): Promise<SyncReport> {
  const at = new Date(context.services.clock.now()).toISOString();
  const known = new Map<string, DefinitionRecord>();
  for (const record of await tx.connections.listing(connection)) known.set(record.sourceName, record);
  const taken = new Set([...known.values()].map(({ name }) => name));
  const report = {
    added: new Array<string>(),
    changed: new Array<string>(),
    removed: new Array<string>(),
    restored: new Array<string>(),
  };
  const refused: string[] = [];
  const seen = new Set<string>();
  let unchanged = 0;
  let added = 0;
  for (const item of listed.slice(0, MAX_DEFINITIONS)) {
    if (!isFit(item)) {
      refused.push(item.name.slice(0, 128));
      continue;
    }
    if (seen.has(item.name)) continue;
    seen.add(item.name);
    const before = known.get(item.name);
    // A name that an admin gave to another definition stays with it.
    if (before === undefined && taken.has(item.name)) {
      refused.push(item.name);
      continue;
    }
    if (before === undefined) {
      const { name, digest, about } = item;
      const state = acceptNew ? "active" : "quarantined";
      const head = { connection, sourceName: name, name, ...headOf(about, {}, name), state, digest } as const;
      report.added.push(`${connection}:${name}`);
      await tx.connections.addDefinition(head, textOf(item), at);
      if (!acceptNew) added++;
      continue;
    }
    const isKept = before.state === "active" || before.state === "hidden";
    if (isKept && before.digest === item.digest) {
      unchanged++;
      continue;
    }
    const whole = isKept ? await tx.connections.definition(connection, before.name) : before;
    const next = compared(whole ?? before, item, at);
    if (next.kind === "unchanged") unchanged++;
    else report[next.kind].push(`${connection}:${next.record.name}`);
    known.set(item.name, next.record);
    await tx.connections.putDefinition(next.record);
  }
  for (const record of known.values()) {
    if (seen.has(record.sourceName) || record.state === "removed") continue;
    report.removed.push(`${connection}:${record.name}`);
    const whole = await tx.connections.definition(connection, record.name);
    const gone: DefinitionRecord = {
      ...(whole ?? record),
      state: "removed",
      pendingDefinition: null,
      syncedAt: at,
    };
    known.set(record.sourceName, gone);
    await tx.connections.putDefinition(gone);
  }
  await tx.connections.touchDefinitions(connection, at);
  const waiting = [...known.values()].filter(({ state }) => state === "quarantined").length;
  const quarantined = waiting + added;
  const counts = {
    added: report.added.length,
    changed: report.changed.length,
    removed: report.removed.length,
    quarantined,
  };
  await tx.connections.changed();
  await tx.events.append([
    {
      type: "svc.tools.synced",
      subject: connection,
      traceparent: traceparentOf(context.trace),
      data: { server: connection, ...counts, unchanged },
      publicData: { server: connection, ...counts },
    },
  ]);
  return { server: connection, ...report, unchanged, quarantined, refused: refused.slice(0, 100) };
}

interface Compared {
  readonly kind: "changed" | "restored" | "unchanged";
  readonly record: DefinitionRecord;
}

function compared(pinned: DefinitionRecord, item: ListedDefinition, at: string): Compared {
  const { name, digest } = item;
  if (pinned.digest === digest) {
    // One that was never accepted waits on; one that came back as it was is what an admin accepted before.
    const waits = pinned.state === "quarantined" && isNew(pinned);
    const state = pinned.state === "hidden" || waits ? pinned.state : "active";
    const record: DefinitionRecord = {
      ...pinned,
      ...headOf(item.about, pinned.overrides, pinned.sourceName),
      state,
      pendingDefinition: waits ? pinned.pendingDefinition : null,
      syncedAt: at,
    };
    return { kind: pinned.state === state ? "unchanged" : "restored", record };
  }
  const definition = definitionOf(item);
  if (isNew(pinned)) {
    const record = { ...pinned, digest, definition, pendingDefinition: definition, syncedAt: at };
    return { kind: "changed", record: { ...record, ...headOf(definition, pinned.overrides, name) } };
  }
  const same = pinned.pendingDefinition !== null && digestOf(pinned.pendingDefinition) === digest;
  const record: DefinitionRecord = {
    ...pinned,
    state: "quarantined",
    pendingDefinition: definition,
    syncedAt: at,
  };
  return { kind: same && pinned.state === "quarantined" ? "unchanged" : "changed", record };
}

/** True for a definition that nobody has accepted yet. */
export function isNew(record: DefinitionRecord): boolean {
  return (
    record.state === "quarantined" &&
    record.pendingDefinition !== null &&
    digestOf(record.pendingDefinition) === record.digest
  );
}

function isFit({ name, text }: ListedDefinition): boolean {
  return DEFINITION_NAME.test(name) && text.length <= MAX_DEFINITION_CHARS;
}

/** Text is left out only where the digest was known when the source was read; a change in between is rare. */
function textOf({ name, text }: ListedDefinition): string {
  if (text !== "") return text;
  throw new AppError("conflict", `The definition ${name} was changed while its connection was read.`, {
    nextAction: "Sync the connection again.",
  });
}

/** The whole definition. */
function definitionOf(item: ListedDefinition): JsonObject {
  const definition: unknown = JSON.parse(textOf(item));
  return isJsonObject(definition) ? definition : {};
}
