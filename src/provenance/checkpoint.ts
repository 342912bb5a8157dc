import { base64Of, bytesOfBase64, bytesOfHex } from "../kernel/bytes.ts";
import type { CheckpointRecord } from "../ports/records.ts";
import type { SignatureCheck, Signer } from "./signatures.ts";

/*
 * A checkpoint is a signed tree head in the form that transparency logs exchange (a signed note): origin, size and
 * root, one line each, then the time as an extension line. The signature covers exactly that text.
 */

/** The text of a checkpoint that is signed. */
export function checkpointText(origin: string, head: Omit<CheckpointRecord, "keyId" | "signature">): string {
  const root = base64Of(bytesOfHex(head.rootHash) ?? new Uint8Array());
  return `${origin}\n${head.treeSize}\n${root}\ntime ${head.createdAt}\n`;
}

/** Signs a tree head. */
export function signCheckpoint(
  origin: string,
  head: Omit<CheckpointRecord, "keyId" | "signature">,
  signer: Signer,
): CheckpointRecord {
  const signature = signer.sign(new TextEncoder().encode(checkpointText(origin, head)));
  return { ...head, keyId: signer.keyId, signature };
}

/** Is the checkpoint signed by this public key? */
export function verifyCheckpoint(
  origin: string,
  record: CheckpointRecord,
  publicKey: string,
  check: SignatureCheck,
): boolean {
  if (bytesOfBase64(record.signature) === null) return false;
  return check(publicKey, new TextEncoder().encode(checkpointText(origin, record)), record.signature);
}
