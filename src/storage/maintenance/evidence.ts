import { digestOf } from "../../kernel/canonical-json.ts";
import { isObject, parsedJson } from "../../kernel/json.ts";
import type { SigningKeyRecord } from "../../ports/records.ts";
import { verifyCheckpoint } from "../../provenance/checkpoint.ts";
import type { HmacKey } from "../../provenance/hmac.ts";
import { isSalted, publishedDigest } from "../../provenance/leaf.ts";
import { originOf } from "../../provenance/log-writer.ts";
import { appendLeaves, EMPTY_FRONTIER, rootOf } from "../../provenance/merkle.ts";
import { leafHashOf } from "../../provenance/merkle-proof.ts";
import { saltSecretOf, verifySignature } from "../../provenance/signing.ts";
import { approvalDigest, runDigest, stepDigest } from "../../provenance/subjects.ts";
import { bodyIn, PROVENANCE_CHECKPOINTS, SIGNING_KEYS } from "../records/provenance.ts";
import { int, object, optJson, optObject, optText, oneOf, text } from "../rows.ts";
import { APPROVAL_STATES, RUN_STATES, STEP_STATES } from "../../model/states.ts";
import type { Row } from "../sql.ts";
import type { Session } from "./session.ts";

/*
 * A database file has no checksum of its own content. What is stored is therefore compared with the digests that were
 * computed when it was written: of documents, packets and contents, and of runs, steps and decisions in the log.
 */

/** Called with each problem, in one line. */
type Report = (problem: string) => void;

/** Content that is stored beside its digest; a part that the digest leaves out is named. */
const CONTENTS: readonly (readonly [
  table: string,
  key: string,
  column: string,
  digest: string,
  without: string,
])[] = [
  ["documents", "digest", "document", "digest", "ui"],
  ["workflows", "id", "document", "digest", "ui"],
  ["workflow_versions", "workflow_id", "document", "digest", "ui"],
  ["artifact_versions", "id", "content", "digest", ""],
  ["handoffs", "id", "packet", "packet_digest", "trace"],
  ["policy_revisions", "changed_by", "policy", "digest", ""],
];

const NEWEST_RECORD = `NOT EXISTS (SELECT 1 FROM provenance_records q WHERE q.run_id = p.run_id AND q.kind = p.kind
  AND q.subject_id = p.subject_id AND q.id > p.id)`;
const RECORD = "p.id AS record_id, p.privacy, p.digest AS recorded";
const STEPS = `SELECT s.*, ${RECORD} FROM steps s JOIN provenance_records p ON p.run_id = s.run_id AND p.kind = 'step'
  AND p.subject_id = s.run_id || '/' || s.step_id
  WHERE s.state IN ('succeeded', 'failed', 'skipped', 'cancelled') AND ${NEWEST_RECORD}`;
const RUNS = `SELECT r.*, ${RECORD} FROM runs r JOIN provenance_records p ON p.run_id = r.id AND p.kind = 'run'
  AND p.subject_id = r.id WHERE r.finished_at IS NOT NULL AND r.details_removed_at IS NULL AND ${NEWEST_RECORD}`;
const APPROVALS = `SELECT a.*, ${RECORD} FROM approvals a JOIN provenance_records p ON p.run_id = a.run_id
  AND p.kind = 'approval' AND p.subject_id = a.id WHERE a.state <> 'pending' AND ${NEWEST_RECORD}`;
const LEAVES = `SELECT p.*, c.root_hash
  FROM provenance_records p LEFT JOIN provenance_checkpoints c ON c.tree_size = p.leaf_index + 1
  WHERE p.leaf_index IS NOT NULL ORDER BY p.leaf_index`;
const NODE = "SELECT hash FROM provenance_nodes WHERE level = ? AND node_index = ?";
const NEWEST_CHECKPOINT = "SELECT * FROM provenance_checkpoints ORDER BY tree_size DESC LIMIT 1";
const KEYS = "SELECT * FROM signing_keys ORDER BY created_at, coalesce(retired_at, '9999'), id";

/** Compares everything that has a digest with it, and the log with itself; gives what was looked at. */
export async function checkEvidence(session: Session, report: Report): Promise<readonly string[]> {
  await session.begin("read");
  try {
    for (const content of CONTENTS) await checkContent(session, content, report);
    const keys = (await session.all(KEYS)).map(SIGNING_KEYS.read);
    await checkTree(session, report);
    await checkSignature(session, keys, report);
    const [first] = keys;
    if (first !== undefined) await checkSubjects(session, saltSecretOf(first), report);
  } finally {
    await session.commit();
  }
  return [
    "contents match their digests",
    "the provenance log matches its hashes, its checkpoints and its signature",
    "runs, steps and decisions match what the log says of them",
  ];
}

