import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, randomBytes as random, utf8ToBytes } from "@noble/hashes/utils.js";

/*
 * The browser's stand-in for the functions of `node:crypto` that the shared kernel uses. The kernel hashes
 * synchronously, WebCrypto does not.
 */

/** A hash object with the two calls the kernel makes: `update` once, `digest("hex")`. */
export function createHash(algorithm: "sha256"): {
  update(data: string | Uint8Array): { digest(encoding: "hex"): string };
} {
  return { update: (data) => ({ digest: (encoding) => hash(algorithm, data, encoding) }) };
}

/** The digest of data in one call. */
export function hash(_algorithm: "sha256", data: string | Uint8Array, _encoding: "hex"): string {
  return bytesToHex(sha256(typeof data === "string" ? utf8ToBytes(data) : data));
}

/** Random bytes with the one conversion the kernel asks for. */
export function randomBytes(size: number): { toString(encoding: "hex"): string } {
  return { toString: () => bytesToHex(random(size)) };
}
