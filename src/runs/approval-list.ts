import type { JsonObject } from "../kernel/json.ts";
import type { Caller } from "../ports/caller.ts";
import type { ApprovalFilter } from "../ports/approvals.ts";
import type { ApprovalRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import type { Page, PageRequest } from "../ports/store.ts";
import { approvalView } from "./approval-view.ts";
import { sightOf } from "./sight.ts";

/** Pages that are looked through for approvals an anonymous caller may see, before the answer says where to go on. */
const MAX_PAGES = 10;

/** A page of approvals: with a key all of them, without one those of public runs, and of these only where they stand. */
export async function listApprovals(
  services: Services,
  page: PageRequest,
  caller: Caller,
  filter: ApprovalFilter = {},
): Promise<{ readonly approvals: readonly JsonObject[]; readonly nextCursor: string | null }> {
  const sight = sightOf(caller);
  const { items, nextCursor } =
    sight === "public"
      ? await publicApprovals(services, page, filter)
      : await services.store.read.approvals.list(page, filter);
  return { approvals: items.map((approval) => approvalView(approval, sight)), nextCursor };
}

async function publicApprovals(
  { store }: Services,
  page: PageRequest,
  filter: ApprovalFilter,
): Promise<Page<ApprovalRecord>> {
  const items: ApprovalRecord[] = [];
  let cursor: string | null = page.cursor ?? null;
  for (let looked = 0; looked < MAX_PAGES; looked++) {
    const found: Page<ApprovalRecord> = await store.read.approvals.list(
      { limit: page.limit - items.length, ...(cursor !== null && { cursor }) },
      filter,
    );
    const runs = await Promise.all(found.items.map(({ runId }) => store.read.runs.get(runId)));
    items.push(...found.items.filter((_, index) => runs[index]?.visibility === "public"));
    cursor = found.nextCursor;
    if (cursor === null || items.length >= page.limit) break;
  }
  return { items, nextCursor: cursor };
}
