import { SCOPES, type Scope } from "../model/scopes.ts";
import type { Caller } from "./caller.ts";

/** Whose rights a run acts with: a caller, and the token or the client that acted for the person. */
export interface RunActor {
  /** The id of the person, the API key or the service key. */
  readonly actsFor: string;
  /** The id of the personal token, or of the grant of an OAuth client; null for a session and for keys. */
  readonly actsVia: string | null;
}

/** What an actor holds at this moment, or why that is nothing any more. */
export type PresentRights = { readonly scopes: ReadonlySet<Scope> } | { readonly ended: string };

/** Knows what callers of earlier requests may do now. */
export interface Rights {
  /** What was read within the last second; what is older is read again. */
  of(actor: RunActor): PresentRights | Promise<PresentRights>;
  /** Reads it from the store, and keeps it for `of`. */
  read(actor: RunActor): Promise<PresentRights>;
}

/** Whose rights a run of this caller acts with. */
export function actorOfCaller({ id, person, token }: Caller): RunActor {
  return { actsFor: id, actsVia: person === undefined ? null : (token?.id ?? null) };
}

/** The scopes that are in both lists; `admin` stands for all of them. */
export function heldInBoth(one: ReadonlySet<Scope>, other: ReadonlySet<Scope>): ReadonlySet<Scope> {
  const holds = (scopes: ReadonlySet<Scope>, scope: Scope): boolean =>
    scopes.has(scope) || scopes.has("admin");
  return new Set(SCOPES.filter((scope) => holds(one, scope) && holds(other, scope)));
}
