import { AppError } from "../kernel/errors.ts";
import type { Caller } from "../ports/caller.ts";
import type { ApprovalRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { decisionRefusal } from "./deciders.ts";

/** How long a client may decide on what it was shown. */
const CONFIRM_MS = 10 * 60_000;

/** Whether a client was shown what it is about to decide. */
export type ShownFirst =
  | { readonly digest: string }
  | { readonly show: ApprovalRecord; readonly changed: boolean; readonly until: string };

/**
 * A program that acts for a person and cannot send a digest decides in two calls: the first notes what is shown, the
 * second within ten minutes decides exactly that. What changed in between is shown again.
 */
export async function shownFirst(
  services: Services,
  approvalId: string,
  caller: Caller,
): Promise<ShownFirst> {
  const { store, clock } = services;
  const approval = await store.read.approvals.get(approvalId);
  const run = approval === null ? null : await store.read.runs.get(approval.runId);
  if (approval === null || run === null)
    throw new AppError("not_found", "There is no approval with this id.");
  const now = clock.now();
  const client = `${caller.id} ${caller.token?.id ?? ""}`;
  const since = new Date(now - CONFIRM_MS).toISOString();
  const known = await store.read.approvals.shownTo(approvalId, client, since);
  if (known === approval.shownDigest || approval.state !== "pending") return { digest: approval.shownDigest };
  const refusal = await decisionRefusal(services, approval, run, caller);
  if (refusal !== null) throw refusal;
  const at = new Date(now).toISOString();
  await store.transact((tx) =>
    tx.approvals.noteShown({ approvalId, client, shownDigest: approval.shownDigest, at }, since),
  );
  return { show: approval, changed: known !== null, until: new Date(now + CONFIRM_MS).toISOString() };
}
