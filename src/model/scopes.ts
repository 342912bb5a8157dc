/** What a key may do. `admin` includes every other scope. */
export const SCOPES = ["admin", "run", "approve", "handoff", "read-private", "write"] as const;

/** One right of a key. */
export type Scope = (typeof SCOPES)[number];
