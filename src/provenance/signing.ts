import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  sign,
  verify,
  type KeyObject,
} from "node:crypto";
import type { SigningKeyRecord } from "../ports/records.ts";
import { HmacKey } from "./hmac.ts";
import { keyIdOf, type Signer } from "./signatures.ts";

/** A new signing key. */
export function newSigningKey(createdAt: string): SigningKeyRecord {
  const pair = generateKeyPairSync("ed25519");
  const publicKey = pair.publicKey.export({ format: "der", type: "spki" }).toString("base64");
  const privateKey = pair.privateKey.export({ format: "der", type: "pkcs8" }).toString("base64");
  return { id: keyIdOf(publicKey), publicKey, privateKey, createdAt, retiredAt: null };
}

/** The signer of a stored key; the key is parsed once. */
export function signerOf(record: SigningKeyRecord): Signer {
  const pkcs8 = Buffer.from(record.privateKey, "base64");
  const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
  return { keyId: record.id, sign: (bytes) => sign(null, bytes, key).toString("base64") };
}

/** Is this the signature of these bytes under this public key (base64 SPKI)? False for anything malformed. */
export function verifySignature(publicKey: string, bytes: Uint8Array, signature: string): boolean {
  try {
    const key: KeyObject = createPublicKey({
      key: Buffer.from(publicKey, "base64"),
      format: "der",
      type: "spki",
    });
    // The log's keys are Ed25519; passkeys also have keys that sign a SHA-256 digest.
    const algorithm = key.asymmetricKeyType === "ed25519" ? null : "sha256";
    return verify(algorithm, bytes, key, Buffer.from(signature, "base64"));
  } catch {
    return false;
  }
}

/**
 * The secret that salts digests of what is not public. It is derived from the log's first key, so it survives
 * rotations and needs no place of its own.
 */
export function saltSecretOf(firstKey: SigningKeyRecord): HmacKey {
  const secret = Buffer.from(firstKey.privateKey, "base64");
  return new HmacKey(new Uint8Array(hkdfSync("sha256", secret, "", "workflow-ui provenance salt v1", 32)));
}
