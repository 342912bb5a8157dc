import { standingOf } from "../approvals/deciders.ts";
import { AppError } from "../kernel/errors.ts";
import { allows, lackingScope, readsPrivate, type Caller } from "../ports/caller.ts";
import type { ApprovalRecord, RunRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";

/**
 * How much a caller sees of a run or an approval. `public`: that it exists and how far it is. `keyed`: its values too,
 * with what is redacted taken out. `full`: everything.
 */
export type Sight = "public" | "keyed" | "full";

/** How much this caller sees of a run; null when it does not exist for the caller. */
export function sightOf(
  caller: Caller,
  { startedBy, visibility }: Pick<RunRecord, "startedBy" | "visibility">,
): Sight | null {
  if (allows(caller, "read-private")) return "full";
  if (readsPrivate(caller, startedBy)) return "keyed";
  return visibility === "public" ? "public" : null;
}

/** The same of an approval: who may decide it sees what is decided, whichever caller started the run. */
export async function approvalSight(
  services: Services,
  approval: ApprovalRecord,
  run: RunRecord | null,
  caller: Caller,
): Promise<Sight | null> {
  if (run === null) return null;
  const sight = sightOf(caller, run);
  if (sight === "full" || sight === "keyed" || !allows(caller, "approve")) return sight;
  return (await standingOf(services, approval, run, caller)).seat === null ? sight : "keyed";
}

/** A run that the caller sees, and how much of it; `given` by its id, or as it was read just now. */
export async function seenRun(
  { store }: Services,
  given: string | RunRecord,
  caller: Caller,
): Promise<{ readonly run: RunRecord; readonly sight: Sight }> {
  const run = typeof given === "string" ? await store.read.runs.get(given) : given;
  const sight = run === null ? null : sightOf(caller, run);
  if (run !== null && sight !== null) return { run, sight };
  throw new AppError("not_found", "There is no run with this id that you may see.");
}

/** Throws unless the caller may change this run: its own, or any with `read-private`. */
export async function checkMayChange(services: Services, id: string, caller: Caller): Promise<void> {
  const { sight } = await seenRun(services, id, caller);
  if (sight === "public") throw lackingScope(caller, "read-private", "changing the run of another caller");
}

/** An approval that the caller sees, its run, and how much of both. */
export async function seenApproval(
  services: Services,
  id: string,
  caller: Caller,
): Promise<{ readonly approval: ApprovalRecord; readonly run: RunRecord; readonly sight: Sight }> {
  const approval = await services.store.read.approvals.get(id);
  const run = approval === null ? null : await services.store.read.runs.get(approval.runId);
  const sight = approval === null ? null : await approvalSight(services, approval, run, caller);
  if (approval !== null && run !== null && sight !== null) return { approval, run, sight };
  throw new AppError("not_found", "There is no approval with this id.");
}
