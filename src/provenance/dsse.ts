import { base64Of, bytesOfBase64 } from "../kernel/bytes.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import type { SignatureCheck, Signer } from "./signatures.ts";

/** The payload type of an in-toto statement. */
const STATEMENT_TYPE = "application/vnd.in-toto+json";

/** DSSE's pre-authentication encoding: what is signed instead of the bare payload. */
export function preAuthEncoding(payloadType: string, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder();
  const head = text.encode(
    `DSSEv1 ${text.encode(payloadType).byteLength} ${payloadType} ${payload.byteLength} `,
  );
  const bytes = new Uint8Array(head.byteLength + payload.byteLength);
  bytes.set(head);
  bytes.set(payload, head.byteLength);
  return bytes;
}

/** Wraps a statement's text in a signed DSSE envelope. */
export function sealEnvelope(statement: string, signer: Signer): JsonObject {
  const payload = new TextEncoder().encode(statement);
  const sig = signer.sign(preAuthEncoding(STATEMENT_TYPE, payload));
  return {
    payload: base64Of(payload),
    payloadType: STATEMENT_TYPE,
    signatures: [{ keyid: signer.keyId, sig }],
  };
}

/** An envelope that was read: what it says, and who claims to have signed it. */
export interface OpenedEnvelope {
  readonly payloadType: string;
  readonly payload: Uint8Array;
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
  const bytes = bytesOfBase64(payload);
  if (bytes === null || bytesOfBase64(sig) === null) return null;
  return { payloadType, payload: bytes, keyId: keyid, signature: sig };
}

/** Is the envelope signed by this public key? */
export function verifyEnvelope(opened: OpenedEnvelope, publicKey: string, check: SignatureCheck): boolean {
  return check(publicKey, preAuthEncoding(opened.payloadType, opened.payload), opened.signature);
}
