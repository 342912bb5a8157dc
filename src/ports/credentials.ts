import type { CredentialView } from "../model/credentials.ts";
import type { Caller } from "./caller.ts";
import type { StoreTx } from "./store.ts";

/** What a connection sees of a credential: never the secret. */
export type CredentialState = Readonly<
  Pick<CredentialView, "name" | "kind" | "state" | "nextAction"> & { hosts: readonly string[] }
>;

/** What one request carries because of a credential. */
export interface Authorization {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly cookies: Readonly<Record<string, string>>;
  /** The secret values in it: whatever is kept or shown of the answer must not repeat them. */
  readonly secrets: readonly string[];
  /** A token that can be replaced by a fresh one; false for a secret that stays as it is whatever a server answers. */
  readonly renewable: boolean;
}

/** For whom a request is authorized, and how long the answer is wanted. */
export interface AuthorizeOptions {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** The authorization that was answered with 401: its token is renewed unless that has happened already. */
  readonly refused?: Authorization;
  /** The `WWW-Authenticate` header of a 401 or 403: it can ask for scopes that need a new consent. */
  readonly challenge?: string;
}

/** Turns a named credential into what a request to this origin must carry; throws AppError when unusable. */
export interface Credentials {
  /** Whether a credential of this name exists, its kind, hosts and state, without the secret. */
  describe(name: string, caller: Caller): Promise<CredentialState | null>;
  /** Headers, query and cookies for one request to `url`; refuses hosts the credential is not bound to. */
  authorize(name: string, url: URL, options: AuthorizeOptions): Promise<Authorization>;
  /** The value of a credential of kind `environment` for the program of a connection that it is bound to. */
  variable(name: string, connection: string, caller: Caller): Promise<string>;
  /** Seals a value for the program of a connection; one of this name for that program gets it as its new secret. */
  keepVariable(
    name: string,
    connection: string,
    value: string,
    caller: Caller,
    alongside?: Alongside,
  ): Promise<void>;
  /** Removes what `keepVariable` kept, if it is there. */
  dropVariable(name: string, connection: string, caller: Caller, alongside?: Alongside): Promise<void>;
}

/** What becomes true together with a change of a credential, in its transaction. */
export type Alongside = (tx: StoreTx) => Promise<void>;

/** True for an answer that asks for another authorization: 401, or 403 because the token lacks scopes. */
export function isChallenge(answer: {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}): boolean {
  if (answer.status === 401) return true;
  return answer.status === 403 && (answer.headers["www-authenticate"] ?? "").includes("insufficient_scope");
}
