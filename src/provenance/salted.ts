import { hash } from "node:crypto";
import { bytesOfHex } from "../kernel/bytes.ts";

/** The digest that is published for content that is not public: the holder of its salt (32 bytes, hex) can check it. */
export function saltedDigest(salt: string, digest: string): string {
  return `hmac-sha256:${hmacHex(salt, digest)}`;
}

/** HMAC-SHA-256 (RFC 2104) of a text under a key of 32 bytes in hex, without a platform's own. */
function hmacHex(key: string, text: string): string {
  const bytes = bytesOfHex(key) ?? new Uint8Array();
  const block = (pad: number, rest: Uint8Array) => {
    const all = new Uint8Array(64 + rest.byteLength).fill(pad, 0, 64);
    bytes.slice(0, 64).forEach((byte, i) => (all[i] = byte ^ pad));
    all.set(rest, 64);
    return hash("sha256", all, "hex");
  };
  return block(0x5c, bytesOfHex(block(0x36, new TextEncoder().encode(text))) ?? new Uint8Array());
}
