import { readsPrivate, type Caller } from "../ports/caller.ts";
import type { WorkflowHead } from "../ports/store.ts";

/** Who makes the workflows of guarded calls: they are in no list, and nobody changes them. */
export const GUARD_ID = "guard";

/** How much of a workflow a caller sees: what strangers see of its published version, or everything with the draft. */
export type WorkflowAccess = "public" | "full";

/** How much this caller sees of a workflow; null when it does not exist for the caller. */
export function workflowAccess(caller: Caller, workflow: WorkflowHead): WorkflowAccess | null {
  const { createdBy, status, visibility, publishedVersion } = workflow;
  if (readsPrivate(caller, createdBy)) return "full";
  const isPublished = status === "published" && publishedVersion !== null;
  return isPublished && visibility === "public" ? "public" : null;
}
