import { Type } from "typebox";
import { AppError } from "../kernel/errors.ts";
import { allows, type Caller } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import { toolList, type Tool } from "../ports/operations.ts";
import type { ProvenanceQuery } from "../ports/provenance.ts";
import type { ProvenanceRecord } from "../ports/records.ts";
import { DOCUMENT_LOCATIONS } from "../discovery/locations.ts";
import { isForStrangers, isSalted } from "../provenance/leaf.ts";
import { anchorEligibility, recordFingerprint, surfaceFingerprints } from "../provenance/fingerprints.ts";
import { needed } from "./rules.ts";
import { inputOf, NEXT_CURSOR } from "../model/common.ts";
import {
  DisclosureView,
  FingerprintView,
  LogView,
  ProvenanceRecordView,
  VerificationView,
} from "../model/provenance.ts";
import { pageOf } from "./shapes.ts";

const { defineTool, declared } = toolList();

defineTool({
  name: "list_svc_fingerprints",
  title: "List fingerprints",
  description:
    "Lists digests that are safe to publish: of the registry and the discovery documents as they are now, and of the newest provenance records, each with its privacy class and whether it may be anchored elsewhere, with reasons. Nothing is called anchored without an external receipt.",
  input: inputOf({}),
  output: Type.Object({
    fingerprints: Type.Array(FingerprintView),
    nextCursor: NEXT_CURSOR,
    log: LogView,
  }),
  access: "public",
  effect: "none",
  run: async (_args, { services, context: { meta } }) => {
    const surface = await surfaceFingerprints(
      services,
      DOCUMENT_LOCATIONS.map((location) => location.path),
    );
    const recent = await services.provenance.lookup({}, pageOf(meta, 20), false);
    return {
      fingerprints: [...surface, ...recent.items.map(recordFingerprint)],
      nextCursor: recent.nextCursor,
      log: await services.provenance.describe(),
    };
  },
});

const lookupInput = inputOf({
  url: Type.Optional(
    Type.String({ description: "The address of a discovery document of this service, or its path." }),
  ),
  hash: Type.Optional(
    Type.String({
      description:
        "A SHA-256 digest of content, a published digest or a leaf hash; `sha256:` may be left out. Steps are found through their run.",
    }),
  ),
  recordId: Type.Optional(Type.String({ description: "The id of a provenance record." })),
  workflowId: Type.Optional(Type.String({ description: "The id of a workflow." })),
  runId: Type.Optional(
    Type.String({ description: "The id of a run; its steps and approvals are found too." }),
  ),
  artifactId: Type.Optional(Type.String({ description: "The id of a saved artifact." })),
  delegationId: Type.Optional(Type.String({ description: "The id of a handoff packet." })),
  formId: Type.Optional(Type.String({ description: "The id of a rendered form." })),
});

defineTool({
  name: "lookup_svc_provenance",
  title: "Look up provenance",
  description:
    "Finds provenance records of a workflow, run, artifact, handoff, form, address, record id or hash; several conditions narrow the search. Records that are not public show only their digest, place in the log and privacy class without a key that may read private records. Signed statements and proofs: verify_svc_provenance.",
  input: lookupInput,
  output: Type.Object({
    query: lookupInput,
    records: Type.Array(ProvenanceRecordView),
    nextCursor: NEXT_CURSOR,
    found: Type.Boolean(),
  }),
  access: "public",
  effect: "none",
  run: async (args, { context }) => {
    const { url, hash, recordId, runId, workflowId, artifactId, delegationId, formId } = args;
    const address = url?.startsWith("/") ? `${context.services.settings.baseUrl}${url}` : url;
    const subjects = [address, workflowId, artifactId, delegationId, formId].filter(
      (subject) => subject !== undefined,
    );
    if (subjects.length > 1) {
      throw new AppError(
        "invalid_input",
        "A record has one subject; give one of url, workflowId, artifactId, delegationId, formId.",
        {
          nextAction: "Look the subjects up one by one.",
        },
      );
    }
    const [subjectId] = subjects;
    const query: ProvenanceQuery = {
      ...(recordId !== undefined && { recordId }),
      ...(hash !== undefined && { hash }),
      ...(runId !== undefined && { runId }),
      ...(subjectId !== undefined && { subjectId }),
    };
    const keyed = allows(context.caller, "read-private");
    // A record found by its subject would tell that a private subject exists; who has its id or hash has seen it.
    const bySubject = (subjectId ?? runId) !== undefined && recordId === undefined && hash === undefined;
    const page = await context.services.provenance.lookup(query, pageOf(context.meta), keyed);
    return {
      query: { ...args },
      records: page.items
        .filter((record) => !bySubject || mayRead(record, context.caller))
        .map((record) => recordView(record, context.caller)),
      nextCursor: page.nextCursor,
      found: page.items.some((record) => !bySubject || mayRead(record, context.caller)),
    };
  },
});

