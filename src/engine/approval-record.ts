import { digestOf } from "../kernel/canonical-json.ts";
import { newId } from "../kernel/ids.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ApprovalRecord } from "../ports/records.ts";
import type { ApprovalAction } from "../workflows/interpreter/actions.ts";

/** The record of an approval that is asked for now. */
export function newApproval(action: ApprovalAction, runId: string, now: number): ApprovalRecord {
  return {
    id: newId("approval"),
    runId,
    stepId: action.stepId,
    state: "pending",
    title: action.title,
    shown: action.shown,
    shownDigest: shownDigest(action.shown, action.form),
    formSchema: action.form,
    approvers: action.approvers,
    required: action.required,
    stepUp: action.stepUp,
    delegations: [],
    claimedBy: null,
    dueAt: action.dueAt === null ? null : new Date(action.dueAt).toISOString(),
    expiresAt: action.expiresAt === null ? null : new Date(action.expiresAt).toISOString(),
    createdAt: new Date(now).toISOString(),
    decidedAt: null,
    decidedBy: null,
    reason: null,
    values: null,
  };
}

/** The digest that binds a decision to exactly what was shown. */
export function shownDigest(shown: JsonObject, form: JsonObject | null): string {
  return digestOf({ shown, form });
}
