import type { RunState } from "../ports/records.ts";

const RUN_ENDED: ReadonlySet<RunState> = new Set(["succeeded", "failed", "timed_out", "cancelled"]);

/** True when a run in this state is over. */
export function runHasEnded(state: RunState): boolean {
  return RUN_ENDED.has(state);
}
