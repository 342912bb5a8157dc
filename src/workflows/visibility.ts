import { allows, listedFor, readsPrivate, type Caller, type Listed } from "../ports/caller.ts";
import type { WorkflowHead } from "../ports/store.ts";

/** How much of a workflow a caller sees: what strangers see of its published version, or everything with the draft. */
export type WorkflowSight = "public" | "full";

/** How much this caller sees of a workflow; null when it does not exist for the caller. */
export function workflowSight(caller: Caller, workflow: WorkflowHead): WorkflowSight | null {
  const { createdBy, status, visibility, publishedVersion } = workflow;
  if (readsPrivate(caller, createdBy)) return "full";
  const isPublished = status === "published" && publishedVersion !== null;
  // Who may run workflows runs published ones, and so has to know what they are called and what they take.
  return isPublished && (visibility === "public" || allows(caller, "run")) ? "public" : null;
}

/** Which workflows the lists of this caller hold. */
export function workflowsFor(caller: Caller): Listed {
  const listed = listedFor(caller);
  return listed.visibleTo === "public" && allows(caller, "run")
    ? { ...listed, visibleTo: "published" }
    : listed;
}
