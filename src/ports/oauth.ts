import { isObject, type JsonObject } from "../kernel/json.ts";
import type { Caller } from "./caller.ts";

/** What the authorization server keeps. `Grant` is what a person allowed a client; the tokens of a client hang on it. */
export const OAUTH_KINDS = [
  "AccessToken",
  "AuthorizationCode",
  "RefreshToken",
  "DeviceCode",
  "Grant",
  "Client",
  "Interaction",
  "ReplayDetection",
] as const;

/** One kind of what the authorization server keeps. */
export type OAuthKind = (typeof OAUTH_KINDS)[number];

/** One thing that the authorization server keeps. What proves it (a token, a code) is kept as a digest only. */
export interface OAuthRecord {
  readonly kind: OAuthKind;
  readonly digest: string;
  /** What belongs to one sign-in of a client. */
  readonly grantId: string | null;
  readonly personId: string | null;
  readonly clientId: string | null;
  /** The digest of the code that a person types. */
  readonly userCode: string | null;
  readonly payload: JsonObject;
  readonly consumedAt: string | null;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** A client that a person connected. */
export interface ConnectedClient {
  readonly grantId: string;
  readonly personId: string;
  readonly clientId: string;
  readonly name: string;
  /** The host that the client was sent back to. */
  readonly host: string;
  readonly payload: JsonObject;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string;
}

/** The scopes that a person gave a client. */
export function grantedScopes({ payload }: ConnectedClient): readonly string[] {
  const { resources } = payload;
  const texts = isObject(resources) ? Object.values(resources) : [];
  return [...new Set(texts.flatMap((text) => (typeof text === "string" ? text.split(" ") : [])))];
}

/** An access token with the connected client that it belongs to. */
interface StoredAccessToken {
  readonly record: OAuthRecord;
  readonly client: ConnectedClient;
}

/** What the authorization server keeps, over either database. */
export interface OAuthStore {
  get(kind: OAuthKind, digest: string): Promise<OAuthRecord | null>;
  byUserCode(userCode: string): Promise<OAuthRecord | null>;
  /** Inserts or replaces; what was consumed stays consumed. */
  put(record: OAuthRecord): Promise<void>;
  /** True once for each record. */
  consume(kind: OAuthKind, digest: string, at: string): Promise<boolean>;
  remove(kind: OAuthKind, digest: string): Promise<boolean>;
  /** Gives a grant the name and the host that a person sees. */
  nameGrant(grantId: string, name: string, host: string): Promise<void>;
  /** Removes the tokens and codes of a grant; the grant stays. */
  removeTokens(kind: OAuthKind, grantId: string): Promise<number>;
  /** Removes a grant with everything that belongs to it; false when there is none. */
  removeGrant(grantId: string): Promise<boolean>;
  /** The token with its client; null when either is gone. */
  accessToken(digest: string): Promise<StoredAccessToken | null>;
  /** The clients that a person connected, newest first; those of all people with null. */
  clients(personId: string | null): Promise<readonly ConnectedClient[]>;
  client(grantId: string): Promise<ConnectedClient | null>;
  touchGrant(grantId: string, at: string): Promise<void>;
  /** Whether a person has connected this client. */
  isConnected(clientId: string): Promise<boolean>;
  /** How many records of a kind there are, such as clients that registered themselves. */
  count(kind: OAuthKind): Promise<number>;
  /** Keeps a registered client until this time at least. */
  keepClient(clientId: string, until: string): Promise<void>;
  /** Forgets what ended before a time, and what strangers began before a later one. */
  trim(before: string, pendingBefore: string): Promise<number>;
}

/** Knows which access tokens are valid where. */
export interface AccessTokens {
  /** The caller behind a token that was shown at a path; `ended` for one of ours whose time is over. */
  authenticate(token: string, path: string): Promise<Caller | "ended" | null>;
  /** The value of WWW-Authenticate for a refusal at a path. */
  challenge(path: string, refusal: TokenRefusal): string;
}

/** Why a request at a protected path is refused. */
export interface TokenRefusal {
  readonly error: "invalid_token" | "insufficient_scope" | null;
  /** The scopes to ask for; those that clients usually need without it. */
  readonly scopes?: readonly string[];
}
