import { canonicalJson, textForm } from "../kernel/canonical-json.ts";
import { canonicalText } from "../kernel/canonical-text.ts";
import { isJson, type JsonObject } from "../kernel/json.ts";
import type { AttemptRecord, RunRecord, StepState } from "../ports/records.ts";
import type { ProvenanceFact, StepFact } from "../ports/provenance.ts";
import { countEvents, packParts, resultIn, stepHasEnded } from "../ports/run-changes.ts";
import type { StoreTx } from "../ports/store.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { runFact } from "./journal.ts";
import { runHasEnded } from "./states.ts";

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
  /** How many events follow from the change. */
  readonly events: number;
  /** The steps that ended. */
  readonly ended: readonly EndedStep[];
  /** The change, for its page. Nobody has to read it before. */
  readonly change: string;
}

/** What the log says of a step that ended, and where in the change its result stands. */
type EndedStep = readonly [
  stepId: string,
  state: StepState,
  attempt: number,
  port: string | null,
  from: number,
  to: number,
  /** 1 when its keys are not in canonical order. */
  isPlain?: 0 | 1,
];

/** Stands between the two parts of an entry: JSON has it nowhere. */
const BETWEEN = "\t";

type PackedEntry = readonly [
  id: string,
  epoch: number,
  run: RunRecord | null,
  isNew: boolean,
  document: JsonObject | null,
  attempts: readonly AttemptRecord[],
  events: number,
  ended: readonly EndedStep[],
];

/** The entry of a plain checkpoint, or of one with which a run starts; null when it has values that are not JSON. */
export function runEntry(
  { head, run, moved, steps, attempts }: Checkpoint,
  start: { readonly record: RunRecord; readonly document: JsonObject | null } | null = null,
): string | null {
  const now = start?.record ?? run;
  if (now !== null && !(isJson(now.inputs) && isJson(now.outputs))) return null;
  const isPlain: boolean[] = [];
  for (const { input, output } of steps) {
    const forms = [textForm(input), textForm(output)];
    if (forms.includes("none")) return null;
    isPlain.push(forms.includes("plain"));
  }
  const { text, results } = packParts(moved ? now : null, steps);
  const ended: EndedStep[] = [];
  for (const [index, { stepId, state, attempt, port }] of steps.entries()) {
    if (!stepHasEnded(state)) continue;
    const [from, to] = results[index] ?? [0, 0];
    ended.push([stepId, state, attempt, port, from, to, isPlain[index] === true ? 1 : 0]);
  }
  const packed: PackedEntry = [
    head.id,
    head.epoch,
    now,
    start !== null,
    start?.document ?? null,
    attempts,
    countEvents(moved, steps),
    ended,
  ];
  return JSON.stringify(packed) + BETWEEN + text;
}

/** Reads an entry again. */
export function readRunEntry(entry: string): RunEntry {
  const between = entry.indexOf(BETWEEN);
  const packed: PackedEntry = JSON.parse(entry.slice(0, between));
  // By place: to take a list apart by names costs as much again as to parse it.
  return {
    head: { id: packed[0], epoch: packed[1] },
    run: packed[2],
    isNew: packed[3],
    document: packed[4],
    attempts: packed[5],
    events: packed[6],
    ended: packed[7],
    change: entry.slice(between + 1),
  };
}

/** The facts of the steps that ended with an entry. */
export function stepFactsOf({ head, ended, change }: RunEntry): readonly StepFact[] {
  return ended.map((step) => ({
    kind: "step",
    runId: head.id,
    stepId: step[0],
    state: step[1],
    attempt: step[2],
    port: step[3],
    content: () => contentOf(step, change),
  }));
}

function contentOf(step: EndedStep, change: string): string {
  // A build before this one entered a digest instead, which nobody needs.
  if (step[6] === undefined) return canonicalJson(resultIn(change, step[0]));
  const text = `${change.slice(step[4], step[5])}]`;
  return step[6] === 1 ? canonicalText(text) : text;
}

/** True when the run ended with an entry. */
export function endsRun({ run }: RunEntry): boolean {
  return run !== null && runHasEnded(run.state);
}

/** The fact of a run that ended with an entry. */
export function runFactOf({ run }: RunEntry): readonly ProvenanceFact[] {
  return run !== null && runHasEnded(run.state) ? [runFact(run)] : [];
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
