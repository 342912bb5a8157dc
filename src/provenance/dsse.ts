import type { JsonObject } from "../kernel/json.ts";
import { isObject } from "../kernel/json.ts";
import { verifySignature, type Signer } from "./signing.ts";

/** The payload type of an in-toto statement. */
const STATEMENT_TYPE = "application/vnd.in-toto+json";

/** DSSE's pre-authentication encoding: what is signed instead of the bare payload. */
export function preAuthEncoding(payloadType: string, payload: Uint8Array): Uint8Array {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.byteLength} `;
  return Buffer.concat([Buffer.from(head, "utf8"), payload]);
}

/** Wraps a statement's text in a signed DSSE envelope. */
export function sealEnvelope(statement: string, signer: Signer): JsonObject {
  const payload = Buffer.from(statement, "utf8");
  const sig = signer.sign(preAuthEncoding(STATEMENT_TYPE, payload));
  return {
    payload: payload.toString("base64"),
    payloadType: STATEMENT_TYPE,
    signatures: [{ keyid: signer.keyId, sig }],
  };
}

/** An envelope that was read: what it says, and who claims to have signed it. */
export interface OpenedEnvelope {
  readonly payloadType: string;
  readonly payload: Buffer;
  readonly keyId: string;
  readonly signature: string;
}

/** Reads an envelope's parts without believing them; null when it is not one. */
export function openEnvelope(envelope: unknown): OpenedEnvelope | null {
  if (!isObject(envelope)) return null;
  const { payloadType, payload, signatures } = envelope;
  const first: unknown = Array.isArray(signatures) ? signatures[0] : undefined;
  if (typeof payloadType !== "string" || typeof payload !== "string" || !isObject(first)) return null;
  const { keyid, sig } = first;
  if (typeof keyid !== "string" || typeof sig !== "string") return null;
  const bytes = Buffer.from(payload, "base64");
  // Base64 decoding forgives what we did not write; only the exact text counts.
  if (bytes.toString("base64") !== payload || Buffer.from(sig, "base64").toString("base64") !== sig)
    return null;
  return { payloadType, payload: bytes, keyId: keyid, signature: sig };
}

/** Is the envelope signed by this public key? */
export function verifyEnvelope(opened: OpenedEnvelope, publicKey: string): boolean {
  return verifySignature(publicKey, preAuthEncoding(opened.payloadType, opened.payload), opened.signature);
}
