import { isObject } from "../kernel/json.ts";
import type { ProofBundle } from "./proof.ts";
import type { RunReceipt } from "./receipt.ts";

/* Files come from anywhere: what is not of the right shape is refused before anything in it is looked at. */

type Fields = Readonly<Record<string, (value: unknown) => boolean>>;

const isText = (value: unknown): boolean => typeof value === "string";
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const orNull = (test: (value: unknown) => boolean) => (value: unknown) => value === null || test(value);
const listOf = (test: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(test);

function has(value: unknown, fields: Fields): boolean {
  return isObject(value) && Object.entries(fields).every(([name, test]) => test(value[name]));
}

const isRecord = (value: unknown): boolean =>
  has(value, {
    id: isText,
    leafIndex: isCount,
    kind: isText,
    subjectId: isText,
    runId: orNull(isText),
    digest: isText,
    privacy: isText,
    body: isText,
    leafHash: isText,
    createdAt: isText,
    envelope: orNull(isObject),
  });
const isCheckpoint = (value: unknown): boolean =>
  has(value, { treeSize: isCount, rootHash: isText, keyId: isText, signature: isText, createdAt: isText });
const isKey = (value: unknown): boolean =>
  has(value, { id: isText, publicKey: isText, createdAt: isText, retiredAt: orNull(isText) });
const isEntry = (value: unknown): boolean =>
  has(value, {
    record: isRecord,
    inclusionPath: listOf(isText),
    checkpoint: isCount,
    content: orNull((content) => typeof content === "object"),
    salt: orNull(isText),
    saidSalt: (salt) => salt === undefined || isText(salt),
  });

/** Is this a proof of one record? */
export function isProof(value: unknown): value is ProofBundle {
  return has(value, {
    schemaVersion: (version) => version === "svc.provenance-proof.v1",
    origin: isText,
    record: isRecord,
    checkpoint: isCheckpoint,
    inclusionPath: listOf(isText),
    keys: listOf(isKey),
  });
}

/** Is this a receipt of a run? */
export function isReceipt(value: unknown): value is RunReceipt {
  return has(value, {
    schemaVersion: (version) => version === "svc.run-receipt.v1",
    origin: isText,
    runId: isText,
    document: orNull(isObject),
    checkpoints: listOf(isCheckpoint),
    keys: listOf(isKey),
    entries: listOf(isEntry),
  });
}
