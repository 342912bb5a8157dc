import { AppError } from "../kernel/errors.ts";
import { SCOPE_WORDS, type Scope } from "../model/scopes.ts";
import type { Role } from "./people.ts";

export { SCOPES, type Scope } from "../model/scopes.ts";

/** What is known of a caller who is a person. */
interface CallingPerson {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** The session that the request came with; null when a token stands for the person. */
  readonly sessionId: string | null;
}

/** A token that was shown instead of a session. */
interface CallingToken {
  readonly id: string;
  /** The name of the token, or of the client that holds it. */
  readonly name: string;
  readonly expiresAt?: string;
}

/**
 * Who is calling. `key`: an API key or a service key, which acts as itself. `person`: signed in with a session. `token`
 * and `oauth`: a program that acts for a person with a personal token or an access token; `id` and `person` are the
 * person's, the scopes are those of the token that the person holds at this moment.
 */
export interface Caller {
  readonly kind: "anonymous" | "key" | "person" | "token" | "oauth" | "system";
  /** The public id of the key or the person, or the name of the system part. */
  readonly id: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Set when `kind` is `person`, `token` or `oauth`. */
  readonly person?: CallingPerson;
  /** Set when a token was shown: `token`, `oauth`, and a service key. */
  readonly token?: CallingToken;
}

/** A caller without credentials. */
export const ANONYMOUS: Caller = { kind: "anonymous", id: "anonymous", scopes: new Set() };

/** True when the caller holds the scope or `admin`. */
export function allows(caller: Caller, scope: Scope): boolean {
  if (caller.scopes.has(scope)) return true;
  // A token decides approvals only where a person granted it that scope by name.
  return caller.scopes.has("admin") && (scope !== "approve" || caller.token === undefined);
}

/** True when the caller may read the private parts of a record that `by` made: its own, or all with `read-private`. */
export function readsPrivate(caller: Caller, by: string | null): boolean {
  return allows(caller, "read-private") || (caller.kind !== "anonymous" && caller.id === by);
}

/** Which records a list may hold: all, or those that are public and the caller's own. */
export interface Listed {
  readonly visibleTo: "all" | "public";
  readonly ownedBy?: string;
}

/** Which records the lists of this caller hold. */
export function listedFor(caller: Caller): Listed {
  if (allows(caller, "read-private")) return { visibleTo: "all" };
  return caller.kind === "anonymous" ? { visibleTo: "public" } : { visibleTo: "public", ownedBy: caller.id };
}

/** Whose records a list holds where none is public: those of all, or the caller's own. */
export function ownedFor(caller: Caller): Pick<Listed, "ownedBy"> {
  return allows(caller, "read-private") ? {} : { ownedBy: caller.id };
}

/** Throws unless the caller holds the scope that `what` needs: one refusal without a key, another with one that lacks it. */
export function requireScope(caller: Caller, scope: Scope, what?: string): void {
  if (allows(caller, scope)) return;
  throw caller.kind === "anonymous" ? unauthorized() : lackingScope(caller, scope, what);
}

/** The one refusal for every reason a key may not count. */
export function unauthorized(): AppError {
  return new AppError("unauthorized", "A valid API key is required.", {
    nextAction: "Send the key as Authorization: Bearer <key> or X-Suite-API-Key: <key>.",
  });
}

/** The refusal of a caller who is known and lacks a scope; `what` is what needs it. */
export function lackingScope(caller: Caller, scope: Scope, what?: string): AppError {
  const need = what === undefined ? "" : `, which ${what} needs`;
  if (caller.kind === "system") {
    return new AppError("forbidden", `The run acts without the scope "${scope}"${need}.`, {
      nextAction: `It acts with the rights that who started or retried it has now. Retry it as a person or key with the scope "${scope}".`,
      details: { scope, actsFor: caller.id },
    });
  }
  if (caller.token !== undefined && caller.person !== undefined) {
    return new AppError("forbidden", `The token "${caller.token.name}" lacks the scope "${scope}"${need}.`, {
      nextAction: "Use a token that was made with it; a token never holds more than the person's role.",
      details: { scope, role: caller.person.role },
    });
  }
  return caller.person === undefined
    ? new AppError("forbidden", `The key lacks the scope "${scope}"${need}.`, {
        nextAction: `Use a key with the scope "${scope}".`,
        details: { scope },
      })
    : // A person reads this on a page, where neither scopes nor the names of operations mean anything.
      new AppError("forbidden", `As ${caller.person.role} you may not ${SCOPE_WORDS[scope]}.`, {
        nextAction: "Ask an admin for a role that may.",
        details: { scope, role: caller.person.role },
      });
}
