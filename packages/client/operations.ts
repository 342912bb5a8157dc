// Generated from the operations by `npm run generate`, long because it has all of them. Do not edit.

/** Any value that JSON text can hold. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object whose members its owner chose. */
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** A right that a key or a role holds. */
export type Scope = "admin" | "run" | "approve" | "handoff" | "read-private" | "write";

/** An API key without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

/** Who a request comes from, and what it may do. */
export interface Me {
  readonly kind: "anonymous" | "key" | "person" | "token" | "oauth" | "system";
  readonly name: string | null;
  readonly scopes: readonly Scope[];
  readonly expiresAt: string | null;
}

/** Who decides approvals while a person is out of office. */
export interface Absence {
  readonly absence: {
    readonly substitute: {
      readonly id: string;
      readonly name: string;
    };
    /** A time, as ISO 8601. */
    readonly from: string;
    /** A time, as ISO 8601. */
    readonly until: string;
    readonly isNow: boolean;
  } | null;
  readonly substituteFor: readonly {
    readonly id: string;
    readonly name: string;
    /** A time, as ISO 8601. */
    readonly until: string;
  }[];
}

/** How a person gets mail about approvals. */
export interface NotificationChoice {
  readonly mail: "immediate" | "digest" | "off";
  /** Whether the operator configured a mail server. */
  readonly isMailConfigured: boolean;
}

/** A webhook that is notified of approvals of a person or a group. */
export interface NotificationTarget {
  readonly id: string;
  /** person: with an id, or group: with a name. */
  readonly owner: string;
  readonly url: string;
  readonly createdBy: string;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
}

/** Who did what when. */
export interface AuditEntry {
  readonly id: string;
  /** A time, as ISO 8601. */
  readonly time: string;
  readonly actor: {
    readonly id: string;
    readonly kind: string;
    readonly name: string;
  };
  readonly action: string;
  /** The action in plain words. */
  readonly what: string;
  readonly subject: {
    readonly id: string;
    readonly name: string;
  };
  /** The name of the person whom it concerns beside the subject. */
  readonly whom?: string | undefined;
  /** What the action was about. */
  readonly detail: JsonObject;
  readonly provenanceId: string | null;
}

/** An address that gets events. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  /** Types of events; * stands for any. */
  readonly types: readonly string[];
  readonly state: "active" | "paused";
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  /** How many secrets sign a message: two during a rotation. */
  readonly signedWith: number;
}

/** One delivery of one event to one webhook. */
export interface Delivery {
  readonly id: string;
  readonly webhookId: string;
  /** The number of the event. */
  readonly sequence: number;
  readonly subject: string;
  /** Whether the event arrived; dead: it was given up. */
  readonly state: "pending" | "delivered" | "dead";
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  readonly lastError: string | null;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  readonly deliveredAt: string | null;
}

/** Where a handoff stands. */
export type HandoffState =
  | "preview_ready"
  | "ready"
  | "sending"
  | "accepted"
  | "completed"
  | "degraded"
  | "rejected";

/** A handoff: where it stands and what was confirmed. */
export interface Handoff {
  readonly schemaVersion: string;
  readonly id: string;
  readonly direction: "in" | "out";
  /** The service of the suite that it came from or goes to. */
  readonly peer: string;
  readonly capability: string;
  readonly intent: Json;
  /** Where a handoff stands. */
  readonly status: HandoffState;
  readonly dryRun: boolean;
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  readonly resultRef: string | null;
  readonly outputArtifactIds: readonly string[];
  readonly confirmation: {
    readonly required: boolean;
    readonly received: boolean;
    readonly source: string | null;
  };
  readonly evidence: JsonObject | null;
  readonly runId: string | null;
  readonly packetDigest: string;
  readonly statusUrl: string;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  /** A time, as ISO 8601. */
  readonly updatedAt: string;
}

/** A handoff with its packet. */
export interface HandoffDetail {
  readonly schemaVersion: string;
  readonly id: string;
  readonly direction: "in" | "out";
  /** The service of the suite that it came from or goes to. */
  readonly peer: string;
  readonly capability: string;
  readonly intent: Json;
  /** Where a handoff stands. */
  readonly status: HandoffState;
  readonly dryRun: boolean;
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  readonly resultRef: string | null;
  readonly outputArtifactIds: readonly string[];
  readonly confirmation: {
    readonly required: boolean;
    readonly received: boolean;
    readonly source: string | null;
  };
  readonly evidence: JsonObject | null;
  readonly runId: string | null;
  readonly packetDigest: string;
  readonly statusUrl: string;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  /** A time, as ISO 8601. */
  readonly updatedAt: string;
  readonly packet: JsonObject;
}

/** Where a run stands. */
export type RunState =
  | "queued"
  | "running"
  | "waiting"
  | "cancelling"
  | "succeeded"
  | "failed"
  | "timed_out"
  | "cancelled";

/** Who sees a record: everybody, or callers with a key. */
export type Visibility = "private" | "public";

/** A step whose effect outside of this service nobody has confirmed. */
export interface UnconfirmedStep {
  readonly stepId: string;
  readonly reason: string;
  /** True when an answer shows that the other service has it. */
  readonly sent: boolean;
}

/** Why something failed. Some codes have more members. */
export interface Failure {
  readonly code: string;
  readonly message?: string | undefined;
  /** What to do about it. */
  readonly nextAction?: string | undefined;
  /** What is wrong with the input, each at its place. */
  readonly problems?:
    | readonly {
        readonly pointer: string;
        readonly message: string;
        readonly [name: string]: Json | undefined;
      }[]
    | undefined;
  /** What a connected server wrote about it: data, never instructions. */
  readonly upstream?:
    | {
        readonly from: string;
        readonly note: string;
        readonly text: string;
      }
    | undefined;
  readonly [name: string]: Json | undefined;
}

/** A run as a list shows it. */
export interface Run {
  readonly id: string;
  readonly workflowId: string | null;
  readonly workflowVersion: number | null;
  /** What the workflow was called in the version that runs. */
  readonly workflowName: string | null;
  readonly documentDigest: string | null;
  readonly kind: "run" | "dry_run";
  /** Where a run stands. */
  readonly status: RunState;
  /** Who sees a record: everybody, or callers with a key. */
  readonly visibility: Visibility;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly wakeAt: string | null;
  /** When retention removed its values, steps and approvals. */
  readonly detailsRemovedAt?: string | undefined;
  readonly traceId: string;
  /** Where the trace of the run can be read. */
  readonly traceUrl: string;
  /** True when the run succeeded and every step that changes something outside has a confirmed reference. */
  readonly resultConfirmed: boolean;
  /** The first 100 of them. */
  readonly unconfirmedSteps: readonly UnconfirmedStep[];
  /** Not shown to strangers. */
  readonly startedBy?: string | undefined;
  readonly error?: Failure | null | undefined;
  readonly parentRunId?: string | null | undefined;
}

/** What the steps of a run refer to, as it was when the run started; null where there was nothing. */
export interface RunResolution {
  readonly workflows: {
    readonly [name: string]: {
      readonly version: number;
      readonly digest: string;
    } | null;
  };
  readonly definitions: { readonly [name: string]: string | null };
  /** The run began before this was kept, so it is what was there later. */
  readonly late?: boolean | undefined;
}

/** Where a step of a run stands. */
export type StepState =
  | "pending"
  | "ready"
  | "running"
  | "backoff"
  | "waiting"
  | "succeeded"
  | "failed"
  | "skipped"
  | "cancelled"
  | "outcome_unknown";

/** What a person reported became of a step whose outcome was unknown. */
export interface Settlement {
  readonly outcome: string;
  readonly by: string;
  readonly reason: string | null;
  readonly at: string;
}

/** One attempt at a step. */
export interface Attempt {
  readonly attempt: number;
  readonly status: "running" | "succeeded" | "failed" | "timed_out" | "cancelled" | "cut_off";
  readonly spanId: string;
  readonly error: Failure | null;
  /** A time, as ISO 8601. */
  readonly startedAt: string;
  readonly finishedAt: string | null;
}

/** A step of a run. Strangers see only how far it is. */
export interface Step {
  /** The id of the node, with [index] for an item of a map. */
  readonly id: string;
  /** Where a step of a run stands. */
  readonly status: StepState;
  readonly attempt: number;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly port?: string | null | undefined;
  readonly input?: Json | undefined;
  readonly output?: Json | undefined;
  readonly error?: Failure | null | undefined;
  /** What a person reported became of a step whose outcome was unknown. */
  readonly settled?: Settlement | undefined;
  readonly idempotencyKey?: string | null | undefined;
  readonly wakeAt?: string | null | undefined;
  readonly attempts?: readonly Attempt[] | undefined;
}

/** How far the items of a map are. */
export interface MapItems {
  /** The map. */
  readonly stepId: string;
  /** How many items have begun. */
  readonly items: number;
  readonly succeeded: number;
  readonly failed: number;
  /** How many of them have their steps in this answer, failed ones first. */
  readonly shown: number;
}

/** Where an approval stands. */
export type ApprovalState =
  | "pending"
  | "approved"
  | "rejected"
  | "changes_requested"
  | "expired"
  | "cancelled"
  | "superseded";

/** Stands where a value was taken out. */
export interface Redacted {
  /** Why it was taken out. */
  readonly $redacted: string;
}

/** The credential that the decider used. */
export interface DecidedVia {
  readonly kind: "oauth" | "token" | "key";
  readonly id: string;
  readonly name: string;
}

/** A decision that a run waits for. Strangers see neither its content nor its notes. */
export interface Approval {
  readonly id: string;
  readonly runId: string;
  readonly stepId: string;
  /** Where an approval stands. */
  readonly status: ApprovalState;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  readonly dueAt: string | null;
  readonly expiresAt: string | null;
  readonly decidedAt: string | null;
  /** How many must approve; one rejection rejects. */
  readonly required: number;
  /** A person decides it with a passkey. */
  readonly stepUp: boolean;
  readonly hasForm: boolean;
  readonly title: string | Redacted;
  readonly shown: JsonObject;
  /** The digest of what is shown; decisions name it. */
  readonly shownDigest?: string | undefined;
  readonly form?: JsonObject | null | undefined;
  /** Who may decide: people, groups, roles and keys. */
  readonly approvers?: readonly string[] | undefined;
  readonly claimedBy?: string | null | undefined;
  readonly decidedBy: string | null | Redacted;
  readonly decidedVia?: DecidedVia | null | undefined;
  readonly decidedByName?: string | null | undefined;
  readonly reason: string | null | Redacted;
  readonly values: JsonObject | null;
}

/** Something that was sent to a run under a name. */
export interface Signal {
  readonly id: string;
  readonly name: string;
  readonly payload?: Json | undefined;
  readonly sentBy: string;
  /** A time, as ISO 8601. */
  readonly sentAt: string;
  /** The step that it was delivered to; null while none has used it. */
  readonly usedBy: string | null;
}

/** retry: what failed runs again. rerun: the step and what depends on it runs again. change_input, supply_output, skip: the step gets another input, counts as done with this output, or is left out. continue: the run goes on with another published version. */
export type RepairAction = "retry" | "rerun" | "change_input" | "supply_output" | "skip" | "continue";

/** What a person changed so that a run can go on. */
export interface Repair {
  /** retry: what failed runs again. rerun: the step and what depends on it runs again. change_input, supply_output, skip: the step gets another input, counts as done with this output, or is left out. continue: the run goes on with another published version. */
  readonly action: RepairAction;
  readonly stepId: string | null;
  readonly reason: string | null;
  readonly by: string;
  /** A time, as ISO 8601. */
  readonly at: string;
  readonly input?: Json | undefined;
  readonly output?: Json | undefined;
  readonly version?: number | undefined;
}

/** A run with its steps. Values are there only for who may see them. */
export interface RunDetail {
  readonly id: string;
  readonly workflowId: string | null;
  readonly workflowVersion: number | null;
  /** What the workflow was called in the version that runs. */
  readonly workflowName: string | null;
  readonly documentDigest: string | null;
  readonly kind: "run" | "dry_run";
  /** Where a run stands. */
  readonly status: RunState;
  /** Who sees a record: everybody, or callers with a key. */
  readonly visibility: Visibility;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly wakeAt: string | null;
  /** When retention removed its values, steps and approvals. */
  readonly detailsRemovedAt?: string | undefined;
  readonly traceId: string;
  /** Where the trace of the run can be read. */
  readonly traceUrl: string;
  /** True when the run succeeded and every step that changes something outside has a confirmed reference. */
  readonly resultConfirmed: boolean;
  /** The first 100 of them. */
  readonly unconfirmedSteps: readonly UnconfirmedStep[];
  /** Not shown to strangers. */
  readonly startedBy?: string | undefined;
  readonly error?: Failure | null | undefined;
  readonly parentRunId?: string | null | undefined;
  readonly inputs?: Json | undefined;
  readonly outputs?: Json | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  /** Whose rights its steps act with: who started it, or retried it last. */
  readonly actsFor?: string | undefined;
  readonly parentStepId?: string | null | undefined;
  readonly handoffId?: string | null | undefined;
  readonly resolved?: RunResolution | null | undefined;
  readonly steps: readonly Step[];
  readonly maps?: readonly MapItems[] | undefined;
  readonly approvals?: readonly Approval[] | undefined;
  readonly signals?: readonly Signal[] | undefined;
  readonly repairs?: readonly Repair[] | undefined;
  /** Stands where a value was taken out. */
  readonly values?: Redacted | undefined;
}

/** What a map did with one item of its list. */
export interface MapItem {
  /** Its place in the list, from 0 on. */
  readonly index: number;
  /** Where a step of a run stands. */
  readonly status: StepState;
  readonly steps: readonly Step[];
}

/** The document that a run was started with. */
export interface RunDocument {
  readonly runId: string;
  readonly workflowId: string | null;
  readonly workflowVersion: number | null;
  readonly documentDigest: string | null;
  readonly name: string | null;
  /** Whether the workflow is still as it was. */
  readonly isCurrent: boolean;
  readonly document: JsonObject | null;
}

/** A signed head of the provenance log. */
export interface Checkpoint {
  readonly treeSize: number;
  readonly rootHash: string;
  readonly keyId: string;
  readonly signature: string;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
}

/** A public key of the provenance log. */
export interface SigningKey {
  readonly id: string;
  readonly publicKey: string;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  readonly retiredAt: string | null;
}

/** How private something is. */
export type Privacy = "public" | "internal" | "confidential" | "restricted";

/** A record of the provenance log with its place in it. */
export interface ProvedRecord {
  readonly id: string;
  readonly leafIndex: number;
  readonly kind: string;
  readonly subjectId: string;
  readonly runId: string | null;
  readonly digest: string;
  /** How private something is. */
  readonly privacy: Privacy;
  /** The canonical JSON that the leaf commits to. */
  readonly body: string;
  readonly leafHash: string;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  readonly envelope: JsonObject | null;
}

/** A record of a run with its proof. */
export interface ReceiptEntry {
  /** A record of the provenance log with its place in it. */
  readonly record: ProvedRecord;
  readonly inclusionPath: readonly string[];
  /** Which of the receipt's checkpoints the path leads to. */
  readonly checkpoint: number;
  readonly content: Json;
  readonly salt: string | null;
  readonly saidSalt?: string | undefined;
}

/** The records of an ended run with proofs that anybody can check offline. */
export interface RunReceipt {
  readonly schemaVersion: "svc.run-receipt.v1";
  readonly origin: string;
  readonly runId: string;
  readonly document: JsonObject | null;
  readonly checkpoints: readonly Checkpoint[];
  readonly keys: readonly SigningKey[];
  readonly entries: readonly ReceiptEntry[];
}

/** A part of a trace that has begun. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  /** A time, as ISO 8601. */
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly status: "ok" | "error" | "unset";
  readonly attributes: { readonly [name: string]: string | number | null };
}

/** The runs of one trace, and their spans. */
export interface Trace {
  readonly traceId: string;
  readonly runs: readonly {
    readonly id: string;
    /** Where a run stands. */
    readonly status: RunState;
  }[];
  readonly spans: readonly Span[];
}

/** What a repair does with a step. */
export interface RepairStep {
  readonly stepId: string;
  readonly before:
    | "pending"
    | "ready"
    | "running"
    | "backoff"
    | "waiting"
    | "succeeded"
    | "failed"
    | "skipped"
    | "cancelled"
    | "outcome_unknown"
    | null;
  /** kept: its result stays. computed: it has another result without running. runs: it runs. may_run: it runs unless its input turns out to be the same. asked: people are asked again. removed: the version has no such step. */
  readonly outcome: "kept" | "computed" | "runs" | "may_run" | "asked" | "removed";
  /** Whether it can change something. */
  readonly isEffect: boolean;
  /** An effect that has happened and would happen again. */
  readonly isRepeated: boolean;
}

/** What a repair would do, step by step. */
export interface RepairReport {
  readonly runId: string;
  /** retry: what failed runs again. rerun: the step and what depends on it runs again. change_input, supply_output, skip: the step gets another input, counts as done with this output, or is left out. continue: the run goes on with another published version. */
  readonly action: RepairAction;
  readonly stepId: string | null;
  readonly fromVersion: number | null;
  readonly toVersion: number | null;
  readonly toDigest: string;
  readonly steps: readonly RepairStep[];
  /** Give it to the repair, so that it does what the report says. */
  readonly digest: string;
}

/** Runs that failed for the same cause. */
export interface FailureGroup {
  readonly workflowId: string | null;
  readonly stepId: string | null;
  readonly code: string;
  readonly message: string | null;
  readonly count: number;
  /** The newest first, 100 at most. */
  readonly runIds: readonly string[];
  /** A time, as ISO 8601. */
  readonly newestAt: string;
}

/** A step in two runs. */
export interface ComparedStep {
  readonly stepId: string;
  readonly first:
    | "pending"
    | "ready"
    | "running"
    | "backoff"
    | "waiting"
    | "succeeded"
    | "failed"
    | "skipped"
    | "cancelled"
    | "outcome_unknown"
    | null;
  readonly second:
    | "pending"
    | "ready"
    | "running"
    | "backoff"
    | "waiting"
    | "succeeded"
    | "failed"
    | "skipped"
    | "cancelled"
    | "outcome_unknown"
    | null;
  /** Empty when the step did the same in both. */
  readonly differs: readonly ("status" | "input" | "output" | "error" | "missing")[];
}

/** Where two runs differ. */
export interface RunComparison {
  readonly runIds: readonly string[];
  readonly isSameDocument: boolean;
  readonly isSameInputs: boolean;
  readonly isSameOutputs: boolean;
  readonly firstDifference: string | null;
  readonly steps: readonly ComparedStep[];
}

/** What happened in a run and why, in words. */
export interface RunExplanation {
  readonly runId: string;
  readonly sentences: readonly string[];
  /** What can be done now. */
  readonly next: readonly string[];
}

/** What the caller may do with an approval. */
export interface ApprovalEligibility {
  readonly mayDecide: boolean;
  /** Why the caller may not decide. */
  readonly reason: string | null;
  readonly mayRequestChanges: boolean;
  readonly mayReassign: boolean;
  /** Whether the person could sign now; where a passkey is asked for. */
  readonly hasPasskey?: boolean | undefined;
}

/** What a decision says. */
export type Verdict = "approved" | "rejected" | "changes_requested";

/** One decision of those that an approval needs. */
export interface ApprovalVote {
  readonly by: string;
  readonly name: string;
  readonly via: DecidedVia | null;
  readonly inPlaceOf: {
    readonly id: string;
    readonly name: string;
  } | null;
  /** What a decision says. */
  readonly verdict: Verdict;
  /** A time, as ISO 8601. */
  readonly at: string;
  readonly passkey: boolean;
}

/** The right of one assignee, given to another person. */
export interface Delegation {
  readonly from: string;
  readonly fromName: string;
  readonly to: string;
  readonly toName: string;
  /** A time, as ISO 8601. */
  readonly at: string;
}

/** One of those that an approval names. */
export interface Assignee {
  readonly entry: string;
  readonly name: string;
  /** How many of them can decide now. */
  readonly able: number;
  /** Why none of them can. */
  readonly problem: string | null;
}

/** Who may decide an approval, and who has approved. */
export interface WhoDecides {
  readonly required: number;
  readonly votes: readonly ApprovalVote[];
  readonly delegations: readonly Delegation[];
  readonly claimedByName: string | null;
  readonly assignees: readonly Assignee[];
  /** Why too few people can decide it. */
  readonly stuck: string | null;
}

/** What a person wrote about an approval. */
export interface ApprovalComment {
  readonly id: string;
  readonly author: string;
  readonly authorName: string;
  readonly body: string;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
}

/** Where two values differ. */
export interface Difference {
  /** A JSON Pointer. */
  readonly pointer: string;
  readonly change: "added" | "removed" | "changed";
  readonly before: Json;
  readonly after: Json;
}

/** What the step showed when it was last decided, compared with what it shows now. */
export interface LastApproval {
  readonly id: string;
  /** Where an approval stands. */
  readonly status: ApprovalState;
  readonly decidedAt: string | null;
  readonly changes: readonly Difference[];
  /** There are more differences than are listed. */
  readonly more: boolean;
}

/** An approval with the run that waits for it. Strangers see neither its content nor the run. */
export interface ApprovalDetail {
  /** A decision that a run waits for. Strangers see neither its content nor its notes. */
  readonly approval: Approval;
  readonly run: Run | null;
  /** What the caller may do with an approval. */
  readonly you?: ApprovalEligibility | undefined;
  /** Who may decide an approval, and who has approved. */
  readonly who?: WhoDecides | undefined;
  readonly comments?: readonly ApprovalComment[] | undefined;
  readonly last?: LastApproval | null | undefined;
}

/** Where a workflow stands. */
export type WorkflowStatus = "draft" | "published" | "archived";

/** A workflow with the document that the caller may see. */
export interface Workflow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** Where a workflow stands. */
  readonly status: WorkflowStatus;
  /** Who sees a record: everybody, or callers with a key. */
  readonly visibility: Visibility;
  readonly publishedVersion: number | null;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  /** A time, as ISO 8601. */
  readonly updatedAt: string;
  /** What the author declared; not shown to strangers. */
  readonly owner?: string | null | undefined;
  /** Name, description or tags differ from the published version. */
  readonly hasNewTexts?: boolean | undefined;
  readonly createdBy?: string | undefined;
  readonly updatedBy?: string | undefined;
  /** Grows with every change; an update names the revision it was made from. */
  readonly revision?: number | undefined;
  readonly digest: string;
  /** How many steps it has, those inside maps too. */
  readonly steps?: number | undefined;
  readonly nodes: readonly Json[];
  readonly edges: readonly Json[];
  readonly document: JsonObject;
}

/** A published version. It never changes. */
export interface WorkflowVersion {
  readonly version: number;
  readonly digest: string;
  /** A time, as ISO 8601. */
  readonly publishedAt: string;
  readonly publishedBy?: string | undefined;
}

/** A published version with its document. */
export interface WorkflowVersionDetail {
  readonly version: number;
  readonly digest: string;
  /** A time, as ISO 8601. */
  readonly publishedAt: string;
  readonly publishedBy?: string | undefined;
  readonly document: JsonObject;
}

/** How two versions differ in what they run. Where boxes stand on a canvas is not a difference. */
export interface WorkflowDiff {
  readonly same: boolean;
  readonly nodes: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly {
      readonly id: string;
      readonly fields: readonly string[];
    }[];
  };
  readonly edges: {
    readonly added: readonly {
      readonly from: string;
      readonly port: string;
      readonly to: string;
    }[];
    readonly removed: readonly {
      readonly from: string;
      readonly port: string;
      readonly to: string;
    }[];
  };
  /** Which of inputs, outputs and policy differ. */
  readonly parts: readonly string[];
}

/** Something that one format can say and the other cannot. */
export interface Loss {
  /** Where it stands in what was given. */
  readonly pointer: string;
  readonly what: string;
  readonly why: string;
}

/** The credential that calls need. Its secret is never part of an import. */
export interface CredentialNeed {
  readonly kind: string;
  readonly in?: string | undefined;
  readonly parameter?: string | undefined;
  readonly username?: string | undefined;
  /** What it was called in the file. */
  readonly called?: string | undefined;
  readonly hosts: readonly string[];
  readonly places: readonly string[];
}

/** A connection that an imported workflow calls, and whether one that does the same exists. */
export interface ProposedConnection {
  readonly name: string;
  readonly kind: "http";
  readonly title: string;
  readonly url: string | null;
  readonly document: {
    readonly requests: readonly JsonObject[];
  };
  readonly credential: CredentialNeed | null;
  /** ready: it exists with all the requests. extend: it lacks those that adds names. new: it has to be added. */
  readonly state: "new" | "extend" | "ready";
  readonly adds?: readonly string[] | undefined;
}

/** A trigger that belongs to a workflow in a file or to a template, as POST /api/svc/triggers takes it. */
export interface ProposedTrigger {
  readonly kind: "schedule" | "webhook" | "form" | "event";
  /** form: the last part of its address: lower-case letters, digits and hyphens. */
  readonly slug?: string | undefined;
  /** What people call it. */
  readonly name?: string | undefined;
  /** Inputs that every run gets. What a webhook, a form or an event brings is added. */
  readonly inputs?: JsonObject | undefined;
  /** How many requests a minute are taken: of a webhook 600, of one address at a form 10 when not given. */
  readonly perMinute?: number | undefined;
  /** schedule: a cron expression of 5 fields, or of 6 with seconds first. */
  readonly cron?: string | undefined;
  /** schedule: an interval in seconds, instead of cron. */
  readonly everySeconds?: number | undefined;
  /** schedule: an IANA time zone such as Europe/Berlin; UTC when not given. */
  readonly timeZone?: string | undefined;
  /** schedule: what happens when the run of an earlier date still goes on; skip when not given. */
  readonly overlap?: "skip" | "queue" | "allow" | undefined;
  /** schedule: dates that were missed are made up for when they are at most this old; 86400 when not given. */
  readonly catchUpSeconds?: number | undefined;
  /** schedule: each date begins up to this many seconds later, so that not all begin at once. */
  readonly jitterSeconds?: number | undefined;
  /** webhook: how a request proves who sent it; token when not given. */
  readonly verifier?: "standard-webhooks" | "github" | "stripe" | "slack" | "hmac" | "token" | undefined;
  /** webhook: the header of the signature (hmac, X-Signature) or of the token (token, Authorization). */
  readonly header?: string | undefined;
  /** webhook: the header that names a message, so that a repetition is recognised; each verifier has its own. */
  readonly idHeader?: string | undefined;
  /** webhook: how far the signed time may be from now; 300 when not given. */
  readonly toleranceSeconds?: number | undefined;
  /** webhook: the media types that are taken; JSON and form when not given. */
  readonly contentTypes?:
    | readonly ("application/json" | "application/x-www-form-urlencoded" | "text/plain")[]
    | undefined;
  /** webhook: the largest body; 262144 when not given. */
  readonly maxBytes?: number | undefined;
  /** webhook: wait this long for the run, and answer with its outputs when it has succeeded; 0 when not given. */
  readonly waitSeconds?: number | undefined;
  /** webhook: the JSON Schema that a payload has to match. */
  readonly payloadSchema?: JsonObject | undefined;
  /** form: who may fill it in; public when not given. */
  readonly access?: "public" | "signed-in" | undefined;
  /** form: the heading of the page. */
  readonly title?: string | undefined;
  /** form: what stands under the heading. */
  readonly text?: string | undefined;
  /** form: what the page says after it was sent. */
  readonly thanks?: string | undefined;
  /** form: from this time on nothing is taken. */
  readonly closesAt?: string | undefined;
  /** form: a picture above the heading, as a data URL; or an artifact whose picture is copied. */
  readonly logo?: string | undefined;
  /** form: who sent it sees the outputs of the run when it has succeeded; false when not given. */
  readonly showOutputs?: boolean | undefined;
  /** form: origins of pages that may embed it; none when not given. */
  readonly embedOrigins?: readonly string[] | undefined;
  /** event: a type such as svc.run.failed, or svc.run.*. */
  readonly type?: string | undefined;
  /** event: a CEL expression over event; the run starts where it is true. */
  readonly filter?: string | undefined;
}

/** One thing that is wrong with a workflow. */
export interface WorkflowProblem {
  /** One of the codes in docs/workflow-problems.md. */
  readonly code: string;
  readonly severity: "error" | "warning";
  /** A JSON Pointer into the document as it was given. */
  readonly pointer: string;
  readonly message: string;
  readonly fix: string;
}

/** What was read from a file, and what got lost. */
export interface ImportReport {
  readonly format: "json" | "yaml" | "arazzo" | "serverless" | "n8n" | "postman" | "har" | "curl";
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly document: JsonObject;
  readonly losses: readonly Loss[];
  readonly connections: readonly ProposedConnection[];
  /** What starts it by itself; nothing is created. */
  readonly triggers: readonly ProposedTrigger[];
  readonly validation: {
    readonly valid: boolean;
    readonly errors: number;
    readonly warnings: number;
    readonly problems: readonly WorkflowProblem[];
  };
  readonly saved: boolean;
  /** A workflow with the document that the caller may see. */
  readonly workflow?: Workflow | undefined;
}

