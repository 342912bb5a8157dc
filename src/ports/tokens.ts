import type { TokenKind } from "../model/person-states.ts";
import type { Scope } from "./caller.ts";

export { TOKEN_KINDS, type TokenKind } from "../model/person-states.ts";

/** A token that a person made. What it may do is what it was given and the person's role still holds. */
export interface TokenRecord {
  readonly id: string;
  readonly kind: TokenKind;
  readonly personId: string;
  readonly name: string;
  /** `sha256:…` of the token, which is shown once. */
  readonly digest: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
  readonly revokedBy: string | null;
  readonly lastUsedAt: string | null;
}

/** The tokens that people made. */
export interface TokenStore {
  insert(record: TokenRecord): Promise<void>;
  get(id: string): Promise<TokenRecord | null>;
  /** The tokens of a person, newest first, those that ended included. */
  ofPerson(personId: string): Promise<readonly TokenRecord[]>;
  /** False when it was revoked before. */
  revoke(id: string, at: string, by: string): Promise<boolean>;
  /** Revokes what a person has left; says which. */
  revokeAll(personId: string, at: string, by: string): Promise<readonly string[]>;
  touch(id: string, at: string): Promise<void>;
  /** Forgets tokens of a person that ended before a time. */
  trim(personId: string, before: string): Promise<number>;
}
