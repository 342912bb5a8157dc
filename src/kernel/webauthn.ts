import { createPublicKey, hash, verify } from "node:crypto";
import { isObject, type JsonObject } from "./json.ts";

/** A passkey's signature over a digest, with all that is needed to check it later without the service. */
export interface AssertionProof extends JsonObject {
  readonly credentialId: string;
  /** The public key as a JSON Web Key. */
  readonly publicKey: JsonObject;
  readonly rpId: string;
  readonly origin: string;
  /** base64url, as the authenticator gave them. */
  readonly authenticatorData: string;
  readonly clientDataJSON: string;
  readonly signature: string;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;

/** The challenge that stands for a digest `sha256:…`: its bytes. */
export function challengeOf(digest: string): string {
  return Buffer.from(digest.replace(/^sha256:/, ""), "hex").toString("base64url");
}

/** True when the proof is a passkey's signature over this digest, made by a verified user for this site. Needs no network. */
export function assertionHolds(proof: AssertionProof, digest: string): boolean {
  try {
    const client = Buffer.from(proof.clientDataJSON, "base64url");
    const authenticator = Buffer.from(proof.authenticatorData, "base64url");
    const said: unknown = JSON.parse(client.toString("utf8"));
    if (!isObject(said) || said["type"] !== "webauthn.get") return false;
    if (said["challenge"] !== challengeOf(digest) || said["origin"] !== proof.origin) return false;
    const flags = authenticator[32] ?? 0;
    if (authenticator.length < 37 || (flags & USER_PRESENT) === 0 || (flags & USER_VERIFIED) === 0)
      return false;
    if (!authenticator.subarray(0, 32).equals(hash("sha256", proof.rpId, "buffer"))) return false;
    const key = createPublicKey({ key: { ...proof.publicKey }, format: "jwk" });
    const signed = Buffer.concat([authenticator, hash("sha256", client, "buffer")]);
    const algorithm = key.asymmetricKeyType === "ed25519" ? null : "sha256";
    return verify(algorithm, signed, key, Buffer.from(proof.signature, "base64url"));
  } catch {
    // A proof that cannot be read proves nothing.
    return false;
  }
}