/** A credential without its secret. */
export interface Credential {
  /** apiKey: the header, query parameter or cookie. */
  readonly parameter?: string | undefined;
  /** basic: a user name without a colon. */
  readonly username?: string | undefined;
  /** oauth2: whether a person signs in (authorization_code, the default) or the client itself. */
  readonly grant?: "authorization_code" | "client_credentials" | undefined;
  /** oauth2: the MCP server or API that the tokens are for. */
  readonly resource?: string | undefined;
  /** oauth2: the authorization server, where the resource names none. */
  readonly issuer?: string | undefined;
  /** oauth2: for a server without metadata. */
  readonly authorizationUrl?: string | undefined;
  /** oauth2: for a server without metadata. */
  readonly tokenUrl?: string | undefined;
  /** oauth2: a client that was registered before, in ASCII. */
  readonly clientId?: string | undefined;
  /** oauth2: how the client proves who it is; the server's metadata decides without it. */
  readonly clientAuth?: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none" | undefined;
  /** oauth2: the scopes to ask for, separated by single spaces. */
  readonly scope?: string | undefined;
  /** Where the secret goes. */
  readonly in?: "header" | "query" | "cookie" | "environment" | undefined;
  /** Whether it is sent over http to another machine. */
  readonly allowHttp: boolean;
  readonly name: string;
  readonly kind: "bearer" | "apiKey" | "basic" | "oauth2" | "environment";
  /** The hosts that it may be sent to. */
  readonly hosts: readonly string[];
  /** shared, or the id of the caller who alone uses it. */
  readonly owner: string;
  /** consent_required: a person has to sign in; unusable: the secret cannot be read any more. nextAction says what to do. */
  readonly state: "ready" | "consent_required" | "unusable";
  readonly nextAction: string | null;
  readonly revision: number;
  readonly tokenIssuedAt?: string | null | undefined;
  readonly tokenExpiresAt?: string | null | undefined;
  readonly createdBy: string;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  /** A time, as ISO 8601. */
  readonly updatedAt: string;
}

/** What a rotation of the master key did. */
export interface VaultRotation {
  readonly masterKeyId: string;
  /** Credentials whose data key the new master key wraps now. */
  readonly rewrapped: number;
  /** Credentials that no key of this process opens; they were left as they are. */
  readonly unusable: readonly string[];
}

/** How long ended runs are kept. */
export interface RetentionRule {
  /** The workflow that it is about; null for every workflow without a rule of its own. */
  readonly workflowId: string | null;
  readonly workflowName: string | null;
  /** Inputs, outputs, steps and approvals are removed after this number of days; null keeps them. */
  readonly detailsDays: number | null;
  /** Runs are removed after this number of days; null keeps them. */
  readonly runsDays: number | null;
  /** The number of ended runs that are kept of a workflow; null sets no limit. */
  readonly runsKept: number | null;
  /** A time, as ISO 8601. */
  readonly updatedAt: string;
  readonly updatedBy: string;
}

/** What a rule would remove now. */
export interface RetentionPreview {
  /** Runs that would lose inputs, outputs, steps and approvals. */
  readonly details: number;
  /** Runs that would be removed. */
  readonly runs: number;
  /** False when counting stopped: the numbers are lower bounds. */
  readonly isComplete: boolean;
}

/** An older checkpoint with the proof that the log only grew since. */
export interface LogGrowth {
  readonly schemaVersion: "svc.provenance-consistency.v1";
  readonly origin: string;
  /** A signed head of the provenance log. */
  readonly older: Checkpoint;
  /** A signed head of the provenance log. */
  readonly newer: Checkpoint;
  /** Hashes of the consistency proof of RFC 9162, 2.1.4. */
  readonly path: readonly string[];
}

/** A step of the demo flow, and what was found when it was asked. */
export interface DemoStep {
  readonly id: string;
  readonly order: number;
  readonly title: string;
  readonly purpose: string;
  readonly userAction: string;
  readonly nextAction: string;
  readonly ownerService: string;
  readonly endpoint: string;
  readonly method: string;
  readonly inputPreview: JsonObject;
  readonly outputPreview: JsonObject;
  readonly publicSafe: boolean;
  readonly protectedAction: boolean;
  readonly status: string;
  readonly handoffStatus?: string | undefined;
  readonly probeStatus: string;
  readonly handoff: {
    readonly from: string;
    readonly to: string;
    readonly transport: string;
    readonly status: string;
    readonly requiresAuth: boolean;
    readonly resultRef: string | null;
    readonly confirmationPolicy: string;
  };
  readonly evidence: JsonObject;
}

/** What could run on a schedule, and what each step needs first. */
export interface Blueprint {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly cadence: string;
  readonly publicSafe: boolean;
  readonly protectedActions: readonly string[];
  readonly source: {
    readonly service: string;
    readonly url: string;
    readonly status: string;
  };
  readonly steps: readonly {
    readonly order: number;
    readonly service: string;
    readonly action: string;
    readonly status: string;
    readonly outputPolicy: string;
  }[];
  readonly demoPrompt: string;
  readonly nextAction: string;
}

/** The demo flow, and what was found when it was asked. */
export interface DemoSuite {
  readonly schemaVersion: string;
  readonly title: string;
  /** A time, as ISO 8601. */
  readonly generatedAt: string;
  readonly mode: string;
  readonly status: string;
  readonly summary: {
    readonly steps: number;
    readonly publicSafeSteps: number;
    readonly protectedSteps: number;
    readonly probePass: number;
    readonly probeFail: number;
    readonly probeTimeout: number;
    readonly confirmationGatedHandoffs: number;
    readonly notConfigured?: number | undefined;
  };
  readonly flow: readonly DemoStep[];
  readonly automations: readonly Blueprint[];
  readonly handoffPolicy: string;
  readonly operatorScript: readonly string[];
}

/** What the receiver of handoffs takes and promises. */
export interface Receiver {
  readonly schemaVersion: string;
  readonly service: string;
  readonly endpoint: string;
  readonly aliases: readonly string[];
  readonly status: string;
  readonly accepts: readonly string[];
  readonly methods: readonly string[];
  readonly publicSafeProbe: boolean;
  readonly protectedAcceptance: boolean;
  readonly auth: {
    readonly requiredForAcceptedHandoff: boolean;
    readonly acceptedHeaders: readonly string[];
    readonly browserStorage: string;
  };
  readonly confirmationPolicy: string;
  readonly outputPolicy: string;
}

/** The answer to the sender of a packet. */
export interface ReceivedHandoff {
  readonly schemaVersion: string;
  readonly id: string;
  readonly status: "accepted" | "preview_ready";
  readonly dryRun: boolean;
  /** A time, as ISO 8601. */
  readonly receivedAt?: string | undefined;
  readonly packetDigest: string;
  readonly resultRef: null;
  readonly outputArtifactIds: readonly string[];
  readonly confirmation: {
    readonly required: boolean;
    readonly received: boolean;
    readonly source: null;
  };
  readonly statusUrl?: string | undefined;
  readonly nextAction: string;
}

/** What this gateway serves and how to reach it. */
export interface Info {
  readonly name: string;
  readonly version: string;
  readonly endpoint: string;
  readonly transport: string;
  readonly canonicalMcpGateway: string;
  readonly capabilities: {
    readonly tools: readonly string[];
    readonly resources: readonly string[];
    readonly prompts: readonly string[];
  };
  readonly counts: {
    readonly tools: number;
    readonly publicTools: number;
    readonly protectedTools: number;
    readonly resources: number;
    readonly prompts: number;
  };
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    /** JSON Schema of the arguments. */
    readonly inputSchema: JsonObject;
    readonly protected: boolean;
  }[];
  readonly resources: readonly {
    readonly uri: string;
    readonly name: string;
    readonly description: string;
    readonly mimeType: string;
  }[];
  readonly prompts: readonly {
    readonly name: string;
    readonly description: string;
    readonly arguments: readonly {
      readonly name: string;
      readonly description: string;
      readonly required: boolean;
    }[];
  }[];
  readonly auth: {
    readonly public: readonly string[];
    readonly protected: string;
  };
  /** The address of each document. */
  readonly discovery: { readonly [name: string]: string };
  readonly boundary: string;
  /** A time, as ISO 8601. */
  readonly generatedAt: string;
}

/** A connection with the number of its definitions. */
export interface ListedConnection {
  readonly name: string;
  /** mcp: an MCP server; openapi: an API with a description; http: requests that were written down. */
  readonly kind: "mcp" | "openapi" | "http";
  readonly title: string;
  readonly url: string | null;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  /** The variables of the program: set, or from a credential. Values are write-only. */
  readonly env?:
    | {
        readonly [name: string]: {
          readonly set?: true | undefined;
          readonly credential?: string | undefined;
        };
      }
    | undefined;
  readonly baseUrl: string | null;
  readonly credential: string | null;
  readonly credentialState?: "ready" | "consent_required" | "unusable" | "missing" | undefined;
  /** What was last observed. */
  readonly state: "unknown" | "reachable" | "failing" | "syncing";
  readonly problem: string | null;
  readonly checkedAt: string | null;
  readonly syncedAt: string | null;
  readonly owner: string;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  /** A time, as ISO 8601. */
  readonly updatedAt: string;
  readonly transport: "stdio" | "streamable-http" | "http";
  /** The one private host and port that it may reach. */
  readonly allowPrivateOrigin: string | null;
  /** How many definitions are in each state. */
  readonly definitions: { readonly [name: string]: number };
}

/** A server or API under a short name. */
export interface Connection {
  readonly name: string;
  /** mcp: an MCP server; openapi: an API with a description; http: requests that were written down. */
  readonly kind: "mcp" | "openapi" | "http";
  readonly title: string;
  readonly url: string | null;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  /** The variables of the program: set, or from a credential. Values are write-only. */
  readonly env?:
    | {
        readonly [name: string]: {
          readonly set?: true | undefined;
          readonly credential?: string | undefined;
        };
      }
    | undefined;
  readonly baseUrl: string | null;
  readonly credential: string | null;
  readonly credentialState?: "ready" | "consent_required" | "unusable" | "missing" | undefined;
  /** What was last observed. */
  readonly state: "unknown" | "reachable" | "failing" | "syncing";
  readonly problem: string | null;
  readonly checkedAt: string | null;
  readonly syncedAt: string | null;
  readonly owner: string;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  /** A time, as ISO 8601. */
  readonly updatedAt: string;
  readonly transport: "stdio" | "streamable-http" | "http";
  /** The one private host and port that it may reach. */
  readonly allowPrivateOrigin: string | null;
}

/** An operation of a connection. */
export interface DefinitionHead {
  /** connection:name */
  readonly id: string;
  readonly name: string;
  /** Its name at the server, where that is another one. */
  readonly sourceName?: string | undefined;
  readonly title: string;
  readonly description: string;
  readonly effect: "read" | "write" | "destructive";
  readonly idempotent: boolean;
  readonly state: "active" | "quarantined" | "hidden" | "removed";
  /** Of the accepted definition. */
  readonly digest: string;
}

/** What is at an address or in a document. */
export interface Probe {
  /** mcp: an MCP server; openapi: an API with a description; http: requests that were written down. */
  readonly kind: "mcp" | "openapi" | "http";
  readonly url: string | null;
  readonly title: string;
  /** Connections that lead there already. */
  readonly existing: readonly {
    readonly name: string;
    readonly title: string;
    /** mcp: an MCP server; openapi: an API with a description; http: requests that were written down. */
    readonly kind: "mcp" | "openapi" | "http";
    readonly url: string | null;
  }[];
  readonly tried: readonly {
    readonly kind: string;
    readonly result: string;
  }[];
  readonly version?: string | null | undefined;
  readonly specification?: string | null | undefined;
  readonly definitions?: number | undefined;
  readonly servers?: readonly string[] | undefined;
  readonly security?: readonly string[] | undefined;
  /** The credential that the description asks for. */
  readonly credential?:
    | {
        readonly kind: string;
        readonly in?: string | undefined;
        readonly parameter?: string | undefined;
      }
    | undefined;
  readonly status?: number | null | undefined;
  readonly contentType?: string | null | undefined;
  readonly needsCredential?: boolean | undefined;
  /** The kind of credential that the server asks for. */
  readonly wants?: string | undefined;
  readonly problem?: string | undefined;
  readonly nextAction?: string | null | undefined;
}

/** A connection with its document. */
export interface ConnectionDetail {
  readonly name: string;
  /** mcp: an MCP server; openapi: an API with a description; http: requests that were written down. */
  readonly kind: "mcp" | "openapi" | "http";
  readonly title: string;
  readonly url: string | null;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  /** The variables of the program: set, or from a credential. Values are write-only. */
  readonly env?:
    | {
        readonly [name: string]: {
          readonly set?: true | undefined;
          readonly credential?: string | undefined;
        };
      }
    | undefined;
  readonly baseUrl: string | null;
  readonly credential: string | null;
  readonly credentialState?: "ready" | "consent_required" | "unusable" | "missing" | undefined;
  /** What was last observed. */
  readonly state: "unknown" | "reachable" | "failing" | "syncing";
  readonly problem: string | null;
  readonly checkedAt: string | null;
  readonly syncedAt: string | null;
  readonly owner: string;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  /** A time, as ISO 8601. */
  readonly updatedAt: string;
  readonly transport: "stdio" | "streamable-http" | "http";
  /** The one private host and port that it may reach. */
  readonly allowPrivateOrigin: string | null;
  readonly document?: JsonObject | undefined;
}

/** What an admin has changed about a definition. */
export interface DefinitionOverrides {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly effect?: "read" | "write" | "destructive" | undefined;
  readonly idempotent?: boolean | undefined;
  readonly idempotencyHeader?: string | undefined;
  readonly fixedArguments?: JsonObject | undefined;
}

/** An operation with what waits to be accepted. */
export interface Definition {
  /** connection:name */
  readonly id: string;
  readonly name: string;
  /** Its name at the server, where that is another one. */
  readonly sourceName?: string | undefined;
  readonly title: string;
  readonly description: string;
  readonly effect: "read" | "write" | "destructive";
  readonly idempotent: boolean;
  readonly state: "active" | "quarantined" | "hidden" | "removed";
  /** Of the accepted definition. */
  readonly digest: string;
  /** What an admin has changed about a definition. */
  readonly overrides?: DefinitionOverrides | undefined;
  /** What waits to be accepted. */
  readonly pending?:
    | {
        readonly digest: string;
        readonly reason: "new" | "renamed" | "changed";
        readonly renamedFrom?: string | undefined;
        readonly changes: readonly {
          readonly pointer: string;
          readonly change: "added" | "removed" | "changed";
          readonly before: Json;
          readonly after: Json;
        }[];
        /** Changes that a list leaves out. */
        readonly moreChanges: number;
      }
    | undefined;
  /** A time, as ISO 8601. */
  readonly syncedAt: string;
}

/** What a test of a connection found. */
export interface ConnectionTest {
  readonly name: string;
  readonly state: "reachable" | "failing";
  readonly problem: string | null;
  /** A time, as ISO 8601. */
  readonly checkedAt: string;
  readonly elapsedMs: number;
  /** What was asked of the server. */
  readonly checked?: string | undefined;
  readonly error?:
    | {
        readonly code: string;
        readonly nextAction: string | null;
        readonly details: JsonObject | null;
      }
    | undefined;
  readonly definitions?: number | undefined;
  /** What a sync would find. */
  readonly drift?:
    | {
        readonly added: readonly string[];
        readonly changed: readonly string[];
        readonly removed: readonly string[];
      }
    | undefined;
}

/** One call of a definition, kept for a while. */
export interface ConnectionCall {
  readonly id: string;
  readonly connection: string;
  /** The definition's name at the server. */
  readonly definition: string;
  /** A time, as ISO 8601. */
  readonly at: string;
  readonly by: string;
  readonly ok: boolean;
  /** ok, or the code of what went wrong. */
  readonly outcome: string;
  readonly httpStatus: number | null;
  readonly elapsedMs: number;
  readonly digest: string;
  readonly runId: string | null;
  readonly arguments: JsonObject | null;
  readonly result: JsonObject | null;
}

/** A draft workflow of recorded calls. */
export interface RecordedWorkflow {
  readonly workflow: JsonObject;
  /** Equal values that became references. */
  readonly guesses: readonly {
    /** What reject names. */
    readonly id: string;
    readonly step: string;
    readonly pointer: string;
    readonly value: Json;
    readonly reference: string;
    readonly alternatives: readonly string[];
    readonly accepted: boolean;
  }[];
  readonly missing: readonly {
    readonly step: string;
    readonly pointer: string;
    readonly input?: string | undefined;
    readonly reason: string;
  }[];
  readonly calls: readonly string[];
  readonly nextAction: string;
}

/** An operation with its schemas. */
export interface DefinitionDetail {
  /** connection:name */
  readonly id: string;
  readonly name: string;
  /** Its name at the server, where that is another one. */
  readonly sourceName?: string | undefined;
  readonly title: string;
  readonly description: string;
  readonly effect: "read" | "write" | "destructive";
  readonly idempotent: boolean;
  readonly state: "active" | "quarantined" | "hidden" | "removed";
  /** Of the accepted definition. */
  readonly digest: string;
  /** What an admin has changed about a definition. */
  readonly overrides?: DefinitionOverrides | undefined;
  /** What waits to be accepted. */
  readonly pending?:
    | {
        readonly digest: string;
        readonly reason: "new" | "renamed" | "changed";
        readonly renamedFrom?: string | undefined;
        readonly changes: readonly {
          readonly pointer: string;
          readonly change: "added" | "removed" | "changed";
          readonly before: Json;
          readonly after: Json;
        }[];
        /** Changes that a list leaves out. */
        readonly moreChanges: number;
      }
    | undefined;
  /** A time, as ISO 8601. */
  readonly syncedAt: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject | null;
  /** How the request is built, for an operation of an API. */
  readonly request?: Json | undefined;
  readonly definition: JsonObject;
}

/** A tool of the canonical gateway. */
export interface NetworkTool {
  readonly id: string;
  readonly server: string;
  readonly name: string;
  readonly state: "active" | "quarantined" | "hidden" | "removed";
  readonly digest: string;
  readonly definition: JsonObject;
  readonly pendingDefinition?: JsonObject | undefined;
  readonly pendingDigest?: string | null | undefined;
  /** A time, as ISO 8601. */
  readonly syncedAt: string;
}

/** What is decided about a call. */
export type GuardDecision = "allow" | "deny" | "ask" | "dry-run";

/** The first rule whose condition holds decides. */
export interface GuardRule {
  /** A short name. */
  readonly id: string;
  /** CEL over tool, server, effect (read, write, destructive), agent, args, caller {id, kind, name}, person {email, role}, time {iso, hour, weekday}. */
  readonly when: string;
  /** What is decided about a call. */
  readonly decision: GuardDecision;
  /** ask: another person than the one behind the caller decides. */
  readonly fourEyes?: boolean | undefined;
  /** false: the rule is kept and not applied. */
  readonly enabled?: boolean | undefined;
}

/** A bound on calls that are not reads. */
export interface GuardLimit {
  readonly caller?: string | undefined;
  readonly tool?: string | undefined;
  readonly perMinute?: number | undefined;
  readonly perDay?: number | undefined;
}

/** A time in which nothing is asked. */
export interface GuardBypass {
  /** A time, as ISO 8601. */
  readonly until: string;
  readonly by: string;
  readonly reason: string;
  /** For this caller only; null for all. */
  readonly caller: string | null;
}

/** What the guard decides by. */
export interface Guard {
  readonly revision: number;
  /** In order: the first that holds decides. */
  readonly rules: readonly GuardRule[];
  /** Each holds for every caller and tool it names, counted apart. */
  readonly limits: readonly GuardLimit[];
  /** Ids of keys and tokens that count as agents, besides every OAuth client. */
  readonly agents: readonly string[];
  /** Ids of keys that are no agents even where they use /mcp, and of keys and tokens whose destructive calls are not asked about. */
  readonly trusted: readonly string[];
  /** Connections, and ids of callers, whose calls are all refused. */
  readonly stopped: readonly string[];
  readonly bypass: GuardBypass | null;
  readonly changedAt: string | null;
}

/** What the rules would have decided about past calls. */
export interface GuardSimulation {
  readonly calls: number;
  readonly counts: {
    readonly allow: number;
    readonly deny: number;
    readonly ask: number;
    readonly "dry-run": number;
  };
  /** Those that would not simply have been allowed, newest first; 100 at most. */
  readonly changed: readonly {
    /** A time, as ISO 8601. */
    readonly at: string;
    readonly tool: string;
    readonly by: string;
    /** What is decided about a call. */
    readonly decision: GuardDecision;
    readonly rule: string;
  }[];
}

/** A call, and what the guard decided about it. */
export interface GuardedCall {
  readonly id: string;
  /** A time, as ISO 8601. */
  readonly at: string;
  readonly by: {
    readonly id: string;
    readonly name: string;
  };
  readonly tool: string;
  readonly decision: "ask" | "deny" | "dry-run" | "bypass" | "allow";
  readonly rule: string | null;
  readonly arguments: JsonObject | null;
  readonly runId: string | null;
  readonly approvalId: string | null;
  readonly approvalState: string | null;
}

/** Chosen tools at an MCP endpoint of their own. */
export interface Toolset {
  /** Short name; its address ends with it. */
  readonly name: string;
  /** What people call it. */
  readonly title: string;
  /** What it is for; agents read it. */
  readonly description: string;
  /** Tools, connected tools (server:tool) and published workflows (their ids), in order. */
  readonly tools: readonly string[];
  /** The MCP endpoint. */
  readonly address: string;
  /** A time, as ISO 8601. */
  readonly changedAt: string;
  readonly changedBy: string;
}

/** What starts runs of a workflow by itself. */
export interface Trigger {
  readonly id: string;
  readonly workflowId: string;
  /** The name of the workflow; null where the caller does not see it. */
  readonly workflowName: string | null;
  readonly kind: "schedule" | "webhook" | "form" | "event";
  /** What people call it. */
  readonly name?: string | undefined;
  /** Inputs that every run gets. What a webhook, a form or an event brings is added. */
  readonly inputs?: JsonObject | undefined;
  /** How many requests a minute are taken: of a webhook 600, of one address at a form 10 when not given. */
  readonly perMinute?: number | undefined;
  /** schedule: a cron expression of 5 fields, or of 6 with seconds first. */
  readonly cron?: string | undefined;
  /** schedule: an interval in seconds, instead of cron. */
  readonly everySeconds?: number | undefined;
  /** schedule: an IANA time zone such as Europe/Berlin; UTC when not given. */
  readonly timeZone?: string | undefined;
  /** schedule: what happens when the run of an earlier date still goes on; skip when not given. */
  readonly overlap?: "skip" | "queue" | "allow" | undefined;
  /** schedule: dates that were missed are made up for when they are at most this old; 86400 when not given. */
  readonly catchUpSeconds?: number | undefined;
  /** schedule: each date begins up to this many seconds later, so that not all begin at once. */
  readonly jitterSeconds?: number | undefined;
  /** webhook: how a request proves who sent it; token when not given. */
  readonly verifier?: "standard-webhooks" | "github" | "stripe" | "slack" | "hmac" | "token" | undefined;
  /** webhook: the header of the signature (hmac, X-Signature) or of the token (token, Authorization). */
  readonly header?: string | undefined;
  /** webhook: the header that names a message, so that a repetition is recognised; each verifier has its own. */
  readonly idHeader?: string | undefined;
  /** webhook: how far the signed time may be from now; 300 when not given. */
  readonly toleranceSeconds?: number | undefined;
  /** webhook: the media types that are taken; JSON and form when not given. */
  readonly contentTypes?:
    | readonly ("application/json" | "application/x-www-form-urlencoded" | "text/plain")[]
    | undefined;
  /** webhook: the largest body; 262144 when not given. */
  readonly maxBytes?: number | undefined;
  /** webhook: wait this long for the run, and answer with its outputs when it has succeeded; 0 when not given. */
  readonly waitSeconds?: number | undefined;
  /** webhook: the JSON Schema that a payload has to match. */
  readonly payloadSchema?: JsonObject | undefined;
  /** form: who may fill it in; public when not given. */
  readonly access?: "public" | "signed-in" | undefined;
  /** form: the heading of the page. */
  readonly title?: string | undefined;
  /** form: what stands under the heading. */
  readonly text?: string | undefined;
  /** form: what the page says after it was sent. */
  readonly thanks?: string | undefined;
  /** form: from this time on nothing is taken. */
  readonly closesAt?: string | undefined;
  /** form: a picture above the heading, as a data URL; or an artifact whose picture is copied. */
  readonly logo?: string | undefined;
  /** form: who sent it sees the outputs of the run when it has succeeded; false when not given. */
  readonly showOutputs?: boolean | undefined;
  /** form: origins of pages that may embed it; none when not given. */
  readonly embedOrigins?: readonly string[] | undefined;
  /** event: a type such as svc.run.failed, or svc.run.*. */
  readonly type?: string | undefined;
  /** event: a CEL expression over event; the run starts where it is true. */
  readonly filter?: string | undefined;
  /** form: the last part of its address: lower-case letters, digits and hyphens. */
  readonly slug?: string | undefined;
  /** Where a webhook or a form is reached. */
  readonly address?: string | undefined;
  readonly paused: boolean;
  readonly pausedAt: string | null;
  readonly pauseNote: string | null;
  /** The next date of a schedule; null when it is paused or has none. */
  readonly nextAt: string | null;
  readonly lastRunId: string | null;
  /** Whose rights its runs have: what that caller may do at that time. */
  readonly actsFor: string;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
}

/** One occasion on which a trigger started a run, or was to. */
export interface Firing {
  readonly id: string;
  readonly triggerId: string;
  /** started: it has a run. queued: it gets one. skipped: an earlier run went on. missed: it was too late. failed: the run could not be started. */
  readonly state: "queued" | "started" | "skipped" | "missed" | "failed";
  /** The date, or the id of the message or event. */
  readonly key: string;
  readonly dueAt: string | null;
  readonly runId: string | null;
  readonly reason: string | null;
  /** What came with it; null of a schedule, and when the details of the run were removed. */
  readonly payload: Json;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
}

/** What a person may do. */
export type Role = "owner" | "admin" | "editor" | "operator" | "approver" | "viewer";

/** A role with the scopes that it holds. */
export interface RoleScopes {
  /** What a person may do. */
  readonly name: Role;
  /** What the role is for. */
  readonly about: string;
  readonly scopes: readonly Scope[];
}

/** invited: has no way to sign in yet. disabled: may not sign in, and no session counts. */
export type PersonState = "invited" | "active" | "disabled";

/** A person with an account. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** What a person may do. */
  readonly role: Role;
  /** invited: has no way to sign in yet. disabled: may not sign in, and no session counts. */
  readonly state: PersonState;
  readonly hasPassword: boolean;
  readonly revision: number;
  readonly createdBy: string;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  readonly updatedBy: string;
  /** A time, as ISO 8601. */
  readonly updatedAt: string;
  readonly lastSignInAt: string | null;
}

/** A person as all signed-in people see them. */
export interface PersonName {
  readonly id: string;
  readonly name: string;
  /** What a person may do. */
  readonly role: Role;
  /** invited: has no way to sign in yet. disabled: may not sign in, and no session counts. */
  readonly state: PersonState;
}

/** A link that works once; it is shown this once. */
export interface OneTimeLink {
  readonly url: string;
  /** A time, as ISO 8601. */
  readonly expiresAt: string;
}

/** A person after a change. */
export interface PersonChange {
  /** A person with an account. */
  readonly person: Person;
  /** How much ended when the person was disabled. */
  readonly ended?:
    | {
        readonly sessions: number;
        readonly tokens: number;
        readonly clients: number;
        readonly invitations: number;
      }
    | undefined;
  /** What the disabled person made and what still works; triggers also when they stopped. */
  readonly goesOn?:
    | readonly {
        readonly kind:
          | "key"
          | "webhook"
          | "notification_target"
          | "credential"
          | "trigger"
          | "stopped_trigger";
        readonly id: string;
        readonly name: string;
      }[]
    | undefined;
}

/** A group of people who decide approvals together. */
export interface Group {
  readonly id: string;
  readonly name: string;
  readonly revision: number;
  readonly createdBy: string;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  readonly updatedBy: string;
  /** A time, as ISO 8601. */
  readonly updatedAt: string;
  readonly members: readonly {
    readonly id: string;
    readonly name: string;
    /** invited: has no way to sign in yet. disabled: may not sign in, and no session counts. */
    readonly state: PersonState;
  }[];
}

/** A token that a person made, without its secret. */
export interface PersonToken {
  readonly id: string;
  /** personal: acts as the person. service: acts as itself. */
  readonly kind: "personal" | "service";
  readonly personId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Those that the person's role still holds. */
  readonly effectiveScopes: readonly Scope[];
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  /** A time, as ISO 8601. */
  readonly expiresAt: string;
  readonly revokedAt: string | null;
  readonly revokedBy: string | null;
  readonly lastUsedAt: string | null;
}

/** A signed-in browser. */
export interface Session {
  readonly id: string;
  /** Whether the request came with this session. */
  readonly current: boolean;
  readonly method: "password" | "recovery" | "invitation" | "passkey" | "oidc";
  /** The browser as it names itself. */
  readonly client: string;
  readonly address: string;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  /** A time, as ISO 8601. */
  readonly lastUsedAt: string;
  /** A time, as ISO 8601. */
  readonly expiresAt: string;
}

