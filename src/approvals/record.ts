import { digestOf } from "../kernel/canonical-json.ts";
import { newId } from "../kernel/ids.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ApprovalRecord, RunRecord } from "../ports/records.ts";
import type { ApprovalAction } from "../workflows/interpreter/actions.ts";

/** The record of an approval that is asked for now. */
export function newApproval(
  action: ApprovalAction,
  run: RunRecord,
  calls: readonly JsonObject[],
  now: number,
): ApprovalRecord {
  const shown = { ...shownOf(action, run), ...(calls.length > 0 && { calls }) };
  return {
    id: newId("approval"),
    runId: run.id,
    stepId: action.stepId,
    state: "pending",
    title: action.title,
    shown,
    shownDigest: shownDigest(shown, action.form),
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
    decidedVia: null,
    reason: null,
    values: null,
  };
}

/** What the step shows, with the versions and definitions that the run is bound to. */
export function shownOf({ shown }: Pick<ApprovalAction, "shown">, { resolved }: RunRecord): JsonObject {
  const isPlain =
    resolved === null || Object.keys({ ...resolved.workflows, ...resolved.definitions }).length === 0;
  return isPlain ? shown : { ...shown, resolved };
}

/** What must not change while an approval waits. Its calls may come to be known better. */
export function lastingPart({ calls: _known, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** The digest that binds a decision to exactly what was shown. */
export function shownDigest(shown: JsonObject, form: JsonObject | null): string {
  return digestOf({ shown, form });
}
