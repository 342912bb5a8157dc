import type { ApprovalRecord, RunRecord } from "../ports/records.ts";
import type { PresentRights } from "../ports/rights.ts";
import type { Services } from "../ports/services.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Scope } from "../workflows/expressions.ts";
import type { ChildAction, ListenAction, StepError } from "../workflows/interpreter/actions.ts";
import type { Subworkflows } from "../workflows/calls-behind.ts";
import type { ActiveRun } from "./active-run.ts";
import type { Checkpoint, ChildRun } from "./checkpoint.ts";
import type { Measures } from "./measures.ts";
import type { Release } from "./queue.ts";

/** The points at which a test may stop the process. */
export type FaultPoint =
  | "before_claim"
  | "after_claim"
  | "before_effect"
  | "after_effect"
  | "before_checkpoint"
  | "after_checkpoint"
  | "in_transaction"
  | "before_reply";

/** What a run that is being worked on needs of the engine. */
export interface Host {
  readonly services: Services;
  readonly measures: Measures;
  commit(checkpoint: Checkpoint): Promise<boolean>;
  /** True when the stored epoch of the run is still the one that this worker claimed. */
  owns(run: RunRecord): Promise<boolean>;
  /** What the caller that the run acts for holds at this moment. */
  rights(run: RunRecord): PresentRights | Promise<PresentRights>;
  /** The run that a subworkflow step starts, or why it cannot be. */
  child(
    parent: RunRecord,
    action: ChildAction,
  ): Promise<{ readonly child: ChildRun } | { readonly error: StepError }>;
  /** Looks for what a step waits for from now on; null while it has not come. */
  listen(run: RunRecord, action: ListenAction, scope: Scope): Promise<JsonObject | null>;
  approval(id: string): Promise<ApprovalRecord | null>;
  /** The workflows that the run's steps come to run. */
  subworkflows(run: RunRecord): Promise<Subworkflows>;
  /** Closes an approval whose time is over; false when a person was faster. */
  expire(run: RunRecord, approvalId: string): Promise<boolean>;
  /** Asks a run that this one started to stop. */
  cancelChild(runId: string): void;
  /** A run no longer needs its place among those that are worked on. */
  roomMade(): void;
  /** The run has ended, waits, or belongs to another worker: it is no longer worked on here. */
  released(run: ActiveRun, why: Release): void;
  /** The run's new state is on disk. */
  saved(record: RunRecord, wake: readonly string[]): void;
  fault?(point: FaultPoint): void;
}
