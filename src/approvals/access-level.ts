import { eligibilityOf } from "./deciders.ts";
import { AppError } from "../kernel/errors.ts";
import { noRecord } from "../kernel/no-record.ts";
import { allows, lackingScope, readsPrivate, type Caller } from "../ports/caller.ts";
import type { ApprovalRecord, RunRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { GUARD_ID } from "../workflows/visibility.ts";

/**
 * How much a caller sees of a run or an approval. `public`: that it exists and how far it is. `keyed`: its values too,
 * with what is redacted taken out. `full`: everything.
 */
export type AccessLevel = "public" | "keyed" | "full";

/** How much this caller sees of a run; null when it does not exist for the caller. */
export function accessLevelOf(
  caller: Caller,
  { startedBy, visibility }: Pick<RunRecord, "startedBy" | "visibility">,
): AccessLevel | null {
  if (allows(caller, "read-private")) return "full";
  if (readsPrivate(caller, startedBy)) return "keyed";
  return visibility === "public" ? "public" : null;
}

/** The same of an approval: who may decide it sees what is decided, whichever caller started the run. */
export async function approvalAccess(
  services: Services,
  approval: ApprovalRecord,
  run: RunRecord | null,
  caller: Caller,
): Promise<AccessLevel | null> {
  if (run === null) return null;
  const accessLevel = accessLevelOf(caller, run);
  if (accessLevel === "full" || accessLevel === "keyed" || !allows(caller, "approve")) return accessLevel;
  return (await eligibilityOf(services, approval, run, caller)).seat === null ? accessLevel : "keyed";
}

/** A run that the caller sees, and how much of it; `given` by its id, or as it was read just now. */
export async function seenRun(
  { store }: Services,
  given: string | RunRecord,
  caller: Caller,
): Promise<{ readonly run: RunRecord; readonly accessLevel: AccessLevel }> {
  const run = typeof given === "string" ? await store.read.runs.get(given) : given;
  const accessLevel = run === null ? null : accessLevelOf(caller, run);
  if (run !== null && accessLevel !== null) return { run, accessLevel };
  throw noRecord("run", typeof given === "string" ? given : given.id);
}

/** The run; throws unless the caller may change it: its own, or any with `read-private`. */
export async function checkMayChange(services: Services, id: string, caller: Caller): Promise<RunRecord> {
  const { run, accessLevel } = await seenRun(services, id, caller);
  if (accessLevel !== "public") return run;
  throw lackingScope(caller, "read-private", "changing the run of another caller");
}

/** Throws unless the caller may have this run go on. What people approved is called once: only a person has it called again. */
export async function checkMayRepair(services: Services, id: string, caller: Caller): Promise<void> {
  const { workflowId } = await checkMayChange(services, id, caller);
  if (workflowId === null || caller.kind === "person") return;
  if ((await services.store.read.workflows.head(workflowId))?.createdBy !== GUARD_ID) return;
  throw new AppError("conflict", "What a person approved is called once, and this call was made.", {
    nextAction: "Call the tool again; it is asked about again. A person can retry the run in the web app.",
  });
}

/** An approval that the caller sees, its run, and how much of both. */
export async function seenApproval(
  services: Services,
  id: string,
  caller: Caller,
): Promise<{
  readonly approval: ApprovalRecord;
  readonly run: RunRecord;
  readonly accessLevel: AccessLevel;
}> {
  const approval = await services.store.read.approvals.get(id);
  const run = approval === null ? null : await services.store.read.runs.get(approval.runId);
  const accessLevel = approval === null ? null : await approvalAccess(services, approval, run, caller);
  if (approval !== null && run !== null && accessLevel !== null) return { approval, run, accessLevel };
  throw noRecord("approval", id);
}
