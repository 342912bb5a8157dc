import type { RunRecord } from "../ports/records.ts";
import type { StoreTx } from "../ports/store.ts";

/** What a queue hands runs to. */
export interface RunTaker {
  /** How many more runs may be worked on now. */
  room(): number;
  /** True when the run is worked on here; it is then looked at again. */
  poke(runId: string): boolean;
  /** Claims the run and works on it; resolves when it is let go of, or at once when it cannot be had. */
  take(runId: string): Promise<void>;
}

/** How runs reach workers: in this process, or over all replicas. */
export interface RunQueue {
  /** Begins to hand runs to the taker, beginning with those that a dead process left. */
  begin(taker: RunTaker): Promise<void>;
  /** Inside the transaction that makes a run want work. */
  enqueue(tx: StoreTx, runIds: readonly string[]): Promise<void>;
  /** After that transaction. */
  wake(runIds: readonly string[]): void;
  /** A run is no longer worked on here. */
  released(record: RunRecord): void;
  /** Runs known to wait for a worker. */
  backlog(): number;
  close(): Promise<void>;
}
