import { digestOf } from "../kernel/canonical-json.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import type { ReceiptView } from "../model/provenance.ts";
import type { CheckpointRecord } from "../ports/records.ts";
import {
  predicateIn,
  verifyProof,
  type ProofBundle,
  type Trust,
  type Verdict,
  type Verdicts,
} from "./proof.ts";
import { saltedDigest } from "./salted.ts";
import type { SignatureCheck } from "./signatures.ts";
import { signsDecision } from "./step-up.ts";

/*
 * A receipt is what a person takes away from a run: the records of the run, its steps and its approvals, each with its
 * proof, and, if wanted, what they speak of. Everything in it is checked; nothing in it has to be believed.
 */

/** Everything about one run that can be checked without asking the service again. */
export type RunReceipt = ReceiptView;

/** A record of the run with its place in the log, and what it speaks of where that is disclosed. */
export type ReceiptEntry = ReceiptView["entries"][number];

/** The verdicts on one entry of a receipt. */
export interface EntryVerdicts extends Verdicts {
  readonly content: Verdict;
}

/** The verdicts on a receipt: of each entry, and of the whole. */
export interface ReceiptVerdicts {
  readonly entries: readonly EntryVerdicts[];
  readonly run: Verdict;
  readonly document: Verdict;
}

/** Checks a receipt. Pure, like the check of one proof. */
export function verifyReceipt(receipt: RunReceipt, trust: Trust, check: SignatureCheck): ReceiptVerdicts {
  return {
    entries: receipt.entries.map((entry) => ({
      ...verifyProof(bundleOf(receipt, entry), trust, check),
      content: checkContent(entry),
    })),
    run: checkRun(receipt),
    document: checkDocument(receipt),
  };
}

/** The proof of one entry, as it would be alone. */
function bundleOf({ origin, keys, checkpoints }: RunReceipt, entry: ReceiptEntry): ProofBundle {
  const checkpoint = checkpoints[entry.checkpoint] ?? NO_CHECKPOINT;
  const { record, inclusionPath } = entry;
  return { schemaVersion: "svc.provenance-proof.v1", origin, record, checkpoint, inclusionPath, keys };
}

/** What an entry without a checkpoint is checked against; no signature fits it. */
const NO_CHECKPOINT: CheckpointRecord = {
  treeSize: 0,
  rootHash: "",
  keyId: "",
  signature: "",
  createdAt: "",
};

/** The record of the run's end that counts: the last one, for a run that was retried has several. */
export function endOf({ entries, runId }: RunReceipt): ReceiptEntry | null {
  return entries.findLast(({ record }) => record.kind === "run" && record.subjectId === runId) ?? null;
}

/** What the leaf of an entry says beside its digest. */
export function predicateOf({ record }: ReceiptEntry): JsonObject {
  return predicateIn(record.body);
}

/** What is disclosed must have the digest that the leaf commits to. */
function checkContent(entry: ReceiptEntry): Verdict {
  const { record, content, salt, saidSalt } = entry;
  if (content === null) {
    return { verdict: "not_checked", detail: "The receipt was made without what this record speaks of." };
  }
  const plain = digestOf(content);
  const digest = salt === null ? plain : saltedDigest(salt, plain);
  if (digest !== record.digest)
    return { verdict: "fail", detail: "What the receipt shows is not what was recorded." };
  const predicate = predicateOf(entry);
  if (predicate["stepUp"] === true && predicate["decidedBy"] !== null && isObject(content)) {
    if (!signsDecision(predicate, saidSalt ?? "", content))
      return {
        verdict: "fail",
        detail: "The passkey did not sign the reason and the values that are shown.",
      };
  }
  return { verdict: "pass", detail: "What the receipt shows is what was recorded." };
}

/** Every entry must be a record of this run, and one of them must say how the run ended. */
function checkRun(receipt: RunReceipt): Verdict {
  const stranger = receipt.entries.find(({ record }) => record.runId !== receipt.runId);
  if (stranger !== undefined) {
    return { verdict: "fail", detail: `The record ${stranger.record.id} is of another run.` };
  }
  return endOf(receipt) === null
    ? { verdict: "fail", detail: "No record says how this run ended." }
    : { verdict: "pass", detail: "All records are of this run, and one says how it ended." };
}

function checkDocument(receipt: RunReceipt): Verdict {
  const end = endOf(receipt);
  if (receipt.document === null || end === null) {
    return { verdict: "not_checked", detail: "The receipt was made without the workflow that ran." };
  }
  const plain = digestOf(receipt.document);
  const recorded = predicateOf(end)["documentDigest"];
  return recorded === plain || (end.salt !== null && recorded === saltedDigest(end.salt, plain))
    ? { verdict: "pass", detail: "The workflow in the receipt is the one that ran." }
    : { verdict: "fail", detail: "The workflow in the receipt is not the one that ran." };
}
