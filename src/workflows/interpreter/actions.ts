import type { Json, JsonObject } from "../../kernel/json.ts";
import type { Verdict } from "../../model/states.ts";
import type { Awaited } from "../awaited.ts";
import type { SiblingName } from "../../ports/settings.ts";

/** Why a step or a run did not succeed. Written by us, safe to show to everybody who may see the run. */
export interface StepError extends JsonObject {
  readonly code: string;
  readonly message: string;
}

interface Attempted {
  readonly stepId: string;
  readonly attempt: number;
}

/** Call a tool. */
export interface CallAction extends Attempted {
  readonly kind: "call";
  readonly tool: string;
  readonly args: JsonObject;
  readonly idempotencyKey: string;
  /** The author gave the key, and so says that the tool honours it. */
  readonly keyed: boolean;
  readonly timeoutMs: number;
}

/** Hand work to a sibling. */
export interface HandoffAction extends Attempted {
  readonly kind: "handoff";
  readonly target: SiblingName;
  readonly capability: string;
  readonly intent: string;
  readonly payload: JsonObject;
  readonly inputArtifactIds: readonly string[];
  readonly dryRun: boolean;
  readonly idempotencyKey: string;
  readonly timeoutMs: number;
}

/** Start a run of another workflow and wait for its end. */
export interface ChildAction extends Attempted {
  readonly kind: "child";
  readonly workflowId: string;
  readonly version: number | null;
  readonly inputs: JsonObject;
}

/** Look for what a wait is for: it may be there already. */
export interface ListenAction extends Attempted {
  readonly kind: "listen";
  readonly awaited: Awaited;
}

/** Ask a person. */
export interface ApprovalAction extends Attempted {
  readonly kind: "approval";
  readonly title: string;
  readonly shown: JsonObject;
  readonly form: JsonObject | null;
  readonly approvers: readonly string[];
  readonly required: number;
  readonly stepUp: boolean;
  readonly dueAt: number | null;
  readonly expiresAt: number | null;
}

/** Tell people that an approval still waits; an escalation puts it before further ones. */
interface NotifyAction {
  readonly kind: "notify";
  readonly stepId: string;
  readonly what: ApprovalTimer;
  readonly approvers: readonly string[];
}

/** What happens to an approval by itself while it waits, each once. */
export const APPROVAL_TIMERS = ["reminder", "overdue", "escalation"] as const;
/** What happens to an approval by itself while it waits. */
export type ApprovalTimer = (typeof APPROVAL_TIMERS)[number];

/** The approval's time is over: close it, unless a person was faster, and say `expire`. */
interface ExpireAction {
  readonly kind: "expire";
  readonly stepId: string;
  readonly opened: JsonObject;
}

/** Close what a cancelled step had opened: its approval, or the run it started. */
interface WithdrawAction {
  readonly kind: "withdraw";
  readonly stepId: string;
  readonly opened: JsonObject;
}

/** What the interpreter wants done next. */
export type Action =
  | CallAction
  | HandoffAction
  | ChildAction
  | ListenAction
  | ApprovalAction
  | NotifyAction
  | ExpireAction
  | WithdrawAction;

/** Work that runs in this process until it gives an outcome. */
export type WorkAction = CallAction | HandoffAction;

/** How one try ended. */
export type Outcome =
  | { readonly kind: "succeeded"; readonly output: Json }
  | {
      readonly kind: "failed";
      readonly error: StepError;
      readonly retryable: boolean;
    }
  /** It was asked to stop and did, without an effect that matters. */
  | { readonly kind: "cancelled" }
  /** It was cut off, and whether its effect happened is unknown; one that may be repeated is, while it has attempts. */
  | { readonly kind: "unknown"; readonly error: StepError; readonly retryable?: boolean };

/** How the run ended. */
export interface RunResult {
  readonly state: "succeeded" | "failed" | "timed_out" | "cancelled";
  readonly outputs: JsonObject | null;
  readonly error: StepError | null;
}

/** A decision on an approval, as the approval step gives it on. */
export interface DecisionOutput extends JsonObject {
  readonly verdict: Verdict;
  readonly reason: string | null;
  readonly values: JsonObject | null;
  readonly decidedBy: string;
  readonly decidedAt: string;
}
