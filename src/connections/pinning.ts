import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { traceparentOf } from "../kernel/trace.ts";
import { runOfCall } from "../ports/meta-keys.ts";
import type { DefinitionHead, DefinitionListing, DefinitionRecord } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { SyncReportView } from "../model/connections.ts";
import type { StoreTx } from "../ports/store.ts";
import type { ListedDefinition } from "../sources/api-definitions.ts";
import { changesBetween, DEFINITION_NAME, firstChanges, headOf } from "./definition.ts";
import { noteRenames } from "./renames.ts";
import { yieldToEventLoop } from "./event-loop.ts";

/** A definition that is at hand, as it is listed. */
export function listedDefinition(name: string, definition: JsonObject): ListedDefinition {
  return { name, digest: digestOf(definition), about: definition, text: JSON.stringify(definition) };
}

/** The most definitions of one connection. */
export const MAX_DEFINITIONS = 5_000;
const MAX_DEFINITION_CHARS = 512 * 1024;

/** A transaction stores about as many characters of definitions, so that it holds up nothing else. */
const SLICE_CHARS = 512 * 1024;
/** What one costs beside its text. */
const ITEM_CHARS = 100;
/** Each that is gone is read to find out whether a new one replaces it; more are not read in one transaction. */
const MOST_GONE = 200;

/** What a connection offers, to be compared with its pinned definitions. */
export interface Offered {
  readonly connection: string;
  readonly listed: readonly ListedDefinition[];
  /** New ones are active, else quarantined. */
  readonly acceptNew: boolean;
  /** Writes the connection, before its definitions. `isWhole` is false when these follow in further transactions. */
  open(tx: StoreTx, isWhole: boolean): Promise<void>;
  /** Throws when the connection is gone; asked before each of the further transactions. */
  check(tx: StoreTx): Promise<void>;
  /** Writes what belongs to the end. */
  close(tx: StoreTx, report: SyncReportView, at: string): Promise<void>;
}

/**
 * Compares what a server lists with the pinned definitions. A changed one is quarantined with its new definition
 * beside the pinned one, a missing one is removed; a new one is active when `acceptNew`, else quarantined too. What is
 * small is one transaction. What is large is stored in slices with a turn of the event loop between them; a sync that is
 * cut off is completed by the next one.
 */
export async function pinDefinitions(offered: Offered, context: CallContext): Promise<SyncReportView> {
  const { store } = context.services;
  const { connection } = offered;
  const { fit, refused } = fitting(offered.listed);
  const slices = slicesOf(fit);
  const at = new Date(context.services.clock.now()).toISOString();
  const [only] = slices;
  const gone = missingFrom(fit, await store.read.connections.heads(connection));
  if (slices.length === 1 && only !== undefined && gone.length <= MOST_GONE) {
    return store.transact(async (tx) => {
      await offered.open(tx, true);
      const known = await pinnedIn(tx, connection);
      const report = merged([refused, await pinSlice(tx, offered, only, known, at)]);
      const removed = await removeMissing(tx, fit, known, at);
      await noteRenames(connection, (work) => work(tx));
      return finish(tx, offered, { report, removed, at }, context);
    });
  }
  const known = await store.transact(async (tx) => {
    await offered.open(tx, false);
    await tx.connections.changed();
    return pinnedIn(tx, connection);
  });
  const parts: PartReport[] = [refused];
  const further = async <T>(work: (tx: StoreTx) => Promise<T>): Promise<T> => {
    await yieldToEventLoop();
    return store.transact(async (tx) => {
      await offered.check(tx);
      return work(tx);
    });
  };
  for (const slice of slices) parts.push(await further((tx) => pinSlice(tx, offered, slice, known, at)));
  const removed = await further((tx) => removeMissing(tx, fit, known, at));
  await noteRenames(connection, further);
  return further((tx) => finish(tx, offered, { report: merged(parts), removed, at }, context));
}

type PinnedDefinitions = ReadonlyMap<string, DefinitionHead>;

async function pinnedIn(tx: StoreTx, connection: string): Promise<PinnedDefinitions> {
  return new Map((await tx.connections.heads(connection)).map((head) => [head.sourceName, head]));
}

interface PartReport {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly restored: readonly string[];
  readonly refused: readonly string[];
  readonly unchanged: number;
}

const NOTHING: PartReport = { added: [], changed: [], restored: [], refused: [], unchanged: 0 };

function merged(parts: readonly PartReport[]): PartReport {
  return {
    added: parts.flatMap(({ added }) => added),
    changed: parts.flatMap(({ changed }) => changed),
    restored: parts.flatMap(({ restored }) => restored),
    refused: parts.flatMap(({ refused }) => refused),
    unchanged: parts.reduce((sum, { unchanged }) => sum + unchanged, 0),
  };
}

/** Those that can be kept, each name once. */
function fitting(listed: readonly ListedDefinition[]): {
  readonly fit: readonly ListedDefinition[];
  readonly refused: PartReport;
} {
  const fit = new Map<string, ListedDefinition>();
  const refused: string[] = [];
  for (const item of listed.slice(0, MAX_DEFINITIONS)) {
    if (!isFit(item)) refused.push(item.name.slice(0, 128));
    else if (!fit.has(item.name)) fit.set(item.name, item);
  }
  return { fit: [...fit.values()], refused: { ...NOTHING, refused } };
}