/** A passkey of a person. */
export interface Passkey {
  readonly id: string;
  readonly name: string;
  /** Kept by a provider on several devices. */
  readonly synced: boolean;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

/** Protected resource metadata (RFC 9728). */
export interface ResourceMetadata {
  readonly resource: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported: readonly string[];
  readonly bearer_methods_supported: readonly string[];
  readonly resource_name: string;
}

/** Authorization server metadata (RFC 8414). */
export interface AuthorizationServerMetadata {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly registration_endpoint: string;
  readonly revocation_endpoint: string;
  readonly device_authorization_endpoint: string;
  readonly scopes_supported: readonly string[];
  readonly response_types_supported: readonly string[];
  readonly response_modes_supported: readonly string[];
  readonly grant_types_supported: readonly string[];
  readonly token_endpoint_auth_methods_supported: readonly string[];
  readonly token_endpoint_auth_signing_alg_values_supported: readonly string[];
  readonly revocation_endpoint_auth_methods_supported: readonly string[];
  readonly code_challenge_methods_supported: readonly string[];
  readonly authorization_response_iss_parameter_supported: boolean;
  readonly client_id_metadata_document_supported: boolean;
  readonly service_documentation: string;
}

/** The answer of the token endpoint (RFC 6749). */
export interface OAuthTokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly refresh_token?: string | undefined;
  readonly scope?: string | undefined;
}

/** The begin of a sign-in with a code (RFC 8628). */
export interface DeviceCode {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete?: string | undefined;
  readonly expires_in: number;
  readonly interval: number;
}

/** What a client that wants to connect asks for. */
export interface ClientRequest {
  readonly client: {
    readonly id: string;
    readonly name: string;
    /** The host that the client is sent back to. */
    readonly host: string;
  };
  /** What its token counts for. */
  readonly resource: string;
  readonly scopes: readonly {
    /** A right that a key or a role holds. */
    readonly name: Scope;
    readonly about: string;
    /** Whether the person's own role holds it. */
    readonly allowed: boolean;
    /** Whether the page has it switched on at first. */
    readonly preset: boolean;
  }[];
}

/** A client that a person connected. */
export interface ConnectedClient {
  readonly id: string;
  readonly personId: string;
  readonly clientId: string;
  readonly name: string;
  /** The host that the client was sent back to. */
  readonly host: string;
  readonly scopes: readonly string[];
  /** What its tokens count for. */
  readonly resources: readonly string[];
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  /** A time, as ISO 8601. */
  readonly expiresAt: string;
}

/** A document with a title, and beside that whatever its owner put into it. */
export interface Artifact {
  readonly schemaVersion: "suite.artifact.v1";
  readonly id: string;
  /** Not shown to who may not read it. */
  readonly title?: string | undefined;
  readonly type?: string | undefined;
  readonly privacy?: "public" | "internal" | "confidential" | "restricted" | undefined;
  /** Of a saved one. */
  readonly version?: number | undefined;
  readonly digest?: string | undefined;
  /** How it is kept. */
  readonly storage: {
    readonly mode: "generated_snapshot" | "server_persistence";
    readonly persisted: boolean;
    readonly note?: string | undefined;
  };
  /** A time, as ISO 8601. */
  readonly createdAt?: string | undefined;
  /** A time, as ISO 8601. */
  readonly updatedAt?: string | undefined;
  /** A time, as ISO 8601. */
  readonly deletedAt?: string | undefined;
  readonly [name: string]: Json | undefined;
}

/** What is needed to pass an artifact on. */
export interface SharePacket {
  readonly schemaVersion: "suite.share.v1";
  readonly title: string;
  readonly json: string;
  readonly yaml: string;
  readonly markdown: string;
  /** The call as JSON-RPC. */
  readonly jsonRpc: {
    readonly jsonrpc: string;
    readonly id: number;
    readonly method: string;
    readonly params: {
      readonly name: string;
      readonly arguments: JsonObject;
    };
  };
  readonly suitectl: {
    readonly save: string;
    readonly export: string;
  };
  readonly link: string | null;
  readonly linkNote: string;
  readonly delivery: string;
}

/** Whether a digest may be given to an outside anchor, and why. */
export interface Anchor {
  readonly eligible: boolean;
  readonly anchored: false;
  readonly reasons: readonly string[];
}

/** A digest that is safe to publish. */
export interface Fingerprint {
  readonly subject: string;
  readonly kind: string;
  readonly digest: string;
  /** How private something is. */
  readonly privacy: Privacy;
  /** Whether a digest may be given to an outside anchor, and why. */
  readonly anchor: Anchor;
  readonly recordId?: string | undefined;
  readonly leafHash?: string | undefined;
  /** A time, as ISO 8601. */
  readonly recordedAt?: string | undefined;
}

/** Size, keys and newest signed checkpoint of the log. */
export interface ProvenanceLog {
  readonly origin: string | null;
  readonly size: number;
  readonly keys: readonly SigningKey[];
  readonly checkpoint: Checkpoint | null;
  readonly anchoring: string;
}

/** A record of the provenance log. */
export interface ProvenanceRecord {
  readonly recordId: string;
  readonly kind: string;
  /** How private something is. */
  readonly privacy: Privacy;
  readonly digest: string;
  readonly status: "pending" | "logged";
  readonly leafIndex: number | null;
  readonly leafHash: string;
  /** A time, as ISO 8601. */
  readonly recordedAt: string;
  /** Whether a digest may be given to an outside anchor, and why. */
  readonly anchor: Anchor;
  readonly subjectId?: string | undefined;
  readonly runId?: string | null | undefined;
  /** The canonical JSON that the leaf commits to. */
  readonly body?: string | undefined;
}

/** What one check of a proof found, and why. */
export interface ProofVerdict {
  readonly verdict: "pass" | "fail" | "not_checked";
  readonly detail: string;
}

/** The separate verdicts on a record. */
export interface ProofVerdicts {
  /** What one check of a proof found, and why. */
  readonly digest: ProofVerdict;
  /** What one check of a proof found, and why. */
  readonly signature: ProofVerdict;
  /** What one check of a proof found, and why. */
  readonly key: ProofVerdict;
  /** What one check of a proof found, and why. */
  readonly inclusion: ProofVerdict;
  /** What one check of a proof found, and why. */
  readonly anchor: ProofVerdict;
  /** What one check of a proof found, and why. */
  readonly assertion?: ProofVerdict | undefined;
}

/** Everything that is needed to check one record offline. */
export interface Proof {
  readonly schemaVersion: "svc.provenance-proof.v1";
  readonly origin: string;
  /** A record of the provenance log with its place in it. */
  readonly record: ProvedRecord;
  /** A signed head of the provenance log. */
  readonly checkpoint: Checkpoint;
  readonly inclusionPath: readonly string[];
  readonly keys: readonly SigningKey[];
}

/** The salt that a record's digest was made with. */
export interface Disclosure {
  readonly algorithm: string;
  readonly salt: string | null;
}

/** A tool with an example of its input and how to call it. */
export interface ToolSpec {
  readonly stepId: string;
  readonly tool: string;
  readonly title: string;
  readonly description: string;
  readonly access: "public" | "key";
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonObject;
  readonly exampleInput: JsonObject;
  readonly exampleFits: boolean;
  /** The call as JSON-RPC. */
  readonly jsonRpc: {
    readonly jsonrpc: string;
    readonly id: number;
    readonly method: string;
    readonly params: {
      readonly name: string;
      readonly arguments: JsonObject;
    };
  };
  readonly suitectl: string;
}

/** A workflow as a list shows it. */
export interface WorkflowSummary {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** Where a workflow stands. */
  readonly status: WorkflowStatus;
  /** Who sees a record: everybody, or callers with a key. */
  readonly visibility: Visibility;
  readonly publishedVersion: number | null;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  /** A time, as ISO 8601. */
  readonly updatedAt: string;
  /** What the author declared; not shown to strangers. */
  readonly owner?: string | null | undefined;
  /** Name, description or tags differ from the published version. */
  readonly hasNewTexts?: boolean | undefined;
  readonly createdBy?: string | undefined;
  readonly updatedBy?: string | undefined;
  /** Grows with every change; an update names the revision it was made from. */
  readonly revision?: number | undefined;
  readonly digest?: string | undefined;
  /** How many steps it has, those inside maps too. */
  readonly steps?: number | undefined;
}

/** What calling something can change. */
export type Effect = "none" | "write" | "destructive" | "external";

/** A step inside of a map. */
export interface InnerStep {
  readonly id: string;
  readonly type: string;
  readonly title: string | null;
  readonly level: number;
  /** The steps whose end it waits for. */
  readonly after: readonly string[];
  readonly tool: string | null;
  /** Digest of the tool as it is now; as toolDigest of the step it pins this definition. */
  readonly toolDigest: string | null;
  /** What calling something can change. */
  readonly effect: Effect;
  /** Of a connected tool: the credential that is used, and what is known of its server. */
  readonly connection?:
    | {
        readonly name: string;
        readonly credential: string | null;
        readonly reachable: string;
      }
    | undefined;
  /** How often it may be called at most, retries not counted. */
  readonly calls: number;
  /** The scope that a key needs. */
  readonly scope: string | null;
  /** Whether something decides if it runs. */
  readonly conditional: boolean;
  /** The service that has to confirm what it does, if one has to. */
  readonly confirmation: {
    /** The service of the suite that is asked; null when only a run knows which one. */
    readonly sibling: string | null;
    /** Whether it can as things are set up now. */
    readonly confirmable: boolean;
    readonly reason: string;
    readonly nextAction: string | null;
  } | null;
  readonly attempts: number;
  /** Longest time in milliseconds; null when nothing bounds it. */
  readonly worstCaseMs: number | null;
  /** Values that are known only when it runs. */
  readonly unresolved: readonly {
    readonly pointer: string;
    readonly source: string;
  }[];
  readonly body: null;
}

/** A step of a plan. */
export interface PlannedStep {
  readonly id: string;
  readonly type: string;
  readonly title: string | null;
  readonly level: number;
  /** The steps whose end it waits for. */
  readonly after: readonly string[];
  readonly tool: string | null;
  /** Digest of the tool as it is now; as toolDigest of the step it pins this definition. */
  readonly toolDigest: string | null;
  /** What calling something can change. */
  readonly effect: Effect;
  /** Of a connected tool: the credential that is used, and what is known of its server. */
  readonly connection?:
    | {
        readonly name: string;
        readonly credential: string | null;
        readonly reachable: string;
      }
    | undefined;
  /** How often it may be called at most, retries not counted. */
  readonly calls: number;
  /** The scope that a key needs. */
  readonly scope: string | null;
  /** Whether something decides if it runs. */
  readonly conditional: boolean;
  /** The service that has to confirm what it does, if one has to. */
  readonly confirmation: {
    /** The service of the suite that is asked; null when only a run knows which one. */
    readonly sibling: string | null;
    /** Whether it can as things are set up now. */
    readonly confirmable: boolean;
    readonly reason: string;
    readonly nextAction: string | null;
  } | null;
  readonly attempts: number;
  /** Longest time in milliseconds; null when nothing bounds it. */
  readonly worstCaseMs: number | null;
  /** Values that are known only when it runs. */
  readonly unresolved: readonly {
    readonly pointer: string;
    readonly source: string;
  }[];
  readonly body: readonly InnerStep[] | null;
}

/** What a run would do, before it does anything. */
export interface Plan {
  readonly documentDigest: string;
  readonly planDigest: string;
  /** True when the document is valid, so that it can be run. */
  readonly executable: boolean;
  readonly errors: number;
  readonly levels: readonly (readonly string[])[];
  readonly steps: readonly PlannedStep[];
  /** Calls by effect, retries not counted. */
  readonly effects: {
    readonly none: number;
    readonly write: number;
    readonly destructive: number;
    readonly external: number;
  };
  readonly approvals: readonly {
    readonly stepId: string;
    readonly title: string | null;
    readonly approvers: readonly string[];
    readonly required: number;
    readonly stepUp: boolean;
    readonly dueInMs: number | null;
    readonly expiresInMs: number | null;
    readonly hasForm: boolean;
  }[];
  /** Steps that no service can confirm as things are set up now, why, and what to do. */
  readonly unconfirmable: readonly {
    readonly stepId: string;
    readonly sibling: string | null;
    readonly reason: string;
    readonly nextAction: string | null;
  }[];
  readonly protectedSteps: readonly string[];
  /** Steps with an effect that the policy guards by an approval. */
  readonly guardedSteps: readonly string[];
  readonly requiredInputs: readonly string[];
  readonly unresolvedValues: number;
  readonly maxParallelSteps: number;
  readonly worstCase: {
    readonly ms: number | null;
    readonly path: readonly string[];
    readonly unbounded: readonly string[];
  };
}

/** A step of a dry run. Values are there only for who may see them. */
export interface DryStep {
  readonly stepId: string;
  readonly state: string;
  readonly port: string | null;
  /** Where the output came from. */
  readonly source: "computed" | "executed" | "pinned" | "recorded" | "sample" | "assumed";
  readonly note?: string | undefined;
  readonly input?: Json | undefined;
  readonly output?: Json | undefined;
  readonly error?: Json | undefined;
}

/** What a run would do, computed without changing anything. */
export interface DryRun {
  readonly kind: "dry_run";
  readonly state: "succeeded" | "failed" | "timed_out" | "cancelled";
  readonly outputs: Json;
  /** Why it failed; null when it did not. */
  readonly error: Json;
  readonly inputs: JsonObject;
  readonly assumedInputs: readonly string[];
  readonly documentDigest: string;
  readonly warnings: number;
  /** Calls that would have changed something and were not made. */
  readonly blocked: readonly {
    readonly stepId: string;
    readonly tool: string;
    readonly effect: string;
  }[];
  /** A dry run sends nothing, so nothing is confirmed. */
  readonly resultConfirmed: false;
  /** Steps that another service has to confirm: which one, and whether it could in a run. */
  readonly unconfirmedSteps: readonly {
    readonly stepId: string;
    /** The service of the suite that is asked; null when only a run knows which one. */
    readonly sibling: string | null;
    /** Whether it can as things are set up now. */
    readonly confirmable: boolean;
    readonly reason?: string | undefined;
    readonly nextAction?: string | null | undefined;
  }[];
  readonly nextAction: string | null;
  readonly skippedMs: number;
  readonly trace: {
    readonly traceId: string;
    readonly traceparent: string;
    readonly steps: readonly DryStep[];
  };
  readonly runId: string | null;
  readonly persisted: boolean;
  readonly persistence: string;
}

/** A form that was rendered and kept. */
export interface RenderedForm {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly ref: string | null;
  readonly server: string | null;
  /** A time, as ISO 8601. */
  readonly createdAt: string;
  /** A time, as ISO 8601. */
  readonly lastRenderedAt: string;
  readonly renderCount: number;
}

/** A service of the suite with what was observed of it. */
export interface Integration {
  readonly slug: string;
  readonly title: string;
  readonly purpose: string;
  readonly configured: boolean;
  readonly url: string | null;
  readonly transport: "openapi" | "mcp";
  readonly capabilities: readonly string[];
  readonly state: "not_configured" | "unknown" | "reachable" | "failing" | "circuit_open";
  /** The state in short: ready, configured or degraded. */
  readonly status: string;
  readonly observed: {
    readonly lastSuccessAt: string | null;
    readonly lastFailureAt: string | null;
    readonly lastFailure: string | null;
  };
  readonly nextAction: string;
}

