import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { newId, randomHex } from "../kernel/ids.ts";

const TOKEN = /^suite_live_([0-9a-z]{26})_([0-9a-f]{48})_([0-9a-f]{8})$/;

/** A key in clear, and what may be kept of it. */
export interface NewToken {
  readonly id: string;
  /** Shown once, never stored. */
  readonly token: string;
  readonly digest: string;
}

/** Makes `suite_live_<id>_<secret>_<checksum>`: 192 secret bits, and a checksum that tells a typo from a guess. */
export function newToken(): NewToken {
  const id = newId("key");
  const body = `${id.slice("key_".length)}_${randomHex(24)}`;
  const token = `suite_live_${body}_${checksum(body)}`;
  return { id, token, digest: tokenDigest(token) };
}

/** The id a token names, or null when it is not a well-formed token. */
export function tokenId(token: string): string | null {
  const [, id, secret, sum] = TOKEN.exec(token) ?? [];
  if (id === undefined || secret === undefined || sum !== checksum(`${id}_${secret}`)) return null;
  return `key_${id}`;
}

/** The only thing that is kept of a token: with 192 random bits, a plain SHA-256 cannot be searched. */
export function tokenDigest(token: string): string {
  return `sha256:${hash("sha256", token, "hex")}`;
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, "0");
}
