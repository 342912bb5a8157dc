import type {
  ApprovalState,
  ATTEMPT_STATES,
  HANDOFF_STATES,
  PrivacyClass,
  RunState,
  StepState,
} from "../model/states.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { DecidedVia, Delegation } from "./approvals.ts";
import type { Scope } from "./caller.ts";
import type { RunRepair } from "../model/repairs.ts";
import type { CredentialKind } from "../model/credentials.ts";
import type { DeliveryView } from "../model/webhooks.ts";

/*
 * Long on purpose: everything that is stored, record after record. Times are ISO 8601 UTC text, ids sort by time, JSON is kept as given.
 */

/** Who may see a record: everybody, or callers with a key. */
export type Visibility = "private" | "public";

/** What people call a workflow and find it by. */
export interface WorkflowTexts {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
}

/** A workflow as it is edited; published versions are separate and immutable. */
export interface WorkflowRecord extends WorkflowTexts {
  readonly id: string;
  readonly status: "draft" | "published" | "archived";
  readonly visibility: Visibility;
  /** What the maker declared; says nothing about who it was. */
  readonly owner: string | null;
  /** Grows with every change; an update names the revision it was made from. */
  readonly revision: number;
  /** The `suite.workflow.v1` document. */
  readonly document: JsonObject;
  readonly digest: string;
  readonly publishedVersion: number | null;
  /** What it was called when that version was published; null while that is what it is called now. */
  readonly publishedTexts: WorkflowTexts | null;
  /** The id of the caller who made it, and of the one who last changed it. */
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedBy: string;
  readonly updatedAt: string;
}

/** A published version. Never changes. */
export interface WorkflowVersionRecord {
  readonly workflowId: string;
  readonly version: number;
  /** What the workflow was called then. */
  readonly name: string | null;
  readonly digest: string;
  readonly document: JsonObject;
  readonly publishedAt: string;
  readonly publishedBy: string;
  /** The client or token, or the run, through which it was published; null for a browser and for keys. */
  readonly publishedVia: string | null;
}

/** What the steps of a run refer to, through all its subworkflows, as it was when the run started. Null: there was none. */
export type RunResolution = {
  /** By `id@version` or `id@newest`, as the step names it. */
  readonly workflows: Readonly<Record<string, { readonly version: number; readonly digest: string } | null>>;
  /** By `connection:name`: the digest of all that decides what a call does. */
  readonly definitions: Readonly<Record<string, string | null>>;
  /** The run began before this was kept, so it is what was there when it was opened again. */
  readonly late?: true;
};

/** One execution of a workflow, pinned to the digest of its document. */
export interface RunRecord {
  readonly id: string;
  readonly workflowId: string | null;
  readonly workflowVersion: number | null;
  readonly documentDigest: string;
  readonly kind: "run" | "dry_run";
  readonly state: RunState;
  readonly visibility: Visibility;
  readonly inputs: JsonObject;
  readonly outputs: Json | null;
  readonly error: JsonObject | null;
  readonly traceId: string;
  readonly spanId: string;
  /** The caller's span, or that of the step that started the run; null where there is none, and for runs of before. */
  readonly parentSpanId: string | null;
  /** Fencing token: a worker writes only with the epoch it claimed. */
  readonly epoch: number;
  /** The worker that has the run; null when none has it, and where there is only one process. */
  readonly worker: string | null;
  /** When a waiting run wants to be looked at again. */
  readonly wakeAt: string | null;
  readonly startedBy: string;
  /**
   * The scopes of who started it, or retried it since. Its steps act with those of them that are still held, and with no
   * others.
   */
  readonly scopes: readonly Scope[];
  /** Whose rights these are: who started it, or retried it last. */
  readonly actsFor: string;
  readonly actsVia: string | null;
  readonly parentRunId: string | null;
  readonly parentStepId: string | null;
  readonly handoffId: string | null;
  /** Null for a dry run, and for a run of an older release that was not opened since. */
  readonly resolved: RunResolution | null;
  /** What people changed so that it can go on, oldest first. */
  readonly repairs: readonly RunRepair[];
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** When retention removed its values, steps and approvals; null while they are there. */
  readonly detailsRemovedAt: string | null;
}

