import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
let lastMillis = 0;
let lastRandom = 0n;

/** A new id `prefix_<26 characters>`: 48 bits of time, then 80 random bits; ids made later sort later. */
export function newId(prefix: string): string {
  const now = Date.now();
  if (now > lastMillis) {
    lastMillis = now;
    lastRandom = BigInt(`0x${randomBytes(10).toString("hex")}`) >> 1n;
  } else {
    lastRandom += 1n;
  }
  return `${prefix}_${base32(BigInt(lastMillis), 10)}${base32(lastRandom, 16)}`;
}

function base32(value: bigint, length: number): string {
  let text = "";
  let rest = value;
  for (let i = 0; i < length; i++) {
    text = ALPHABET.charAt(Number(rest & 31n)) + text;
    rest >>= 5n;
  }
  return text;
}

/** Random lower-case hexadecimal of `bytes` bytes. */
export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}
