/* The states of what callers follow. Without a schema, so that the interpreter and the web app can use them. */

/** How a run that did not succeed can go on. */
export const REPAIR_ACTIONS = [
  "retry",
  "rerun",
  "change_input",
  "supply_output",
  "skip",
  "continue",
] as const;
/** How a run that did not succeed can go on. */
export type RepairAction = (typeof REPAIR_ACTIONS)[number];

/** Where a run can stand. */
export const RUN_STATES = [
  "queued",
  "running",
  "waiting",
  "cancelling",
  "succeeded",
  "failed",
  "timed_out",
  "cancelled",
] as const;
/** Where a run stands. */
export type RunState = (typeof RUN_STATES)[number];

const RUN_ENDED: ReadonlySet<string> = new Set<RunState>(["succeeded", "failed", "timed_out", "cancelled"]);

/** True when a run in this state is over. */
export function runHasEnded(state: string): boolean {
  return RUN_ENDED.has(state);
}

/** Where a step can stand. */
export const STEP_STATES = [
  "pending",
  "ready",
  "running",
  "backoff",
  "waiting",
  "succeeded",
  "failed",
  "skipped",
  "cancelled",
  "outcome_unknown",
] as const;
/** Where a step stands. */
export type StepState = (typeof STEP_STATES)[number];

const STEP_ENDED: ReadonlySet<string> = new Set<StepState>(["succeeded", "failed", "skipped", "cancelled"]);

/** True when a step in this state has its result: it never changes again by itself. */
export function stepHasEnded(state: string): boolean {
  return STEP_ENDED.has(state);
}

/** Where an attempt at a step can stand. */
export const ATTEMPT_STATES = [
  "running",
  "succeeded",
  "failed",
  "timed_out",
  "cancelled",
  "cut_off",
] as const;

/** Where an approval can stand. */
export const APPROVAL_STATES = [
  "pending",
  "approved",
  "rejected",
  "changes_requested",
  "expired",
  "cancelled",
  "superseded",
] as const;
/** Where an approval stands. */
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** What a decision can say. */
export const VERDICTS = ["approved", "rejected", "changes_requested"] as const;
/** What a decision says. */
export type Verdict = (typeof VERDICTS)[number];

/** What a person can say of a step whose outcome is unknown. */
export const SETTLE_OUTCOMES = ["succeeded", "failed", "retry"] as const;
/** What a person says became of a step. */
export type SettleOutcome = (typeof SETTLE_OUTCOMES)[number];

/** How far a record's content may travel. */
export const PRIVACY_CLASSES = ["public", "internal", "confidential", "restricted"] as const;
/** How far the content of one may travel. */
export type PrivacyClass = (typeof PRIVACY_CLASSES)[number];

/** The views of an inbox of approvals. */
export const INBOXES = ["mine", "groups", "all"] as const;

/** Where a handoff can stand. */
export const HANDOFF_STATES = [
  "preview_ready",
  "ready",
  "sending",
  "accepted",
  "completed",
  "degraded",
  "rejected",
] as const;
