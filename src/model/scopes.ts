/** What a key may do. `admin` includes every other scope. */
export const SCOPES = ["admin", "run", "approve", "handoff", "read-private", "write"] as const;

/** One right of a key. */
export type Scope = (typeof SCOPES)[number];

/** What a scope lets a caller do, as the end of a sentence. */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  admin: "administer this service",
  run: "run workflows and call connections",
  approve: "decide approvals",
  handoff: "hand work over",
  "read-private": "read private records",
  write: "create, change and publish",
};
