import type { CheckpointRecord } from "../ports/records.ts";
import { verifySignature, type Signer } from "./signing.ts";

/*
 * A checkpoint is a signed tree head in the form that transparency logs exchange (a signed note): origin, size and
 * root, one line each, then the time as an extension line. The signature covers exactly that text.
 */

/** The text of a checkpoint that is signed. */
export function checkpointText(origin: string, head: Omit<CheckpointRecord, "keyId" | "signature">): string {
  const root = Buffer.from(head.rootHash, "hex").toString("base64");
  return `${origin}\n${head.treeSize}\n${root}\ntime ${head.createdAt}\n`;
}

/** Signs a tree head. */
export function signCheckpoint(
  origin: string,
  head: Omit<CheckpointRecord, "keyId" | "signature">,
  signer: Signer,
): CheckpointRecord {
  const signature = signer.sign(Buffer.from(checkpointText(origin, head), "utf8"));
  return { ...head, keyId: signer.keyId, signature };
}

/** Is the checkpoint signed by this public key? */
export function verifyCheckpoint(origin: string, record: CheckpointRecord, publicKey: string): boolean {
  if (Buffer.from(record.signature, "base64").toString("base64") !== record.signature) return false;
  return verifySignature(publicKey, Buffer.from(checkpointText(origin, record), "utf8"), record.signature);
}
