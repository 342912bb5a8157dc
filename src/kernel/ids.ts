import { randomBytes, randomFillSync } from "node:crypto";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_LENGTH = 10;
const STEM_LENGTH = 12;
/** The last four characters count up within a millisecond. */
const TAILS = 32 ** 4;
/** All pairs of characters, in order. */
const PAIRS = Array.from({ length: 1_024 }, (_, i) => ALPHABET.charAt(i >> 5) + ALPHABET.charAt(i & 31));

let lastMillis = 0;
let timePart = "";
const stemDigits = new Uint8Array(STEM_LENGTH);
let stem = "";
let tail = 0;

/** A new id `prefix_<26 characters>`: 48 bits of time, then 80 random bits; ids made later in this process sort later. */
export function newId(prefix: string): string {
  const now = Date.now();
  if (now > lastMillis) {
    lastMillis = now;
    timePart = timeText(now);
    const from = draw(STEM_LENGTH + 4);
    for (let i = 0; i < STEM_LENGTH; i++) stemDigits[i] = (pool[from + i] ?? 0) & 31;
    // Room above, so that counting up within a millisecond never overflows.
    stemDigits[0] = (stemDigits[0] ?? 0) & 15;
    tail = pool.readUInt32LE(from + STEM_LENGTH) % TAILS;
    stem = stemText();
  } else {
    tail += 1;
    if (tail === TAILS) carry();
  }
  return `${prefix}_${stem}${PAIRS[tail >> 10] ?? ""}${PAIRS[tail & 1_023] ?? ""}`;
}

function carry(): void {
  tail = 0;
  for (let i = STEM_LENGTH - 1; i >= 0; i--) {
    const digit = stemDigits[i] ?? 0;
    stemDigits[i] = digit < 31 ? digit + 1 : 0;
    if (digit < 31) break;
  }
  stem = stemText();
}

function stemText(): string {
  let text = timePart;
  for (let i = 0; i < STEM_LENGTH; i++) text += ALPHABET.charAt(stemDigits[i] ?? 0);
  return text;
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

/** Random bytes that are drawn many at a time, which costs a tenth. */
const pool = Buffer.alloc(4_096);
let used = pool.length;

/** Where in the pool fresh bytes begin. */
function draw(bytes: number): number {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return used - bytes;
}

/** Random lower-case hexadecimal of `bytes` bytes. Secrets are longer than ids, and are in no memory but their own. */
export function randomHex(bytes: number): string {
  if (bytes > 16) return randomBytes(bytes).toString("hex");
  const from = draw(bytes);
  return pool.toString("hex", from, from + bytes);
}
