import { AppError } from "../kernel/errors.ts";

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

/** Throws unless the caller holds the scope: one refusal without a key, another with one that lacks it. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (allows(caller, scope)) return;
  if (caller.kind === "anonymous") {
    throw new AppError("unauthorized", "A valid API key is required.", {
      nextAction: "Send the key as Authorization: Bearer <key> or X-Suite-API-Key: <key>.",
    });
  }
  throw new AppError("forbidden", `The key lacks the scope "${scope}".`, {
    nextAction: `Use a key with the scope "${scope}".`,
    details: { scope },
  });
}
