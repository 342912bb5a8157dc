import { DatabaseSync } from "node:sqlite";
import type { Checkpoint } from "../../src/engine/checkpoint.ts";
import { runEntry } from "../../src/engine/entries.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { FrameWriter, payloadOf, prepareBook } from "../../src/logbook/frames.ts";
import { openLogbook } from "../../src/logbook/logbook.ts";
import type { Logbook } from "../../src/ports/logbook.ts";
import type { Log } from "../../src/ports/platform.ts";
import type { RunRecord, StepRecord } from "../../src/ports/records.ts";
import type { Store } from "../../src/ports/store.ts";
import { openStore } from "../../src/storage/open.ts";
import { AT, quiet, sampleStep } from "../../src/storage/store.samples.ts";

/*
 * Entries for a logbook, and one that is open: the first entry only starts its thread, so a test that wants every change
 * to go through the book waits for it.
 */

/** What is different from a change that says nothing. */
export interface Said {
  readonly run?: RunRecord | null;
  readonly moved?: boolean;
  readonly steps?: readonly StepRecord[];
  readonly attempts?: Checkpoint["attempts"];
}

function checkpointOf(
  head: RunRecord,
  { run = null, moved = false, steps = [], attempts = [] }: Said,
): Checkpoint {
  return {
    head,
    run,
    moved,
    steps,
    attempts,
    opened: [],
    closed: [],
    news: [],
    children: [],
    wake: [],
  };
}

/** The entry of a change of a run. */
export function changeEntry(head: RunRecord, said: Said): string {
  const entry = runEntry(checkpointOf(head, said));
  if (entry === null) throw new Error("not an entry");
  return entry;
}

/** The entry of a run that starts. */
export function startEntry(record: RunRecord, document: JsonObject | null = { nodes: [] }): string {
  const entry = runEntry(checkpointOf(record, { run: record, moved: true }), {
    record,
    document,
  });
  if (entry === null) throw new Error("not an entry");
  return entry;
}

/** The entry of steps that ended with this output. */
export function stepsEntry(run: RunRecord, stepIds: readonly string[], output: unknown = 1): string {
  const value = typeof output === "string" || typeof output === "number" ? output : null;
  return changeEntry(run, {
    steps: stepIds.map((stepId) =>
      sampleStep(run.id, { stepId, output: value, idempotencyKey: `${run.id}:${stepId}` }),
    ),
  });
}

/** The entry with which a run ends well. */
export function endEntry(run: RunRecord, steps: readonly StepRecord[] = []): string {
  const ended: RunRecord = { ...run, state: "succeeded", outputs: { done: true }, finishedAt: AT };
  return changeEntry(run, { run: ended, moved: true, steps });
}

/** The logbook of a store that must have one. */
export function logbookOf(store: Store): Logbook {
  if (store.logbook === undefined) throw new Error("the store has no logbook");
  return store.logbook;
}

/** Enters as soon as the book takes it. */
export async function enterSoon(logbook: Logbook, entry: string): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await logbook.enter(entry))) {
    if (Date.now() > end) throw new Error("the logbook does not open");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Waits until the book is open. What it enters speaks of a run that nobody knows, so nothing is written. */
export async function wakeLogbook(store: Store): Promise<void> {
  if (store.logbook === undefined) return;
  await enterSoon(
    store.logbook,
    `${JSON.stringify(["run_unknown", 0, null, false, null, [], 0, []])}\t[0,null,[]]`,
  );
  await store.read.runs.get("run_unknown");
}

/** Opens a store that enters every change in its logbook, from the first one on. */
export async function openBooked(path: string, log: Log = quiet.log): Promise<Store> {
  const store = await openStore(`sqlite:${path}`, {
    clock: quiet.clock,
    log,
    openLogbook: (file) => openLogbook(file, { clock: quiet.clock, log, busyFrom: 0 }),
  });
  await wakeLogbook(store);
  return store;
}

/** Makes the book of a database that has none open, as a process would leave it that ended before it folded anything. */
export function leaveBook(path: string, bookId: number, frames: readonly (readonly string[])[]): void {
  prepareBook(`${path}-logbook`, bookId);
  const db = new DatabaseSync(path);
  const applied = db.prepare("SELECT value FROM counters WHERE name = 'logbook_applied'").get()?.["value"];
  const sequence = typeof applied === "number" ? applied : 0;
  db.prepare(
    `INSERT INTO counters (name, value) VALUES ('logbook_book', ?)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  ).run(bookId);
  db.close();
  const writer = new FrameWriter(`${path}-logbook`, sequence);
  for (const entries of frames) writer.write(payloadOf(quiet.clock.now(), entries), sequence);
  writer.close();
}
