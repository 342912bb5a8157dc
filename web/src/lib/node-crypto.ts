/*
 * The browser's stand-in for the functions of `node:crypto` that the shared kernel uses. The kernel hashes
 * synchronously, WebCrypto does not, so SHA-256 is written out here (FIPS 180-4).
 */

const K = roundConstants();

/** A hash object with the two calls the kernel makes: `update` once, `digest("hex")`. */
export function createHash(_algorithm: "sha256"): {
  update(data: string | Uint8Array): { digest(encoding: "hex"): string };
} {
  return {
    update: (data) => {
      const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
      return { digest: () => sha256(bytes) };
    },
  };
}

/** The digest of data in one call. */
export function hash(_algorithm: "sha256", data: string | Uint8Array, _encoding: "hex"): string {
  return createHash("sha256").update(data).digest("hex");
}

/** Random bytes with the one conversion the kernel asks for. */
export function randomBytes(size: number): { toString(encoding: "hex"): string } {
  const bytes = crypto.getRandomValues(new Uint8Array(size));
  return { toString: () => hex(bytes) };
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function roundConstants(): Uint32Array {
  const constants = new Uint32Array(64);
  let found = 0;
  for (let n = 2; found < 64; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++) if (n % d === 0) prime = false;
    if (!prime) continue;
    const root = Math.cbrt(n);
    constants[found++] = Math.floor((root - Math.floor(root)) * 2 ** 32);
  }
  return constants;
}

function sha256(message: Uint8Array): string {
  const length = ((message.length + 9 + 63) >> 6) << 6;
  const padded = new Uint8Array(length);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(length - 4, (message.length << 3) >>> 0);
  const state = Uint32Array.of(
    0x6a09e667,
    0xbb67ae85,
    0x3c6ef372,
    0xa54ff53a,
    0x510e527f,
    0x9b05688c,
    0x1f83d9ab,
    0x5be0cd19,
  );
  const w = new Uint32Array(64);
  for (let offset = 0; offset < length; offset += 64) block(state, w, view, offset);
  const out = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => out.setUint32(i * 4, word));
  return hex(new Uint8Array(out.buffer));
}

function block(state: Uint32Array, w: Uint32Array, view: DataView, offset: number): void {
  const at = (array: Uint32Array, i: number): number => array[i] ?? 0;
  const turn = (x: number, n: number): number => (x >>> n) | (x << (32 - n));
  for (let i = 0; i < 16; i++) w[i] = view.getUint32(offset + i * 4);
  for (let i = 16; i < 64; i++) {
    const a = at(w, i - 15);
    const b = at(w, i - 2);
    const s0 = turn(a, 7) ^ turn(a, 18) ^ (a >>> 3);
    const s1 = turn(b, 17) ^ turn(b, 19) ^ (b >>> 10);
    w[i] = (at(w, i - 16) + s0 + at(w, i - 7) + s1) | 0;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + at(K, i) + at(w, i)) | 0;
    const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, i) => (state[i] = (at(state, i) + value) | 0));
}
