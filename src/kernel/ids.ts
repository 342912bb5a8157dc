import { randomBytes, randomFillSync } from "node:crypto";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;

let lastMillis = 0;
let timePart = "";
const randomPart = new Uint8Array(RANDOM_LENGTH);

/** A new id `prefix_<26 characters>`: 48 bits of time, then 80 random bits; ids made later in this process sort later. */
export function newId(prefix: string): string {
  const now = Date.now();
  if (now > lastMillis) {
    lastMillis = now;
    timePart = timeText(now);
    randomPart.set(randomBytes(RANDOM_LENGTH).map((byte) => byte & 31));
    // Room above, so that counting up within a millisecond never overflows.
    randomPart[0] = (randomPart[0] ?? 0) & 15;
  } else {
    countUp();
  }
  let text = `${prefix}_${timePart}`;
  for (let i = 0; i < RANDOM_LENGTH; i++) text += ALPHABET[randomPart[i] ?? 0];
  return text;
}

function countUp(): void {
  for (let i = RANDOM_LENGTH - 1; i >= 0; i--) {
    const digit = randomPart[i] ?? 0;
    if (digit < 31) {
      randomPart[i] = digit + 1;
      return;
    }
    randomPart[i] = 0;
  }
}

function timeText(millis: number): string {
  let text = "";
  let rest = millis;
  for (let i = 0; i < TIME_LENGTH; i++) {
    text = ALPHABET.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

const pool = Buffer.alloc(4_096);
let used = pool.length;

/**
 * Random lower-case hexadecimal of `bytes` bytes. Those of ids are drawn many at a time, which costs a tenth; those of
 * secrets are longer, and are in no memory but their own.
 */
export function randomHex(bytes: number): string {
  if (bytes > 16) return randomBytes(bytes).toString("hex");
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString("hex", used - bytes, used);
}
