/** What a key may do. `admin` includes every other scope. */
export const SCOPES = ["admin", "run", "approve", "handoff", "read-private", "write"] as const;

/** One right of a key. */
export type Scope = (typeof SCOPES)[number];

/** Who is calling. An anonymous caller has no scopes. */
export interface Caller {
  readonly kind: "anonymous" | "key" | "system";
  /** The public id of the key, or the name of the system part. */
  readonly id: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** A caller without credentials. */
export const ANONYMOUS: Caller = { kind: "anonymous", id: "anonymous", scopes: new Set() };

/** True when the caller holds the scope or `admin`. */
export function allows(caller: Caller, scope: Scope): boolean {
  return caller.scopes.has("admin") || caller.scopes.has(scope);
}
