import type { JsonObject } from "../kernel/json.ts";
import type { LogEntry } from "../ports/logbook.ts";
import type { RunRecord } from "../ports/records.ts";
import type { StoreTx } from "../ports/store.ts";
import { eventsOf, factsOf, type Checkpoint, type CheckpointWriter, type RunChange } from "./checkpoint.ts";

/*
 * Checkpoints as the logbook keeps them: what changed, without what follows from it. Events and facts are made when an
 * entry is put into its tables.
 */

/** A change of a run, kept as data. */
export interface RunEntry extends LogEntry, RunChange {
  readonly kind: "run";
  /** True when it is the first that is written of the run. */
  readonly isNew: boolean;
  /** The document of a run that starts, unless it is stored already. */
  readonly document: JsonObject | null;
}

/** True for a checkpoint that entries nothing but its own run and steps. */
export function isPlain({ opened, closed, news, children, wake }: Checkpoint): boolean {
  return opened.length + closed.length + news.length + children.length + wake.length === 0;
}

/** The entry of a plain checkpoint, or of one with which a run starts. */
export function runEntry(
  { head, run, moved, steps, attempts }: Checkpoint,
  start: { readonly record: RunRecord; readonly document: JsonObject | null } | null = null,
): RunEntry {
  return {
    kind: "run",
    head,
    run: start?.record ?? run,
    moved,
    steps,
    attempts,
    isNew: start !== null,
    document: start?.document ?? null,
  };
}

/**
 * Puts entries into their tables, in their order. A run that has many is written once, as it is after the last. Nothing
 * is written of a run whose epoch is another one by now; gives the ids of those.
 */
export async function writeRunEntries(
  tx: StoreTx,
  entries: readonly RunEntry[],
  writer: Pick<CheckpointWriter, "provenance">,
): Promise<readonly string[]> {
  const started = new Map<string, RunRecord>();
  const saved = new Map<string, RunRecord>();
  const held = new Map<string, RunEntry["head"]>();
  for (const { head, run, isNew, document } of entries) {
    if (run === null) {
      if (!started.has(head.id)) held.set(head.id, head);
      continue;
    }
    if (document !== null) await tx.runs.putDocument(run.documentDigest, document);
    (isNew || started.has(head.id) ? started : saved).set(head.id, run);
  }
  for (const record of started.values()) await tx.runs.insert(record);
  const ours = new Set([
    ...started.keys(),
    ...(saved.size === 0 ? [] : await tx.runs.saveAll([...saved.values()])),
  ]);
  const looked = [...held.values()].filter(({ id }) => !saved.has(id));
  for (const id of looked.length === 0 ? [] : await tx.runs.hold(looked)) ours.add(id);
  const valid = entries.every(({ head }) => ours.has(head.id))
    ? entries
    : entries.filter(({ head }) => ours.has(head.id));
  await writeParts(tx, valid, writer);
  return valid === entries
    ? []
    : [...new Set(entries.map(({ head }) => head.id))].filter((id) => !ours.has(id));
}

async function writeParts(
  tx: StoreTx,
  entries: readonly RunEntry[],
  writer: Pick<CheckpointWriter, "provenance">,
): Promise<void> {
  const steps = entries.flatMap((entry) => entry.steps);
  if (steps.length > 0) await tx.runs.putSteps(steps);
  for (const { attempts } of entries) for (const attempt of attempts) await tx.runs.putAttempt(attempt);
  const events = entries.flatMap((entry) => eventsOf(entry));
  if (events.length > 0) await tx.events.append(events);
  const facts = entries.flatMap((entry) => factsOf(entry));
  if (facts.length > 0) await writer.provenance(tx, facts);
}