/** The checkpoint of one step. `stepId` is the node's id, with `[index]` for an item of a map. */
export interface StepRecord {
  readonly runId: string;
  readonly stepId: string;
  readonly state: StepState;
  readonly attempt: number;
  /** The port that was taken when the step ended. */
  readonly port: string | null;
  readonly input: Json | null;
  readonly output: Json | null;
  readonly error: JsonObject | null;
  readonly idempotencyKey: string | null;
  readonly wakeAt: string | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

/** One attempt at a step. */
export interface AttemptRecord {
  readonly runId: string;
  readonly stepId: string;
  readonly attempt: number;
  readonly state: (typeof ATTEMPT_STATES)[number];
  readonly spanId: string;
  readonly error: JsonObject | null;
  readonly startedAt: string;
  readonly finishedAt: string | null;
}

/** A person's decision that a run waits for, bound to the digest of exactly what was shown. */
export interface ApprovalRecord {
  readonly id: string;
  readonly runId: string;
  readonly stepId: string;
  readonly state: ApprovalState;
  readonly title: string;
  readonly shown: JsonObject;
  readonly shownDigest: string;
  readonly formSchema: JsonObject | null;
  /** Who may decide now: as the workflow says, changed by escalation and by admins. */
  readonly approvers: readonly string[];
  /** How many must approve; one rejection rejects. */
  readonly required: number;
  /** A person decides it with a passkey. */
  readonly stepUp: boolean;
  readonly delegations: readonly Delegation[];
  /** The person who works on it; others do not decide until it is released. */
  readonly claimedBy: string | null;
  readonly dueAt: string | null;
  readonly expiresAt: string | null;
  readonly createdAt: string;
  readonly decidedAt: string | null;
  readonly decidedBy: string | null;
  /** The credential that the decider used; null for a signed-in browser and before the decision. */
  readonly decidedVia: DecidedVia | null;
  readonly reason: string | null;
  readonly values: JsonObject | null;
}

/** A workflow template that was stored; built-in ones live in code. */
export interface TemplateRecord {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly document: JsonObject;
  readonly createdAt: string;
}

/** The newest version of a saved artifact, or its tombstone. */
export interface ArtifactRecord {
  readonly id: string;
  readonly title: string;
  readonly type: string;
  readonly privacy: PrivacyClass;
  readonly version: number;
  readonly digest: string;
  readonly content: JsonObject;
  /** The caller who saved it; null for one of a release that did not keep it. */
  readonly createdBy: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deletedAt: string | null;
}

/** A form that was rendered, named by the digest of its input. */
export interface RenderedFormRecord {
  readonly id: string;
  readonly title: string;
  readonly source: JsonObject;
  readonly form: JsonObject;
  readonly createdAt: string;
  readonly lastRenderedAt: string;
  readonly renderCount: number;
}

/** Where a handoff stands. `completed` needs a result reference; the database refuses it otherwise. */
export type HandoffState = (typeof HANDOFF_STATES)[number];

/** A packet received or sent. */
export interface HandoffRecord {
  readonly id: string;
  readonly direction: "in" | "out";
  readonly peer: string;
  readonly capability: string;
  readonly packet: JsonObject;
  readonly packetDigest: string;
  readonly state: HandoffState;
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  readonly resultRef: string | null;
  readonly outputArtifactIds: readonly string[];
  readonly evidence: JsonObject | null;
  readonly runId: string | null;
  /** The caller who sent it, or with whose key it was received; null for one of a release that did not keep it. */
  readonly createdBy: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A leaf of the provenance log. */
export interface ProvenanceRecord {
  readonly id: string;
  /** Position in the log, from 0; null while the record is committed but not in the log yet (pending). */
  readonly leafIndex: number | null;
  readonly kind: string;
  readonly subjectId: string;
  readonly runId: string | null;
  /** What is published: the subject's digest, or a salted one when the subject is not public. */
  readonly digest: string;
  /** What a lookup by hash compares: the digest itself, or a keyed one that only this service can compute. */
  readonly lookupKey: string;
  readonly privacy: PrivacyClass;
  /** The canonical JSON the leaf commits to. */
  readonly body: string;
  readonly leafHash: string;
  readonly createdAt: string;
}

/** A signed tree head. */
export interface CheckpointRecord {
  readonly treeSize: number;
  readonly rootHash: string;
  readonly keyId: string;
  readonly signature: string;
  readonly createdAt: string;
}

/** A signing key; the private part never leaves the database. */
export interface SigningKeyRecord {
  readonly id: string;
  readonly publicKey: string;
  readonly privateKey: string;
  readonly createdAt: string;
  readonly retiredAt: string | null;
}

/** An API key: only the digest of its secret is kept. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly name: string;
  readonly digest: string;
  readonly scopes: readonly Scope[];
  /** The id of the caller who made it; null where an older release did not note it. */
  readonly createdBy: string | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

/** An event of the outbox. `data` is what keyed callers see, `publicData` what everybody sees (null = keyed only). */
export interface EventRecord {
  /** Global sequence, without gaps that a reader could miss. */
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly traceparent: string | null;
  readonly data: JsonObject;
  readonly publicData: JsonObject | null;
  /** The run whose step made it; null when none did, and where the run that it is about says it itself. */
  readonly madeIn: string | null;
}

/** An event about to be written. */
export type NewEvent = Omit<EventRecord, "sequence" | "id" | "time">;

/** A webhook subscription. */
export interface WebhookRecord {
  readonly id: string;
  readonly url: string;
  readonly types: readonly string[];
  /** Newest first; the second one is still signed with during a rotation. */
  readonly secrets: readonly string[];
  readonly state: "active" | "paused";
  readonly createdAt: string;
}

/** One delivery of one event to one webhook. */
export type DeliveryRecord = DeliveryView;

/** A revision of the agent policy. */
export interface PolicyRevisionRecord {
  readonly revision: number;
  readonly policy: JsonObject;
  readonly digest: string;
  readonly changedBy: string;
  readonly createdAt: string;
}

/** The stored answer to a request that carried an idempotency key. */
export interface IdempotencyRecord {
  readonly scope: string;
  readonly key: string;
  readonly requestDigest: string;
  readonly answer: JsonObject;
  readonly createdAt: string;
}

/** A credential: what is public of it in clear, its secret only as ciphertext. */
export interface CredentialRecord {
  readonly name: string;
  /** The caller it belongs to; empty when everybody uses it. */
  readonly owner: string;
  readonly kind: CredentialKind;
  readonly hosts: readonly string[];
  /** What is not secret: where an API key goes, the grant and the addresses of OAuth. */
  readonly settings: JsonObject;
  readonly state: "ready" | "consent_required";
  /** Which master key wraps the data key. */
  readonly masterKeyId: string;
  readonly wrappedKey: string;
  readonly sealed: string;
  /** Grows with every change; an update names the revision it was made from. */
  readonly revision: number;
  /** When the access token was received and when it ends, where there is one. */
  readonly tokenIssuedAt: string | null;
  readonly tokenExpiresAt: string | null;
  /** The process that fetches a new token at this moment, and until when the others wait for it. */
  readonly leaseBy: string | null;
  readonly leaseUntil: string | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A sign-in that waits for the browser to come back; its code verifier is sealed. */
export interface OAuthFlowRecord {
  readonly stateDigest: string;
  readonly name: string;
  readonly owner: string;
  readonly masterKeyId: string;
  readonly wrappedKey: string;
  readonly sealed: string;
  readonly startedBy: string;
  readonly expiresAt: string;
}
