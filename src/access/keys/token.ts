import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { newId, randomHex } from "../../kernel/ids.ts";

/** How each kind of token begins: an API key, or a token that a person made. */
export const TOKEN_PREFIX = { key: "suite_live_", tok: "suite_tok_" } as const;

const BODY = /^([0-9a-z]{26})_([0-9a-f]{48})_([0-9a-f]{8})$/;

/** What a token is, and how its id begins. */
type TokenSort = keyof typeof TOKEN_PREFIX;

/** A key in clear, and what may be kept of it. */
export interface NewToken {
  readonly id: string;
  /** Shown once, never stored. */
  readonly token: string;
  readonly digest: string;
}

/** Makes `suite_live_<id>_<secret>_<checksum>`: 192 secret bits, and a checksum that tells a typo from a guess. */
export function newToken(sort: TokenSort = "key"): NewToken {
  const id = newId(sort);
  const body = `${id.slice(sort.length + 1)}_${randomHex(24)}`;
  const token = `${TOKEN_PREFIX[sort]}${body}_${checksum(body)}`;
  return { id, token, digest: tokenDigest(token) };
}

/** The id a token names, or null when it is not a well-formed token. */
export function tokenId(token: string, sort: TokenSort = "key"): string | null {
  const prefix = TOKEN_PREFIX[sort];
  if (!token.startsWith(prefix)) return null;
  const [, id, secret, sum] = BODY.exec(token.slice(prefix.length)) ?? [];
  if (id === undefined || secret === undefined || sum !== checksum(`${id}_${secret}`)) return null;
  return `${sort}_${id}`;
}

/** The only thing that is kept of a token: with 192 random bits, a plain SHA-256 cannot be searched. */
export function tokenDigest(token: string): string {
  return `sha256:${hash("sha256", token, "hex")}`;
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, "0");
}
