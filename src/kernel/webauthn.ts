import { base64Of, bytesOfBase64, bytesOfHex } from "./bytes.ts";
import { sha256Hex } from "./canonical-json.ts";
import { isObject, type JsonObject, parsedObject } from "./json.ts";

/*
 * A passkey's signature over a digest, checked without a library and without the service. Runs in a browser too: the
 * platform brings the check of the signature itself.
 */

/** A passkey's signature over a digest, with all that is needed to check it later without the service. */
export interface AssertionProof extends JsonObject {
  readonly credentialId: string;
  /** The public key (SPKI), base64. */
  readonly publicKey: string;
  readonly rpId: string;
  readonly origin: string;
  /** base64url, as the authenticator gave them. */
  readonly authenticatorData: string;
  readonly clientDataJSON: string;
  readonly signature: string;
}

/** A passkey's signature over a decision. */
export interface DecisionProof extends AssertionProof {
  /** The salted digest of the reason and the values that the decision came with; the signature covers it. */
  readonly said: string;
}

/** Is this the signature (base64) of these bytes under this public key (base64 SPKI)? */
type Check = (publicKey: string, bytes: Uint8Array<ArrayBuffer>, signature: string) => boolean;

const NONCE_BYTES = 16;
const DIGEST_BYTES = 32;
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;

/** A challenge that stands for a digest `sha256:…`: 16 random bytes, so that each counts once, and the digest's. */
export function challengeFor(digest: string, nonce: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(NONCE_BYTES + DIGEST_BYTES);
  bytes.set(nonce.subarray(0, NONCE_BYTES));
  bytes.set(bytesOfDigest(digest), NONCE_BYTES);
  return bytes;
}

/** True when a challenge (base64url) stands for this digest. */
export function standsFor(challenge: string, digest: string): boolean {
  const bytes = bytesOfBase64Url(challenge);
  return (
    bytes?.length === NONCE_BYTES + DIGEST_BYTES && equal(bytes.subarray(NONCE_BYTES), bytesOfDigest(digest))
  );
}

/** The proof that a value holds, or null when it is none. */
function proofIn(value: unknown): AssertionProof | null {
  if (!isObject(value)) return null;
  const part = (name: string): string => (typeof value[name] === "string" ? value[name] : "");
  const proof = {
    credentialId: part("credentialId"),
    publicKey: part("publicKey"),
    rpId: part("rpId"),
    origin: part("origin"),
    authenticatorData: part("authenticatorData"),
    clientDataJSON: part("clientDataJSON"),
    signature: part("signature"),
  };
  return Object.values(proof).includes("") ? null : proof;
}

/** The proof of a decision that a value holds, or null when it is none. */
export function decisionProofIn(value: unknown): DecisionProof | null {
  const proof = proofIn(value);
  const digest = isObject(value) ? value["said"] : null;
  return proof === null || typeof digest !== "string" || digest === "" ? null : { ...proof, said: digest };
}

/** Why a proof is not a passkey's signature over this digest, made by a verified user for its site; null when it is. */
export function assertionProblem(proof: AssertionProof, digest: string, check: Check): string | null {
  const client = bytesOfBase64Url(proof.clientDataJSON);
  const authenticator = bytesOfBase64Url(proof.authenticatorData);
  const signature = bytesOfBase64Url(proof.signature);
  const clientData = client === null ? null : parsedObject(new TextDecoder().decode(client));
  if (client === null || authenticator === null || signature === null || clientData === null)
    return "it cannot be read";
  if (clientData["type"] !== "webauthn.get") return "it is not the use of a passkey";
  if (typeof clientData["challenge"] !== "string" || !standsFor(clientData["challenge"], digest))
    return "it signs something else than this decision";
  if (clientData["origin"] !== proof.origin || !isOf(proof.origin, proof.rpId))
    return "it was made for another site";
  const flags = authenticator[DIGEST_BYTES] ?? 0;
  if (authenticator.length < 37 || !equal(authenticator.subarray(0, DIGEST_BYTES), sha256(proof.rpId)))
    return "it was made for another site";
  if ((flags & USER_PRESENT) === 0 || (flags & USER_VERIFIED) === 0)
    return "the device did not verify its user";
  const signed = new Uint8Array(authenticator.length + DIGEST_BYTES);
  signed.set(authenticator);
  signed.set(sha256(client), authenticator.length);
  return check(proof.publicKey, signed, base64Of(signature)) ? null : "the signature does not verify";
}

/** A passkey of a name works on that name and those below it. */
function isOf(origin: string, rpId: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { hostname } = new URL(origin);
  return hostname === rpId || hostname.endsWith(`.${rpId}`);
}

function bytesOfDigest(digest: string): Uint8Array {
  return bytesOfHex(digest.replace(/^sha256:/, "")) ?? new Uint8Array();
}

function sha256(data: string | Uint8Array): Uint8Array {
  return bytesOfHex(sha256Hex(data)) ?? new Uint8Array();
}

function bytesOfBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]*$/.test(text)) return null;
  const plain = text.replaceAll("-", "+").replaceAll("_", "/");
  return bytesOfBase64(plain.padEnd(Math.ceil(plain.length / 4) * 4, "="));
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
