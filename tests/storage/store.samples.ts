import { digestOf } from "../../src/kernel/canonical-json.ts";
import { newId } from "../../src/kernel/ids.ts";
import type { DecisionProof } from "../../src/kernel/webauthn.ts";
import type {
  ApprovalRecord,
  ArtifactRecord,
  DeliveryRecord,
  HandoffRecord,
  ProvenanceRecord,
  RunRecord,
  StepRecord,
  WebhookRecord,
  WorkflowRecord,
} from "../../src/ports/records.ts";

/** The document that samples run, and its digest. */
export const DOCUMENT = { nodes: [] };
export const DIGEST = digestOf(DOCUMENT);
/** The time all samples were made. */
export const AT = "2026-01-02T03:04:05.678Z";

/** A workflow, with whatever a test wants different. */
export function sampleWorkflow(change: Partial<WorkflowRecord> = {}): WorkflowRecord {
  return {
    id: newId("workflow"),
    name: "A workflow",
    description: "",
    tags: ["a", "b"],
    status: "draft",
    visibility: "private",
    owner: null,
    revision: 1,
    document: DOCUMENT,
    digest: DIGEST,
    publishedVersion: null,
    publishedTexts: null,
    createdBy: "person_1",
    createdAt: AT,
    updatedBy: "key_1",
    updatedAt: AT,
    ...change,
  };
}

/** A run pinned to `DIGEST`. */
export function sampleRun(change: Partial<RunRecord> = {}): RunRecord {
  return {
    id: newId("run"),
    workflowId: null,
    workflowVersion: null,
    documentDigest: DIGEST,
    kind: "run",
    state: "queued",
    visibility: "private",
    inputs: { url: "https://example.org" },
    outputs: null,
    error: null,
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: "b7ad6b7169203331",
    parentSpanId: null,
    epoch: 0,
    worker: null,
    wakeAt: null,
    startedBy: "key_x",
    scopes: ["run"],
    actsFor: "key_1",
    actsVia: null,
    parentRunId: null,
    parentStepId: null,
    handoffId: null,
    resolved: {
      workflows: { "workflow_x@newest": { version: 2, digest: DIGEST } },
      definitions: { "a:b": null },
    },
    repairs: [],
    createdAt: AT,
    startedAt: null,
    finishedAt: null,
    detailsRemovedAt: null,
    ...change,
  };
}

/** A step of a run. */
export function sampleStep(runId: string, change: Partial<StepRecord> = {}): StepRecord {
  return {
    runId,
    stepId: "fetch",
    state: "succeeded",
    attempt: 1,
    port: "success",
    input: { q: 1 },
    output: [1, "two", null],
    error: null,
    idempotencyKey: null,
    wakeAt: null,
    startedAt: AT,
    finishedAt: AT,
    ...change,
  };
}

/** A passkey's signature; it signs nothing. */
export const PROOF: DecisionProof = {
  credentialId: "Y3JlZA",
  publicKey: "AA==",
  rpId: "localhost",
  origin: "http://localhost:8080",
  authenticatorData: "YQ",
  clientDataJSON: "Yg",
  signature: "Yw",
  said: "hmac-sha256:00",
};

/** An approval that nobody has decided. */
export function sampleApproval(runId: string, change: Partial<ApprovalRecord> = {}): ApprovalRecord {
  return {
    id: newId("approval"),
    runId,
    stepId: "ask",
    state: "pending",
    title: "May it go on?",
    shown: { amount: 3 },
    shownDigest: DIGEST,
    formSchema: null,
    approvers: [],
    required: 1,
    stepUp: false,
    delegations: [],
    claimedBy: null,
    dueAt: null,
    expiresAt: null,
    createdAt: AT,
    decidedAt: null,
    decidedBy: null,
    decidedVia: null,
    reason: null,
    values: null,
    ...change,
  };
}

/** Version 1 of an artifact. */
export function sampleArtifact(change: Partial<ArtifactRecord> = {}): ArtifactRecord {
  const content = change.content ?? { text: "hello" };
  return {
    id: newId("artifact"),
    title: "An artifact",
    type: "note",
    privacy: "internal",
    version: 1,
    digest: digestOf(content),
    content,
    createdBy: "key_1",
    createdAt: AT,
    updatedAt: AT,
    deletedAt: null,
    ...change,
  };
}

const PACKET = { schemaVersion: "suite.handoff.v1" };

/** An accepted packet. */
export function sampleHandoff(change: Partial<HandoffRecord> = {}): HandoffRecord {
  return {
    id: newId("delegation"),
    direction: "in",
    peer: "sandbox",
    capability: "execute",
    packet: PACKET,
    packetDigest: digestOf(PACKET),
    state: "accepted",
    attempts: 0,
    nextAttemptAt: null,
    resultRef: null,
    outputArtifactIds: [],
    evidence: null,
    runId: null,
    createdBy: "key_1",
    createdAt: AT,
    updatedAt: AT,
    ...change,
  };
}

/** A leaf of the provenance log. */
export function sampleLeaf(
  leafIndex: number | null,
  change: Partial<ProvenanceRecord> = {},
): ProvenanceRecord {
  return {
    id: newId("prov"),
    leafIndex,
    kind: "step",
    subjectId: "run_1/fetch",
    runId: "run_1",
    digest: DIGEST,
    lookupKey: DIGEST,
    privacy: "internal",
    body: '{"a":1}',
    leafHash: `hash-${leafIndex}`,
    createdAt: AT,
    ...change,
  };
}

/** A webhook for every event. */
export function sampleWebhook(change: Partial<WebhookRecord> = {}): WebhookRecord {
  return {
    id: newId("webhook"),
    url: "https://example.org/hook",
    types: ["*"],
    secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    state: "active",
    createdAt: AT,
    ...change,
  };
}

/** A delivery that is due. */
export function sampleDelivery(
  webhookId: string,
  sequence: number,
  change: Partial<DeliveryRecord> = {},
): DeliveryRecord {
  return {
    id: newId("delivery"),
    webhookId,
    sequence,
    subject: "run_1",
    state: "pending",
    attempts: 0,
    nextAttemptAt: AT,
    lastError: null,
    createdAt: AT,
    deliveredAt: null,
    ...change,
  };
}

/** A store's surroundings in tests: the real clock, and a log that says nothing. */
export const quiet = {
  clock: { now: () => Date.now() },
  log: { debug() {}, info() {}, warn() {}, error() {} },
};
