import { doubtAction } from "../../kernel/effects.ts";
import type { DecisionOutput, StepError } from "./actions.ts";

/** The process ended while the step ran. */
export const CUT_OFF: StepError = {
  code: "outcome_unknown",
  message: "The step was cut off, and its tool cannot be called again safely. Say what became of it.",
};

/** The run used up its time. */
export const OUT_OF_TIME: StepError = {
  code: "timed_out",
  message: "The run took longer than its policy allows.",
};

/** The approval's time is over. */
export const EXPIRED: StepError = { code: "approval_expired", message: "Nobody decided in time." };

/** What the step waited for did not come. */
export const NOT_RECEIVED: StepError = {
  code: "wait_expired",
  message: "What the step waited for did not come in time.",
};

/** The caller that the run acts for may do nothing any more. */
export function rightsEnded(actsFor: string, why: string): StepError {
  return {
    code: "rights_ended",
    message: `The run acts with the rights of who started or retried it, and these have ended: ${why}.`,
    nextAction:
      "A person or key with the scope run retries it: POST /api/svc/runs/{id}/retry. It then acts with their rights.",
    actsFor,
  };
}

/** The step was asked to stop. */
export const STOPPED: StepError = { code: "cancelled", message: "The step was stopped before it ended." };

/** A person wants something else, and the workflow has no way for that. */
export function changesWanted(decision: DecisionOutput): StepError {
  return { code: "changes_requested", message: "Changes were requested.", decidedBy: decision.decidedBy };
}

/** A person rejected it. */
export function rejection(decision: DecisionOutput): StepError {
  return { code: "approval_rejected", message: "The approval was rejected.", decidedBy: decision.decidedBy };
}

/** A step waits as long as this when its server asks for it; one that asks for more is not asked again. */
export const LONGEST_PAUSE_MS = 24 * 3_600_000;

/** How long the server asked to be left alone. */
export function wantedPauseMs({ retryAfterSeconds }: StepError): number {
  return typeof retryAfterSeconds === "number" ? Math.max(retryAfterSeconds, 0) * 1_000 : 0;
}

/** The error of a step whose effect is not known; what its last attempt says of itself is not what is known of the step. */
export function inDoubt(error: StepError): StepError {
  const { code, message, effect } = error;
  if (code === "outcome_unknown") return error;
  const unknown = { ...error, code: "outcome_unknown", reason: code };
  if (effect === "unknown") return unknown;
  const earlier = `${message} An attempt before this one may have had its effect.`;
  return { ...unknown, message: earlier, effect: "unknown", nextAction: doubtAction(false) };
}
