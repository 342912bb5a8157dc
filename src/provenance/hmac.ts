import { hash } from "node:crypto";

const BLOCK = 64;

/**
 * HMAC-SHA-256 of a text under a key of at most 64 bytes, in hex (RFC 2104). Node's own createHmac turns the key into
 * a key object at every call, which costs more than both hashes together: with it, a step's leaf cost 36 µs more.
 */
export function hmacSha256(key: Buffer, text: string): string {
  if (key.byteLength > BLOCK) throw new RangeError("the key is longer than a block");
  const message = Buffer.from(text, "utf8");
  const inner = Buffer.alloc(BLOCK + message.byteLength, 0x36);
  const outer = Buffer.alloc(BLOCK + 32, 0x5c);
  for (let i = 0; i < key.byteLength; i++) {
    const byte = key[i] ?? 0;
    inner[i] = byte ^ 0x36;
    outer[i] = byte ^ 0x5c;
  }
  message.copy(inner, BLOCK);
  hash("sha256", inner, "buffer").copy(outer, BLOCK);
  return hash("sha256", outer, "hex");
}
