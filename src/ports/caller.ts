import { AppError } from "../kernel/errors.ts";
import type { Role } from "./people.ts";

/** What a key may do. `admin` includes every other scope. */
export const SCOPES = ["admin", "run", "approve", "handoff", "read-private", "write"] as const;

/** One right of a key. */
export type Scope = (typeof SCOPES)[number];

/** What is known of a caller who is a person. */
export interface CallingPerson {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** The session that the request came with. */
  readonly sessionId: string;
}

/** Who is calling. An anonymous caller has no scopes; a person has those of the role. */
export interface Caller {
  readonly kind: "anonymous" | "key" | "person" | "system";
  /** The public id of the key or the person, or the name of the system part. */
  readonly id: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Set when `kind` is `person`. */
  readonly person?: CallingPerson;
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
  throw lackingScope(caller, scope);
}

/** The refusal of a caller who is known and lacks a scope; `what` is what needs it. */
export function lackingScope(caller: Caller, scope: Scope, what?: string): AppError {
  const need = what === undefined ? "" : `, which ${what} needs`;
  return caller.person === undefined
    ? new AppError("forbidden", `The key lacks the scope "${scope}"${need}.`, {
        nextAction: `Use a key with the scope "${scope}".`,
        details: { scope },
      })
    : new AppError("forbidden", `The role ${caller.person.role} lacks the scope "${scope}"${need}.`, {
        nextAction: "Ask an admin for a role that holds it; GET /api/svc/roles lists them.",
        details: { scope, role: caller.person.role },
      });
}
