import type { ApprovalView } from "../model/approvals.ts";
import { allows, type Caller } from "../ports/caller.ts";
import type { ApprovalFilter } from "../ports/approvals.ts";
import type { ApprovalRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import type { Page, PageRequest } from "../ports/store.ts";
import { approvalView } from "./view.ts";
import { approvalAccess } from "./access-level.ts";

type ApprovalPage = {
  readonly approvals: ApprovalView[];
  readonly nextCursor: string | null;
};

/** Pages that are looked through for approvals that the caller may see, before the answer says where to go on. */
const MAX_PAGES = 10;

/** A page of approvals: with `read-private` all of them, without it those that the caller sees something of. */
export async function listApprovals(
  services: Services,
  page: PageRequest,
  caller: Caller,
  filter: ApprovalFilter = {},
): Promise<ApprovalPage> {
  if (!allows(caller, "read-private")) return seenApprovals(services, page, caller, filter);
  const { items, nextCursor } = await services.store.read.approvals.list(page, filter);
  return { approvals: items.map((approval) => approvalView(approval, "full")), nextCursor };
}

async function seenApprovals(
  services: Services,
  page: PageRequest,
  caller: Caller,
  filter: ApprovalFilter,
): Promise<ApprovalPage> {
  const { store } = services;
  const approvals: ApprovalView[] = [];
  let cursor: string | null = page.cursor ?? null;
  for (let looked = 0; looked < MAX_PAGES; looked++) {
    const found: Page<ApprovalRecord> = await store.read.approvals.list(
      { limit: page.limit - approvals.length, ...(cursor !== null && { cursor }) },
      filter,
    );
    for (const approval of found.items) {
      const run = await store.read.runs.get(approval.runId);
      const accessLevel = await approvalAccess(services, approval, run, caller);
      if (accessLevel !== null) approvals.push(approvalView(approval, accessLevel));
    }
    cursor = found.nextCursor;
    if (cursor === null || approvals.length >= page.limit) break;
  }
  return { approvals, nextCursor: cursor };
}
