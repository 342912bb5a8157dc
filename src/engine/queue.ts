import type { RunRecord } from "../ports/records.ts";
import type { StoreTx } from "../ports/store.ts";

/** Whether a run could be had: refused when it must wait, failed when it should be tried again. */
export type ClaimResult = "taken" | "refused" | "failed";

/** Why a run is no longer worked on here: `lost` to another worker, `broken` by an error of ours, `left` at the end. */
export type Release = "ended" | "waiting" | "lost" | "broken" | "left";

/** What a queue hands runs to. */
export interface RunTaker {
  /** How many more runs may be worked on now. */
  room(): number;
  /** True when the run is worked on here, or about to be. */
  has(runId: string): boolean;
  /** True when the run is worked on here; it is then looked at again. */
  recheckRun(runId: string): boolean;
  /** Looks again at all runs that are worked on here. */
  recheckAll(): void;
  /**
   * Claims runs in a transaction and works on those that can be had; of each of these `released` tells later. `expected`
   * are those that it asks for by name.
   */
  take(
    claim: (tx: StoreTx) => Promise<readonly RunRecord[]>,
    expected?: readonly string[],
  ): Promise<ReadonlyMap<string, ClaimResult>>;
  /** Other workers have the runs of this one now. */
  lostAll(): void;
}

/** How runs reach workers: in this process, or over all replicas. */
export interface RunQueue {
  /** What the runs of this worker are marked with, where there may be several workers. */
  readonly worker: string | null;
  /** Begins to hand runs to the taker, beginning with those that a dead process left. */
  begin(taker: RunTaker): Promise<void>;
  /** Inside the transaction that makes a run want work. */
  enqueue(tx: StoreTx, runIds: readonly string[]): Promise<void>;
  /** After that transaction. */
  wake(runIds: readonly string[]): void;
  /** Another run may be worked on. */
  roomMade(): void;
  /** A run is no longer worked on here. */
  released(record: RunRecord, why: Release): void;
  close(): Promise<void>;
}
