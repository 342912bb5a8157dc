import type { RunState, StepState } from "../ports/records.ts";

const RUN_ENDED: ReadonlySet<RunState> = new Set(["succeeded", "failed", "timed_out", "cancelled"]);
const STEP_ENDED: ReadonlySet<StepState> = new Set(["succeeded", "failed", "skipped", "cancelled"]);

/** True when a run in this state is over. */
export function runHasEnded(state: RunState): boolean {
  return RUN_ENDED.has(state);
}

/** True when a step in this state has its result. */
export function stepHasEnded(state: StepState): boolean {
  return STEP_ENDED.has(state);
}
