import { writeCheckpoints, type Checkpoint } from "../../src/engine/checkpoint.ts";
import type { RunRecord, StepRecord } from "../../src/ports/records.ts";
import type { Store } from "../../src/ports/store.ts";
import { createProvenance } from "../../src/provenance/provenance.ts";

/** A checkpoint of nothing but a run and its steps. */
export function plainCheckpoint(run: RunRecord, moved: boolean, steps: readonly StepRecord[]): Checkpoint {
  return {
    head: run,
    run: moved ? run : null,
    moved,
    steps,
    attempts: [],
    opened: [],
    closed: [],
    news: [],
    children: [],
    wake: [],
  };
}

/** Writes batches of checkpoints as the engine does. */
export function batchWriter(store: Store): (batch: readonly Checkpoint[]) => Promise<ReadonlySet<string>> {
  const log = createProvenance({ store, clock: { now: () => Date.now() } });
  const writer = { provenance: log.append.bind(log), enqueue: () => Promise.resolve() };
  return (batch) => store.transact((tx) => writeCheckpoints(tx, batch, writer));
}