async function checkContent(
  session: Session,
  [table, key, column, digest, without]: (typeof CONTENTS)[number],
  report: Report,
): Promise<void> {
  for await (const row of session.each(
    `SELECT ${key} AS key, ${column} AS content, ${digest} AS digest FROM ${table}`,
  )) {
    const content = parsedJson(String(row["content"]));
    if (isObject(content)) {
      const { [without]: _left, ...rest } = content;
      if (digestOf(rest) === row["digest"]) continue;
    }
    report(`${table} ${String(row["key"])}: ${column} does not match its digest`);
  }
}

/** Hashes every leaf again and builds the tree above them again. */
async function checkTree(session: Session, report: Report): Promise<void> {
  let frontier = EMPTY_FRONTIER;
  for await (const row of session.each(LEAVES)) {
    const id = text(row, "id");
    const body = bodyIn(row);
    const hash = text(row, "leaf_hash");
    const leaf = parsedJson(body);
    if (leafHashOf(body) !== hash) report(`provenance record ${id}: its body does not match its hash`);
    const fits =
      isObject(leaf) &&
      leaf["id"] === id &&
      leaf["kind"] === row["kind"] &&
      leaf["subjectId"] === row["subject_id"] &&
      leaf["digest"] === row["digest"];
    if (!fits) report(`provenance record ${id}: its columns are not what its body says`);
    const next = appendLeaves(frontier, [leafHashOf(body)]);
    frontier = next.frontier;
    for (const { level, index, hash: node } of next.completed) {
      const [stored] = await session.all(NODE, [level, index]);
      if (stored?.["hash"] !== node)
        report(`provenance node ${level}/${index} does not match the leaves below it`);
    }
    const root = optText(row, "root_hash");
    if (root !== null && rootOf(frontier) !== root)
      report(`the checkpoint at ${frontier.size} does not match the log`);
  }
}

async function checkSignature(
  session: Session,
  keys: readonly SigningKeyRecord[],
  report: Report,
): Promise<void> {
  const [row] = await session.all(NEWEST_CHECKPOINT);
  if (row === undefined) return;
  const checkpoint = PROVENANCE_CHECKPOINTS.read(row);
  const key = keys.find(({ id }) => id === checkpoint.keyId);
  if (key === undefined || !verifyCheckpoint(originOf(keys), checkpoint, key.publicKey, verifySignature)) {
    report(`the signature of the checkpoint at ${checkpoint.treeSize} does not hold`);
  }
}

async function checkSubjects(session: Session, secret: HmacKey, report: Report): Promise<void> {
  const check = async (
    sql: string,
    kind: string,
    name: (row: Row) => string,
    digest: (row: Row) => string,
  ): Promise<void> => {
    for await (const row of session.each(sql)) {
      const runId = text(row, kind === "run" ? "id" : "run_id");
      const salted = isSalted({ digest: text(row, "recorded") });
      const record = { id: text(row, "record_id"), kind, runId, isSalted: salted };
      if (publishedDigest(secret, record, computed(digest, row)) !== row["recorded"]) {
        report(`${kind} ${name(row)} is not what the provenance log says of it`);
      }
    }
  };
  await check(
    STEPS,
    "step",
    (row) => `${text(row, "run_id")}/${text(row, "step_id")}`,
    (row) =>
      stepDigest({
        stepId: text(row, "step_id"),
        state: oneOf(row, "state", STEP_STATES),
        attempt: int(row, "attempt"),
        port: optText(row, "port"),
        input: optJson(row, "input"),
        output: optJson(row, "output"),
      }),
  );
  await check(
    RUNS,
    "run",
    (row) => text(row, "id"),
    (row) =>
      runDigest({
        id: text(row, "id"),
        documentDigest: text(row, "document_digest"),
        inputs: object(row, "inputs"),
        kind: oneOf(row, "kind", ["run", "dry_run"]),
        outputs: optJson(row, "outputs"),
        state: oneOf(row, "state", RUN_STATES),
      }),
  );
  await check(
    APPROVALS,
    "approval",
    (row) => text(row, "id"),
    (row) =>
      approvalDigest({
        id: text(row, "id"),
        runId: text(row, "run_id"),
        stepId: text(row, "step_id"),
        state: oneOf(row, "state", APPROVAL_STATES),
        shownDigest: text(row, "shown_digest"),
        decidedBy: optText(row, "decided_by"),
        decidedAt: optText(row, "decided_at"),
        reason: optText(row, "reason"),
        values: optObject(row, "answers"),
      }),
  );
}

/** A digest of what is stored; text that is no JSON any more has one that fits nothing. */
function computed(digest: (row: Row) => string, row: Row): string {
  try {
    return digest(row);
  } catch {
    return "unreadable";
  }
}
