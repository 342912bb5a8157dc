import { createPublicKey } from "node:crypto";
import type { JsonObject } from "../../kernel/json.ts";

/*
 * COSE keys of passkeys as JSON Web Keys, for checks without a library. A COSE key is a CBOR map of small integers to
 * integers and byte strings; nothing else is read.
 */

const BASE64 = (bytes: Uint8Array | number | undefined): string =>
  bytes instanceof Uint8Array ? Buffer.from(bytes).toString("base64url") : "";

/** The JSON Web Key, or null for a key of a kind that is not taken. */
export function jwkOfCose(bytes: Uint8Array): JsonObject | null {
  try {
    const key = readMap(bytes);
    const jwk = jwkOf(key);
    if (jwk !== null) createPublicKey({ key: { ...jwk }, format: "jwk" });
    return jwk;
  } catch {
    return null;
  }
}

/** The public key as base64 of its SPKI form, or null for a key of a kind that is not taken. */
export function spkiOfCose(bytes: Uint8Array): string | null {
  const jwk = jwkOfCose(bytes);
  if (jwk === null) return null;
  const key = createPublicKey({ key: { ...jwk }, format: "jwk" });
  return key.export({ format: "der", type: "spki" }).toString("base64");
}

function jwkOf(key: ReadonlyMap<number, number | Uint8Array>): JsonObject | null {
  const [type, algorithm, first] = [key.get(1), key.get(3), key.get(-1)];
  if (type === 2 && algorithm === -7 && first === 1)
    return { kty: "EC", crv: "P-256", x: BASE64(key.get(-2)), y: BASE64(key.get(-3)) };
  if (type === 1 && algorithm === -8 && first === 6)
    return { kty: "OKP", crv: "Ed25519", x: BASE64(key.get(-2)) };
  if (type === 3 && algorithm === -257) return { kty: "RSA", n: BASE64(first), e: BASE64(key.get(-2)) };
  return null;
}

function readMap(bytes: Uint8Array): ReadonlyMap<number, number | Uint8Array> {
  const view = Buffer.from(bytes);
  let at = 0;
  const head = (): readonly [major: number, value: number] => {
    const first = view.readUInt8(at);
    at += 1;
    const [major, info] = [first >> 5, first & 31];
    if (info < 24) return [major, info];
    if (info > 25) throw new RangeError("too long");
    const size = info === 24 ? 1 : 2;
    const value = view.readUIntBE(at, size);
    at += size;
    return [major, value];
  };
  const [kind, count] = head();
  if (kind !== 5 || count > 16) throw new RangeError("not a key");
  const map = new Map<number, number | Uint8Array>();
  for (let i = 0; i < count; i++) {
    const [keyMajor, key] = head();
    const [major, value] = head();
    if (keyMajor > 1 || major > 2 || at + (major === 2 ? value : 0) > view.length)
      throw new RangeError("not a key");
    const name = keyMajor === 0 ? key : -1 - key;
    if (major === 2) {
      map.set(name, view.subarray(at, at + value));
      at += value;
    } else map.set(name, major === 0 ? value : -1 - value);
  }
  return map;
}
