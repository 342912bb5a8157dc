import { statusOf } from "../model/status.ts";
import { decisionRefusal } from "./deciders.ts";
import { differences } from "./differences.ts";
import { takesChanges } from "./four-eyes.ts";
import { Names, whoDecides } from "./assignees.ts";
import type {
  ApprovalComment,
  ApprovalDetail,
  ApprovalEligibility,
  LastApproval,
} from "../model/approval-detail.ts";
import type { RunView } from "../model/runs.ts";
import { allows, type Caller } from "../ports/caller.ts";
import type { ApprovalRecord, RunRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { approvalView } from "./view.ts";
import { seenApproval } from "./access-level.ts";

/** What a caller sees of the run that an approval holds up. */
export interface ApprovalParts {
  readonly runView: (services: Services, run: RunRecord, caller: Caller) => Promise<RunView>;
}

/** Comments that one answer shows; more than a person reads. */
const MOST_COMMENTS = 200;

/** One approval with the run it holds up, who may decide it, what was said, and what was shown the last time. */
export async function approvalDetail(
  services: Services,
  id: string,
  caller: Caller,
  { runView }: ApprovalParts,
): Promise<ApprovalDetail> {
  const { approval, run, accessLevel } = await seenApproval(services, id, caller);
  if (accessLevel === "public") return { approval: approvalView(approval, accessLevel), run: null };
  const names = new Names(services);
  const { decidedBy } = approval;
  const decidedByName = decidedBy?.startsWith("person_") === true ? await names.of(decidedBy) : null;
  return {
    approval: { ...approvalView(approval, accessLevel), decidedByName },
    run: await runView(services, run, caller),
    you: await standing(services, approval, run, caller),
    who: await whoDecides(services, approval, run),
    comments: await comments(services, approval.id, names),
    last: accessLevel === "full" ? await lastTime(services, approval, run) : null,
  };
}

async function standing(
  services: Services,
  approval: ApprovalRecord,
  run: RunRecord,
  caller: Caller,
): Promise<ApprovalEligibility> {
  const isPending = approval.state === "pending";
  const refusal = isPending ? await decisionRefusal(services, approval, run, caller) : null;
  const mayDecide = isPending && refusal === null;
  return {
    mayDecide,
    reason: refusal?.message ?? null,
    mayRequestChanges: mayDecide && (await takesChanges(services, approval, run)),
    mayReassign: isPending && allows(caller, "admin"),
    ...(approval.stepUp && { hasPasskey: await hasPasskey(services, caller) }),
  };
}

/** Whether the person could sign a decision now. */
async function hasPasskey({ store }: Services, caller: Caller): Promise<boolean> {
  return caller.person !== undefined && (await store.read.passkeys.ofPerson(caller.id)).length > 0;
}

async function comments({ store }: Services, id: string, names: Names): Promise<ApprovalComment[]> {
  const found = await store.read.approvals.comments(id, MOST_COMMENTS);
  return Promise.all(
    found.map(async ({ id: commentId, author, body, createdAt }) => ({
      id: commentId,
      author,
      authorName: await names.of(author),
      body,
      createdAt,
    })),
  );
}

/** What the step showed when it was last decided, compared with what it shows now. */
async function lastTime(
  { store }: Services,
  approval: ApprovalRecord,
  run: RunRecord,
): Promise<LastApproval | null> {
  if (run.workflowId === null) return null;
  const last = await store.read.approvals.previous(run.workflowId, approval.stepId, approval.createdAt);
  if (last === null) return null;
  const { id, decidedAt } = last;
  return { id, ...statusOf(last), decidedAt, ...differences(last.shown, approval.shown) };
}
