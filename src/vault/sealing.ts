import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { canonicalJson } from "../kernel/canonical-json.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import type { MasterKey } from "./master-keys.ts";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A secret as it is stored: sealed with a data key, which a master key wraps. */
export interface Sealed {
  readonly masterKeyId: string;
  readonly wrappedKey: string;
  readonly sealed: string;
}

/** What a ciphertext belongs to. Put elsewhere, or with one of these changed, it does not open. */
export interface SealedFor {
  readonly purpose: "credential" | "flow";
  readonly name: string;
  readonly owner: string;
  readonly kind: string;
  /** What must not be changed without the key: the hosts and settings of a credential. */
  readonly bound: JsonObject;
}

/** Seals a secret with a data key of its own. */
export function seal(secret: JsonObject, target: SealedFor, master: MasterKey): Sealed {
  const dataKey = randomBytes(KEY_BYTES);
  return {
    masterKeyId: master.id,
    wrappedKey: encrypt(dataKey, master.bytes, keyLabel(target, master.id)),
    sealed: encrypt(Buffer.from(JSON.stringify(secret)), dataKey, secretLabel(target)),
  };
}

/** Opens a secret; null when the ciphertext was changed or belongs to something else. */
export function open(record: Sealed, target: SealedFor, master: MasterKey): JsonObject | null {
  const dataKey = decrypt(record.wrappedKey, master.bytes, keyLabel(target, master.id));
  const text = dataKey && decrypt(record.sealed, dataKey, secretLabel(target));
  if (text === null) return null;
  const secret: unknown = JSON.parse(text.toString());
  return isJsonObject(secret) ? secret : null;
}

/** Wraps the data key with another master key; the sealed secret stays as it is. Null when it does not open. */
export function rewrap(record: Sealed, target: SealedFor, from: MasterKey, to: MasterKey): Sealed | null {
  const dataKey = decrypt(record.wrappedKey, from.bytes, keyLabel(target, from.id));
  if (dataKey === null) return null;
  return {
    masterKeyId: to.id,
    wrappedKey: encrypt(dataKey, to.bytes, keyLabel(target, to.id)),
    sealed: record.sealed,
  };
}

function keyLabel({ purpose, name, owner, kind }: SealedFor, masterKeyId: string): Buffer {
  return Buffer.from(canonicalJson({ v: 1, part: "key", purpose, name, owner, kind, masterKeyId }));
}

function secretLabel({ purpose, name, owner, kind, bound }: SealedFor): Buffer {
  return Buffer.from(canonicalJson({ v: 1, part: "secret", purpose, name, owner, kind, bound }));
}

function encrypt(plain: Uint8Array, key: Uint8Array, label: Uint8Array): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(label);
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString("base64");
}

function decrypt(text: string, key: Uint8Array, label: Uint8Array): Buffer | null {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length < IV_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(label);
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  try {
    return Buffer.concat([
      decipher.update(bytes.subarray(IV_BYTES, bytes.length - TAG_BYTES)),
      decipher.final(),
    ]);
  } catch {
    return null;
  }
}