/** At least one, which may be empty. */
function slicesOf(listed: readonly ListedDefinition[]): readonly (readonly ListedDefinition[])[] {
  const slices: ListedDefinition[][] = [[]];
  let size = 0;
  for (const item of listed) {
    size += item.text.length + ITEM_CHARS;
    if (size > SLICE_CHARS && slices.at(-1)?.length !== 0) {
      slices.push([]);
      size = item.text.length + ITEM_CHARS;
    }
    slices.at(-1)?.push(item);
  }
  return slices;
}

async function pinSlice(
  tx: StoreTx,
  { connection, acceptNew }: Offered,
  slice: readonly ListedDefinition[],
  known: PinnedDefinitions,
  at: string,
): Promise<PartReport> {
  const taken = new Set([...known.values()].map(({ name }) => name));
  const report = {
    added: new Array<string>(),
    changed: new Array<string>(),
    restored: new Array<string>(),
    refused: new Array<string>(),
  };
  let unchanged = 0;
  for (const item of slice) {
    const { name, digest, about } = item;
    const before = known.get(name);
    if (before === undefined) {
      // A name that an admin gave to another definition stays with it.
      if (taken.has(name)) {
        report.refused.push(name);
        continue;
      }
      const state = acceptNew ? "active" : "quarantined";
      const head = { connection, sourceName: name, name, ...headOf(about, {}, name), state, digest } as const;
      report.added.push(`${connection}:${name}`);
      await tx.connections.addDefinition(head, textOf(item), at);
      continue;
    }
    const isKept = before.state === "active" || before.state === "hidden";
    const pinned =
      isKept && before.digest === digest ? null : await tx.connections.definition(connection, before.name);
    if (pinned === null) {
      unchanged++;
      continue;
    }
    const next = compared(pinned, item, at);
    if (next.kind === "unchanged") unchanged++;
    else report[next.kind].push(`${connection}:${next.record.name}`);
    await tx.connections.putDefinition(next.record);
  }
  return { ...report, unchanged };
}

/** Those that the server no longer lists. */
function missingFrom(
  fit: readonly ListedDefinition[],
  known: Iterable<DefinitionHead>,
): readonly DefinitionHead[] {
  const seen = new Set(fit.map(({ name }) => name));
  return [...known].filter(({ sourceName }) => !seen.has(sourceName));
}

async function removeMissing(
  tx: StoreTx,
  fit: readonly ListedDefinition[],
  known: PinnedDefinitions,
  at: string,
): Promise<readonly string[]> {
  const removed = missingFrom(fit, known.values()).filter(({ state }) => state !== "removed");
  for (const { connection, sourceName } of removed)
    await tx.connections.dropDefinition(connection, sourceName, at);
  return removed.map(({ connection, name }) => `${connection}:${name}`);
}

interface SyncResult {
  readonly report: PartReport;
  readonly removed: readonly string[];
  readonly at: string;
}

/** Notes and announces what was found. */
async function finish(
  tx: StoreTx,
  offered: Offered,
  found: SyncResult,
  context: CallContext,
): Promise<SyncReportView> {
  const { connection } = offered;
  const { removed, at } = found;
  const heads = await tx.connections.heads(connection);
  const quarantined = heads.filter(({ state }) => state === "quarantined").length;
  const { added, changed, restored, unchanged, refused } = found.report;
  const counts = {
    added: added.length,
    changed: changed.length,
    removed: removed.length,
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
      madeIn: runOfCall(context.meta),
    },
  ]);
  const report: SyncReportView = {
    server: connection,
    added,
    changed,
    removed,
    restored,
    unchanged,
    quarantined,
    refused: refused.slice(0, 100),
  };
  await offered.close(tx, report, at);
  return report;
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
      review: waits ? pinned.review : null,
      syncedAt: at,
    };
    return { kind: pinned.state === state ? "unchanged" : "restored", record };
  }
  const definition = definitionOf(item);
  if (isNew(pinned)) {
    const review = { digest, reason: "new", changes: [], moreChanges: 0 } as const;
    const record = { ...pinned, digest, definition, pendingDefinition: definition, review, syncedAt: at };
    return { kind: "changed", record: { ...record, ...headOf(definition, pinned.overrides, name) } };
  }
  const same = pinned.review?.digest === digest;
  const record: DefinitionRecord = {
    ...pinned,
    state: "quarantined",
    pendingDefinition: definition,
    review: {
      digest,
      reason: "changed",
      ...firstChanges(changesBetween(pinned.definition, definition)),
    },
    syncedAt: at,
  };
  return { kind: same && pinned.state === "quarantined" ? "unchanged" : "changed", record };
}

/** True for a definition that was never accepted. */
function isNew({ state, review }: DefinitionListing): boolean {
  return state === "quarantined" && review !== null && review.reason !== "changed";
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
