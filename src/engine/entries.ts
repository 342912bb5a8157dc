import { isJson, type JsonObject } from "../kernel/json.ts";
import type { AttemptRecord, RunRecord } from "../ports/records.ts";
import { packChange, unpackChange, type KeptChange } from "../ports/run-changes.ts";
import type { StoreTx } from "../ports/store.ts";
import type { Checkpoint } from "./checkpoint.ts";

/*
 * Checkpoints as the logbook keeps them: what changed, without what follows from it. Events and facts are made when an
 * entry is put into its tables.
 */

/** A change of a run, read from the logbook. */
export interface RunEntry {
  readonly head: Pick<RunRecord, "id" | "epoch">;
  /** The run's row as it is written; null when only steps changed. */
  readonly run: RunRecord | null;
  /** True when it is the first that is written of the run. */
  readonly isNew: boolean;
  /** The document of a run that starts, unless it is stored already. */
  readonly document: JsonObject | null;
  readonly attempts: readonly AttemptRecord[];
  readonly change: KeptChange;
  /** The change, as it was read. */
  readonly text: string;
}

/** Stands between the two parts of an entry: JSON has it nowhere. */
const BETWEEN = "\t";

type PackedEntry = readonly [
  id: string,
  epoch: number,
  run: RunRecord | null,
  isNew: boolean,
  document: JsonObject | null,
  attempts: readonly AttemptRecord[],
];

/** True for a checkpoint that changes nothing but its own run and steps. */
export function isPlain({ opened, closed, news, children, wake }: Checkpoint): boolean {
  return opened.length + closed.length + news.length + children.length + wake.length === 0;
}

/** The entry of a plain checkpoint, or of one with which a run starts; null when it has values that are not JSON. */
export function runEntry(
  { head, run, moved, steps, attempts }: Checkpoint,
  start: { readonly record: RunRecord; readonly document: JsonObject | null } | null = null,
): string | null {
  if (!steps.every(({ input, output }) => isJson(input) && isJson(output))) return null;
  const now = start?.record ?? run;
  if (now !== null && !(isJson(now.inputs) && isJson(now.outputs))) return null;
  const packed: PackedEntry = [head.id, head.epoch, now, start !== null, start?.document ?? null, attempts];
  return JSON.stringify(packed) + BETWEEN + packChange(moved ? now : null, steps);
}

/** Reads an entry again. */
export function readRunEntry(entry: string): RunEntry {
  const between = entry.indexOf(BETWEEN);
  const [id, epoch, run, isNew, document, attempts]: PackedEntry = JSON.parse(entry.slice(0, between));
  const text = entry.slice(between + 1);
  const change = unpackChange(id, JSON.parse(text));
  return { head: { id, epoch }, run, isNew, document, attempts, change, text };
}

/** What became of entries. */
export interface WrittenRuns {
  /** The entries of each run that is still ours, in their order. */
  readonly byRun: ReadonlyMap<string, readonly RunEntry[]>;
  /** Runs that belong to another worker by now: nothing of their entries is written. */
  readonly lost: readonly string[];
}

/** Writes the rows of runs and attempts. A run that has many entries is written once, as it is after the last. */
export async function writeRuns(tx: StoreTx, entries: readonly RunEntry[]): Promise<WrittenRuns> {
  const byRun = Map.groupBy(entries, ({ head }) => head.id);
  const saved: RunRecord[] = [];
  const held: RunEntry["head"][] = [];
  const ours = new Set<string>();
  for (const [id, ofRun] of byRun) {
    const newest = ofRun.findLast(({ run }) => run !== null)?.run ?? null;
    if (ofRun[0]?.isNew === true && newest !== null) {
      const { document } = ofRun[0];
      if (document !== null) await tx.runs.putDocument(newest.documentDigest, document);
      await tx.runs.insert(newest);
      ours.add(id);
    } else if (newest !== null) {
      saved.push(newest);
    } else if (ofRun[0] !== undefined) {
      held.push(ofRun[0].head);
    }
  }
  if (saved.length > 0) for (const id of await tx.runs.saveAll(saved)) ours.add(id);
  if (held.length > 0) for (const id of await tx.runs.hold(held)) ours.add(id);
  const lost = ours.size === byRun.size ? [] : [...byRun.keys()].filter((id) => !ours.has(id));
  for (const id of lost) byRun.delete(id);
  for (const ofRun of byRun.values()) {
    for (const { attempts } of ofRun) for (const attempt of attempts) await tx.runs.putAttempt(attempt);
  }
  return { byRun, lost };
}
