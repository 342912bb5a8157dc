import { isParsedObject, type Json, type JsonObject, parsedObject } from "../kernel/json.ts";
import type { SigningKeyView, VerificationView } from "../model/provenance.ts";
import { verifyCheckpoint } from "./checkpoint.ts";
import { openEnvelope, verifyEnvelope } from "./dsse.ts";
import { leafHashOf, verifyInclusion } from "./merkle-proof.ts";
import { keyIdOf, type SignatureCheck } from "./signatures.ts";
import { isExchanged, statementOf, type Stated } from "./statement.ts";
import { checkAssertions } from "./step-up.ts";

/** Everything a third party needs to check one record without asking this service again. */
export type ProofBundle = VerificationView["proof"];

/** The separate verdicts on a record. */
export type Verdicts = VerificationView["verdicts"];

/** One verdict: what was found, and why. */
export type Verdict = Verdicts["digest"];

/** What the checker knows besides the bundle. */
export interface Trust {
  /** Keys obtained another way. Without them the bundle's own keys are used and `key` is not checked. */
  readonly trustedKeys?: readonly SigningKeyView[];
  /** What the leaf must say of the record's lookup key, which only the service knows. */
  readonly lookup?: string;
}

const pass = (detail: string): Verdict => ({ verdict: "pass", detail });
const fail = (detail: string): Verdict => ({ verdict: "fail", detail });
const notChecked = (detail: string): Verdict => ({ verdict: "not_checked", detail });

/** Checks a proof bundle. Pure: no store, no network, no clock, and no crypto of a platform's own. */
export function verifyProof(bundle: ProofBundle, trust: Trust, check: SignatureCheck): Verdicts {
  const assertion = checkAssertions(
    bundle.record,
    statedIn(parsedObject(bundle.record.body))?.predicate ?? {},
    check,
  );
  return {
    digest: checkDigest(bundle.record, trust),
    signature: checkSignature(bundle, check),
    key: checkKeys(bundle, trust.trustedKeys),
    inclusion: checkInclusion(bundle, check),
    anchor: notChecked("No external receipt exists for this record, so nothing is claimed about anchoring."),
    ...(assertion !== null && { assertion }),
  };
}

/** The leaf's text must say what the record's fields say, and hash to the leaf. */
export function checkDigest(record: ProofBundle["record"], trust: Trust): Verdict {
  if (leafHashOf(record.body) !== record.leafHash)
    return fail("The record's body does not hash to its leaf hash.");
  const leaf = parsedObject(record.body);
  if (!leaf) return fail("The record's body is not JSON.");
  const expected: Readonly<Record<string, unknown>> = {
    id: record.id,
    kind: record.kind,
    subjectId: record.subjectId,
    runId: record.runId,
    digest: record.digest,
    privacy: record.privacy,
    at: record.createdAt,
    v: 2,
  };
  for (const [field, value] of Object.entries(expected)) {
    if (leaf[field] !== value) return fail(`The record's ${field} is not what its leaf commits to.`);
  }
  if (trust.lookup !== undefined && leaf.lookup !== trust.lookup) {
    return fail("The record's lookup key is not what its leaf commits to.");
  }
  return pass("Every field of the record is what its leaf commits to.");
}

/** The statement must be signed by the key it names, and say what the leaf says. */
function checkSignature({ record, keys }: ProofBundle, check: SignatureCheck): Verdict {
  if (record.envelope === null) {
    if (isExchanged(record.kind))
      return fail("A record of this kind goes with a signed statement; this one has none.");
    return notChecked("Records of this kind are proved by inclusion under a signed checkpoint.");
  }
  const opened = openEnvelope(record.envelope);
  if (!opened) return fail("The record's envelope is not a DSSE envelope.");
  const key = keys.find((entry) => entry.id === opened.keyId);
  if (!key) return fail(`No key ${opened.keyId} is known.`);
  if (!verifyEnvelope(opened, key.publicKey, check))
    return fail("The statement's signature does not verify.");
  const stated = statedIn(parsedObject(record.body));
  if (stated === null || statementOf(stated) !== new TextDecoder().decode(opened.payload)) {
    return fail("The signed statement says something else than the record's leaf.");
  }
  return pass(`Signed with ${opened.keyId}.`);
}

/** What the statement of a leaf says, read from the leaf's text. */
export function statedIn(leaf: JsonObject | null): Stated | null {
  if (leaf === null) return null;
  const { id, kind, subjectId, digest, at, predicate } = leaf;
  const isText = (member: Json | undefined): member is string => typeof member === "string";
  if (!isText(id) || !isText(kind) || !isText(subjectId) || !isText(digest) || !isText(at)) return null;
  return isParsedObject(predicate) ? { id, kind, subjectId, digest, at, predicate } : null;
}

/** Keys must be named by their own digest, be trusted, and have been in use when they signed. */
function checkKeys(bundle: ProofBundle, trusted: readonly SigningKeyView[] | undefined): Verdict {
  const opened = bundle.record.envelope === null ? null : openEnvelope(bundle.record.envelope);
  const uses = [
    { keyId: bundle.checkpoint.keyId, at: bundle.checkpoint.createdAt },
    ...(opened ? [{ keyId: opened.keyId, at: bundle.record.createdAt }] : []),
  ];
  for (const { keyId, at } of uses) {
    const key = bundle.keys.find((entry) => entry.id === keyId);
    if (!key) return fail(`No key ${keyId} is known.`);
    if (keyIdOf(key.publicKey) !== key.id) return fail(`The public key of ${keyId} does not have that name.`);
    const known = trusted?.find((entry) => entry.id === keyId && entry.publicKey === key.publicKey);
    if (trusted && known === undefined) return fail(`${keyId} is not among the trusted keys.`);
    // The times that came with the proof are not signed; those of a trusted key are better.
    const { createdAt, retiredAt } = known ?? key;
    if (at < createdAt) return fail(`${keyId} signed before it was made.`);
    if (retiredAt !== null && at > retiredAt) return fail(`${keyId} signed after it was retired.`);
  }
  if (!trusted) return notChecked("No trusted keys were given; the keys are those that came with the proof.");
  return pass("The keys are trusted and were in use when they signed.");
}

/** The leaf must be under the checkpoint's root, and the checkpoint signed. */
export function checkInclusion(
  { record, checkpoint, inclusionPath, keys, origin }: ProofBundle,
  check: SignatureCheck,
): Verdict {
  const key = keys.find((entry) => entry.id === checkpoint.keyId);
  if (!key || !verifyCheckpoint(origin, checkpoint, key.publicKey, check)) {
    return fail("The checkpoint's signature does not verify.");
  }
  const { treeSize, rootHash } = checkpoint;
  if (!verifyInclusion(record.leafHash, record.leafIndex, treeSize, inclusionPath, rootHash)) {
    return fail(`The leaf is not at position ${record.leafIndex} of the log of ${treeSize} entries.`);
  }
  return pass(
    `Entry ${record.leafIndex} of ${treeSize}, under a checkpoint signed at ${checkpoint.createdAt}.`,
  );
}

/** What the leaf with this text says beside its digest. */
export function predicateIn(body: string): JsonObject {
  const predicate = parsedObject(body)?.["predicate"];
  return isParsedObject(predicate) ? predicate : {};
}
