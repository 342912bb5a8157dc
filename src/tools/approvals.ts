import { Type } from "typebox";
import { shownFirst, type ShownFirst } from "../approvals/shown-first.ts";
import { NotDone } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject } from "../kernel/json.ts";
import type { CallContext } from "../ports/definitions.ts";
import { toolList, type Tool } from "../ports/operations.ts";
import { listApprovals as approvalPage } from "../approvals/list.ts";
import { approvalView } from "../approvals/view.ts";
import { runListItem } from "../runs/views.ts";
import { seenApproval } from "../approvals/access-level.ts";
import { needed, whole } from "./rules.ts";
import { ApprovalView } from "../model/approvals.ts";
import { inputOf, NEXT_CURSOR } from "../model/common.ts";
import { RunView } from "../model/runs.ts";
import { pageOf } from "./shapes.ts";

const { defineTool, declared } = toolList();

/** How long an answer waits for the run to go on, so that it can say what became of it. */
const BRIEF_WAIT_MS = 300;

const idParam = () => Type.String({ description: "The id of the approval, as list_approvals shows it." });
const decisionOutput = Type.Object({ approval: ApprovalView, run: RunView });

defineTool({
  name: "list_approvals",
  title: "List approvals",
  description:
    'Lists approvals, newest first: which run and step wait, since when, until when, and how they were decided. Without a key only approvals of public runs appear, and titles, what is shown, notes and deciders are typed redaction markers; with a key everything a decision needs is there, the digest of what is shown included. Further pages: pass `nextCursor` as `_meta["svc/cursor"]`.',
  input: inputOf({
    limit: Type.Optional(
      Type.Number({ minimum: 1, maximum: 100, description: "How many at most; 50 when not given." }),
    ),
  }),
  output: Type.Object({
    approvals: Type.Array(ApprovalView),
    nextCursor: NEXT_CURSOR,
  }),
  access: "public",
  effect: "none",
  quick: true,
  rules: ({ limit }) => whole("limit", limit, 1, 100),
  async run({ limit }, { services, caller, context: { meta } }) {
    const page = pageOf(meta, limit);
    return await approvalPage(services, page, caller);
  },
});

defineTool({
  name: "approve_step",
  title: "Approve a step",
  description:
    'Approves a pending approval, so that its run goes on. Works once: of many decisions at the same time one wins and the others get a conflict. Send the digest of what you were shown as `_meta["svc/shownDigest"]` and the values of the approval\'s form, if it has one, as `_meta["svc/values"]`. A client that acts for a person and sends no digest is shown what would be decided first (`status` `confirmation_required`, nothing decided); the same call again within ten minutes decides exactly that. An approval that has expired is never approved.',
  input: inputOf({
    id: idParam(),
    reason: Type.Optional(
      Type.String({ description: "A note for the record; shown to callers with a key only." }),
    ),
  }),
  output: decisionOutput,
  access: "approve",
  effect: "write",
  idempotent: false,
  decidesApprovals: true,
  run: ({ id, reason }, { context }) => decide(id, "approved", reason ?? null, context),
});

defineTool({
  name: "reject_step",
  title: "Reject a step",
  description:
    "Rejects a pending approval: its run takes the path for rejections, or fails where there is none. A reason is required and is shown to callers with a key only. Works once and is confirmed like approve_step; a decision that came second is a conflict that says how the approval was decided.",
  examples: [{ id: "approval_1", reason: "The amount is wrong." }],
  input: inputOf({
    id: idParam(),
    reason: Type.Optional(
      Type.String({ description: "Required: why it is rejected. Without it the call is refused." }),
    ),
  }),
  output: decisionOutput,
  access: "approve",
  effect: "write",
  idempotent: false,
  decidesApprovals: true,
  rules: ({ reason }) => needed("reason", reason, "a text that says why it is rejected"),
  run: ({ id, reason }, { context }) => decide(id, "rejected", reason ?? null, context),
});

async function decide(
  approvalId: string,
  verdict: "approved" | "rejected",
  reason: string | null,
  { services, caller, meta }: CallContext,
) {
  const { "svc/values": values, "svc/shownDigest": shownDigest } = meta;
  if (values !== undefined && values !== null && !isJsonObject(values)) {
    throw new AppError("invalid_input", "svc/values must be an object.");
  }
  await seenApproval(services, approvalId, caller);
  const given = typeof shownDigest === "string" ? shownDigest : null;
  // A key decides without a digest, as the contract says; a page sends it. Hosts of agents send none.
  const isAgent = caller.person !== undefined && caller.kind !== "person";
  const first =
    given === null && isAgent ? await shownFirst(services, approvalId, caller) : { digest: given };
  if ("show" in first) return confirmFirst(first, verdict, { services, caller });
  const approval = await services.engine.decide({
    approvalId,
    verdict,
    reason,
    values: isJsonObject(values) ? values : null,
    shownDigest: first.digest,
    caller,
  });
  const run = await services.engine.waitFor(approval.runId, BRIEF_WAIT_MS);
  // Who decided it may see what was decided.
  return { approval: approvalView(approval, "keyed"), run: await runListItem(services, run, caller) };
}

/** Nothing was decided: what would be, and how to confirm it. */
async function confirmFirst(
  { show, changed, until }: Extract<ShownFirst, { show: unknown }>,
  verdict: "approved" | "rejected",
  { services, caller }: Pick<CallContext, "services" | "caller">,
): Promise<NotDone> {
  const run = await services.store.read.runs.get(show.runId);
  const tool = verdict === "approved" ? "approve_step" : "reject_step";
  const reason = changed
    ? "What this approval is about changed since it was shown, so nothing was decided."
    : "Nothing was decided yet: this is what the decision would be about.";
  return new NotDone({
    status: "confirmation_required",
    decided: false,
    changed,
    reason,
    wouldBe: verdict,
    confirmUntil: until,
    // Who may decide it sees what it is about.
    approval: approvalView(show, "keyed"),
    run: run === null ? null : await runListItem(services, run, caller),
    nextAction: `Show the person \`approval.shown\`. With their consent call ${tool} for this id again by ${until}: it decides exactly this, or says that it changed.`,
  });
}

/** The tools of this domain. */
export const approvalsTools: readonly Tool[] = declared;