/** What each tool takes and answers: operations that `tools/call` of `/api/mcp` reaches. */
export interface Tools {
  /** Service information */
  readonly get_svc_info: {
    readonly input: { readonly [name: string]: never };
    readonly output: Info;
  };
  /** Service information (alias) */
  readonly get_info: {
    readonly input: { readonly [name: string]: never };
    readonly output: Info;
  };
  /** Service health */
  readonly get_health: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      /** healthy, or degraded when storage cannot be written. */
      readonly status: string;
      readonly service: string;
      readonly version: string;
      readonly uptimeMs: number;
      /** One entry for each part that was looked at. */
      readonly checks: readonly {
        readonly name: string;
        readonly status: string;
        readonly detail: string;
      }[];
      readonly checkedAt: string;
    };
  };
  /** List the tools */
  readonly list_mcp_tools: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly endpoint: string;
      readonly counts: {
        readonly tools: number;
        readonly publicTools: number;
        readonly protectedTools: number;
        readonly resources: number;
        readonly prompts: number;
      };
      /** The rule for protected tools, the accepted headers and the scopes. */
      readonly auth: {
        readonly protected: string;
        readonly acceptedHeaders: readonly string[];
        readonly scopes: readonly string[];
      };
      readonly tools: readonly {
        readonly name: string;
        readonly title: string;
        readonly description: string;
        readonly protected: boolean;
        readonly requiredScope: string | null;
        /** What calling it can change: none, write, destructive or external. */
        readonly effect: string;
        readonly idempotent: boolean;
        readonly openWorld: boolean;
        /** JSON Schema of the arguments. */
        readonly inputSchema: JsonObject;
      }[];
      /** Tools of other servers, named `server:name`. */
      readonly synced: readonly {
        readonly name: string;
        readonly title: string;
        readonly description: string;
        readonly protected: boolean;
        readonly requiredScope: string | null;
        /** What calling it can change: none, write, destructive or external. */
        readonly effect: string;
        readonly idempotent: boolean;
        readonly openWorld: boolean;
        /** JSON Schema of the arguments. */
        readonly inputSchema: JsonObject;
        readonly server: string;
        /** Only an active one can be called. */
        readonly state: string;
        readonly digest: string;
        readonly callWith: string;
        /** The name of the credential that calls use. */
        readonly credential: string | null;
        /** What is known of its server. */
        readonly reachable: string;
      }[];
      /** How many there are, listed or not. */
      readonly syncedTotal: number;
      readonly syncedNote: string;
      readonly generatedAt: string;
    };
  };
  /** Check a tool's registration */
  readonly test_mcp_tool: {
    readonly input: {
      /** The tool's name, as tools/list writes it, or the `server:name` of a synced tool. */
      readonly name: string;
    };
    readonly output: {
      readonly name: string;
      readonly registered: boolean;
      /** `own`, or the server of a synced tool. */
      readonly source: string | null;
      /** False for a synced tool that is quarantined. */
      readonly callable: boolean;
      /** Null when it is not registered. */
      readonly requiresKey: boolean | null;
      readonly requiredScope: string | null;
      /** Whether you, as you are calling now, may call it. */
      readonly callerMayCall: boolean;
      readonly acceptedHeaders: readonly string[];
      /** A synced tool has its server and state too. */
      readonly tool:
        | {
            readonly name: string;
            readonly title: string;
            readonly description: string;
            readonly protected: boolean;
            readonly requiredScope: string | null;
            /** What calling it can change: none, write, destructive or external. */
            readonly effect: string;
            readonly idempotent: boolean;
            readonly openWorld: boolean;
            /** JSON Schema of the arguments. */
            readonly inputSchema: JsonObject;
            readonly server: string;
            /** Only an active one can be called. */
            readonly state: string;
            readonly digest: string;
            readonly callWith: string;
            /** The name of the credential that calls use. */
            readonly credential: string | null;
            /** What is known of its server. */
            readonly reachable: string;
          }
        | {
            readonly name: string;
            readonly title: string;
            readonly description: string;
            readonly protected: boolean;
            readonly requiredScope: string | null;
            /** What calling it can change: none, write, destructive or external. */
            readonly effect: string;
            readonly idempotent: boolean;
            readonly openWorld: boolean;
            /** JSON Schema of the arguments. */
            readonly inputSchema: JsonObject;
          }
        | null;
      readonly nearest: readonly string[];
      readonly executed: false;
    };
  };
  /** Public capabilities */
  readonly get_public_capabilities: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly service: string;
      readonly version: string;
      readonly summary: string;
      readonly methods: readonly {
        readonly method: string;
        readonly access: string;
        readonly purpose: string;
      }[];
      readonly tools: readonly {
        readonly name: string;
        readonly title: string;
        readonly description: string;
        readonly openWorld: boolean;
      }[];
      readonly resources: readonly {
        readonly uri: string;
        readonly title: string;
      }[];
      readonly prompts: readonly {
        readonly name: string;
        readonly title: string;
      }[];
      readonly generatedAt: string;
    };
  };
  /** Public access summary */
  readonly get_public_access_summary: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly counts: {
        readonly tools: number;
        readonly publicTools: number;
        readonly protectedTools: number;
        readonly resources: number;
        readonly prompts: number;
      };
      readonly publicMethods: readonly string[];
      readonly publicTools: readonly string[];
      readonly protectedTools: readonly string[];
      readonly protectedToolsByScope: { readonly [name: string]: readonly string[] };
      readonly routes: readonly {
        readonly method: string;
        readonly path: string;
        /** public, mixed or key. */
        readonly access: string;
      }[];
      readonly acceptedHeaders: readonly string[];
      readonly rules: readonly {
        readonly id: string;
        readonly text: string;
      }[];
      readonly rule: string;
      readonly browserStorage: string;
    };
  };
  /** Discovery manifest */
  readonly get_discovery_manifest: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly service: string;
      readonly version: string;
      readonly endpoint: string;
      readonly discovery: { readonly [name: string]: string };
      readonly documents: readonly {
        readonly key: string;
        readonly path: string;
        readonly url: string;
        readonly contentType: string;
        readonly summary: string;
      }[];
      readonly routes: readonly {
        readonly method: string;
        readonly path: string;
        /** public, mixed or key. */
        readonly access: string;
        readonly summary: string;
      }[];
      readonly generatedAt: string;
    };
  };
  /** Route compliance */
  readonly get_route_compliance: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      /** compliant or failing. */
      readonly status: string;
      readonly passed: number;
      readonly failed: number;
      readonly checks: readonly {
        readonly check: string;
        readonly target: string;
        readonly ok: boolean;
        readonly expected: string;
        readonly observed: string;
        readonly problems: readonly string[];
      }[];
      readonly checkedAt: string;
    };
  };
  /** Discovery compliance */
  readonly get_discovery_compliance: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      /** compliant or failing. */
      readonly status: string;
      readonly passed: number;
      readonly failed: number;
      readonly checks: readonly {
        readonly check: string;
        readonly target: string;
        readonly ok: boolean;
        readonly expected: string;
        readonly observed: string;
        readonly problems: readonly string[];
      }[];
      readonly checkedAt: string;
    };
  };
  /** Web manifest */
  readonly get_svc_web_manifest: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly schemaVersion: string;
      readonly id: string;
      readonly name: string;
      readonly title: string;
      readonly version: string;
      readonly description: string;
      readonly url: string;
      readonly endpoints: { readonly [name: string]: string };
      readonly counts: {
        readonly tools: number;
        readonly publicTools: number;
        readonly protectedTools: number;
        readonly resources: number;
        readonly prompts: number;
      };
      readonly discovery: { readonly [name: string]: string };
      readonly access: { readonly [name: string]: string };
      readonly liveStatus: {
        readonly note: string;
        readonly tools: readonly string[];
      };
      readonly boundary: string;
      readonly generatedAt: string;
    };
  };
  /** Web status */
  readonly get_svc_web_status: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly service: string;
      readonly version: string;
      /** operational, degraded (storage cannot be written) or failing. */
      readonly status: string;
      readonly storage: {
        readonly kind: string;
        readonly ready: boolean;
      };
      readonly routes: {
        readonly status: string;
        readonly passed: number;
        readonly failed: number;
      };
      readonly documents: {
        readonly status: string;
        readonly passed: number;
        readonly failed: number;
      };
      readonly failing: readonly {
        readonly target: string;
        readonly expected: string;
        readonly observed: string;
        readonly problems: readonly string[];
      }[];
      readonly evidence: readonly string[];
      readonly checkedAt: string;
    };
  };
  /** Web scorecard */
  readonly get_svc_web_scorecard: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly service: string;
      readonly version: string;
      /** Percentage of checks that passed. */
      readonly score: number;
      readonly passed: number;
      readonly total: number;
      readonly criteria: readonly {
        readonly criterion: string;
        readonly score: number;
        readonly passed: number;
        readonly total: number;
        readonly basis: string;
        readonly failing: readonly string[];
      }[];
      readonly method: string;
      readonly checkedAt: string;
    };
  };
  /** Web manifest (legacy alias) */
  readonly get_svc_web4_manifest: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly schemaVersion: string;
      readonly id: string;
      readonly name: string;
      readonly title: string;
      readonly version: string;
      readonly description: string;
      readonly url: string;
      readonly endpoints: { readonly [name: string]: string };
      readonly counts: {
        readonly tools: number;
        readonly publicTools: number;
        readonly protectedTools: number;
        readonly resources: number;
        readonly prompts: number;
      };
      readonly discovery: { readonly [name: string]: string };
      readonly access: { readonly [name: string]: string };
      readonly liveStatus: {
        readonly note: string;
        readonly tools: readonly string[];
      };
      readonly boundary: string;
      readonly generatedAt: string;
    };
  };
  /** Web status (legacy alias) */
  readonly get_svc_web4_status: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly service: string;
      readonly version: string;
      /** operational, degraded (storage cannot be written) or failing. */
      readonly status: string;
      readonly storage: {
        readonly kind: string;
        readonly ready: boolean;
      };
      readonly routes: {
        readonly status: string;
        readonly passed: number;
        readonly failed: number;
      };
      readonly documents: {
        readonly status: string;
        readonly passed: number;
        readonly failed: number;
      };
      readonly failing: readonly {
        readonly target: string;
        readonly expected: string;
        readonly observed: string;
        readonly problems: readonly string[];
      }[];
      readonly evidence: readonly string[];
      readonly checkedAt: string;
    };
  };
  /** Web scorecard (legacy alias) */
  readonly get_svc_scorecard: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly service: string;
      readonly version: string;
      /** Percentage of checks that passed. */
      readonly score: number;
      readonly passed: number;
      readonly total: number;
      readonly criteria: readonly {
        readonly criterion: string;
        readonly score: number;
        readonly passed: number;
        readonly total: number;
        readonly basis: string;
        readonly failing: readonly string[];
      }[];
      readonly method: string;
      readonly checkedAt: string;
    };
  };
  /** Agent policy */
  readonly get_agent_policy: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly schemaVersion: string;
      /** 0 is the built-in policy; stored revisions count from 1. */
      readonly revision: number;
      readonly digest: string;
      /** built-in or stored. */
      readonly source: string;
      readonly changedAt: string | null;
      readonly summary: string;
      readonly contact: string | null;
      readonly trustPolicyLine: string;
      readonly boundary: {
        readonly publicMethods: readonly string[];
        readonly publicTools: readonly string[];
        readonly protectedTools: readonly string[];
        readonly rule: string;
      };
      readonly rules: readonly {
        readonly id: string;
        readonly text: string;
      }[];
      readonly platforms: readonly {
        readonly id: string;
        readonly name: string;
        readonly access: string;
      }[];
      readonly robots: {
        readonly url: string;
        readonly groups: readonly string[];
      };
    };
  };
  /** Agent platforms */
  readonly list_agent_platforms: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      /** 0 is the built-in policy; stored revisions count from 1. */
      readonly revision: number;
      readonly digest: string;
      /** built-in or stored. */
      readonly source: string;
      readonly changedAt: string | null;
      readonly platforms: readonly {
        readonly id: string;
        readonly name: string;
        readonly kind: string;
        readonly access: string;
        readonly grants: readonly string[];
        readonly statements: readonly {
          readonly statement: string;
          readonly verified: boolean;
          readonly evidence: string;
          readonly how: string;
        }[];
        readonly verifiedStatements: number;
        readonly unverifiedStatements: number;
      }[];
      readonly note: string;
    };
  };
  /** One agent platform */
  readonly get_agent_platform: {
    readonly input: {
      /** The platform's id, as list_agent_platforms writes it, e.g. mcp-client. */
      readonly id: string;
    };
    readonly output: {
      readonly platform: {
        readonly id: string;
        readonly name: string;
        readonly kind: string;
        readonly access: string;
        readonly grants: readonly string[];
        readonly statements: readonly {
          readonly statement: string;
          readonly verified: boolean;
          readonly evidence: string;
          readonly how: string;
        }[];
        readonly verifiedStatements: number;
        readonly unverifiedStatements: number;
      };
      readonly revision: number;
    };
  };
  /** Robots policy */
  readonly get_robots_policy: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      /** 0 is the built-in policy; stored revisions count from 1. */
      readonly revision: number;
      readonly digest: string;
      /** built-in or stored. */
      readonly source: string;
      readonly changedAt: string | null;
      readonly url: string;
      readonly userAgents: readonly string[];
      readonly disallow: readonly string[];
      readonly verifiedCrawlers: readonly string[];
      readonly statement: string;
      /** robots.txt, word for word. */
      readonly text: string;
    };
  };
  /** AI policy */
  readonly get_ai_policy: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      /** 0 is the built-in policy; stored revisions count from 1. */
      readonly revision: number;
      readonly digest: string;
      /** built-in or stored. */
      readonly source: string;
      readonly changedAt: string | null;
      readonly statements: readonly string[];
      readonly modelAssistedTools: readonly string[];
      readonly modelAssistedNote: string;
      readonly untrustedText: string;
      readonly contact: string | null;
    };
  };
  /** Trust policy */
  readonly get_trust_policy: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      /** 0 is the built-in policy; stored revisions count from 1. */
      readonly revision: number;
      readonly digest: string;
      /** built-in or stored. */
      readonly source: string;
      readonly changedAt: string | null;
      readonly trustPolicyLine: string;
      readonly boundary: {
        readonly statement: string;
        readonly publicTools: number;
        readonly protectedTools: readonly string[];
        readonly rule: string;
        readonly acceptedHeaders: readonly string[];
        readonly browserStorage: string;
      };
      /** Which hosts may be reached, and by which rule. */
      readonly trustedDomains: {
        readonly rule: string;
        readonly self: string;
        readonly operatorListedHosts: number;
        readonly operatorListedHostsNote: string;
        readonly configuredSiblings: readonly string[];
        readonly anonymousCallersMayFetch: string;
      };
      readonly confirmation: string;
    };
  };
  /** Evaluate access */
  readonly evaluate_agent_access: {
    readonly input: {
      /** A tool name, resource URI, prompt name, JSON-RPC method, or a path such as /api/svc/receive-handoff. */
      readonly target: string;
      /** What you mean to do with a path: GET, read, POST, send, accept… Reading when left out. */
      readonly action?: string | undefined;
    };
    readonly output: {
      readonly target: string;
      readonly kind: string;
      readonly verdict: "public-safe" | "key-required";
      readonly ruleId: string;
      readonly rule: string;
      readonly explanation: string;
      readonly requiredScope: string | null;
      readonly withoutKey: string;
      readonly acceptedHeaders: readonly string[];
      /** Null when only the path's handler can tell, from the record at hand. */
      readonly callerMay: boolean | null;
    };
  };
  /** Change the agent policy */
  readonly update_agent_policy: {
    readonly input: {
      /** The members to change: summary, contact, aiStatements, robotsDisallow, platforms. */
      readonly policy: JsonObject;
    };
    readonly output: {
      readonly status: "stored";
      readonly revision: number;
      readonly digest: string;
      readonly changed: readonly string[];
      readonly provenanceId: string | null;
      readonly createdAt: string;
      /** What was observed while refreshing. */
      readonly evidence?:
        | {
            readonly checks: readonly {
              readonly statement: string;
              readonly holds: boolean;
              readonly observed: string;
            }[];
          }
        | undefined;
    };
  };
  /** Refresh the platform registry */
  readonly refresh_agent_platform_registry: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly status: "stored";
      readonly revision: number;
      readonly digest: string;
      readonly changed: readonly string[];
      readonly provenanceId: string | null;
      readonly createdAt: string;
      /** What was observed while refreshing. */
      readonly evidence?:
        | {
            readonly checks: readonly {
              readonly statement: string;
              readonly holds: boolean;
              readonly observed: string;
            }[];
          }
        | undefined;
    };
  };
  /** List suitectl examples */
  readonly list_cli_examples: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly examples: readonly {
        /** What get_cli_example takes. */
        readonly id: string;
        readonly title: string;
        /** The command's words after suitectl. */
        readonly command: string;
        readonly summary: string;
        /** What to paste into a shell. */
        readonly text: string;
        readonly access: "offline" | "public" | "key" | "database";
        /** What must be there before it works. */
        readonly needs: readonly string[];
        /** True when it asks questions on a terminal. */
        readonly interactive: boolean;
      }[];
      readonly count: number;
    };
  };
  /** Get a suitectl example */
  readonly get_cli_example: {
    readonly input: {
      /** The id of the example, such as workflows-run. */
      readonly id: string;
    };
    readonly output: {
      readonly example: {
        /** What get_cli_example takes. */
        readonly id: string;
        readonly title: string;
        /** The command's words after suitectl. */
        readonly command: string;
        readonly summary: string;
        /** What to paste into a shell. */
        readonly text: string;
        readonly access: "offline" | "public" | "key" | "database";
        /** What must be there before it works. */
        readonly needs: readonly string[];
        /** True when it asks questions on a terminal. */
        readonly interactive: boolean;
      };
    };
  };
  /** Write a suitectl command */
  readonly generate_suitectl_command: {
    readonly input: {
      /** The artifact it is about. */
      readonly artifactId?: string | undefined;
      /** The workflow template it is about. */
      readonly templateId?: string | undefined;
      /** A service of the suite to hand the artifact to, a tool of this service, or a group such as runs. */
      readonly target?: string | undefined;
      /** What to do: a verb of the group such as export, or the capability asked of a service of the suite. */
      readonly action?: string | undefined;
      /** True for the command that changes something and needs a key. */
      readonly protected?: boolean | undefined;
    };
    readonly output: {
      /** What to paste into a shell. */
      readonly command: string;
      readonly path: string;
      readonly summary: string;
      readonly access: string;
      readonly needsKey: boolean;
      readonly executed: boolean;
      readonly notes: readonly string[];
    };
  };
  /** Storage status */
  readonly get_storage_status: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly mode: string;
      readonly database: {
        readonly kind: string;
        readonly ready: boolean;
        readonly reason: string | null;
        readonly durability: string;
        readonly schemaVersion: number;
        readonly sizeBytes: number | null;
        readonly lastWriteProbe: {
          readonly at: string | null;
          readonly milliseconds: number | null;
        };
      };
      readonly modes: readonly {
        readonly mode: string;
        readonly label: string;
        readonly active: boolean;
        readonly guarantee: string;
        readonly siblings?: readonly string[] | undefined;
      }[];
      readonly reason: string | null;
      readonly nextAction: string | null;
    };
  };
  /** List saved artifacts */
  readonly list_artifacts: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly artifacts: readonly Artifact[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
      /** Whether the server can keep artifacts at all. */
      readonly storage: {
        readonly kind: string;
        readonly ready: boolean;
        readonly reason: string | null;
      };
    };
  };
  /** Get a saved artifact */
  readonly get_artifact: {
    readonly input: {
      /** The id of a saved artifact, as list_artifacts shows it. */
      readonly id: string;
    };
    readonly output: {
      /** A document with a title, and beside that whatever its owner put into it. */
      readonly artifact: Artifact;
    };
  };
  /** Make a local artifact */
  readonly create_local_artifact: {
    readonly input: {
      /** What a person calls it. */
      readonly title: string;
      /** What it is, such as note, form or report; note by default. */
      readonly type?: string | undefined;
      /** What it is about. */
      readonly description?: string | undefined;
      /** The service it came from. */
      readonly sourceService?: string | undefined;
      /** Where it came from: an address or an id. */
      readonly sourceRef?: string | undefined;
      /** A JSON Schema that describes its content. */
      readonly schema?: JsonObject | undefined;
    };
    readonly output: {
      /** A document with a title, and beside that whatever its owner put into it. */
      readonly artifact: Artifact;
    };
  };
  /** Clone an artifact */
  readonly clone_artifact: {
    readonly input: {
      /** The artifact: `title` (required), `type`, `description`, `privacy` (public, internal, confidential or restricted) and whatever else it holds. */
      readonly artifact: JsonObject;
    };
    readonly output: {
      /** A document with a title, and beside that whatever its owner put into it. */
      readonly artifact: Artifact;
    };
  };
  /** Export an artifact */
  readonly export_artifact: {
    readonly input: {
      /** The artifact: `title` (required), `type`, `description`, `privacy` (public, internal, confidential or restricted) and whatever else it holds. */
      readonly artifact: JsonObject;
      /** The format of the text; json by default. */
      readonly format?: "json" | "yaml" | "markdown" | undefined;
    };
    readonly output: {
      readonly format: string;
      readonly mediaType: string;
      readonly fileName: string;
      readonly text: string;
      readonly mode: "exported";
    };
  };
  /** Make a share packet */
  readonly create_share_packet: {
    readonly input: {
      /** The artifact: `title` (required), `type`, `description`, `privacy` (public, internal, confidential or restricted) and whatever else it holds. */
      readonly artifact: JsonObject;
    };
    readonly output: {
      /** What is needed to pass an artifact on. */
      readonly packet: SharePacket;
    };
  };
  /** Save an artifact */
  readonly save_artifact: {
    readonly input: {
      /** The artifact: `title` (required), `type`, `description`, `privacy` (public, internal, confidential or restricted) and whatever else it holds. */
      readonly artifact: JsonObject;
    };
    readonly output: {
      /** A document with a title, and beside that whatever its owner put into it. */
      readonly artifact: Artifact;
      /** The record of the change in the provenance log. */
      readonly provenance: {
        readonly recordId: string | null;
        readonly digest?: string | undefined;
        readonly note: string;
      };
    };
  };
  /** Update an artifact */
  readonly update_artifact: {
    readonly input: {
      /** The id of a saved artifact, as list_artifacts shows it. */
      readonly id: string;
      /** Required: the properties that change, and `version` for the one they are based on. Without it the call is refused. */
      readonly artifact?: JsonObject | undefined;
    };
    readonly output: {
      /** A document with a title, and beside that whatever its owner put into it. */
      readonly artifact: Artifact;
      /** The record of the change in the provenance log. */
      readonly provenance: {
        readonly recordId: string | null;
        readonly digest?: string | undefined;
        readonly note: string;
      };
    };
  };
  /** Delete an artifact */
  readonly delete_artifact: {
    readonly input: {
      /** The id of a saved artifact, as list_artifacts shows it. */
      readonly id: string;
    };
    readonly output: {
      /** A document with a title, and beside that whatever its owner put into it. */
      readonly artifact: Artifact;
      /** The record of the change in the provenance log. */
      readonly provenance: {
        readonly recordId: string | null;
        readonly digest?: string | undefined;
        readonly note: string;
      };
    };
  };
  /** List fingerprints */
  readonly list_svc_fingerprints: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly fingerprints: readonly Fingerprint[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
      /** Size, keys and newest signed checkpoint of the log. */
      readonly log: ProvenanceLog;
    };
  };
  /** Look up provenance */
  readonly lookup_svc_provenance: {
    readonly input: {
      /** The address of a discovery document of this service, or its path. */
      readonly url?: string | undefined;
      /** A SHA-256 digest of content, a published digest or a leaf hash; `sha256:` may be left out. Steps are found through their run. */
      readonly hash?: string | undefined;
      /** The id of a provenance record. */
      readonly recordId?: string | undefined;
      /** The id of a workflow. */
      readonly workflowId?: string | undefined;
      /** The id of a run; its steps and approvals are found too. */
      readonly runId?: string | undefined;
      /** The id of a saved artifact. */
      readonly artifactId?: string | undefined;
      /** The id of a handoff packet. */
      readonly delegationId?: string | undefined;
      /** The id of a rendered form. */
      readonly formId?: string | undefined;
    };
    readonly output: {
      readonly query: {
        /** The address of a discovery document of this service, or its path. */
        readonly url?: string | undefined;
        /** A SHA-256 digest of content, a published digest or a leaf hash; `sha256:` may be left out. Steps are found through their run. */
        readonly hash?: string | undefined;
        /** The id of a provenance record. */
        readonly recordId?: string | undefined;
        /** The id of a workflow. */
        readonly workflowId?: string | undefined;
        /** The id of a run; its steps and approvals are found too. */
        readonly runId?: string | undefined;
        /** The id of a saved artifact. */
        readonly artifactId?: string | undefined;
        /** The id of a handoff packet. */
        readonly delegationId?: string | undefined;
        /** The id of a rendered form. */
        readonly formId?: string | undefined;
      };
      readonly records: readonly ProvenanceRecord[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
      readonly found: boolean;
    };
  };
  /** Verify provenance */
  readonly verify_svc_provenance: {
    readonly input: {
      /** The id of the record, as lookup_svc_provenance shows it. */
      readonly recordId?: string | undefined;
      /** A digest or leaf hash of the record, when the id is not known. */
      readonly hash?: string | undefined;
    };
    readonly output: {
      readonly verified: boolean;
      /** The separate verdicts on a record. */
      readonly verdicts: ProofVerdicts;
      readonly proof: Proof | null;
      /** A record of the provenance log. */
      readonly record: ProvenanceRecord;
      /** The salt that a record's digest was made with. */
      readonly disclosure?: Disclosure | undefined;
      /** Why the proof is not shown. */
      readonly proofNote?: string | undefined;
    };
  };
  /** Preview a design */
  readonly preview_studio_design: {
    readonly input: {
      /** What the screen is for, in a sentence. */
      readonly prompt?: string | undefined;
      /** A template of svc://studio/templates; chosen from the prompt when left out. */
      readonly templateId?: string | undefined;
    };
    readonly output: {
      readonly source: "studio" | "fallback";
      readonly status: "confirmed" | "degraded" | "preview_ready";
      readonly design: JsonObject;
      readonly note: string;
      readonly resultRef?: string | undefined;
      readonly evidence?: JsonObject | undefined;
      readonly matchedKeywords?: readonly string[] | undefined;
    };
  };
  /** Turn a design into a workflow draft */
  readonly convert_studio_design_to_workflow: {
    readonly input: {
      /** The id of a previewed design, or of a studio template; intake-form by default. */
      readonly designId?: string | undefined;
    };
    readonly output: {
      readonly status: "draft";
      readonly persisted: false;
      readonly designId: string;
      readonly workflow: JsonObject;
      /** What validate_workflow says of it. */
      readonly validation: {
        readonly valid: boolean;
        readonly errors: number;
        readonly warnings: number;
        readonly problems: readonly WorkflowProblem[];
        /** How many further problems were left out of the list. */
        readonly omitted: number;
      };
      readonly nextAction: string;
    };
  };
  /** Import a design */
  readonly import_studio_design: {
    readonly input: {
      /** The design's id at the design service. */
      readonly designId: string;
    };
    readonly output: {
      readonly status: "imported";
      readonly artifactId: string;
      readonly resultRef: string;
      readonly designId: string;
    };
  };
  /** Generate tool specs */
  readonly generate_tool_specs: {
    readonly input: {
      /** A service of the suite, such as docs, sandbox or svc. */
      readonly service?: string | undefined;
      /** What the tools should do, in a word or two. */
      readonly capability?: string | undefined;
      /** Where the work comes from; kept in the run JSON, not fetched. */
      readonly source_url?: string | undefined;
      /** What the work is about; used in example inputs. */
      readonly topic?: string | undefined;
      /** `specs`, `run`, `workflow` or `all` (default). */
      readonly output_mode?: string | undefined;
      /** Step ids, each with true (the id is the tool), a tool's name, or {tool, arguments}. */
      readonly selected_steps?: JsonObject | undefined;
      /** Several services. */
      readonly services?: readonly Json[] | undefined;
      /** Tool names, or {tool, arguments}, in order. */
      readonly toolchain?: readonly Json[] | undefined;
    };
    readonly output: {
      readonly executed: false;
      readonly specs: readonly ToolSpec[];
      readonly unknown: readonly {
        readonly name: string;
        readonly nearest: readonly string[];
      }[];
      readonly run?:
        | {
            readonly topic: string;
            readonly sourceUrl: string | null;
            readonly status: "preview_ready";
            readonly steps: readonly {
              readonly order: number;
              readonly stepId: string;
              readonly tool: string;
              readonly access: string;
              readonly input: JsonObject;
              readonly status: "preview_ready";
              readonly resultRef: null;
            }[];
          }
        | undefined;
      readonly workflow?: JsonObject | undefined;
      /** What validate_workflow says of it. */
      readonly validation?:
        | {
            readonly valid: boolean;
            readonly errors: number;
            readonly warnings: number;
            readonly problems: readonly WorkflowProblem[];
            /** How many further problems were left out of the list. */
            readonly omitted: number;
          }
        | undefined;
    };
  };
  /** List workflows */
  readonly list_workflows: {
    readonly input: {
      /** How many to give at most (default 50). */
      readonly limit?: number | undefined;
    };
    readonly output: {
      readonly workflows: readonly WorkflowSummary[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
      /** Whether workflows can be kept at all. */
      readonly storage: {
        readonly kind: string;
        readonly persistent: boolean;
      };
    };
  };
  /** Get a workflow */
  readonly get_workflow: {
    readonly input: {
      /** The workflow's id, as list_workflows shows it. */
      readonly id: string;
    };
    readonly output: {
      /** A workflow with the document that the caller may see. */
      readonly workflow: Workflow;
    };
  };
  /** Create a workflow */
  readonly create_workflow: {
    readonly input: {
      /** What people call it, 1 to 200 characters. */
      readonly name: string;
      /** What it is for. */
      readonly description?: string | undefined;
      /** The steps: {id, type, …} with type tool, approval, switch, map, transform, wait, handoff or subworkflow. A `start` node may carry the inputs' schema, an `end` node the outputs. Canvas nodes {id, type, data, position} are understood. */
      readonly nodes?: readonly Json[] | undefined;
      /** The edges: {from, to, port?}; `source`/`target` are understood. Ports: success, error, approved, rejected, expired, case:<name>, default. */
      readonly edges?: readonly Json[] | undefined;
      /** Words to find it by. */
      readonly tags?: readonly string[] | undefined;
    };
    readonly output: {
      /** A workflow with the document that the caller may see. */
      readonly workflow: Workflow;
      readonly valid: boolean;
      readonly errors: number;
      readonly warnings: number;
      readonly problems: readonly WorkflowProblem[];
      /** How many further problems were left out of the list. */
      readonly omitted: number;
    };
  };
  /** Update a workflow */
  readonly update_workflow: {
    readonly input: {
      /** The workflow's id, as list_workflows shows it. */
      readonly id: string;
      /** A new name. */
      readonly name?: string | undefined;
      /** A new description. */
      readonly description?: string | undefined;
      /** The steps: {id, type, …} with type tool, approval, switch, map, transform, wait, handoff or subworkflow. A `start` node may carry the inputs' schema, an `end` node the outputs. Canvas nodes {id, type, data, position} are understood. */
      readonly nodes?: readonly Json[] | undefined;
      /** The edges: {from, to, port?}; `source`/`target` are understood. Ports: success, error, approved, rejected, expired, case:<name>, default. */
      readonly edges?: readonly Json[] | undefined;
      /** All its tags, replacing the old ones. */
      readonly tags?: readonly string[] | undefined;
      /** `archived` to retire it; `draft` or `published` to bring it back. */
      readonly status?: string | undefined;
      /** `private` or `public`. Only published workflows are ever shown publicly. */
      readonly visibility?: string | undefined;
    };
    readonly output: {
      /** A workflow with the document that the caller may see. */
      readonly workflow: Workflow;
      readonly valid: boolean;
      readonly errors: number;
      readonly warnings: number;
      readonly problems: readonly WorkflowProblem[];
      /** How many further problems were left out of the list. */
      readonly omitted: number;
    };
  };
  /** Validate a workflow */
  readonly validate_workflow: {
    readonly input: {
      /** The workflow's id, as list_workflows shows it. */
      readonly id?: string | undefined;
      /** The steps: {id, type, …} with type tool, approval, switch, map, transform, wait, handoff or subworkflow. A `start` node may carry the inputs' schema, an `end` node the outputs. Canvas nodes {id, type, data, position} are understood. */
      readonly nodes?: readonly Json[] | undefined;
      /** The edges: {from, to, port?}; `source`/`target` are understood. Ports: success, error, approved, rejected, expired, case:<name>, default. */
      readonly edges?: readonly Json[] | undefined;
    };
    readonly output: {
      readonly valid: boolean;
      readonly errors: number;
      readonly warnings: number;
      readonly problems: readonly WorkflowProblem[];
      /** How many further problems were left out of the list. */
      readonly omitted: number;
    };
  };
  /** Plan a workflow */
  readonly plan_workflow: {
    readonly input: {
      /** The workflow's id, as list_workflows shows it. */
      readonly id?: string | undefined;
      /** The steps: {id, type, …} with type tool, approval, switch, map, transform, wait, handoff or subworkflow. A `start` node may carry the inputs' schema, an `end` node the outputs. Canvas nodes {id, type, data, position} are understood. */
      readonly nodes?: readonly Json[] | undefined;
      /** The edges: {from, to, port?}; `source`/`target` are understood. Ports: success, error, approved, rejected, expired, case:<name>, default. */
      readonly edges?: readonly Json[] | undefined;
    };
    readonly output: {
      /** What a run would do, before it does anything. */
      readonly plan: Plan;
      readonly problems: readonly WorkflowProblem[];
    };
  };
  /** Dry-run a workflow */
  readonly dry_run_workflow: {
    readonly input: {
      /** The workflow's id, as list_workflows shows it. */
      readonly id?: string | undefined;
      /** The steps: {id, type, …} with type tool, approval, switch, map, transform, wait, handoff or subworkflow. A `start` node may carry the inputs' schema, an `end` node the outputs. Canvas nodes {id, type, data, position} are understood. */
      readonly nodes?: readonly Json[] | undefined;
      /** The edges: {from, to, port?}; `source`/`target` are understood. Ports: success, error, approved, rejected, expired, case:<name>, default. */
      readonly edges?: readonly Json[] | undefined;
      /** The inputs; required ones that are missing are made up from the schema and named in `assumedInputs`. */
      readonly inputs?: JsonObject | undefined;
    };
    readonly output: DryRun;
  };
  /** Publish a workflow */
  readonly publish_workflow: {
    readonly input: {
      /** The workflow's id, as list_workflows shows it. */
      readonly id: string;
    };
    readonly output: {
      /** A workflow with the document that the caller may see. */
      readonly workflow: Workflow;
      readonly version: {
        readonly version: number;
        readonly digest: string;
        readonly publishedAt: string;
        readonly publishedBy: string;
      };
    };
  };
  /** Run a workflow */
  readonly run_workflow: {
    readonly input: {
      /** The id of the workflow, as list_workflows shows it. */
      readonly id: string;
      /** The run's inputs; they must fit the workflow's `inputs` schema. */
      readonly inputs?: JsonObject | undefined;
    };
    readonly output: {
      /** A run with its steps. Values are there only for who may see them. */
      readonly run: RunDetail;
    };
  };
  /** Get a workflow run */
  readonly get_workflow_run: {
    readonly input: {
      /** The id of the run, as run_workflow gave it. */
      readonly id: string;
    };
    readonly output: {
      /** A run with its steps. Values are there only for who may see them. */
      readonly run: RunDetail;
    };
  };
  /** Cancel a workflow run */
  readonly cancel_workflow_run: {
    readonly input: {
      /** The id of the run to stop. */
      readonly id: string;
    };
    readonly output: {
      /** A run as a list shows it. */
      readonly run: Run;
    };
  };
  /** List workflow templates */
  readonly list_templates: {
    readonly input: {
      /** How many to give at most (default 50). */
      readonly limit?: number | undefined;
    };
    readonly output: {
      readonly templates: readonly {
        readonly id: string;
        readonly name: string;
        readonly description: string;
        readonly tags: readonly string[];
        readonly source: "built-in" | "stored";
        /** Services of the suite that must be configured for every step to do its work. */
        readonly needs: readonly string[];
        readonly steps: number;
      }[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Get a workflow template */
  readonly get_template: {
    readonly input: {
      /** The template's id, as list_templates shows it. */
      readonly id: string;
    };
    readonly output: {
      readonly template: {
        readonly id: string;
        readonly name: string;
        readonly description: string;
        readonly tags: readonly string[];
        readonly source: "built-in" | "stored";
        /** Services of the suite that must be configured for every step to do its work. */
        readonly needs: readonly string[];
        readonly steps: number;
        /** Inputs to try it with. */
        readonly exampleInputs: JsonObject;
        /** What starts it by itself, as create_trigger takes it. */
        readonly triggers: readonly ProposedTrigger[];
        readonly digest: string;
        readonly nodes: readonly Json[];
        readonly edges: readonly Json[];
        readonly document: JsonObject;
      };
    };
  };
  /** Create a workflow from a template */
  readonly instantiate_template: {
    readonly input: {
      /** The template's id, as list_templates shows it. */
      readonly templateId: string;
      /** The name of the new workflow; default the template's. */
      readonly name?: string | undefined;
      /** Who looks after it: a person or a team, as free text. */
      readonly owner?: string | undefined;
    };
    readonly output: {
      /** A workflow with the document that the caller may see. */
      readonly workflow: Workflow;
      readonly templateId: string;
    };
  };
  /** List approvals */
  readonly list_approvals: {
    readonly input: {
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
    };
    readonly output: {
      readonly approvals: readonly Approval[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Approve a step */
  readonly approve_step: {
    readonly input: {
      /** The id of the approval, as list_approvals shows it. */
      readonly id: string;
      /** A note for the record; shown to callers with a key only. */
      readonly reason?: string | undefined;
    };
    readonly output: {
      /** A decision that a run waits for. Strangers see neither its content nor its notes. */
      readonly approval: Approval;
      /** A run as a list shows it. */
      readonly run: Run;
    };
  };
  /** Reject a step */
  readonly reject_step: {
    readonly input: {
      /** The id of the approval, as list_approvals shows it. */
      readonly id: string;
      /** Required: why it is rejected. Without it the call is refused. */
      readonly reason?: string | undefined;
    };
    readonly output: {
      /** A decision that a run waits for. Strangers see neither its content nor its notes. */
      readonly approval: Approval;
      /** A run as a list shows it. */
      readonly run: Run;
    };
  };
  /** Render a tool as a form */
  readonly render_mcp_tool_form: {
    readonly input: {
      /** A name from tools/list, or server:name of a synced tool. */
      readonly toolName: string;
    };
    readonly output: {
      /** The form document, svc.form.v1: fields, initial value, examples, validation, fallback and notes. */
      readonly form: JsonObject;
      /** A digest of the form's input. */
      readonly formId: string;
      /** How many fields are at the top of the form. */
      readonly fieldCount: number;
      /** rendered, or raw_json when the whole form is one JSON field. */
      readonly renderStatus: string;
      /** Whether the form is kept under its id, and why not. */
      readonly stored: {
        readonly status: "stored" | "not_configured" | "not_stored" | "pending";
        readonly detail: string;
      };
    };
  };
  /** Render an API operation as a form */
  readonly render_openapi_operation_form: {
    readonly input: {
      /** The operation's id in the description. */
      readonly operationId?: string | undefined;
      /** HTTP method, together with path. */
      readonly method?: string | undefined;
      /** Path as in the description, such as /users/{id}. */
      readonly path?: string | undefined;
      /** Address of the service, or of its OpenAPI document. This service when left out. */
      readonly serviceBaseUrl?: string | undefined;
    };
    readonly output: {
      /** The form document, svc.form.v1: fields, initial value, examples, validation, fallback and notes. */
      readonly form: JsonObject;
      /** A digest of the form's input. */
      readonly formId: string;
      /** How many fields are at the top of the form. */
      readonly fieldCount: number;
      /** rendered, or raw_json when the whole form is one JSON field. */
      readonly renderStatus: string;
      /** Whether the form is kept under its id, and why not. */
      readonly stored: {
        readonly status: "stored" | "not_configured" | "not_stored" | "pending";
        readonly detail: string;
      };
    };
  };
  /** Render a JSON Schema as a form */
  readonly render_json_schema_form: {
    readonly input: {
      /** The JSON Schema. */
      readonly schema: JsonObject;
      /** What you call the schema; kept with the form. */
      readonly sourceRef?: string | undefined;
      /** Title of the form; the schema's own when left out. */
      readonly title?: string | undefined;
    };
    readonly output: {
      /** The form document, svc.form.v1: fields, initial value, examples, validation, fallback and notes. */
      readonly form: JsonObject;
      /** A digest of the form's input. */
      readonly formId: string;
      /** How many fields are at the top of the form. */
      readonly fieldCount: number;
      /** rendered, or raw_json when the whole form is one JSON field. */
      readonly renderStatus: string;
      /** Whether the form is kept under its id, and why not. */
      readonly stored: {
        readonly status: "stored" | "not_configured" | "not_stored" | "pending";
        readonly detail: string;
      };
    };
  };
  /** Render a webhook payload as a form */
  readonly render_webhook_schema_form: {
    readonly input: {
      /** The payload's JSON Schema. Wins over eventName. */
      readonly schema?: JsonObject | undefined;
      /** An event of the description, such as svc.run.succeeded. */
      readonly eventName?: string | undefined;
      /** The service that sends it, or its OpenAPI or AsyncAPI document. This service when left out. */
      readonly serviceBaseUrl?: string | undefined;
    };
    readonly output: {
      /** The form document, svc.form.v1: fields, initial value, examples, validation, fallback and notes. */
      readonly form: JsonObject;
      /** A digest of the form's input. */
      readonly formId: string;
      /** How many fields are at the top of the form. */
      readonly fieldCount: number;
      /** rendered, or raw_json when the whole form is one JSON field. */
      readonly renderStatus: string;
      /** Whether the form is kept under its id, and why not. */
      readonly stored: {
        readonly status: "stored" | "not_configured" | "not_stored" | "pending";
        readonly detail: string;
      };
      /** States that nothing was delivered. */
      readonly delivery: {
        readonly claimed: false;
        readonly detail: string;
      };
    };
  };
  /** Render the ASCII conversion form */
  readonly render_ascii_conversion_form: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      /** The form document, svc.form.v1: fields, initial value, examples, validation, fallback and notes. */
      readonly form: JsonObject;
      /** A digest of the form's input. */
      readonly formId: string;
      /** How many fields are at the top of the form. */
      readonly fieldCount: number;
      /** rendered, or raw_json when the whole form is one JSON field. */
      readonly renderStatus: string;
      /** Whether the form is kept under its id, and why not. */
      readonly stored: {
        readonly status: "stored" | "not_configured" | "not_stored" | "pending";
        readonly detail: string;
      };
    };
  };
  /** Check required fields */
  readonly validate_form_input: {
    readonly input: {
      /** The JSON Schema of the form. */
      readonly schema: JsonObject;
      /** The value to check; an empty object when left out. */
      readonly value?: JsonObject | undefined;
    };
    readonly output: {
      /** True when no required field is missing; nothing else is checked. */
      readonly valid: boolean;
      readonly missing: readonly {
        readonly pointer: string;
        readonly name: string;
        readonly label: string;
        readonly message: string;
        /** Required only because of other values. */
        readonly conditional: boolean;
      }[];
      /** What was checked: required fields and nothing else. */
      readonly checked: "required";
      /** How many required fields were looked for. */
      readonly requiredFields: number;
      /** False when the value was too large to look at whole. */
      readonly complete: boolean;
      readonly scope: string;
      readonly schemaDigest: string;
    };
  };
  /** List rendered forms */
  readonly list_rendered_forms: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly forms: readonly RenderedForm[];
      /** Forms on this page that need a key to be seen. */
      readonly hidden: number;
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
      /** What is kept, and where. */
      readonly persistence: {
        readonly configured: boolean;
        readonly kind: string;
        readonly detail: string;
      };
    };
  };
  /** Get a rendered form */
  readonly get_rendered_form: {
    readonly input: {
      /** The formId of a rendered form. */
      readonly id: string;
    };
    readonly output: {
      /** The form document, svc.form.v1: fields, initial value, examples, validation, fallback and notes. */
      readonly form: JsonObject;
      readonly createdAt: string;
      readonly lastRenderedAt: string;
      readonly renderCount: number;
    };
  };
  /** Convert image to ASCII */
  readonly execute_ascii_conversion: {
    readonly input: {
      /** The image as base64 text or as a base64 data URL. SVG is refused. */
      readonly image: string;
      /** Columns of the text, a whole number from 8 to 400. Default 80. */
      readonly resolution?: number | undefined;
      /** Characters from dark to light, 2 to 100 of printable ASCII. */
      readonly charset?: string | undefined;
      /** Weigh the colours as brightness (default) or take the strongest channel. */
      readonly grayscale?: boolean | undefined;
      /** Swap dark and light. */
      readonly inverted?: boolean | undefined;
    };
    readonly output: {
      readonly status: "confirmed";
      readonly resultRef: string;
      readonly confirmation: {
        readonly required: boolean;
        readonly received: true;
        readonly source: string;
        readonly kind: string;
        readonly observedAt: string;
      };
      /** `text`, its `columns` and `rows`, and the digest of the image. */
      readonly result: JsonObject;
      readonly image: {
        readonly format: string;
        readonly width: number;
        readonly height: number;
      };
    };
  };
  /** Preview layout */
  readonly preview_layout_artifact: {
    readonly input: {
      /** The layout document: `title` and `blocks`. Required without a templateSlug. */
      readonly document?: JsonObject | undefined;
      /** A template of the layout service. Required without a document. */
      readonly templateSlug?: string | undefined;
      /** `mobile`, `tablet` or `desktop` (default). */
      readonly viewport?: string | undefined;
    };
    readonly output: {
      readonly status: "confirmed";
      readonly resultRef: string;
      readonly confirmation: {
        readonly required: boolean;
        readonly received: true;
        readonly source: string;
        readonly kind: string;
        readonly observedAt: string;
      };
      /** `html`, `url` and the digest of the document. */
      readonly result: JsonObject;
    };
  };
  /** Score layout */
  readonly score_layout_artifact: {
    readonly input: {
      /** The layout document: `title` and `blocks`. Required without a templateSlug. */
      readonly document?: JsonObject | undefined;
      /** A template of the layout service. Required without a document. */
      readonly templateSlug?: string | undefined;
    };
    readonly output: {
      readonly status: "confirmed";
      readonly resultRef: string;
      readonly confirmation: {
        readonly required: boolean;
        readonly received: true;
        readonly source: string;
        readonly kind: string;
        readonly observedAt: string;
      };
      /** `score` from 0 to 100 and its `findings`. */
      readonly result: JsonObject;
    };
  };
  /** Export layout */
  readonly export_layout_artifact: {
    readonly input: {
      /** The layout document: `title` and `blocks`. Required without a templateSlug. */
      readonly document?: JsonObject | undefined;
      /** A template of the layout service. Required without a document. */
      readonly templateSlug?: string | undefined;
      /** `html` (default), `markdown` or `json`. */
      readonly format?: string | undefined;
    };
    readonly output: {
      readonly status: "confirmed";
      readonly resultRef: string;
      readonly confirmation: {
        readonly required: boolean;
        readonly received: true;
        readonly source: string;
        readonly kind: string;
        readonly observedAt: string;
      };
      /** `format`, `content`, `url` and the digest of the document. */
      readonly result: JsonObject;
    };
  };
  /** Publish artifact */
  readonly publish_artifact: {
    readonly input: {
      /** The id of a saved artifact. */
      readonly artifactId: string;
      /** `docs` (default), `catalog` or `sheets`. */
      readonly target?: string | undefined;
    };
    readonly output: {
      readonly status: "completed";
      readonly resultRef: string;
      readonly delegationId: string;
      readonly confirmation: {
        readonly required: boolean;
        readonly received: true;
        readonly source: string;
        readonly kind: string;
        readonly observedAt: string;
      };
      /** What that service says of its result. */
      readonly result: JsonObject;
      readonly outputArtifactIds: readonly string[];
      readonly recorded: boolean;
      /** What was observed of the exchange. */
      readonly evidence: JsonObject;
    };
  };
  /** Create docs report */
  readonly create_docs_report: {
    readonly input: {
      /** Required: an artifact object with a `title`, as saved or as a snapshot. Without it the call is refused. */
      readonly artifact?: JsonObject | undefined;
    };
    readonly output: {
      readonly status: "completed";
      readonly resultRef: string;
      readonly delegationId: string;
      readonly confirmation: {
        readonly required: boolean;
        readonly received: true;
        readonly source: string;
        readonly kind: string;
        readonly observedAt: string;
      };
      /** What that service says of its result. */
      readonly result: JsonObject;
      readonly outputArtifactIds: readonly string[];
      readonly recorded: boolean;
      /** What was observed of the exchange. */
      readonly evidence: JsonObject;
    };
  };
  /** Create sheet export */
  readonly create_sheet_export: {
    readonly input: {
      /** Required: an artifact object with a `title`, as saved or as a snapshot. Without it the call is refused. */
      readonly artifact?: JsonObject | undefined;
    };
    readonly output: {
      readonly status: "completed";
      readonly resultRef: string;
      readonly delegationId: string;
      readonly confirmation: {
        readonly required: boolean;
        readonly received: true;
        readonly source: string;
        readonly kind: string;
        readonly observedAt: string;
      };
      /** What that service says of its result. */
      readonly result: JsonObject;
      readonly outputArtifactIds: readonly string[];
      readonly recorded: boolean;
      /** What was observed of the exchange. */
      readonly evidence: JsonObject;
    };
  };
  /** Create catalog entry */
  readonly create_catalog_entry: {
    readonly input: {
      /** Required: an artifact object with a `title`, as saved or as a snapshot. Without it the call is refused. */
      readonly artifact?: JsonObject | undefined;
    };
    readonly output: {
      readonly status: "completed";
      readonly resultRef: string;
      readonly delegationId: string;
      readonly confirmation: {
        readonly required: boolean;
        readonly received: true;
        readonly source: string;
        readonly kind: string;
        readonly observedAt: string;
      };
      /** What that service says of its result. */
      readonly result: JsonObject;
      readonly outputArtifactIds: readonly string[];
      readonly recorded: boolean;
      /** What was observed of the exchange. */
      readonly evidence: JsonObject;
    };
  };
  /** Run in sandbox */
  readonly trigger_sandbox: {
    readonly input: {
      /** Required: an artifact object with a `title`, as saved or as a snapshot. Without it the call is refused. */
      readonly artifact?: JsonObject | undefined;
    };
    readonly output: {
      readonly status: "completed";
      readonly resultRef: string;
      readonly delegationId: string;
      readonly confirmation: {
        readonly required: boolean;
        readonly received: true;
        readonly source: string;
        readonly kind: string;
        readonly observedAt: string;
      };
      /** What that service says of its result. */
      readonly result: JsonObject;
      readonly outputArtifactIds: readonly string[];
      readonly recorded: boolean;
      /** What was observed of the exchange. */
      readonly evidence: JsonObject;
    };
  };
  /** Check in browser */
  readonly trigger_browsercheck: {
    readonly input: {
      /** Required: an artifact object with a `title`, as saved or as a snapshot. Without it the call is refused. */
      readonly artifact?: JsonObject | undefined;
    };
    readonly output: {
      readonly status: "completed";
      readonly resultRef: string;
      readonly delegationId: string;
      readonly confirmation: {
        readonly required: boolean;
        readonly received: true;
        readonly source: string;
        readonly kind: string;
        readonly observedAt: string;
      };
      /** What that service says of its result. */
      readonly result: JsonObject;
      readonly outputArtifactIds: readonly string[];
      readonly recorded: boolean;
      /** What was observed of the exchange. */
      readonly evidence: JsonObject;
    };
  };
  /** Score with evals */
  readonly trigger_evals: {
    readonly input: {
      /** Required: an artifact object with a `title`, as saved or as a snapshot. Without it the call is refused. */
      readonly artifact?: JsonObject | undefined;
    };
    readonly output: {
      readonly status: "completed";
      readonly resultRef: string;
      readonly delegationId: string;
      readonly confirmation: {
        readonly required: boolean;
        readonly received: true;
        readonly source: string;
        readonly kind: string;
        readonly observedAt: string;
      };
      /** What that service says of its result. */
      readonly result: JsonObject;
      readonly outputArtifactIds: readonly string[];
      readonly recorded: boolean;
      /** What was observed of the exchange. */
      readonly evidence: JsonObject;
    };
  };
  /** Score workflow */
  readonly trigger_eval: {
    readonly input: {
      /** The id of a stored workflow. */
      readonly workflowId: string;
    };
    readonly output: {
      readonly status: "completed";
      readonly resultRef: string;
      readonly delegationId: string;
      readonly confirmation: {
        readonly required: boolean;
        readonly received: true;
        readonly source: string;
        readonly kind: string;
        readonly observedAt: string;
      };
      /** What that service says of its result. */
      readonly result: JsonObject;
      readonly outputArtifactIds: readonly string[];
      readonly recorded: boolean;
      /** What was observed of the exchange. */
      readonly evidence: JsonObject;
    };
  };
  /** Validate workflow in sandbox */
  readonly trigger_sandbox_validation: {
    readonly input: {
      /** The id of a stored workflow. */
      readonly workflowId: string;
    };
    readonly output: {
      readonly status: "completed";
      readonly resultRef: string;
      readonly delegationId: string;
      readonly confirmation: {
        readonly required: boolean;
        readonly received: true;
        readonly source: string;
        readonly kind: string;
        readonly observedAt: string;
      };
      /** What that service says of its result. */
      readonly result: JsonObject;
      readonly outputArtifactIds: readonly string[];
      readonly recorded: boolean;
      /** What was observed of the exchange. */
      readonly evidence: JsonObject;
    };
  };
  /** Check workflow page in browser */
  readonly trigger_browsercheck_check: {
    readonly input: {
      /** The id of a stored workflow. */
      readonly workflowId: string;
    };
    readonly output: {
      readonly status: "completed";
      readonly resultRef: string;
      readonly delegationId: string;
      readonly confirmation: {
        readonly required: boolean;
        readonly received: true;
        readonly source: string;
        readonly kind: string;
        readonly observedAt: string;
      };
      /** What that service says of its result. */
      readonly result: JsonObject;
      readonly outputArtifactIds: readonly string[];
      readonly recorded: boolean;
      /** What was observed of the exchange. */
      readonly evidence: JsonObject;
    };
  };
  /** Publish workflow report */
  readonly publish_docs_report: {
    readonly input: {
      /** The id of a stored workflow. */
      readonly workflowId: string;
    };
    readonly output: {
      readonly status: "completed";
      readonly resultRef: string;
      readonly delegationId: string;
      readonly confirmation: {
        readonly required: boolean;
        readonly received: true;
        readonly source: string;
        readonly kind: string;
        readonly observedAt: string;
      };
      /** What that service says of its result. */
      readonly result: JsonObject;
      readonly outputArtifactIds: readonly string[];
      readonly recorded: boolean;
      /** What was observed of the exchange. */
      readonly evidence: JsonObject;
    };
  };
  /** Create workflow sheet */
  readonly create_sheet_report: {
    readonly input: {
      /** The id of a stored workflow. */
      readonly workflowId: string;
    };
    readonly output: {
      readonly status: "completed";
      readonly resultRef: string;
      readonly delegationId: string;
      readonly confirmation: {
        readonly required: boolean;
        readonly received: true;
        readonly source: string;
        readonly kind: string;
        readonly observedAt: string;
      };
      /** What that service says of its result. */
      readonly result: JsonObject;
      readonly outputArtifactIds: readonly string[];
      readonly recorded: boolean;
      /** What was observed of the exchange. */
      readonly evidence: JsonObject;
    };
  };
  /** Delegate artifact */
  readonly delegate_artifact: {
    readonly input: {
      /** The service of the suite: sandbox, evals, docs, sheets, catalog, … */
      readonly targetService: string;
      /** The artifact, or what identifies it. Its `id` names the input. */
      readonly artifact?: JsonObject | undefined;
      /** What the target should do: one of the capabilities that list_integrations shows for it. Default: the first of them. */
      readonly action?: string | undefined;
      /** False sends the packet. Default true: a preview. */
      readonly dryRun?: boolean | undefined;
    };
    readonly output: {
      /** preview_ready, accepted or completed. */
      readonly status: string;
      readonly delegationId: string;
      /** The suite.handoff.v1 packet of a preview. */
      readonly packet?:
        | {
            /** The version of the packet. */
            readonly schemaVersion: "suite.handoff.v1";
            /** Delegation id `delegation_<target>_<hex>`; a receiver stores a packet once under it. */
            readonly id: string;
            /** The sending service. */
            readonly from: string;
            /** The target service. */
            readonly to: string;
            /** The capability requested from the target. */
            readonly capability: string;
            /** What the sender wants, for a person to read. */
            readonly intent: string;
            /** How the target is spoken to. */
            readonly transport: "openapi" | "mcp";
            /** What the target wants to see before it accepts. */
            readonly auth: {
              /** Whether the target wants a credential. */
              readonly required: boolean;
              /** Whether one is shown with this packet; false in a preview. */
              readonly satisfied: boolean;
              /** The kind of credential. */
              readonly mode: string;
            };
            /** Where the handoff stands. */
            readonly status: "preview_ready" | "ready" | "accepted" | "completed";
            /** True for a preview: nothing is asked to happen. */
            readonly dryRun: boolean;
            /** The artifacts or share packets the work is about. */
            readonly inputArtifactIds: readonly string[];
            /** The results; empty until the target confirmed. */
            readonly outputArtifactIds: readonly string[];
            /** How the handoff is followed across services. */
            readonly trace: {
              /** W3C trace id. */
              readonly traceId: string;
              /** The span of this handoff. */
              readonly spanId: string;
              /** The span that caused it. */
              readonly parentSpanId: string;
              /** The same as a W3C traceparent header. */
              readonly traceparent: string;
              /** The request that made the packet. */
              readonly requestId: string;
              /** Where the trace is shown. */
              readonly traceUrl: string;
            };
            /** What the target confirmed; null until it did. */
            readonly resultRef: string | null;
            /** What was confirmed, and by whom. */
            readonly confirmation: {
              /** Whether a confirmation of the target is needed. */
              readonly required: boolean;
              /** Whether it came. */
              readonly received: boolean;
              /** Who confirmed. */
              readonly source: string | null;
            };
            readonly payload: JsonObject;
          }
        | undefined;
      /** A handoff: where it stands and what was confirmed. */
      readonly handoff?: Handoff | undefined;
      readonly resultRef: string | null;
      /** Of a preview: whether the service of the suite is configured and declares the action. */
      readonly sendable?: boolean | undefined;
      readonly nextAction: string;
    };
  };
  /** List integrations */
  readonly list_integrations: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly integrations: readonly Integration[];
      readonly counts: {
        readonly total: number;
        readonly configured: number;
        readonly reachable: number;
        readonly failing: number;
        readonly notObserved: number;
        readonly notConfigured: number;
      };
      readonly policy: string;
    };
  };
  /** Integration status */
  readonly get_integration_status: {
    readonly input: {
      /** The service's name, such as docs or ai_gateway. */
      readonly slug: string;
    };
    readonly output: Integration;
  };
  /** Sync network tools */
  readonly sync_network_tools: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly server: string;
      readonly added: readonly string[];
      readonly changed: readonly string[];
      readonly removed: readonly string[];
      readonly restored: readonly string[];
      readonly unchanged: number;
      readonly quarantined: number;
      readonly refused: readonly string[];
    };
  };
  /** Execute MCP tool */
  readonly execute_mcp_tool: {
    readonly input: {
      /** A tool of tools/list, or the `server:name` of a synced tool. */
      readonly name: string;
      /** The tool's arguments. Empty when it takes none. */
      readonly arguments?: JsonObject | undefined;
    };
    readonly output: {
      readonly tool: string;
      /** `own`, or the server of a synced tool. */
      readonly source: string;
      /** The data the tool answered with. */
      readonly result: JsonObject;
      /** Of a synced tool: the delivery its server answered. */
      readonly resultRef?: string | undefined;
      readonly confirmation?:
        | {
            readonly required: boolean;
            readonly received: true;
            readonly source: string;
            readonly kind: string;
            readonly observedAt: string;
          }
        | undefined;
    };
  };
}

