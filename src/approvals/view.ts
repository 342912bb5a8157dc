import { statusOf } from "../model/status.ts";
import { redacted } from "../kernel/secrets.ts";
import type { ApprovalView } from "../model/approvals.ts";
import type { ApprovalRecord } from "../ports/records.ts";
import type { AccessLevel } from "./access-level.ts";

/** An approval as far as the caller may see it. */
export function approvalView(approval: ApprovalRecord, accessLevel: AccessLevel): ApprovalView {
  const { id, runId, stepId, createdAt, decidedAt, dueAt, expiresAt, formSchema, required, stepUp } =
    approval;
  const base = {
    id,
    runId,
    stepId,
    ...statusOf(approval),
    createdAt,
    dueAt,
    expiresAt,
    decidedAt,
    required,
    stepUp,
    hasForm: formSchema !== null,
  };
  if (accessLevel === "public") {
    return {
      ...base,
      title: redacted("private"),
      shown: redacted("private"),
      reason: redacted("note"),
      values: redacted("private"),
      decidedBy: redacted("private"),
    };
  }
  const { title, shown, shownDigest, approvers, claimedBy, decidedBy, decidedVia, reason, values } = approval;
  return {
    ...base,
    title,
    shown,
    shownDigest,
    form: formSchema,
    approvers: [...approvers],
    claimedBy,
    decidedBy,
    decidedVia,
    reason,
    values,
  };
}
