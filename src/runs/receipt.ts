import { AppError } from "../kernel/errors.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { ReceiptView } from "../model/provenance.ts";
import { allows, requireScope, type Caller } from "../ports/caller.ts";
import type { ApprovalRecord, ProvenanceRecord, RunRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { isForStrangers } from "../provenance/leaf.ts";
import { isProof } from "../provenance/proof-shape.ts";
import { predicateIn, type ProofBundle } from "../provenance/proof.ts";
import { approvalParts, runParts, stepParts } from "../provenance/subjects.ts";
import { seenRun } from "../approvals/access-level.ts";

/** Records in one receipt at most. */
const MOST_RECORDS = 2_000;
const PAGE = 100;

/**
 * What a person takes away from an ended run: its records with their proofs and, if wanted, what they speak of. A
 * caller who may not read private records gets those that are public.
 */
export async function runReceipt(
  services: Services,
  id: string,
  withContent: boolean,
  caller: Caller,
): Promise<ReceiptView> {
  const { run } = await seenRun(services, id, caller);
  if (run.visibility !== "public" || withContent) requireScope(caller, "read-private");
  if (withContent && run.detailsRemovedAt !== null) {
    throw new AppError(
      "conflict",
      `The values of this run were removed on ${run.detailsRemovedAt}, as the retention rules say.`,
      { nextAction: "Ask for the receipt without content: its records and proofs are still there." },
    );
  }
  const records = (await recordsOf(services, id)).filter(
    (record) => isForStrangers(record) || allows(caller, "read-private"),
  );
  if (!records.some(({ kind }) => kind === "run")) {
    throw new AppError("conflict", "The run has not ended, so nothing proves yet how it ended.", {
      nextAction: "Ask again when the run has ended. Dry runs leave no records.",
    });
  }
  const contents = withContent ? await contentsOf(services, run) : new Map<string, Json>();
  return assemble(services, run, records, contents);
}

async function assemble(
  services: Services,
  run: RunRecord,
  records: readonly ProvenanceRecord[],
  contents: ReadonlyMap<string, Json>,
): Promise<ReceiptView> {
  const checkpoints: ProofBundle["checkpoint"][] = [];
  const entries: ReceiptView["entries"][number][] = [];
  const newest = new Map(records.map((record) => [subjectOf(record), record.id]));
  let last: ProofBundle | null = null;
  // The newest first: the checkpoint that covers it covers all.
  for (const record of records.toReversed()) {
    const proof = await services.provenance.prove(record.id);
    if (!isProof(proof)) throw new Error(`the record ${record.id} has no proof`);
    last = proof;
    let place = checkpoints.findIndex(({ treeSize }) => treeSize === proof.checkpoint.treeSize);
    if (place === -1) place = checkpoints.push(proof.checkpoint) - 1;
    // A step that ran again has a record for each time; what is stored is what the newest speaks of.
    const isNewest = newest.get(subjectOf(record)) === record.id;
    const content = isNewest ? (contents.get(subjectOf(record)) ?? null) : null;
    const disclosure = content === null ? null : await services.provenance.disclose(record);
    const salt = disclosure?.["salt"];
    entries.unshift({
      record: proof.record,
      inclusionPath: proof.inclusionPath,
      checkpoint: place,
      content,
      salt: typeof salt === "string" ? salt : null,
      ...(content !== null && (await saidSaltOf(services, record))),
    });
  }
  return {
    schemaVersion: "svc.run-receipt.v1",
    origin: last?.origin ?? "",
    runId: run.id,
    document: contents.size > 0 ? await meantBy(services, run) : null,
    checkpoints,
    keys: last?.keys ?? [],
    entries,
  };
}

/** What shows that a passkey signed the reason and the values of a decision. */
async function saidSaltOf(
  { provenance }: Services,
  { kind, subjectId, body }: ProvenanceRecord,
): Promise<{ readonly saidSalt?: string }> {
  const { stepUp, decidedBy } = predicateIn(body);
  if (kind !== "approval" || stepUp !== true || typeof decidedBy !== "string") return {};
  return { saidSalt: await provenance.saidSalt(subjectId, decidedBy) };
}

/** The document that ran, without where its steps stand on the canvas: its digest does not cover that. */
async function meantBy(services: Services, run: RunRecord): Promise<JsonObject | null> {
  const document = await services.store.read.runs.document(run.documentDigest);
  if (document === null) return null;
  const { ui: _positions, ...meant } = document;
  return meant;
}

function subjectOf({ kind, subjectId }: Pick<ProvenanceRecord, "kind" | "subjectId">): string {
  return `${kind} ${subjectId}`;
}

/** All records of a run, oldest first. */
async function recordsOf(services: Services, runId: string): Promise<readonly ProvenanceRecord[]> {
  const records: ProvenanceRecord[] = [];
  let cursor: string | null = null;
  do {
    const page: { items: readonly ProvenanceRecord[]; nextCursor: string | null } =
      await services.provenance.lookup({ runId }, { limit: PAGE, ...(cursor !== null && { cursor }) }, true);
    records.push(
      ...page.items.filter(({ kind }) => kind === "run" || kind === "step" || kind === "approval"),
    );
    cursor = page.nextCursor;
  } while (cursor !== null && records.length < MOST_RECORDS);
  return records.slice(0, MOST_RECORDS).toReversed();
}

/** What the records of a run speak of, by subject. */
async function contentsOf(services: Services, run: RunRecord): Promise<ReadonlyMap<string, Json>> {
  const { read } = services.store;
  const steps = await read.runs.steps(run.id);
  const approvals: readonly ApprovalRecord[] = (await read.approvals.list({ limit: PAGE }, { runId: run.id }))
    .items;
  return new Map<string, Json>([
    [subjectOf({ kind: "run", subjectId: run.id }), runParts(run)],
    ...steps.map((step): [string, Json] => [
      subjectOf({ kind: "step", subjectId: `${run.id}/${step.stepId}` }),
      stepParts(step),
    ]),
    ...approvals.map((approval): [string, Json] => [
      subjectOf({ kind: "approval", subjectId: approval.id }),
      approvalParts(approval),
    ]),
  ]);
}