defineTool({
  name: "verify_svc_provenance",
  title: "Verify provenance",
  description:
    "Verifies one provenance record by id or hash and answers with separate verdicts: digest, signature, key, inclusion in the log, anchor; each pass, fail or not_checked with the reason. The proof itself comes along so that anybody can check it offline (suitectl provenance verify FILE).",
  examples: [{ recordId: "record_1" }],
  input: inputOf({
    recordId: Type.Optional(
      Type.String({ description: "The id of the record, as lookup_svc_provenance shows it." }),
    ),
    hash: Type.Optional(
      Type.String({ description: "A digest or leaf hash of the record, when the id is not known." }),
    ),
  }),
  output: Type.Object({
    ...VerificationView.properties,
    record: ProvenanceRecordView,
    proof: Type.Union([VerificationView.properties.proof, Type.Null()]),
    disclosure: Type.Optional(DisclosureView),
    proofNote: Type.Optional(Type.String({ description: "Why the proof is not shown." })),
  }),
  access: "public",
  effect: "none",
  rules: ({ recordId, hash }) =>
    hash === undefined
      ? needed("recordId", recordId, "the id of a record (lookup_svc_provenance finds it), or `hash`")
      : [],
  run: async ({ recordId, hash }, { context }) => {
    const record = await wanted(recordId, hash, context);
    const { verified, verdicts, proof } = await context.services.provenance.verify(record);
    const shown = mayRead(record, context.caller);
    return {
      verified,
      verdicts,
      record: recordView(record, context.caller),
      proof: shown ? proof : null,
      ...(shown && (!isSalted(record) || allows(context.caller, "read-private"))
        ? { disclosure: await context.services.provenance.disclose(record) }
        : {
            proofNote:
              "The proof of a record that is not public is given to callers whose key may read private records.",
          }),
    };
  },
});

async function wanted(
  recordId: string | undefined,
  hash: string | undefined,
  context: CallContext,
): Promise<ProvenanceRecord> {
  const query = { ...(recordId !== undefined && { recordId }), ...(hash !== undefined && { hash }) };
  const keyed = allows(context.caller, "read-private");
  const page = await context.services.provenance.lookup(query, { limit: 1 }, keyed);
  const [record] = page.items;
  if (!record) throw new AppError("not_found", "No provenance record matches.");
  return record;
}

function mayRead(record: ProvenanceRecord, caller: Caller): boolean {
  return isForStrangers(record) || allows(caller, "read-private");
}

/** What a caller may see of a record. */
function recordView(record: ProvenanceRecord, caller: Caller) {
  const safe = {
    recordId: record.id,
    kind: record.kind,
    privacy: record.privacy,
    digest: record.digest,
    // Committed, but not in the log yet: for less than a second, and on PostgreSQL only.
    status: record.leafIndex === null ? ("pending" as const) : ("logged" as const),
    leafIndex: record.leafIndex,
    leafHash: record.leafHash,
    recordedAt: record.createdAt,
    anchor: anchorEligibility(record.privacy, record.digest),
  };
  if (!mayRead(record, caller)) return safe;
  return {
    ...safe,
    subjectId: record.subjectId,
    runId: record.runId,
    body: record.body,
  };
}

/** The tools of this domain. */
export const provenanceTools: readonly Tool[] = declared;
