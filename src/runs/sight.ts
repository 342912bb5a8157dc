import { allows, type Caller } from "../ports/caller.ts";

/** How much a caller may see. */
export type Sight = "public" | "keyed" | "full";

/** How much this caller may see of runs and approvals. */
export function sightOf(caller: Caller): Sight {
  if (allows(caller, "read-private")) return "full";
  return caller.kind === "anonymous" ? "public" : "keyed";
}
