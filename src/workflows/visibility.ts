import { allows, type Caller } from "../ports/caller.ts";

/** True when the caller may see drafts and private workflows. */
export function seesAllWorkflows(caller: Caller): boolean {
  return (["read-private", "write", "run"] as const).some((scope) => allows(caller, scope));
}
