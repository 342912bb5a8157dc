import { parsedObject } from "../kernel/json.ts";
import { sealEnvelope } from "./dsse.ts";
import {
  checkDigest,
  checkInclusion,
  statedIn,
  verifyProof,
  type ProofBundle,
  type Trust,
  type Verdicts,
} from "./proof.ts";
import type { Signer } from "./signatures.ts";
import { verifySignature } from "./signing.ts";
import { isExchanged, statementOf } from "./statement.ts";

/** Checks a proof bundle with Node's crypto. */
export function verifyBundle(bundle: ProofBundle, trust: Trust = {}): Verdicts {
  return verifyProof(bundle, trust, verifySignature);
}

/**
 * The same with a signed statement, where records of its kind go with one. It is signed when the record is taken
 * away, and only if the log proves it: the statement follows from the leaf, and so do its bytes from statement and key.
 */
export function sealed(bundle: ProofBundle, signer: Signer): ProofBundle {
  const { record } = bundle;
  if (record.envelope !== null || !isExchanged(record.kind)) return bundle;
  const stated = statedIn(parsedObject(record.body));
  const proved = [checkDigest(record, {}), checkInclusion(bundle, verifySignature)].every(
    ({ verdict }) => verdict === "pass",
  );
  if (stated === null || !proved) return bundle;
  return { ...bundle, record: { ...record, envelope: sealEnvelope(statementOf(stated), signer) } };
}
