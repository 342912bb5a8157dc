import type { Scope } from "@workflow-ui/client";

/** What a scope lets a caller do. */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  admin: "everything",
  run: "run workflows",
  approve: "decide approvals",
  handoff: "hand work over",
  "read-private": "read private records",
  write: "save and publish",
};