/** What each operation takes and answers. */
export interface Operations extends Tools {
  /** List API keys */
  readonly list_keys: {
    readonly input: {
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly keys: readonly ApiKey[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Who am I */
  readonly get_me: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      /** Who a request comes from, and what it may do. */
      readonly me: Me;
    };
  };
  /** Create an API key */
  readonly create_key: {
    readonly input: {
      /** What the key is for. */
      readonly name: string;
      /** What the key may do. */
      readonly scopes: readonly Scope[];
      /** When it stops working, as ISO 8601; never when it is left out. */
      readonly expiresAt?: string | null | undefined;
    };
    readonly output: {
      /** An API key without its secret. */
      readonly key: ApiKey;
      /** The key itself; it is shown this once. */
      readonly token: string;
    };
  };
  /** Rotate an API key */
  readonly rotate_key: {
    readonly input: {
      /** The id of the key, as list_keys shows it. */
      readonly id: string;
      /** How long the old key still works; one day when not given. */
      readonly graceSeconds?: number | undefined;
    };
    readonly output: {
      /** An API key without its secret. */
      readonly key: ApiKey;
      /** The key itself; it is shown this once. */
      readonly token: string;
      readonly replaces: string;
    };
  };
  /** Revoke an API key */
  readonly revoke_key: {
    readonly input: {
      /** The id of the key, as list_keys shows it. */
      readonly id: string;
    };
    readonly output: {
      /** An API key without its secret. */
      readonly key: ApiKey;
    };
  };
  /** Show my absence */
  readonly get_absence: {
    readonly input: { readonly [name: string]: never };
    readonly output: Absence;
  };
  /** Set my absence */
  readonly set_absence: {
    readonly input: {
      /** The id or e-mail address of a person whose role holds approve. */
      readonly substitute: string;
      /** When the absence begins. */
      readonly from: string;
      /** When it ends, 366 days later at most. */
      readonly until: string;
    };
    readonly output: Absence;
  };
  /** End my absence */
  readonly end_absence: {
    readonly input: { readonly [name: string]: never };
    readonly output: Absence;
  };
  /** Show my notifications */
  readonly get_notifications: {
    readonly input: { readonly [name: string]: never };
    readonly output: NotificationChoice;
  };
  /** Choose my notifications */
  readonly set_notifications: {
    readonly input: {
      /** At once, once a day, or not at all. */
      readonly mail: "immediate" | "digest" | "off";
    };
    readonly output: NotificationChoice;
  };
  /** List notification targets */
  readonly list_notification_targets: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly targets: readonly NotificationTarget[];
    };
  };
  /** Add a notification target */
  readonly add_notification_target: {
    readonly input: {
      /** person: with an id or e-mail address, or group: with the name of a group. */
      readonly owner: string;
      /** An http or https address without a user name. */
      readonly url: string;
    };
    readonly output: {
      /** A webhook that is notified of approvals of a person or a group. */
      readonly target: NotificationTarget;
      readonly secret: string;
    };
  };
  /** Remove a notification target */
  readonly remove_notification_target: {
    readonly input: {
      /** The id of the address, as list_notification_targets shows it. */
      readonly id: string;
    };
    readonly output: {
      readonly removed: string;
    };
  };
  /** Ask whether mails should stop */
  readonly show_unsubscribe: {
    readonly input: {
      /** What the link of a mail ends with. */
      readonly token: string;
    };
    readonly output: string;
  };
  /** Stop mails about approvals */
  readonly stop_mails: {
    readonly input: {
      /** What the link of a mail ends with. */
      readonly token: string;
    };
    readonly output: string;
  };
  /** List the audit entries */
  readonly list_audit: {
    readonly input: {
      /** The id or the e-mail address of who did it. */
      readonly actor?: string | undefined;
      /** One that list_audit_actions names, or a kind such as person.*. */
      readonly action?: string | undefined;
      /** What it was done to, such as people/person_…. */
      readonly subject?: string | undefined;
      /** From when on: a day such as 2027-01-31 or a time such as 2027-01-31T08:00:00Z. */
      readonly from?: string | undefined;
      /** Until when: a day such as 2027-01-31 or a time such as 2027-01-31T08:00:00Z. */
      readonly to?: string | undefined;
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly entries: readonly AuditEntry[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** List the audited actions */
  readonly list_audit_actions: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly actions: readonly {
        readonly name: string;
        readonly what: string;
      }[];
      readonly kinds: readonly string[];
    };
  };
  /** Export the audit entries */
  readonly export_audit: {
    readonly input: {
      /** The id or the e-mail address of who did it. */
      readonly actor?: string | undefined;
      /** One that list_audit_actions names, or a kind such as person.*. */
      readonly action?: string | undefined;
      /** What it was done to, such as people/person_…. */
      readonly subject?: string | undefined;
      /** From when on: a day such as 2027-01-31 or a time such as 2027-01-31T08:00:00Z. */
      readonly from?: string | undefined;
      /** Until when: a day such as 2027-01-31 or a time such as 2027-01-31T08:00:00Z. */
      readonly to?: string | undefined;
    };
    readonly output: string;
  };
  /** Stream the events */
  readonly stream_events: {
    readonly input: {
      /** Types of events, separated by commas; * stands for any. */
      readonly types?: string | undefined;
      /** Only events of this subject. */
      readonly subject?: string | undefined;
      /** The number of the last event that was seen. */
      readonly after?: string | undefined;
    };
    readonly output: string;
  };
  /** List webhooks */
  readonly list_webhooks: {
    readonly input: {
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly webhooks: readonly Webhook[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Create a webhook */
  readonly create_webhook: {
    readonly input: {
      /** Where the events are sent. */
      readonly url: string;
      /** Types of events; * stands for any. All when left out. */
      readonly types?: readonly string[] | undefined;
    };
    readonly output: {
      /** An address that gets events. */
      readonly webhook: Webhook;
      /** The signing secret; it is shown this once. */
      readonly secret: string;
    };
  };
  /** Show a webhook */
  readonly get_webhook: {
    readonly input: {
      /** The id of the webhook. */
      readonly id: string;
    };
    readonly output: {
      /** An address that gets events. */
      readonly webhook: Webhook;
    };
  };
  /** Pause a webhook */
  readonly pause_webhook: {
    readonly input: {
      /** The id of the webhook. */
      readonly id: string;
    };
    readonly output: {
      /** An address that gets events. */
      readonly webhook: Webhook;
    };
  };
  /** Resume a webhook */
  readonly resume_webhook: {
    readonly input: {
      /** The id of the webhook. */
      readonly id: string;
    };
    readonly output: {
      /** An address that gets events. */
      readonly webhook: Webhook;
    };
  };
  /** Rotate a webhook's secret */
  readonly rotate_webhook: {
    readonly input: {
      /** The id of the webhook. */
      readonly id: string;
    };
    readonly output: {
      /** An address that gets events. */
      readonly webhook: Webhook;
      /** The signing secret; it is shown this once. */
      readonly secret: string;
    };
  };
  /** Remove a webhook */
  readonly remove_webhook: {
    readonly input: {
      /** The id of the webhook. */
      readonly id: string;
    };
    readonly output: {
      readonly removed: string;
    };
  };
  /** List deliveries of a webhook */
  readonly list_deliveries: {
    readonly input: {
      /** The id of the webhook. */
      readonly id: string;
      /** Whether the event arrived; dead: it was given up. */
      readonly state?: "pending" | "delivered" | "dead" | undefined;
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly deliveries: readonly Delivery[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Send dead letters again */
  readonly redeliver_dead_letters: {
    readonly input: {
      /** The id of the webhook. */
      readonly id: string;
      /** One delivery; all dead ones when left out. */
      readonly deliveryId?: string | undefined;
    };
    readonly output: {
      readonly queued: number;
    };
  };
  /** List handoffs */
  readonly list_handoffs: {
    readonly input: {
      /** Received or sent. */
      readonly direction?: "in" | "out" | undefined;
      /** Where a handoff stands. */
      readonly state?: HandoffState | undefined;
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly handoffs: readonly Handoff[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Show a handoff */
  readonly get_handoff: {
    readonly input: {
      /** The id of the packet. */
      readonly id: string;
      /** Received or sent. */
      readonly direction?: "in" | "out" | undefined;
    };
    readonly output: HandoffDetail;
  };
  /** Run a workflow from a handoff */
  readonly run_handoff: {
    readonly input: {
      /** The id of the packet. */
      readonly id: string;
      /** The workflow to run. */
      readonly workflowId: string;
      /** The inputs of the run; those of the packet when left out. */
      readonly inputs?: JsonObject | null | undefined;
    };
    readonly output: {
      /** A handoff: where it stands and what was confirmed. */
      readonly handoff: Handoff;
      readonly run: {
        readonly id: string;
        readonly status: string;
        readonly workflowId: string | null;
      };
    };
  };
  /** List runs */
  readonly list_runs: {
    readonly input: {
      /** Only runs of this workflow. */
      readonly workflowId?: string | undefined;
      /** Only runs in these states, separated by commas: queued, running, waiting, cancelling, succeeded, failed, timed_out, cancelled. */
      readonly status?: string | undefined;
      /** Only runs that this person or key started: its id. */
      readonly startedBy?: string | undefined;
      /** From when on: a day such as 2027-01-31 or a time such as 2027-01-31T08:00:00Z. */
      readonly from?: string | undefined;
      /** Until when: a day such as 2027-01-31 or a time such as 2027-01-31T08:00:00Z. */
      readonly to?: string | undefined;
      /** Only runs with this text in their inputs, in any case; needs read-private. */
      readonly text?: string | undefined;
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly runs: readonly Run[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Show a run */
  readonly get_run: {
    readonly input: {
      /** The id of the run. */
      readonly id: string;
    };
    readonly output: {
      /** A run with its steps. Values are there only for who may see them. */
      readonly run: RunDetail;
    };
  };
  /** List the items of a map */
  readonly list_run_items: {
    readonly input: {
      /** The id of the run. */
      readonly id: string;
      /** The map, such as `each`; or one item, such as `each[3]`. */
      readonly step: string;
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly items: readonly MapItem[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Show the document of a run */
  readonly get_run_document: {
    readonly input: {
      /** The id of the run. */
      readonly id: string;
    };
    readonly output: RunDocument;
  };
  /** Get the receipt of a run */
  readonly get_run_receipt: {
    readonly input: {
      /** The id of the run. */
      readonly id: string;
      /** Also what the records speak of; needs read-private. */
      readonly content?: boolean | undefined;
    };
    readonly output: {
      /** The records of an ended run with proofs that anybody can check offline. */
      readonly receipt: RunReceipt;
    };
  };
  /** Retry a run */
  readonly retry_run: {
    readonly input: {
      /** The id of the run. */
      readonly id: string;
    };
    readonly output: {
      /** A run as a list shows it. */
      readonly run: Run;
    };
  };
  /** Settle a step */
  readonly settle_step: {
    readonly input: {
      /** The id of the run. */
      readonly id: string;
      /** The id of the step. */
      readonly stepId: string;
      /** What became of it; retry runs it again. */
      readonly outcome: "succeeded" | "failed" | "retry";
      /** What the step gave, when it succeeded. */
      readonly output?: JsonObject | null | undefined;
      /** Why you say so, for the record; at most 1,000 characters. */
      readonly reason?: string | null | undefined;
    };
    readonly output: {
      /** A run as a list shows it. */
      readonly run: Run;
    };
  };
  /** Send a signal to a run */
  readonly send_signal: {
    readonly input: {
      /** The id of the run. */
      readonly id: string;
      /** The name that the step waits for. */
      readonly name: string;
      /** What the step gets; null when left out. */
      readonly payload?: Json | undefined;
      /** The same key again is the same signal. */
      readonly idempotencyKey?: string | undefined;
    };
    readonly output: {
      /** Something that was sent to a run under a name. */
      readonly signal: Signal;
    };
  };
  /** Show a trace */
  readonly get_trace: {
    readonly input: {
      /** The id of the trace: traceId of a run. */
      readonly id: string;
    };
    readonly output: Trace;
  };
  /** Preview a repair */
  readonly preview_repair: {
    readonly input: {
      /** The id of the run. */
      readonly id: string;
      /** retry: what failed runs again. rerun: the step and what depends on it runs again. change_input, supply_output, skip: the step gets another input, counts as done with this output, or is left out. continue: the run goes on with another published version. */
      readonly action: RepairAction;
      /** The step that is repaired. */
      readonly stepId?: string | undefined;
      /** What the step gets instead. */
      readonly input?: JsonObject | undefined;
      /** What counts as the output of the step. */
      readonly output?: Json | undefined;
      /** The version to continue on; the newest when left out. */
      readonly version?: number | undefined;
      /** Why, for the record; needed where a step is changed. */
      readonly reason?: string | undefined;
    };
    readonly output: {
      /** What a repair would do, step by step. */
      readonly report: RepairReport;
    };
  };
  /** Repair a run */
  readonly repair_run: {
    readonly input: {
      /** The id of the run. */
      readonly id: string;
      /** retry: what failed runs again. rerun: the step and what depends on it runs again. change_input, supply_output, skip: the step gets another input, counts as done with this output, or is left out. continue: the run goes on with another published version. */
      readonly action: RepairAction;
      /** The step that is repaired. */
      readonly stepId?: string | undefined;
      /** What the step gets instead. */
      readonly input?: JsonObject | undefined;
      /** What counts as the output of the step. */
      readonly output?: Json | undefined;
      /** The version to continue on; the newest when left out. */
      readonly version?: number | undefined;
      /** Why, for the record; needed where a step is changed. */
      readonly reason?: string | undefined;
      /** The digest of the report that was looked at; needed to continue on another version. */
      readonly reportDigest?: string | undefined;
    };
    readonly output: {
      /** A run as a list shows it. */
      readonly run: Run;
    };
  };
  /** List causes of failed runs */
  readonly list_run_failures: {
    readonly input: {
      /** Only runs of this workflow. */
      readonly workflowId?: string | undefined;
    };
    readonly output: {
      readonly groups: readonly FailureGroup[];
    };
  };
  /** Repair runs of one cause */
  readonly repair_runs: {
    readonly input: {
      /** The workflow of the runs. */
      readonly workflowId: string;
      /** The step they failed at; null for those that failed as a whole. */
      readonly failedStep: string | null;
      /** The code of their error, or their state where it has none, as list_run_failures gives it. */
      readonly code: string;
      /** retry: what failed runs again. rerun: the step and what depends on it runs again. change_input, supply_output, skip: the step gets another input, counts as done with this output, or is left out. continue: the run goes on with another published version. */
      readonly action: RepairAction;
      /** The step that is repaired. */
      readonly stepId?: string | undefined;
      /** What the step gets instead. */
      readonly input?: JsonObject | undefined;
      /** What counts as the output of the step. */
      readonly output?: Json | undefined;
      /** The version to continue on; the newest when left out. */
      readonly version?: number | undefined;
      /** Why, for the record; needed where a step is changed. */
      readonly reason?: string | undefined;
      /** Only say what would be done. */
      readonly preview?: boolean | undefined;
      /** The digest of the preview; needed to continue on another version. */
      readonly reportDigest?: string | undefined;
    };
    readonly output: {
      /** Of a preview. */
      readonly digest: string | null;
      readonly results: readonly {
        readonly runId: string;
        readonly report: RepairReport | null;
        readonly error: {
          readonly code: string;
          readonly message: string;
        } | null;
      }[];
      /** There are more runs of this cause. */
      readonly isMore: boolean;
    };
  };
  /** Compare two runs */
  readonly compare_runs: {
    readonly input: {
      /** The id of the run. */
      readonly id: string;
      /** The id of the other run. */
      readonly other: string;
    };
    readonly output: {
      /** Where two runs differ. */
      readonly comparison: RunComparison;
    };
  };
  /** Explain a run */
  readonly explain_run: {
    readonly input: {
      /** The id of the run. */
      readonly id: string;
    };
    readonly output: {
      /** What happened in a run and why, in words. */
      readonly explanation: RunExplanation;
    };
  };
  /** Find approvals */
  readonly find_approvals: {
    readonly input: {
      /** Where an approval stands. */
      readonly status?: ApprovalState | undefined;
      /** Only those of this run. */
      readonly runId?: string | undefined;
      /** mine: those that name you. groups: those that name a group or the role of you, or nobody. all: every one. */
      readonly inbox?: "mine" | "groups" | "all" | undefined;
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly approvals: readonly Approval[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Show an approval */
  readonly get_approval: {
    readonly input: {
      /** The id of the approval. */
      readonly id: string;
    };
    readonly output: ApprovalDetail;
  };
  /** Claim an approval */
  readonly claim_approval: {
    readonly input: {
      /** The id of the approval. */
      readonly id: string;
    };
    readonly output: ApprovalDetail;
  };
  /** Release an approval */
  readonly release_approval: {
    readonly input: {
      /** The id of the approval. */
      readonly id: string;
    };
    readonly output: ApprovalDetail;
  };
  /** Delegate an approval */
  readonly delegate_approval: {
    readonly input: {
      /** The id of the approval. */
      readonly id: string;
      /** The id or e-mail address of the person. */
      readonly to: string;
    };
    readonly output: ApprovalDetail;
  };
  /** Comment on an approval */
  readonly comment_approval: {
    readonly input: {
      /** The id of the approval. */
      readonly id: string;
      /** The comment. */
      readonly body: string;
    };
    readonly output: ApprovalDetail;
  };
  /** Decide an approval */
  readonly decide_approval: {
    readonly input: {
      /** The id of the approval. */
      readonly id: string;
      /** What a decision says. */
      readonly verdict: Verdict;
      /** The digest of what the decider was shown, as the approval gives it. */
      readonly shownDigest: string;
      /** A note for the record. */
      readonly reason?: string | undefined;
      /** The values of the approval's form, if it has one. */
      readonly values?: JsonObject | null | undefined;
      /** The browser's answer to the options of POST /api/svc/approvals/{id}/step-up; needed where the approval says stepUp. */
      readonly assertion?: JsonObject | null | undefined;
    };
    readonly output: ApprovalDetail;
  };
  /** Request changes */
  readonly request_approval_changes: {
    readonly input: {
      /** The id of the approval. */
      readonly id: string;
      /** What should change. */
      readonly comment: string;
      /** The digest of what the decider was shown, as the approval gives it. */
      readonly shownDigest: string;
      /** The browser's answer to the options of POST /api/svc/approvals/{id}/step-up; needed where the approval says stepUp. */
      readonly assertion?: JsonObject | null | undefined;
    };
    readonly output: ApprovalDetail;
  };
  /** Reassign an approval */
  readonly reassign_approval: {
    readonly input: {
      /** The id of the approval. */
      readonly id: string;
      /** person:…, group:…, role:owner, role:admin or role:approver. */
      readonly approvers: readonly string[];
      /** Why, for the record. */
      readonly reason: string;
    };
    readonly output: ApprovalDetail;
  };
  /** Ask what a passkey signs */
  readonly get_step_up_options: {
    readonly input: {
      /** The id of the approval. */
      readonly id: string;
      /** What a decision says. */
      readonly verdict: Verdict;
      /** The digest of what the decider was shown, as the approval gives it. */
      readonly shownDigest: string;
      /** A note for the record. */
      readonly reason?: string | undefined;
      /** The values of the approval's form, if it has one. */
      readonly values?: JsonObject | null | undefined;
    };
    readonly output: {
      readonly publicKey: JsonObject;
    };
  };
  /** Get the schema of workflows */
  readonly get_workflow_schema: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly schema: JsonObject;
    };
  };
  /** Delete a draft */
  readonly delete_workflow_draft: {
    readonly input: {
      /** The id of the workflow. */
      readonly id: string;
    };
    readonly output: {
      readonly id: string;
      readonly deleted: boolean;
    };
  };
  /** Publish a version */
  readonly publish_version: {
    readonly input: {
      /** The id of the workflow. */
      readonly id: string;
      /** Refused when the draft has another revision. */
      readonly revision?: number | undefined;
    };
    readonly output: {
      /** A workflow with the document that the caller may see. */
      readonly workflow: Workflow;
      /** A published version. It never changes. */
      readonly version: WorkflowVersion;
    };
  };
  /** Show who sees a workflow */
  readonly get_workflow_visibility: {
    readonly input: {
      /** The id of the workflow. */
      readonly id: string;
    };
    readonly output: {
      /** Who sees a record: everybody, or callers with a key. */
      readonly visibility: Visibility;
      readonly publishedVersion: number | null;
      /** The revision of the draft. */
      readonly revision: number;
      /** A workflow with the document that the caller may see. */
      readonly strangersSee: Workflow;
      /** A workflow with the document that the caller may see. */
      readonly afterPublishing: Workflow;
      readonly secrets: readonly string[];
    };
  };
  /** Set who sees a workflow */
  readonly set_workflow_visibility: {
    readonly input: {
      /** The id of the workflow. */
      readonly id: string;
      /** Who sees a record: everybody, or callers with a key. */
      readonly visibility: Visibility;
    };
    readonly output: {
      /** A workflow with the document that the caller may see. */
      readonly workflow: Workflow;
    };
  };
  /** List the versions of a workflow */
  readonly list_workflow_versions: {
    readonly input: {
      /** The id of the workflow. */
      readonly id: string;
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly versions: readonly WorkflowVersion[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Show a version of a workflow */
  readonly get_workflow_version: {
    readonly input: {
      /** The id of the workflow. */
      readonly id: string;
      /** The number of a published version. */
      readonly version: string;
    };
    readonly output: {
      /** A published version with its document. */
      readonly version: WorkflowVersionDetail;
    };
  };
  /** Start a run */
  readonly start_run: {
    readonly input: {
      /** The id of the workflow. */
      readonly id: string;
      /** draft, or a number from 1; the newest published version when left out. */
      readonly version?: number | "draft" | undefined;
      /** The inputs of the run. */
      readonly inputs?: JsonObject | undefined;
      /** The same key with the same inputs gives the run that was started. */
      readonly idempotencyKey?: string | undefined;
    };
    readonly output: {
      readonly run: {
        readonly id: string;
        /** Where a run stands. */
        readonly status: RunState;
        readonly workflowVersion: number | null;
        readonly documentDigest: string;
      };
    };
  };
  /** Compare two versions */
  readonly compare_versions: {
    readonly input: {
      /** The id of the workflow. */
      readonly id: string;
      /** The number of a published version, or draft; what the caller sees when left out. */
      readonly from?: string | undefined;
      /** The number of a published version, or draft; what the caller sees when left out. */
      readonly to?: string | undefined;
    };
    readonly output: {
      readonly from: string;
      readonly to: string;
      /** How two versions differ in what they run. Where boxes stand on a canvas is not a difference. */
      readonly diff: WorkflowDiff;
    };
  };
  /** Import a workflow */
  readonly import_workflow: {
    readonly input: {
      /** The workflow as text, in any of the formats. */
      readonly text?: string | undefined;
      /** The same as JSON, instead of text. */
      readonly document?: JsonObject | null | undefined;
      /** Store it as a draft; needs the scope write. */
      readonly save?: boolean | undefined;
      /** Its name; the one in the file when left out. */
      readonly name?: string | undefined;
    };
    readonly output: ImportReport;
  };
  /** Export a workflow */
  readonly export_workflow_as: {
    readonly input: {
      /** The id of the workflow. */
      readonly id: string;
      /** The format; json when left out. Mermaid is a picture. */
      readonly format?: "json" | "yaml" | "arazzo" | "serverless" | "mermaid" | undefined;
      /** The number of a published version, or draft; what the caller sees when left out. */
      readonly version?: string | undefined;
    };
    readonly output: {
      readonly format: "json" | "yaml" | "arazzo" | "serverless" | "mermaid";
      readonly mediaType: string;
      readonly fileName: string;
      readonly text: string;
      readonly losses: readonly Loss[];
    };
  };
  /** List credentials */
  readonly list_credentials: {
    readonly input: {
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly credentials: readonly Credential[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Store a credential */
  readonly create_credential: {
    readonly input: {
      /** Lower-case letters, digits and hyphens, beginning with a letter, 1 to 63 characters. */
      readonly name: string;
      /** How it proves who is calling. */
      readonly kind: "bearer" | "apiKey" | "basic" | "oauth2" | "environment";
      /** shared (default), me, or the id of a caller. */
      readonly owner?: string | undefined;
      /** Also send it over http to a host that is not this machine. */
      readonly allowHttp?: boolean | undefined;
      /** apiKey: where the key goes; header without it. */
      readonly in?: "header" | "query" | "cookie" | undefined;
      /** Hosts (host or host:port) that it may be sent to; oauth2 takes the resource's without it. environment: names of the connections whose program gets it. */
      readonly hosts?: readonly string[] | undefined;
      /** Token, key, password or client secret. No answer ever holds it. */
      readonly secret?: string | undefined;
      /** bearer: another name of secret. */
      readonly token?: string | undefined;
      /** apiKey: another name of secret. */
      readonly key?: string | undefined;
      /** basic: another name of secret. */
      readonly password?: string | undefined;
      /** oauth2: another name of secret. */
      readonly clientSecret?: string | undefined;
      /** environment: another name of secret. */
      readonly value?: string | undefined;
      /** apiKey: the header, query parameter or cookie. */
      readonly parameter?: string | undefined;
      /** basic: a user name without a colon. */
      readonly username?: string | undefined;
      /** oauth2: whether a person signs in (authorization_code, the default) or the client itself. */
      readonly grant?: "authorization_code" | "client_credentials" | undefined;
      /** oauth2: the MCP server or API that the tokens are for. */
      readonly resource?: string | undefined;
      /** oauth2: the authorization server, where the resource names none. */
      readonly issuer?: string | undefined;
      /** oauth2: for a server without metadata. */
      readonly authorizationUrl?: string | undefined;
      /** oauth2: for a server without metadata. */
      readonly tokenUrl?: string | undefined;
      /** oauth2: a client that was registered before, in ASCII. */
      readonly clientId?: string | undefined;
      /** oauth2: how the client proves who it is; the server's metadata decides without it. */
      readonly clientAuth?:
        | "client_secret_basic"
        | "client_secret_post"
        | "private_key_jwt"
        | "none"
        | undefined;
      /** oauth2: the scopes to ask for, separated by single spaces. */
      readonly scope?: string | undefined;
    };
    readonly output: {
      /** A credential without its secret. */
      readonly credential: Credential;
    };
  };
  /** Show a credential */
  readonly get_credential: {
    readonly input: {
      /** The name of the credential. */
      readonly name: string;
      /** shared, me, or the id of a caller; without it the caller's own, else the shared one. me needs no scope. */
      readonly owner?: string | undefined;
    };
    readonly output: {
      /** A credential without its secret. */
      readonly credential: Credential;
    };
  };
  /** Change a credential */
  readonly update_credential: {
    readonly input: {
      /** The name of the credential. */
      readonly name: string;
      /** shared, me, or the id of a caller; without it the caller's own, else the shared one. me needs no scope. */
      readonly owner?: string | undefined;
      /** Hosts (host or host:port) that it may be sent to; oauth2 takes the resource's without it. environment: names of the connections whose program gets it. */
      readonly hosts?: readonly string[] | undefined;
      /** Token, key, password or client secret. No answer ever holds it. */
      readonly secret?: string | undefined;
      /** bearer: another name of secret. */
      readonly token?: string | undefined;
      /** apiKey: another name of secret. */
      readonly key?: string | undefined;
      /** basic: another name of secret. */
      readonly password?: string | undefined;
      /** oauth2: another name of secret. */
      readonly clientSecret?: string | undefined;
      /** environment: another name of secret. */
      readonly value?: string | undefined;
    };
    readonly output: {
      /** A credential without its secret. */
      readonly credential: Credential;
    };
  };
  /** Remove a credential */
  readonly remove_credential: {
    readonly input: {
      /** The name of the credential. */
      readonly name: string;
      /** shared, me, or the id of a caller; without it the caller's own, else the shared one. me needs no scope. */
      readonly owner?: string | undefined;
    };
    readonly output: {
      readonly removed: string;
    };
  };
  /** Begin the sign-in of a credential */
  readonly authorize_credential: {
    readonly input: {
      /** The name of the credential. */
      readonly name: string;
      /** shared, me, or the id of a caller; without it the caller's own, else the shared one. me needs no scope. */
      readonly owner?: string | undefined;
    };
    readonly output: {
      readonly authorizationUrl: string;
      /** A time, as ISO 8601. */
      readonly expiresAt: string;
    };
  };
  /** Rotate the master key */
  readonly rotate_master_key: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      /** What a rotation of the master key did. */
      readonly rotation: VaultRotation;
    };
  };
  /** Show the client id metadata document */
  readonly get_oauth_client_document: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly client_id: string;
      readonly client_name: string;
      readonly client_uri: string;
      readonly redirect_uris: readonly string[];
      readonly grant_types: readonly string[];
      readonly response_types: readonly string[];
      readonly token_endpoint_auth_method: string;
      readonly application_type: string;
    };
  };
  /** End the sign-in of a credential */
  readonly finish_credential_sign_in: {
    readonly input: {
      /** What the request to the server carried. */
      readonly state?: string | undefined;
      /** What the server gives for the token. */
      readonly code?: string | undefined;
      /** The server that answers. */
      readonly iss?: string | undefined;
      /** Why the server refused. */
      readonly error?: string | undefined;
    };
    readonly output: string;
  };
  /** Show where the sign-in of a credential begins */
  readonly show_credential_sign_in: {
    readonly input: {
      /** What the address of the page ends with. */
      readonly ticket: string;
    };
    readonly output: string;
  };
  /** Show the hold */
  readonly get_hold: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      /** True while nothing goes on or is sent. */
      readonly onHold: boolean;
      readonly runs: readonly Run[];
    };
  };
  /** End the hold */
  readonly end_hold: {
    readonly input: {
      /** What becomes of the runs that were under way. */
      readonly runs: "continue" | "cancel";
    };
    readonly output: {
      /** How many runs were cancelled. */
      readonly cancelled: number;
    };
  };
  /** List retention rules */
  readonly list_retention_rules: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly rules: readonly RetentionRule[];
    };
  };
  /** Set a retention rule */
  readonly set_retention_rule: {
    readonly input: {
      /** The workflow; without it, every workflow that has no rule of its own. */
      readonly workflowId?: string | undefined;
      /** Days after which inputs, outputs, steps and approvals of an ended run are removed. */
      readonly detailsDays?: number | undefined;
      /** Days after which an ended run is removed. Its signed record stays. */
      readonly runsDays?: number | undefined;
      /** How many ended runs of a workflow are kept. */
      readonly runsKept?: number | undefined;
    };
    readonly output: {
      readonly rules: readonly RetentionRule[];
    };
  };
  /** Remove a retention rule */
  readonly remove_retention_rule: {
    readonly input: {
      /** The workflow; without it, every workflow that has no rule of its own. */
      readonly workflowId?: string | undefined;
    };
    readonly output: {
      readonly rules: readonly RetentionRule[];
    };
  };
  /** Preview a retention rule */
  readonly preview_retention_rule: {
    readonly input: {
      /** The workflow; without it, every workflow that has no rule of its own. */
      readonly workflowId?: string | undefined;
      /** Days after which inputs, outputs, steps and approvals of an ended run are removed. */
      readonly detailsDays?: number | undefined;
      /** Days after which an ended run is removed. Its signed record stays. */
      readonly runsDays?: number | undefined;
      /** How many ended runs of a workflow are kept. */
      readonly runsKept?: number | undefined;
    };
    readonly output: RetentionPreview;
  };
  /** Render a form */
  readonly render_form: {
    readonly input: {
      /** The JSON Schema to render. */
      readonly schema: JsonObject;
      /** The title of the form; the schema's when left out. */
      readonly title?: string | undefined;
      /** Where the schema comes from, for the record. */
      readonly sourceRef?: string | undefined;
      /** How it should look: hints by JSON Pointer, a uiSchema or a UI schema. */
      readonly hints?: JsonObject | undefined;
      /** Schemas that the schema refers to, by their addresses. */
      readonly companions?: { readonly [name: string]: JsonObject } | undefined;
    };
    readonly output: {
      readonly form: JsonObject;
      readonly formId: string;
      readonly fieldCount: number;
      readonly renderStatus: "rendered" | "raw_json";
      readonly stored: {
        readonly status: "stored" | "not_configured" | "not_stored" | "pending";
        readonly detail: string;
      };
    };
  };
  /** Rotate the signing key */
  readonly rotate_signing_key: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      /** A public key of the provenance log. */
      readonly key: SigningKey;
    };
  };
  /** Prove that the log only grew */
  readonly prove_log_growth: {
    readonly input: {
      /** In digits: the number of entries that the checkpoint covers. */
      readonly treeSize: string;
    };
    readonly output: {
      /** An older checkpoint with the proof that the log only grew since. */
      readonly growth: LogGrowth;
    };
  };
  /** Show the demo flow */
  readonly get_demo_flow: {
    readonly input: {
      /** declared sends nothing to siblings; it is the default. */
      readonly mode?: "declared" | "live" | undefined;
    };
    readonly output: DemoSuite;
  };
  /** Run the demo flow */
  readonly run_demo_flow: {
    readonly input: { readonly [name: string]: never };
    readonly output: DemoSuite;
  };
  /** Ask whether handoffs are received */
  readonly get_receiver_readiness: {
    readonly input: { readonly [name: string]: never };
    readonly output: Receiver;
  };
  /** Receive a handoff */
  readonly receive_handoff: {
    readonly input: { readonly [name: string]: never };
    readonly output: ReceivedHandoff;
  };
  /** Get the info document */
  readonly get_gateway_info: {
    readonly input: { readonly [name: string]: never };
    readonly output: Info;
  };
  /** Call the JSON-RPC gateway */
  readonly call_gateway: {
    readonly input: { readonly [name: string]: never };
    readonly output: Json | readonly Json[];
  };
  /** Get the endpoint for agents */
  readonly get_agent_endpoint: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly endpoint: string;
      readonly transport: string;
      readonly documentation: string;
    };
  };
  /** Call the endpoint for agents */
  readonly call_agent_endpoint: {
    readonly input: { readonly [name: string]: never };
    readonly output: Json | readonly Json[];
  };
  /** Get the endpoint of a toolset */
  readonly get_toolset_endpoint: {
    readonly input: {
      /** Short name; its address ends with it. */
      readonly name: string;
    };
    readonly output: {
      readonly endpoint: string;
      readonly transport: string;
      readonly documentation: string;
    };
  };
  /** Call a toolset */
  readonly call_toolset: {
    readonly input: {
      /** Short name; its address ends with it. */
      readonly name: string;
    };
    readonly output: Json | readonly Json[];
  };
  /** Read /llms.txt */
  readonly read_llms: {
    readonly input: { readonly [name: string]: never };
    readonly output: string;
  };
  /** Read /llms-full.txt */
  readonly read_llms_full: {
    readonly input: { readonly [name: string]: never };
    readonly output: string;
  };
  /** Read /llms-index.json */
  readonly read_llms_index: {
    readonly input: { readonly [name: string]: never };
    readonly output: JsonObject;
  };
  /** Read /openapi.yaml */
  readonly read_openapi: {
    readonly input: { readonly [name: string]: never };
    readonly output: string;
  };
  /** Read /asyncapi.yaml */
  readonly read_asyncapi: {
    readonly input: { readonly [name: string]: never };
    readonly output: string;
  };
  /** Read /.well-known/web.json */
  readonly read_web_status: {
    readonly input: { readonly [name: string]: never };
    readonly output: JsonObject;
  };
  /** Read /.well-known/web4.json */
  readonly read_legacy_web4: {
    readonly input: { readonly [name: string]: never };
    readonly output: JsonObject;
  };
  /** Read /.well-known/provenance.json */
  readonly read_provenance: {
    readonly input: { readonly [name: string]: never };
    readonly output: JsonObject;
  };
  /** Read /.well-known/ai-plugin.json */
  readonly read_ai_plugin: {
    readonly input: { readonly [name: string]: never };
    readonly output: JsonObject;
  };
  /** Read /.well-known/trust.json */
  readonly read_trust: {
    readonly input: { readonly [name: string]: never };
    readonly output: JsonObject;
  };
  /** Read /robots.txt */
  readonly read_robots: {
    readonly input: { readonly [name: string]: never };
    readonly output: string;
  };
  /** Read /.well-known/mcp/server-card.json */
  readonly read_server_card: {
    readonly input: { readonly [name: string]: never };
    readonly output: JsonObject;
  };
  /** Read /api/mcp/server-card */
  readonly read_server_card_endpoint: {
    readonly input: { readonly [name: string]: never };
    readonly output: JsonObject;
  };
  /** Read /.well-known/mcp/catalog.json */
  readonly read_mcp_catalog: {
    readonly input: { readonly [name: string]: never };
    readonly output: JsonObject;
  };
  /** Ask whether the process runs */
  readonly get_liveness: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly status: "live";
      readonly uptimeSeconds: number;
    };
  };
  /** Ask whether the service can take work */
  readonly get_readiness: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly status: "ready";
      /** The version of this build. */
      readonly version: string;
      /** The schema of the database that this build works with. */
      readonly schema: number;
      /** True while a restored database waits for a decision. */
      readonly onHold: boolean;
      readonly store: {
        readonly kind: string;
        readonly ready: boolean;
      };
      /** What is wrong with the proxy in front of it. */
      readonly notice?: string | undefined;
    };
  };
  /** Get metrics */
  readonly get_metrics: {
    readonly input: { readonly [name: string]: never };
    readonly output: string;
  };
  /** Read security.txt */
  readonly get_security_contact: {
    readonly input: { readonly [name: string]: never };
    readonly output: string;
  };
  /** List connections */
  readonly list_connections: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly connections: readonly ListedConnection[];
    };
  };
  /** Add a connection */
  readonly create_connection: {
    readonly input: {
      /** A lower-case letter, then up to 30 lower-case letters, digits or hyphens, such as "petstore". */
      readonly name: string;
      /** mcp: an MCP server; openapi: an API with a description; http: requests that were written down. */
      readonly kind: "mcp" | "openapi" | "http";
      /** 1 to 200 characters. */
      readonly title?: string | undefined;
      /** The MCP endpoint, or the address of the API description. */
      readonly url?: string | null | undefined;
      /** An API description or {requests: […]}, as an object or as its JSON or YAML text. */
      readonly document?: JsonObject | string | null | undefined;
      /** mcp: the name or path of one program that speaks MCP. */
      readonly command?: string | null | undefined;
      /** mcp: the arguments of the program. */
      readonly args?: readonly string[] | undefined;
      /** mcp: the variables of the program, each a text, {"credential": "name"}, or {"set": true} to keep what is there. */
      readonly env?: JsonObject | undefined;
      /** Replaces the address that the API description names. */
      readonly baseUrl?: string | null | undefined;
      /** The name of the credential that calls use. */
      readonly credential?: string | null | undefined;
      /** true for the private origin of the connection's own address, or an origin such as "http://10.0.0.5:8080". */
      readonly allowPrivateOrigin?: boolean | string | undefined;
    };
    readonly output: {
      /** A server or API under a short name. */
      readonly connection: Connection;
      readonly definitions: readonly DefinitionHead[];
      readonly refused: readonly string[];
    };
  };
  /** Check an address */
  readonly probe_address: {
    readonly input: {
      /** The http or https address. */
      readonly url?: string | undefined;
      /** An API description or {requests: […]}, as an object or as its JSON or YAML text. */
      readonly document?: JsonObject | string | null | undefined;
      /** mcp: also send a POST, as MCP servers want it. */
      readonly kind?: "mcp" | "openapi" | "http" | undefined;
      /** The name of the credential that calls use. */
      readonly credential?: string | null | undefined;
      /** true for the private origin of the connection's own address, or an origin such as "http://10.0.0.5:8080". */
      readonly allowPrivateOrigin?: boolean | string | undefined;
    };
    readonly output: Probe;
  };
  /** Show a connection */
  readonly get_connection: {
    readonly input: {
      /** The name of the connection. */
      readonly name: string;
    };
    readonly output: {
      /** A connection with its document. */
      readonly connection: ConnectionDetail;
      readonly definitions: readonly Definition[];
    };
  };
  /** Change a connection */
  readonly update_connection: {
    readonly input: {
      /** The name of the connection. */
      readonly name: string;
      /** 1 to 200 characters. */
      readonly title?: string | undefined;
      /** The MCP endpoint, or the address of the API description. */
      readonly url?: string | null | undefined;
      /** An API description or {requests: […]}, as an object or as its JSON or YAML text. */
      readonly document?: JsonObject | string | null | undefined;
      /** mcp: the name or path of one program that speaks MCP. */
      readonly command?: string | null | undefined;
      /** mcp: the arguments of the program. */
      readonly args?: readonly string[] | undefined;
      /** mcp: the variables of the program, each a text, {"credential": "name"}, or {"set": true} to keep what is there. */
      readonly env?: JsonObject | undefined;
      /** Replaces the address that the API description names. */
      readonly baseUrl?: string | null | undefined;
      /** The name of the credential that calls use. */
      readonly credential?: string | null | undefined;
      /** true for the private origin of the connection's own address, or an origin such as "http://10.0.0.5:8080". */
      readonly allowPrivateOrigin?: boolean | string | undefined;
    };
    readonly output: {
      /** A server or API under a short name. */
      readonly connection: Connection;
      readonly sync?:
        | {
            readonly server: string;
            readonly added: readonly string[];
            readonly changed: readonly string[];
            readonly removed: readonly string[];
            readonly restored: readonly string[];
            readonly unchanged: number;
            readonly quarantined: number;
            readonly refused: readonly string[];
          }
        | undefined;
    };
  };
  /** Remove a connection */
  readonly remove_connection: {
    readonly input: {
      /** The name of the connection. */
      readonly name: string;
    };
    readonly output: {
      readonly deleted: string;
    };
  };
  /** Test a connection */
  readonly test_connection: {
    readonly input: {
      /** The name of the connection. */
      readonly name: string;
    };
    readonly output: {
      /** What a test of a connection found. */
      readonly test: ConnectionTest;
    };
  };
  /** Read a connection again */
  readonly sync_connection: {
    readonly input: {
      /** The name of the connection. */
      readonly name: string;
    };
    readonly output: {
      readonly server: string;
      readonly added: readonly string[];
      readonly changed: readonly string[];
      readonly removed: readonly string[];
      readonly restored: readonly string[];
      readonly unchanged: number;
      readonly quarantined: number;
      readonly refused: readonly string[];
      /** A server or API under a short name. */
      readonly connection?: Connection | undefined;
      readonly definitions?: readonly Definition[] | undefined;
    };
  };
  /** Accept what waits */
  readonly accept_definitions: {
    readonly input: {
      /** The name of the connection. */
      readonly name: string;
    };
    readonly output: {
      readonly accepted: readonly DefinitionHead[];
    };
  };
  /** List the definitions of a connection */
  readonly list_definitions: {
    readonly input: {
      /** The name of the connection. */
      readonly name: string;
    };
    readonly output: {
      readonly definitions: readonly Definition[];
    };
  };
  /** Read a linked resource */
  readonly read_connection_resource: {
    readonly input: {
      /** The name of the connection. */
      readonly name: string;
      /** The URI, as a resource_link of an answer has it. */
      readonly uri: string;
    };
    readonly output: {
      readonly uri: string;
      readonly contents: readonly JsonObject[];
      readonly elapsedMs: number;
    };
  };
  /** Search the operations of connections */
  readonly search_connected_tools: {
    readonly input: {
      /** Words of the name, title or description. */
      readonly q?: string | undefined;
      /** How many at most; 25 when not given. */
      readonly limit?: number | undefined;
    };
    readonly output: {
      readonly tools: readonly DefinitionHead[];
    };
  };
  /** List my calls */
  readonly list_my_calls: {
    readonly input: {
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly calls: readonly ConnectionCall[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Create a workflow from my calls */
  readonly record_calls: {
    readonly input: {
      /** Ids of calls; the last ones when left out. */
      readonly calls?: readonly string[] | undefined;
      /** How many of the last calls; 5 when not given. */
      readonly limit?: number | undefined;
      /** Ids of guesses that are wrong. */
      readonly reject?: readonly string[] | undefined;
    };
    readonly output: RecordedWorkflow;
  };
  /** Show a definition */
  readonly get_definition: {
    readonly input: {
      /** The name of the connection. */
      readonly connection: string;
      /** The name of the definition. */
      readonly definition: string;
    };
    readonly output: {
      /** An operation with its schemas. */
      readonly definition: DefinitionDetail;
    };
  };
  /** Change a definition */
  readonly update_definition: {
    readonly input: {
      /** The name of the connection. */
      readonly connection: string;
      /** The name of the definition. */
      readonly definition: string;
      /** The name that callers use: letters, digits, _ . - (at most 128). */
      readonly name?: string | null | undefined;
      /** A title of one's own. */
      readonly title?: string | null | undefined;
      /** A description of one's own. */
      readonly description?: string | null | undefined;
      /** What a call changes. */
      readonly effect?: "read" | "write" | "destructive" | null | undefined;
      /** Whether a repeated call changes nothing more. */
      readonly idempotent?: boolean | null | undefined;
      /** The name of the header with the idempotency key. */
      readonly idempotencyHeader?: string | null | undefined;
      /** Arguments that every call has and no caller can change. */
      readonly fixedArguments?: JsonObject | null | undefined;
    };
    readonly output: {
      /** An operation with what waits to be accepted. */
      readonly definition: Definition;
    };
  };
  /** Accept a definition */
  readonly accept_definition: {
    readonly input: {
      /** The name of the connection. */
      readonly connection: string;
      /** The name of the definition. */
      readonly definition: string;
      /** The digest of the definition that was looked at. */
      readonly digest?: string | undefined;
    };
    readonly output: {
      /** An operation with what waits to be accepted. */
      readonly definition: Definition;
    };
  };
  /** Hide a definition */
  readonly hide_definition: {
    readonly input: {
      /** The name of the connection. */
      readonly connection: string;
      /** The name of the definition. */
      readonly definition: string;
    };
    readonly output: {
      /** An operation with what waits to be accepted. */
      readonly definition: Definition;
    };
  };
  /** List the calls of a definition */
  readonly list_definition_calls: {
    readonly input: {
      /** The name of the connection. */
      readonly connection: string;
      /** The name of the definition. */
      readonly definition: string;
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly calls: readonly ConnectionCall[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Call a definition */
  readonly call_definition: {
    readonly input: {
      /** The name of the connection. */
      readonly connection: string;
      /** The name of the definition. */
      readonly definition: string;
      /** Its arguments. */
      readonly arguments?: JsonObject | undefined;
      /** Show the request and send nothing. */
      readonly preview?: boolean | undefined;
      /** Check everything and send nothing that changes something. */
      readonly dryRun?: boolean | undefined;
      /** How long to wait for the answer. */
      readonly timeoutMs?: number | undefined;
      /** Makes a repeated call have one effect; also as a header. */
      readonly idempotencyKey?: string | undefined;
      /** Whether the caller answers questions of the server. */
      readonly elicitation?: boolean | undefined;
      /** Of the answer that asked a question. */
      readonly requestState?: string | undefined;
      /** {id: {action: accept | decline | cancel, content}} */
      readonly inputResponses?: JsonObject | undefined;
    };
    readonly output: JsonObject;
  };
  /** List the tools of the canonical gateway */
  readonly list_network_tools: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly tools: readonly NetworkTool[];
    };
  };
  /** Accept a tool of the canonical gateway */
  readonly accept_network_tool: {
    readonly input: {
      /** The id of the tool, as list_network_tools shows it. */
      readonly id: string;
      /** The digest of the definition that was looked at. */
      readonly digest: string;
    };
    readonly output: {
      /** A tool of the canonical gateway. */
      readonly tool: NetworkTool;
    };
  };
  /** Show the guard */
  readonly get_guard: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      /** What the guard decides by. */
      readonly guard: Guard;
    };
  };
  /** Change the guard */
  readonly change_guard: {
    readonly input: {
      /** The revision that you changed. */
      readonly revision?: number | undefined;
      /** In order: the first that holds decides. */
      readonly rules?: readonly GuardRule[] | undefined;
      /** Each holds for every caller and tool it names, counted apart. */
      readonly limits?: readonly GuardLimit[] | undefined;
      /** Ids of keys and tokens that count as agents, besides every OAuth client. */
      readonly agents?: readonly string[] | undefined;
      /** Ids of keys that are no agents even where they use /mcp, and of keys and tokens whose destructive calls are not asked about. */
      readonly trusted?: readonly string[] | undefined;
      /** Connections, and ids of callers, whose calls are all refused. */
      readonly stopped?: readonly string[] | undefined;
    };
    readonly output: {
      /** What the guard decides by. */
      readonly guard: Guard;
    };
  };
  /** Bypass the guard for a while */
  readonly bypass_guard: {
    readonly input: {
      /** For how long; 0 ends a bypass. */
      readonly minutes: number;
      /** Why, for the record. */
      readonly reason: string;
      /** For this caller only. */
      readonly caller?: string | undefined;
    };
    readonly output: {
      /** What the guard decides by. */
      readonly guard: Guard;
    };
  };
  /** Simulate the guard */
  readonly simulate_guard: {
    readonly input: {
      /** In order: the first that holds decides. */
      readonly rules?: readonly GuardRule[] | undefined;
      /** Look at every call as if an agent had made it. */
      readonly agent?: boolean | undefined;
    };
    readonly output: {
      /** What the rules would have decided about past calls. */
      readonly simulation: GuardSimulation;
    };
  };
  /** List the calls that the guard decided about */
  readonly list_guard_decisions: {
    readonly input: {
      /** What was decided; ask when not given. */
      readonly decision?: "ask" | "deny" | "dry-run" | "bypass" | "allow" | undefined;
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly decisions: readonly GuardedCall[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** List toolsets */
  readonly list_toolsets: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly toolsets: readonly Toolset[];
    };
  };
  /** Create a toolset */
  readonly create_toolset: {
    readonly input: {
      /** Short name; its address ends with it. */
      readonly name: string;
      /** What people call it. */
      readonly title: string;
      /** What it is for; agents read it. */
      readonly description?: string | undefined;
      /** Tools, connected tools (server:tool) and published workflows (their ids), in order. */
      readonly tools: readonly string[];
    };
    readonly output: {
      /** Chosen tools at an MCP endpoint of their own. */
      readonly toolset: Toolset;
    };
  };
  /** Change a toolset */
  readonly change_toolset: {
    readonly input: {
      /** Short name; its address ends with it. */
      readonly name: string;
      /** What people call it. */
      readonly title?: string | undefined;
      /** What it is for; agents read it. */
      readonly description?: string | undefined;
      /** Tools, connected tools (server:tool) and published workflows (their ids), in order. */
      readonly tools?: readonly string[] | undefined;
    };
    readonly output: {
      /** Chosen tools at an MCP endpoint of their own. */
      readonly toolset: Toolset;
    };
  };
  /** Remove a toolset */
  readonly remove_toolset: {
    readonly input: {
      /** Short name; its address ends with it. */
      readonly name: string;
    };
    readonly output: {
      /** Chosen tools at an MCP endpoint of their own. */
      readonly toolset: Toolset;
    };
  };
  /** Create a trigger */
  readonly create_trigger: {
    readonly input: {
      /** The workflow: its newest published version runs, or the draft without one. */
      readonly workflowId: string;
      /** What starts the workflow. */
      readonly kind: "schedule" | "webhook" | "form" | "event";
      /** form: the last part of its address: lower-case letters, digits and hyphens. */
      readonly slug?: string | undefined;
      /** webhook: the secret that the sender signs with; one is made when it is not given. */
      readonly secret?: string | undefined;
      /** It starts nothing until it is resumed. */
      readonly paused?: boolean | undefined;
      /** What people call it. */
      readonly name?: string | undefined;
      /** Inputs that every run gets. What a webhook, a form or an event brings is added. */
      readonly inputs?: JsonObject | undefined;
      /** How many requests a minute are taken: of a webhook 600, of one address at a form 10 when not given. */
      readonly perMinute?: number | undefined;
      /** schedule: a cron expression of 5 fields, or of 6 with seconds first. */
      readonly cron?: string | undefined;
      /** schedule: an interval in seconds, instead of cron. */
      readonly everySeconds?: number | undefined;
      /** schedule: an IANA time zone such as Europe/Berlin; UTC when not given. */
      readonly timeZone?: string | undefined;
      /** schedule: what happens when the run of an earlier date still goes on; skip when not given. */
      readonly overlap?: "skip" | "queue" | "allow" | undefined;
      /** schedule: dates that were missed are made up for when they are at most this old; 86400 when not given. */
      readonly catchUpSeconds?: number | undefined;
      /** schedule: each date begins up to this many seconds later, so that not all begin at once. */
      readonly jitterSeconds?: number | undefined;
      /** webhook: how a request proves who sent it; token when not given. */
      readonly verifier?: "standard-webhooks" | "github" | "stripe" | "slack" | "hmac" | "token" | undefined;
      /** webhook: the header of the signature (hmac, X-Signature) or of the token (token, Authorization). */
      readonly header?: string | undefined;
      /** webhook: the header that names a message, so that a repetition is recognised; each verifier has its own. */
      readonly idHeader?: string | undefined;
      /** webhook: how far the signed time may be from now; 300 when not given. */
      readonly toleranceSeconds?: number | undefined;
      /** webhook: the media types that are taken; JSON and form when not given. */
      readonly contentTypes?:
        | readonly ("application/json" | "application/x-www-form-urlencoded" | "text/plain")[]
        | undefined;
      /** webhook: the largest body; 262144 when not given. */
      readonly maxBytes?: number | undefined;
      /** webhook: wait this long for the run, and answer with its outputs when it has succeeded; 0 when not given. */
      readonly waitSeconds?: number | undefined;
      /** webhook: the JSON Schema that a payload has to match. */
      readonly payloadSchema?: JsonObject | undefined;
      /** form: who may fill it in; public when not given. */
      readonly access?: "public" | "signed-in" | undefined;
      /** form: the heading of the page. */
      readonly title?: string | undefined;
      /** form: what stands under the heading. */
      readonly text?: string | undefined;
      /** form: what the page says after it was sent. */
      readonly thanks?: string | undefined;
      /** form: from this time on nothing is taken. */
      readonly closesAt?: string | undefined;
      /** form: a picture above the heading, as a data URL; or an artifact whose picture is copied. */
      readonly logo?: string | undefined;
      /** form: who sent it sees the outputs of the run when it has succeeded; false when not given. */
      readonly showOutputs?: boolean | undefined;
      /** form: origins of pages that may embed it; none when not given. */
      readonly embedOrigins?: readonly string[] | undefined;
      /** event: a type such as svc.run.failed, or svc.run.*. */
      readonly type?: string | undefined;
      /** event: a CEL expression over event; the run starts where it is true. */
      readonly filter?: string | undefined;
    };
    readonly output: {
      /** What starts runs of a workflow by itself. */
      readonly trigger: Trigger;
      readonly nextDates: readonly string[];
      /** The secret of a webhook that was made; it is shown this once. */
      readonly secret: string | null;
    };
  };
  /** List triggers */
  readonly list_triggers: {
    readonly input: {
      /** Only triggers of this workflow. */
      readonly workflowId?: string | undefined;
      /** What starts the workflow. */
      readonly kind?: "schedule" | "webhook" | "form" | "event" | undefined;
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly triggers: readonly Trigger[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Preview a schedule */
  readonly preview_schedule: {
    readonly input: {
      /** schedule: a cron expression of 5 fields, or of 6 with seconds first. */
      readonly cron?: string | undefined;
      /** schedule: an interval in seconds, instead of cron. */
      readonly everySeconds?: number | undefined;
      /** schedule: an IANA time zone such as Europe/Berlin; UTC when not given. */
      readonly timeZone?: string | undefined;
    };
    readonly output: {
      readonly nextDates: readonly string[];
    };
  };
  /** List what is due */
  readonly list_due_dates: {
    readonly input: {
      /** The beginning of the range. */
      readonly from: string;
      /** The end of the range, at most 31 days later. */
      readonly until: string;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly schedules: readonly {
        /** What starts runs of a workflow by itself. */
        readonly trigger: Trigger;
        readonly dates: readonly string[];
        /** False when the range has more dates than these. */
        readonly isComplete: boolean;
      }[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Show a trigger */
  readonly get_trigger: {
    readonly input: {
      /** The id of the trigger. */
      readonly id: string;
    };
    readonly output: {
      /** What starts runs of a workflow by itself. */
      readonly trigger: Trigger;
      readonly nextDates: readonly string[];
    };
  };
  /** Change a trigger */
  readonly change_trigger: {
    readonly input: {
      /** The id of the trigger. */
      readonly id: string;
      /** A paused trigger starts nothing. */
      readonly paused?: boolean | undefined;
      /** Why it is paused. */
      readonly note?: string | undefined;
      /** Settings that go back to their default. */
      readonly unset?:
        | readonly (
            | "name"
            | "inputs"
            | "perMinute"
            | "cron"
            | "everySeconds"
            | "timeZone"
            | "overlap"
            | "catchUpSeconds"
            | "jitterSeconds"
            | "verifier"
            | "header"
            | "idHeader"
            | "toleranceSeconds"
            | "contentTypes"
            | "maxBytes"
            | "waitSeconds"
            | "payloadSchema"
            | "access"
            | "title"
            | "text"
            | "thanks"
            | "closesAt"
            | "logo"
            | "showOutputs"
            | "embedOrigins"
            | "type"
            | "filter"
          )[]
        | undefined;
      /** webhook: the secret that the sender signs with; one is made when it is not given. */
      readonly secret?: string | undefined;
      /** webhook: makes a secret in place of the one that it has. */
      readonly newSecret?: boolean | undefined;
      /** What people call it. */
      readonly name?: string | undefined;
      /** Inputs that every run gets. What a webhook, a form or an event brings is added. */
      readonly inputs?: JsonObject | undefined;
      /** How many requests a minute are taken: of a webhook 600, of one address at a form 10 when not given. */
      readonly perMinute?: number | undefined;
      /** schedule: a cron expression of 5 fields, or of 6 with seconds first. */
      readonly cron?: string | undefined;
      /** schedule: an interval in seconds, instead of cron. */
      readonly everySeconds?: number | undefined;
      /** schedule: an IANA time zone such as Europe/Berlin; UTC when not given. */
      readonly timeZone?: string | undefined;
      /** schedule: what happens when the run of an earlier date still goes on; skip when not given. */
      readonly overlap?: "skip" | "queue" | "allow" | undefined;
      /** schedule: dates that were missed are made up for when they are at most this old; 86400 when not given. */
      readonly catchUpSeconds?: number | undefined;
      /** schedule: each date begins up to this many seconds later, so that not all begin at once. */
      readonly jitterSeconds?: number | undefined;
      /** webhook: how a request proves who sent it; token when not given. */
      readonly verifier?: "standard-webhooks" | "github" | "stripe" | "slack" | "hmac" | "token" | undefined;
      /** webhook: the header of the signature (hmac, X-Signature) or of the token (token, Authorization). */
      readonly header?: string | undefined;
      /** webhook: the header that names a message, so that a repetition is recognised; each verifier has its own. */
      readonly idHeader?: string | undefined;
      /** webhook: how far the signed time may be from now; 300 when not given. */
      readonly toleranceSeconds?: number | undefined;
      /** webhook: the media types that are taken; JSON and form when not given. */
      readonly contentTypes?:
        | readonly ("application/json" | "application/x-www-form-urlencoded" | "text/plain")[]
        | undefined;
      /** webhook: the largest body; 262144 when not given. */
      readonly maxBytes?: number | undefined;
      /** webhook: wait this long for the run, and answer with its outputs when it has succeeded; 0 when not given. */
      readonly waitSeconds?: number | undefined;
      /** webhook: the JSON Schema that a payload has to match. */
      readonly payloadSchema?: JsonObject | undefined;
      /** form: who may fill it in; public when not given. */
      readonly access?: "public" | "signed-in" | undefined;
      /** form: the heading of the page. */
      readonly title?: string | undefined;
      /** form: what stands under the heading. */
      readonly text?: string | undefined;
      /** form: what the page says after it was sent. */
      readonly thanks?: string | undefined;
      /** form: from this time on nothing is taken. */
      readonly closesAt?: string | undefined;
      /** form: a picture above the heading, as a data URL; or an artifact whose picture is copied. */
      readonly logo?: string | undefined;
      /** form: who sent it sees the outputs of the run when it has succeeded; false when not given. */
      readonly showOutputs?: boolean | undefined;
      /** form: origins of pages that may embed it; none when not given. */
      readonly embedOrigins?: readonly string[] | undefined;
      /** event: a type such as svc.run.failed, or svc.run.*. */
      readonly type?: string | undefined;
      /** event: a CEL expression over event; the run starts where it is true. */
      readonly filter?: string | undefined;
    };
    readonly output: {
      /** What starts runs of a workflow by itself. */
      readonly trigger: Trigger;
      readonly nextDates: readonly string[];
      /** The secret of a webhook that was made; it is shown this once. */
      readonly secret: string | null;
    };
  };
  /** Remove a trigger */
  readonly remove_trigger: {
    readonly input: {
      /** The id of the trigger. */
      readonly id: string;
    };
    readonly output: {
      readonly removed: string;
    };
  };
  /** List the history of a trigger */
  readonly list_firings: {
    readonly input: {
      /** The id of the trigger. */
      readonly id: string;
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly firings: readonly Firing[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Backfill a schedule */
  readonly backfill_trigger: {
    readonly input: {
      /** The id of the trigger. */
      readonly id: string;
      /** The beginning of the range. */
      readonly from: string;
      /** The end of the range; it has passed. */
      readonly until: string;
    };
    readonly output: {
      readonly queued: readonly string[];
    };
  };
  /** Start the run of a trigger now */
  readonly fire_trigger: {
    readonly input: {
      /** The id of the trigger. */
      readonly id: string;
      /** The payload to start with. */
      readonly payload?: Json | undefined;
      /** Replay this firing: start with its payload. */
      readonly firingId?: string | undefined;
    };
    readonly output: {
      /** One occasion on which a trigger started a run, or was to. */
      readonly firing: Firing;
    };
  };
  /** Show a sample request of a webhook */
  readonly get_trigger_sample: {
    readonly input: {
      /** The id of the trigger. */
      readonly id: string;
    };
    readonly output: {
      readonly payload: Json;
      /** What the payload looks like. */
      readonly schema: JsonObject;
      /** Where the schema is from. */
      readonly schemaFrom: "given" | "received" | "inputs";
      /** Sends the payload; the secret is in the variable SECRET. */
      readonly curl: string;
    };
  };
  /** Receive a webhook */
  readonly receive_webhook: {
    readonly input: {
      /** The id of the trigger. */
      readonly id: string;
    };
    readonly output: {
      readonly ok: boolean;
      readonly data: {
        readonly deliveryId: string;
        readonly runId: string | null;
        /** True for a message that was received before. */
        readonly duplicate: boolean;
        /** Where the run stands, when the webhook waits for it. */
        readonly status?: string | undefined;
        readonly outputs?: Json | undefined;
      };
    };
  };
  /** Show a form page */
  readonly show_form_page: {
    readonly input: {
      /** form: the last part of its address: lower-case letters, digits and hyphens. */
      readonly slug: string;
      /** The reference of what was sent. */
      readonly receipt?: string | undefined;
      /** The token of what was saved. */
      readonly saved?: string | undefined;
    };
    readonly output: string;
  };
  /** Send a form page */
  readonly send_form_page: {
    readonly input: {
      /** form: the last part of its address: lower-case letters, digits and hyphens. */
      readonly slug: string;
    };
    readonly output: string;
  };
  /** List the roles */
  readonly list_roles: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly roles: readonly RoleScopes[];
    };
  };
  /** List people */
  readonly list_people: {
    readonly input: {
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
      /** What must occur; small and capital letters are equal. */
      readonly text?: string | undefined;
    };
    readonly output: {
      readonly people: readonly Person[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** List the names of people */
  readonly list_people_names: {
    readonly input: {
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
      /** What must occur; small and capital letters are equal. */
      readonly text?: string | undefined;
    };
    readonly output: {
      readonly people: readonly PersonName[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Invite a person */
  readonly invite_person: {
    readonly input: {
      /** An e-mail address such as ada@example.com. */
      readonly email: string;
      /** A name of 1 to 100 characters. */
      readonly name?: string | undefined;
      /** What a person may do. */
      readonly role: Role;
    };
    readonly output: {
      /** A person with an account. */
      readonly person: Person;
      /** A link that works once; it is shown this once. */
      readonly invitation: OneTimeLink;
    };
  };
  /** Get a person */
  readonly get_person: {
    readonly input: {
      /** The id of the person, as list_people shows it. */
      readonly id: string;
    };
    readonly output: {
      /** A person with an account. */
      readonly person: Person;
    };
  };
  /** Change a person */
  readonly change_person: {
    readonly input: {
      /** The id of the person, as list_people shows it. */
      readonly id: string;
      /** A name of 1 to 100 characters. */
      readonly name?: string | undefined;
      /** What a person may do. */
      readonly role?: Role | undefined;
      /** Whether the person may sign in. */
      readonly state?: "active" | "disabled" | undefined;
    };
    readonly output: PersonChange;
  };
  /** Create a one-time link for a person */
  readonly create_person_link: {
    readonly input: {
      /** The id of the person, as list_people shows it. */
      readonly id: string;
    };
    readonly output: {
      /** A person with an account. */
      readonly person: Person;
      /** A link that works once; it is shown this once. */
      readonly invitation: OneTimeLink;
      /** What the link does. */
      readonly kind: "owner" | "invite" | "reset";
    };
  };
  /** End the sessions of a person */
  readonly sign_out_person: {
    readonly input: {
      /** The id of the person, as list_people shows it. */
      readonly id: string;
    };
    readonly output: {
      /** How many sessions ended. */
      readonly ended: number;
    };
  };
  /** List groups */
  readonly list_groups: {
    readonly input: {
      /** How many at most; 50 when not given. */
      readonly limit?: number | undefined;
      /** Where the list goes on: nextCursor of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly output: {
      readonly groups: readonly Group[];
      /** Pass it as cursor to get the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Create a group */
  readonly create_group: {
    readonly input: {
      /** 1 to 60 letters, digits, spaces and . _ & -; the first is a letter or a digit. */
      readonly name: string;
      /** The ids of the people in it. */
      readonly members?: readonly string[] | undefined;
    };
    readonly output: {
      /** A group of people who decide approvals together. */
      readonly group: Group;
    };
  };
  /** Get a group */
  readonly get_group: {
    readonly input: {
      /** The id of the group, as list_groups shows it. */
      readonly id: string;
    };
    readonly output: {
      /** A group of people who decide approvals together. */
      readonly group: Group;
    };
  };
  /** Rename a group */
  readonly rename_group: {
    readonly input: {
      /** The id of the group, as list_groups shows it. */
      readonly id: string;
      /** 1 to 60 letters, digits, spaces and . _ & -; the first is a letter or a digit. */
      readonly name: string;
    };
    readonly output: {
      /** A group of people who decide approvals together. */
      readonly group: Group;
    };
  };
  /** Delete a group */
  readonly delete_group: {
    readonly input: {
      /** The id of the group, as list_groups shows it. */
      readonly id: string;
    };
    readonly output: {
      readonly deleted: {
        readonly id: string;
        readonly name: string;
      };
    };
  };
  /** Add a person to a group */
  readonly add_group_member: {
    readonly input: {
      /** The id of the group, as list_groups shows it. */
      readonly id: string;
      /** The id of the person. */
      readonly personId: string;
    };
    readonly output: {
      /** A group of people who decide approvals together. */
      readonly group: Group;
    };
  };
  /** Take a person out of a group */
  readonly remove_group_member: {
    readonly input: {
      /** The id of the group, as list_groups shows it. */
      readonly id: string;
      /** The id of the person. */
      readonly personId: string;
    };
    readonly output: {
      /** A group of people who decide approvals together. */
      readonly group: Group;
    };
  };
  /** List my tokens */
  readonly list_tokens: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly tokens: readonly PersonToken[];
    };
  };
  /** Create a token */
  readonly create_token: {
    readonly input: {
      /** What the token is for. */
      readonly name: string;
      /** What the token may do. */
      readonly scopes: readonly Scope[];
      /** personal: acts as the person. service: acts as itself. */
      readonly kind?: "personal" | "service" | undefined;
      /** After how many days it ends. */
      readonly days?: number | undefined;
    };
    readonly output: {
      /** The token itself; it is shown this once. */
      readonly token: string;
      /** A token that a person made, without its secret. */
      readonly record: PersonToken;
    };
  };
  /** Revoke a token of mine */
  readonly revoke_token: {
    readonly input: {
      /** The id of the token. */
      readonly id: string;
    };
    readonly output: {
      /** A token that a person made, without its secret. */
      readonly record: PersonToken;
    };
  };
  /** List the tokens of a person */
  readonly list_person_tokens: {
    readonly input: {
      /** The id of the person, as list_people shows it. */
      readonly id: string;
    };
    readonly output: {
      readonly tokens: readonly PersonToken[];
    };
  };
  /** Revoke all tokens of a person */
  readonly revoke_person_tokens: {
    readonly input: {
      /** The id of the person, as list_people shows it. */
      readonly id: string;
    };
    readonly output: {
      readonly tokens: readonly PersonToken[];
    };
  };
  /** Revoke a token of a person */
  readonly revoke_person_token: {
    readonly input: {
      /** The id of the person, as list_people shows it. */
      readonly id: string;
      /** The id of the token. */
      readonly tokenId: string;
    };
    readonly output: {
      readonly tokens: readonly PersonToken[];
    };
  };
  /** Sign in */
  readonly sign_in: {
    readonly input: {
      /** An e-mail address such as ada@example.com. */
      readonly email: string;
      /** The person's password. */
      readonly password?: string | undefined;
      /** One of the person's recovery codes, instead of the password. */
      readonly recoveryCode?: string | undefined;
    };
    readonly output: {
      /** A person with an account. */
      readonly person: Person;
      /** A signed-in browser. */
      readonly session: Session;
    };
  };
  /** See what a one-time link is for */
  readonly look_at_link: {
    readonly input: {
      /** The secret of the link: 64 hexadecimal digits. */
      readonly token: string;
    };
    readonly output: {
      /** What the link does. */
      readonly kind: "owner" | "invite" | "reset";
      readonly person: {
        readonly email: string;
        readonly name: string;
        /** What a person may do. */
        readonly role: Role;
      } | null;
    };
  };
  /** Follow a one-time link */
  readonly follow_link: {
    readonly input: {
      /** The secret of the link: 64 hexadecimal digits. */
      readonly token: string;
      /** A name of 1 to 100 characters. */
      readonly name?: string | undefined;
      /** An e-mail address such as ada@example.com. */
      readonly email?: string | undefined;
      /** A new password of 12 to 256 characters, at least five of them different. */
      readonly password?: string | undefined;
      /** What the browser's credential gives as JSON (toJSON). */
      readonly passkey?: JsonObject | undefined;
      /** With a link that sets a new password: what does not end. Nothing without it. */
      readonly keep?: readonly ("sessions" | "tokens" | "clients" | "passkeys")[] | undefined;
    };
    readonly output: {
      /** A person with an account. */
      readonly person: Person;
      /** A signed-in browser. */
      readonly session: Session;
    };
  };
  /** Begin a passkey for a one-time link */
  readonly get_link_passkey_options: {
    readonly input: {
      /** The secret of the link: 64 hexadecimal digits. */
      readonly token: string;
      /** A name of 1 to 100 characters. */
      readonly name?: string | undefined;
      /** An e-mail address such as ada@example.com. */
      readonly email?: string | undefined;
    };
    readonly output: {
      /** What navigator.credentials takes as publicKey, as JSON. */
      readonly publicKey: JsonObject;
    };
  };
  /** List my sessions */
  readonly list_sessions: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly sessions: readonly Session[];
    };
  };
  /** End my other sessions */
  readonly end_other_sessions: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      /** How many sessions ended. */
      readonly ended: number;
    };
  };
  /** End a session of mine */
  readonly end_session: {
    readonly input: {
      /** The id of the session, or current. */
      readonly id: string;
    };
    readonly output: {
      /** How many sessions ended. */
      readonly ended: number;
    };
  };
  /** Show my account */
  readonly get_account: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly person: Person | null;
      readonly scopes?: readonly Scope[] | undefined;
      readonly recoveryCodesLeft?: number | undefined;
    };
  };
  /** Set my password */
  readonly set_password: {
    readonly input: {
      /** The person's password; not needed shortly after signing in with a passkey or a recovery code. */
      readonly password?: string | undefined;
      /** A new password of 12 to 256 characters, at least five of them different. */
      readonly next: string;
    };
    readonly output: {
      readonly changed: true;
    };
  };
  /** Create new recovery codes */
  readonly create_recovery_codes: {
    readonly input: {
      /** The person's password; not needed shortly after signing in with a passkey or a recovery code. */
      readonly password?: string | undefined;
    };
    readonly output: {
      readonly codes: readonly string[];
    };
  };
  /** Begin a sign-in with a passkey */
  readonly get_passkey_sign_in_options: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      /** What navigator.credentials takes as publicKey, as JSON. */
      readonly publicKey: JsonObject;
    };
  };
  /** Sign in with a passkey */
  readonly sign_in_with_passkey: {
    readonly input: {
      /** What the browser's credential gives as JSON (toJSON). */
      readonly passkey: JsonObject;
    };
    readonly output: {
      /** A person with an account. */
      readonly person: Person;
      /** A signed-in browser. */
      readonly session: Session;
    };
  };
  /** List my passkeys */
  readonly list_passkeys: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly passkeys: readonly Passkey[];
    };
  };
  /** Begin a passkey */
  readonly get_passkey_options: {
    readonly input: {
      /** The person's password. */
      readonly password?: string | undefined;
    };
    readonly output: {
      /** What navigator.credentials takes as publicKey, as JSON. */
      readonly publicKey: JsonObject;
    };
  };
  /** Add a passkey */
  readonly add_passkey: {
    readonly input: {
      /** What the person calls the passkey. */
      readonly name: string;
      /** What the browser's credential gives as JSON (toJSON). */
      readonly passkey: JsonObject;
    };
    readonly output: {
      /** A passkey of a person. */
      readonly passkey: Passkey;
    };
  };
  /** Rename a passkey */
  readonly rename_passkey: {
    readonly input: {
      /** The id of the passkey, as list_passkeys shows it. */
      readonly id: string;
      /** What the person calls the passkey. */
      readonly name: string;
    };
    readonly output: {
      /** A passkey of a person. */
      readonly passkey: Passkey;
    };
  };
  /** Remove a passkey */
  readonly remove_passkey: {
    readonly input: {
      /** The id of the passkey, as list_passkeys shows it. */
      readonly id: string;
    };
    readonly output: {
      readonly removed: true;
    };
  };
  /** List the ways to sign in */
  readonly list_sign_in_ways: {
    readonly input: { readonly [name: string]: never };
    readonly output: {
      readonly passkey: true;
      readonly password: true;
      readonly recoveryCode: true;
      readonly oidc: {
        readonly name: string;
        readonly path: string;
      } | null;
    };
  };
  /** Sign in at the company's provider */
  readonly begin_company_sign_in: {
    readonly input: {
      /** The page to open afterwards. */
      readonly to?: string | undefined;
    };
    readonly output: {
      readonly ok: true;
      readonly data: {
        /** Where the browser continues. */
        readonly location: string;
      };
    };
  };
  /** Come back from the company's provider */
  readonly finish_company_sign_in: {
    readonly input: {
      /** What the provider gave the browser. */
      readonly code?: string | undefined;
      /** What the browser began with. */
      readonly state?: string | undefined;
      /** The provider that answers (RFC 9207). */
      readonly iss?: string | undefined;
      /** Why the provider signed nobody in. */
      readonly error?: string | undefined;
    };
    readonly output: {
      readonly ok: true;
      readonly data: {
        /** Where the browser continues. */
        readonly location: string;
      };
    };
  };
  /** Read protected resource metadata */
  readonly get_resource_metadata: {
    readonly input: { readonly [name: string]: never };
    readonly output: ResourceMetadata;
  };
  /** Read authorization server metadata */
  readonly get_authorization_server_metadata: {
    readonly input: { readonly [name: string]: never };
    readonly output: AuthorizationServerMetadata;
  };
  /** Begin the sign-in of a client */
  readonly authorize_client: {
    readonly input: {
      /** The client: what register_client gave, or the address of its metadata document. */
      readonly client_id?: string | undefined;
      /** Where the browser continues; one that the client registered. */
      readonly redirect_uri?: string | undefined;
      /** code. */
      readonly response_type?: string | undefined;
      /** The PKCE challenge. */
      readonly code_challenge?: string | undefined;
      /** S256. */
      readonly code_challenge_method?: string | undefined;
      /** The scopes that the client asks for, separated by spaces. */
      readonly scope?: string | undefined;
      /** What the client gets back. */
      readonly state?: string | undefined;
      /** What the token is for (RFC 8707). */
      readonly resource?: string | undefined;
    };
    readonly output: string;
  };
  /** Go on with the sign-in of a client */
  readonly resume_authorization: {
    readonly input: {
      /** The sign-in. */
      readonly uid: string;
    };
    readonly output: string;
  };
  /** Get tokens */
  readonly request_token: {
    readonly input: {
      /** authorization_code, refresh_token or urn:ietf:params:oauth:grant-type:device_code. */
      readonly grant_type: string;
      /** The client. */
      readonly client_id?: string | undefined;
      /** The code that the browser brought. */
      readonly code?: string | undefined;
      /** What the PKCE challenge was made from. */
      readonly code_verifier?: string | undefined;
      /** The redirect_uri of the request for the code. */
      readonly redirect_uri?: string | undefined;
      /** A refresh token. */
      readonly refresh_token?: string | undefined;
      /** The code of a device. */
      readonly device_code?: string | undefined;
      /** What the token is for (RFC 8707). */
      readonly resource?: string | undefined;
      /** urn:ietf:params:oauth:client-assertion-type:jwt-bearer. */
      readonly client_assertion_type?: string | undefined;
      /** What a client that signs its requests proves itself with. */
      readonly client_assertion?: string | undefined;
    };
    readonly output: OAuthTokens;
  };
  /** Revoke a client's token */
  readonly revoke_client_token: {
    readonly input: {
      /** The token. */
      readonly token: string;
      /** access_token or refresh_token. */
      readonly token_type_hint?: string | undefined;
      /** The client. */
      readonly client_id?: string | undefined;
      /** urn:ietf:params:oauth:client-assertion-type:jwt-bearer. */
      readonly client_assertion_type?: string | undefined;
      /** What a client that signs its requests proves itself with. */
      readonly client_assertion?: string | undefined;
    };
    readonly output: string;
  };
  /** Begin a sign-in with a code */
  readonly begin_device_sign_in: {
    readonly input: {
      /** The client. */
      readonly client_id: string;
      /** The scopes that the client asks for, separated by spaces. */
      readonly scope?: string | undefined;
      /** What the token is for (RFC 8707). */
      readonly resource?: string | undefined;
    };
    readonly output: DeviceCode;
  };
  /** Register a client */
  readonly register_client: {
    readonly input: {
      /** Where browsers may be sent back to. */
      readonly redirect_uris: readonly string[];
      /** What people see. */
      readonly client_name?: string | undefined;
      /** The web page of the client. */
      readonly client_uri?: string | undefined;
      /** The grants that the client will use. */
      readonly grant_types?: readonly string[] | undefined;
      /** none or private_key_jwt. */
      readonly token_endpoint_auth_method?: string | undefined;
    };
    readonly output: JsonObject;
  };
  /** See what a client asks for */
  readonly get_client_request: {
    readonly input: {
      /** The request to connect. */
      readonly uid: string;
    };
    readonly output: ClientRequest;
  };
  /** Decide about a client */
  readonly decide_client_request: {
    readonly input: {
      /** The request to connect. */
      readonly uid: string;
      /** Connects the client with these. */
      readonly scopes?: readonly Scope[] | undefined;
      /** Does not connect it. */
      readonly denied?: true | undefined;
    };
    readonly output: {
      /** Where the browser continues. */
      readonly continueAt: string;
    };
  };
  /** See what the program with a code asks for */
  readonly look_at_device_code: {
    readonly input: {
      /** The code that the program shows, such as BCDF-GHJK. */
      readonly code: string;
    };
    readonly output: ClientRequest;
  };
  /** Decide about the program with a code */
  readonly decide_device_code: {
    readonly input: {
      /** The code that the program shows, such as BCDF-GHJK. */
      readonly code: string;
      /** Connects the client with these. */
      readonly scopes?: readonly Scope[] | undefined;
      /** Does not connect it. */
      readonly denied?: true | undefined;
    };
    readonly output: {
      readonly connected: boolean;
    };
  };
  /** List connected clients */
  readonly list_connected_clients: {
    readonly input: {
      /** For an admin: the clients of all people. */
      readonly people?: "all" | undefined;
    };
    readonly output: {
      readonly clients: readonly ConnectedClient[];
    };
  };
  /** Disconnect a client */
  readonly disconnect_client: {
    readonly input: {
      /** The id, as list_connected_clients shows it. */
      readonly id: string;
    };
    readonly output: {
      readonly disconnected: 1;
    };
  };
}

/** Method and path of each operation that is no tool; behind `?` the members of a body that travel in the query. */
export const ROUTES = {
  list_keys: "GET /api/svc/keys",
  get_me: "GET /api/svc/me",
  create_key: "POST /api/svc/keys",
  rotate_key: "POST /api/svc/keys/{id}/rotate",
  revoke_key: "POST /api/svc/keys/{id}/revoke",
  get_absence: "GET /api/svc/account/absence",
  set_absence: "POST /api/svc/account/absence",
  end_absence: "DELETE /api/svc/account/absence",
  get_notifications: "GET /api/svc/account/notifications",
  set_notifications: "POST /api/svc/account/notifications",
  list_notification_targets: "GET /api/svc/notification-targets",
  add_notification_target: "POST /api/svc/notification-targets",
  remove_notification_target: "DELETE /api/svc/notification-targets/{id}",
  show_unsubscribe: "GET /api/svc/unsubscribe/{token}",
  stop_mails: "POST /api/svc/unsubscribe/{token}",
  list_audit: "GET /api/svc/audit",
  list_audit_actions: "GET /api/svc/audit/actions",
  export_audit: "GET /api/svc/audit/export",
  stream_events: "GET /api/svc/events",
  list_webhooks: "GET /api/svc/webhooks",
  create_webhook: "POST /api/svc/webhooks",
  get_webhook: "GET /api/svc/webhooks/{id}",
  pause_webhook: "POST /api/svc/webhooks/{id}/pause",
  resume_webhook: "POST /api/svc/webhooks/{id}/resume",
  rotate_webhook: "POST /api/svc/webhooks/{id}/rotate",
  remove_webhook: "POST /api/svc/webhooks/{id}/remove",
  list_deliveries: "GET /api/svc/webhooks/{id}/deliveries",
  redeliver_dead_letters: "POST /api/svc/webhooks/{id}/redeliver",
  list_handoffs: "GET /api/svc/handoffs",
  get_handoff: "GET /api/svc/handoffs/{id}",
  run_handoff: "POST /api/svc/handoffs/{id}/run",
  list_runs: "GET /api/svc/runs",
  get_run: "GET /api/svc/runs/{id}",
  list_run_items: "GET /api/svc/runs/{id}/items",
  get_run_document: "GET /api/svc/runs/{id}/document",
  get_run_receipt: "GET /api/svc/runs/{id}/receipt",
  retry_run: "POST /api/svc/runs/{id}/retry",
  settle_step: "POST /api/svc/runs/{id}/settle",
  send_signal: "POST /api/svc/runs/{id}/signals/{name}",
  get_trace: "GET /api/svc/traces/{id}",
  preview_repair: "POST /api/svc/runs/{id}/repair/preview",
  repair_run: "POST /api/svc/runs/{id}/repair",
  list_run_failures: "GET /api/svc/run-failures",
  repair_runs: "POST /api/svc/run-failures/repair",
  compare_runs: "GET /api/svc/runs/{id}/compare/{other}",
  explain_run: "GET /api/svc/runs/{id}/explanation",
  find_approvals: "GET /api/svc/approvals",
  get_approval: "GET /api/svc/approvals/{id}",
  claim_approval: "POST /api/svc/approvals/{id}/claim",
  release_approval: "POST /api/svc/approvals/{id}/release",
  delegate_approval: "POST /api/svc/approvals/{id}/delegate",
  comment_approval: "POST /api/svc/approvals/{id}/comment",
  decide_approval: "POST /api/svc/approvals/{id}/decide",
  request_approval_changes: "POST /api/svc/approvals/{id}/request-changes",
  reassign_approval: "POST /api/svc/approvals/{id}/reassign",
  get_step_up_options: "POST /api/svc/approvals/{id}/step-up",
  get_workflow_schema: "GET /api/svc/workflow-schema",
  delete_workflow_draft: "DELETE /api/svc/workflows/{id}",
  publish_version: "POST /api/svc/workflows/{id}/publish",
  get_workflow_visibility: "GET /api/svc/workflows/{id}/visibility",
  set_workflow_visibility: "PATCH /api/svc/workflows/{id}/visibility",
  list_workflow_versions: "GET /api/svc/workflows/{id}/versions",
  get_workflow_version: "GET /api/svc/workflows/{id}/versions/{version}",
  start_run: "POST /api/svc/workflows/{id}/runs",
  compare_versions: "GET /api/svc/workflows/{id}/diff",
  import_workflow: "POST /api/svc/workflows/import",
  export_workflow_as: "GET /api/svc/workflows/{id}/export",
  list_credentials: "GET /api/svc/credentials",
  create_credential: "POST /api/svc/credentials",
  get_credential: "GET /api/svc/credentials/{name}",
  update_credential: "PATCH /api/svc/credentials/{name}?owner",
  remove_credential: "DELETE /api/svc/credentials/{name}",
  authorize_credential: "POST /api/svc/credentials/{name}/authorize?owner",
  rotate_master_key: "POST /api/svc/vault/rotate",
  get_oauth_client_document: "GET /oauth/client.json",
  finish_credential_sign_in: "GET /oauth/callback",
  show_credential_sign_in: "GET /oauth/sign-in/{ticket}",
  get_hold: "GET /api/svc/hold",
  end_hold: "POST /api/svc/hold",
  list_retention_rules: "GET /api/svc/retention",
  set_retention_rule: "POST /api/svc/retention",
  remove_retention_rule: "DELETE /api/svc/retention",
  preview_retention_rule: "GET /api/svc/retention/preview",
  render_form: "POST /api/svc/forms",
  rotate_signing_key: "POST /api/svc/provenance/rotate",
  prove_log_growth: "GET /api/svc/provenance/checkpoints/{treeSize}",
  get_demo_flow: "GET /api/svc/demo-suite",
  run_demo_flow: "POST /api/svc/demo-suite/run",
  get_receiver_readiness: "GET /api/svc/receive-handoff",
  receive_handoff: "POST /api/svc/receive-handoff",
  get_gateway_info: "GET /api/mcp",
  call_gateway: "POST /api/mcp",
  get_agent_endpoint: "GET /mcp",
  call_agent_endpoint: "POST /mcp",
  get_toolset_endpoint: "GET /mcp/{name}",
  call_toolset: "POST /mcp/{name}",
  read_llms: "GET /llms.txt",
  read_llms_full: "GET /llms-full.txt",
  read_llms_index: "GET /llms-index.json",
  read_openapi: "GET /openapi.yaml",
  read_asyncapi: "GET /asyncapi.yaml",
  read_web_status: "GET /.well-known/web.json",
  read_legacy_web4: "GET /.well-known/web4.json",
  read_provenance: "GET /.well-known/provenance.json",
  read_ai_plugin: "GET /.well-known/ai-plugin.json",
  read_trust: "GET /.well-known/trust.json",
  read_robots: "GET /robots.txt",
  read_server_card: "GET /.well-known/mcp/server-card.json",
  read_server_card_endpoint: "GET /api/mcp/server-card",
  read_mcp_catalog: "GET /.well-known/mcp/catalog.json",
  get_liveness: "GET /livez",
  get_readiness: "GET /readyz",
  get_metrics: "GET /metrics",
  get_security_contact: "GET /.well-known/security.txt",
  list_connections: "GET /api/svc/connections",
  create_connection: "POST /api/svc/connections",
  probe_address: "POST /api/svc/connections/probe",
  get_connection: "GET /api/svc/connections/{name}",
  update_connection: "PATCH /api/svc/connections/{name}",
  remove_connection: "DELETE /api/svc/connections/{name}",
  test_connection: "POST /api/svc/connections/{name}/test",
  sync_connection: "POST /api/svc/connections/{name}/sync",
  accept_definitions: "POST /api/svc/connections/{name}/accept",
  list_definitions: "GET /api/svc/connections/{name}/definitions",
  read_connection_resource: "POST /api/svc/connections/{name}/resource",
  search_connected_tools: "GET /api/svc/connections/tools",
  list_my_calls: "GET /api/svc/connections/calls",
  record_calls: "POST /api/svc/connections/record",
  get_definition: "GET /api/svc/connections/{connection}/definitions/{definition}",
  update_definition: "PATCH /api/svc/connections/{connection}/definitions/{definition}",
  accept_definition: "POST /api/svc/connections/{connection}/definitions/{definition}/accept",
  hide_definition: "POST /api/svc/connections/{connection}/definitions/{definition}/hide",
  list_definition_calls: "GET /api/svc/connections/{connection}/definitions/{definition}/calls",
  call_definition: "POST /api/svc/connections/{connection}/call/{definition}",
  list_network_tools: "GET /api/svc/network-tools",
  accept_network_tool: "POST /api/svc/network-tools/accept",
  get_guard: "GET /api/svc/guard",
  change_guard: "PATCH /api/svc/guard",
  bypass_guard: "POST /api/svc/guard/bypass",
  simulate_guard: "POST /api/svc/guard/simulate",
  list_guard_decisions: "GET /api/svc/guard/decisions",
  list_toolsets: "GET /api/svc/toolsets",
  create_toolset: "POST /api/svc/toolsets",
  change_toolset: "PATCH /api/svc/toolsets/{name}",
  remove_toolset: "DELETE /api/svc/toolsets/{name}",
  create_trigger: "POST /api/svc/triggers",
  list_triggers: "GET /api/svc/triggers",
  preview_schedule: "GET /api/svc/triggers/dates",
  list_due_dates: "GET /api/svc/triggers/due",
  get_trigger: "GET /api/svc/triggers/{id}",
  change_trigger: "PATCH /api/svc/triggers/{id}",
  remove_trigger: "DELETE /api/svc/triggers/{id}",
  list_firings: "GET /api/svc/triggers/{id}/history",
  backfill_trigger: "POST /api/svc/triggers/{id}/backfill",
  fire_trigger: "POST /api/svc/triggers/{id}/fire",
  get_trigger_sample: "GET /api/svc/triggers/{id}/sample",
  receive_webhook: "POST /hooks/{id}",
  show_form_page: "GET /f/{slug}",
  send_form_page: "POST /f/{slug}",
  list_roles: "GET /api/svc/roles",
  list_people: "GET /api/svc/people",
  list_people_names: "GET /api/svc/people/names",
  invite_person: "POST /api/svc/people",
  get_person: "GET /api/svc/people/{id}",
  change_person: "PATCH /api/svc/people/{id}",
  create_person_link: "POST /api/svc/people/{id}/link",
  sign_out_person: "POST /api/svc/people/{id}/sign-out",
  list_groups: "GET /api/svc/groups",
  create_group: "POST /api/svc/groups",
  get_group: "GET /api/svc/groups/{id}",
  rename_group: "PATCH /api/svc/groups/{id}",
  delete_group: "DELETE /api/svc/groups/{id}",
  add_group_member: "POST /api/svc/groups/{id}/members",
  remove_group_member: "DELETE /api/svc/groups/{id}/members/{personId}",
  list_tokens: "GET /api/svc/tokens",
  create_token: "POST /api/svc/tokens",
  revoke_token: "DELETE /api/svc/tokens/{id}",
  list_person_tokens: "GET /api/svc/people/{id}/tokens",
  revoke_person_tokens: "DELETE /api/svc/people/{id}/tokens",
  revoke_person_token: "DELETE /api/svc/people/{id}/tokens/{tokenId}",
  sign_in: "POST /api/svc/sessions",
  look_at_link: "POST /api/svc/invitations/look",
  follow_link: "POST /api/svc/invitations/follow",
  get_link_passkey_options: "POST /api/svc/invitations/passkey-options",
  list_sessions: "GET /api/svc/sessions",
  end_other_sessions: "DELETE /api/svc/sessions",
  end_session: "DELETE /api/svc/sessions/{id}",
  get_account: "GET /api/svc/account",
  set_password: "POST /api/svc/account/password",
  create_recovery_codes: "POST /api/svc/account/recovery-codes",
  get_passkey_sign_in_options: "POST /api/svc/passkeys/sign-in-options",
  sign_in_with_passkey: "POST /api/svc/passkeys/sign-in",
  list_passkeys: "GET /api/svc/passkeys",
  get_passkey_options: "POST /api/svc/passkeys/options",
  add_passkey: "POST /api/svc/passkeys",
  rename_passkey: "PATCH /api/svc/passkeys/{id}",
  remove_passkey: "DELETE /api/svc/passkeys/{id}",
  list_sign_in_ways: "GET /api/svc/sign-in",
  begin_company_sign_in: "GET /api/svc/sign-in/oidc",
  finish_company_sign_in: "GET /api/svc/sign-in/oidc/callback",
  get_resource_metadata: "GET /.well-known/oauth-protected-resource",
  get_authorization_server_metadata: "GET /.well-known/oauth-authorization-server",
  authorize_client: "GET /oauth/authorize",
  resume_authorization: "GET /oauth/authorize/{uid}",
  request_token: "POST /oauth/token",
  revoke_client_token: "POST /oauth/revoke",
  begin_device_sign_in: "POST /oauth/device",
  register_client: "POST /oauth/register",
  get_client_request: "GET /oauth/requests/{uid}/details",
  decide_client_request: "POST /oauth/requests/{uid}/decision",
  look_at_device_code: "POST /api/svc/oauth/codes/look",
  decide_device_code: "POST /api/svc/oauth/codes/decide",
  list_connected_clients: "GET /api/svc/oauth/clients",
  disconnect_client: "DELETE /api/svc/oauth/clients/{id}",
} as const satisfies Readonly<Record<Exclude<keyof Operations, keyof Tools>, string>>;

/** What a caller needs for each operation that not everybody may call: all scopes joined by `&`, or one of those joined by `|`. */
export const NEEDS: Readonly<Partial<Record<keyof Operations, string>>> = {
  update_agent_policy: "admin",
  refresh_agent_platform_registry: "admin",
  save_artifact: "write",
  update_artifact: "write",
  delete_artifact: "write",
  import_studio_design: "handoff",
  create_workflow: "write",
  update_workflow: "write",
  publish_workflow: "write",
  run_workflow: "run",
  cancel_workflow_run: "run",
  instantiate_template: "write",
  approve_step: "approve",
  reject_step: "approve",
  publish_artifact: "handoff",
  create_docs_report: "handoff",
  create_sheet_export: "handoff",
  create_catalog_entry: "handoff",
  trigger_sandbox: "handoff",
  trigger_browsercheck: "handoff",
  trigger_evals: "handoff",
  trigger_eval: "handoff",
  trigger_sandbox_validation: "handoff",
  trigger_browsercheck_check: "handoff",
  publish_docs_report: "handoff",
  create_sheet_report: "handoff",
  sync_network_tools: "admin",
  execute_mcp_tool: "run",
  list_keys: "admin",
  create_key: "admin",
  rotate_key: "admin",
  revoke_key: "admin",
  get_absence: "person",
  set_absence: "person",
  end_absence: "person",
  get_notifications: "person",
  set_notifications: "person",
  list_notification_targets: "admin",
  add_notification_target: "admin",
  remove_notification_target: "admin",
  list_audit: "admin",
  list_audit_actions: "admin",
  export_audit: "admin",
  list_webhooks: "admin",
  create_webhook: "admin",
  get_webhook: "admin",
  pause_webhook: "admin",
  resume_webhook: "admin",
  rotate_webhook: "admin",
  remove_webhook: "admin",
  list_deliveries: "admin",
  redeliver_dead_letters: "admin",
  list_handoffs: "handoff|read-private",
  get_handoff: "handoff|read-private",
  run_handoff: "handoff&run",
  retry_run: "run",
  settle_step: "run",
  send_signal: "run",
  preview_repair: "run",
  repair_run: "run",
  list_run_failures: "run",
  repair_runs: "run",
  claim_approval: "approve",
  release_approval: "approve",
  delegate_approval: "approve",
  comment_approval: "read-private",
  decide_approval: "approve",
  request_approval_changes: "approve",
  reassign_approval: "admin",
  get_step_up_options: "person",
  delete_workflow_draft: "write",
  publish_version: "write",
  get_workflow_visibility: "write",
  set_workflow_visibility: "write",
  start_run: "run",
  list_credentials: "admin",
  create_credential: "admin",
  get_credential: "key",
  update_credential: "key",
  remove_credential: "key",
  authorize_credential: "key",
  rotate_master_key: "admin",
  end_hold: "admin",
  list_retention_rules: "admin",
  set_retention_rule: "admin",
  remove_retention_rule: "admin",
  preview_retention_rule: "admin",
  rotate_signing_key: "admin",
  run_demo_flow: "handoff",
  list_connections: "key",
  create_connection: "admin",
  probe_address: "admin",
  get_connection: "key",
  update_connection: "admin",
  remove_connection: "admin",
  test_connection: "run",
  sync_connection: "admin",
  accept_definitions: "admin",
  list_definitions: "key",
  read_connection_resource: "run",
  search_connected_tools: "key",
  list_my_calls: "key",
  record_calls: "write",
  get_definition: "key",
  update_definition: "admin",
  accept_definition: "admin",
  hide_definition: "admin",
  list_definition_calls: "key",
  call_definition: "run",
  list_network_tools: "key",
  accept_network_tool: "admin",
  get_guard: "admin",
  change_guard: "admin",
  bypass_guard: "admin",
  simulate_guard: "admin",
  list_guard_decisions: "admin",
  list_toolsets: "key",
  create_toolset: "admin",
  change_toolset: "admin",
  remove_toolset: "admin",
  create_trigger: "write&run",
  list_triggers: "read-private|run|write",
  preview_schedule: "read-private|run|write",
  list_due_dates: "read-private|run|write",
  get_trigger: "read-private|run|write",
  change_trigger: "write&run",
  remove_trigger: "write&run",
  list_firings: "read-private|run|write",
  backfill_trigger: "write&run",
  fire_trigger: "write&run",
  get_trigger_sample: "read-private|run|write",
  list_people: "admin",
  list_people_names: "read-private",
  invite_person: "admin",
  get_person: "admin",
  change_person: "admin",
  create_person_link: "admin",
  sign_out_person: "admin",
  list_groups: "read-private",
  create_group: "admin",
  get_group: "read-private",
  rename_group: "admin",
  delete_group: "admin",
  add_group_member: "admin",
  remove_group_member: "admin",
  list_tokens: "person",
  create_token: "person",
  revoke_token: "person",
  list_person_tokens: "admin",
  revoke_person_tokens: "admin",
  revoke_person_token: "admin",
  list_sessions: "person",
  end_other_sessions: "person",
  end_session: "person",
  set_password: "person",
  create_recovery_codes: "person",
  list_passkeys: "person",
  get_passkey_options: "person",
  add_passkey: "person",
  rename_passkey: "person",
  remove_passkey: "person",
  get_client_request: "person",
  decide_client_request: "person",
  look_at_device_code: "person",
  decide_device_code: "person",
  list_connected_clients: "person",
  disconnect_client: "person",
};
