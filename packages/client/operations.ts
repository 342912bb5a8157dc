// Generated from the operations by `npm run generate`. Do not edit.

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
  /** The sibling that it came from or goes to. */
  readonly peer: string;
  readonly capability: string;
  /** What the packet asks for, as its sender wrote it. */
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
  /** The sibling that it came from or goes to. */
  readonly peer: string;
  readonly capability: string;
  /** What the packet asks for, as its sender wrote it. */
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
  /** False when it failed before anything left this service. */
  readonly sent: boolean;
}

/** Why something failed. Some codes have more members. */
export interface Failure {
  readonly code: string;
  readonly message?: string | undefined;
}

/** A run as a list shows it. */
export interface Run {
  readonly id: string;
  readonly workflowId: string | null;
  readonly workflowVersion: number | null;
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

/** What a person said became of a step whose outcome was unknown. */
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
  /** What a person said became of a step whose outcome was unknown. */
  readonly settled?: Settlement | undefined;
  readonly idempotencyKey?: string | null | undefined;
  readonly wakeAt?: string | null | undefined;
  readonly attempts?: readonly Attempt[] | undefined;
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

/** A run with its steps. Values are there only for who may see them. */
export interface RunDetail {
  readonly id: string;
  readonly workflowId: string | null;
  readonly workflowVersion: number | null;
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
  readonly approvals?: readonly Approval[] | undefined;
  /** Stands where a value was taken out. */
  readonly values?: Redacted | undefined;
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

/** A record of the provenance log with its place in it. */
export interface ProvedRecord {
  readonly id: string;
  readonly leafIndex: number;
  readonly kind: string;
  readonly subjectId: string;
  readonly runId: string | null;
  readonly digest: string;
  readonly privacy: "public" | "internal" | "confidential" | "restricted";
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

/** What the caller may do with an approval. */
export interface ApprovalStanding {
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
  readonly you?: ApprovalStanding | undefined;
  /** Who may decide an approval, and who has approved. */
  readonly who?: WhoDecides | undefined;
  readonly comments?: readonly ApprovalComment[] | undefined;
  readonly last?: LastApproval | null | undefined;
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

/** What was read from a file, and what got lost. */
export interface ImportReport {
  readonly format: "json" | "yaml" | "arazzo" | "serverless" | "n8n" | "postman" | "har" | "curl";
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly document: JsonObject;
  readonly losses: readonly Loss[];
  readonly connections: readonly ProposedConnection[];
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
  /** Inputs, outputs, steps and approvals are removed after so many days; null keeps them. */
  readonly detailsDays: number | null;
  /** Runs are removed after so many days; null keeps them. */
  readonly runsDays: number | null;
  /** At most so many ended runs of a workflow are kept; null sets no limit. */
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
  /** False when counting stopped: there are at least so many. */
  readonly isComplete: boolean;
}

/** What each operation takes and answers. */
export interface Operations {
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
  /** Show a trace */
  readonly get_trace: {
    readonly input: {
      /** The id of the trace: traceId of a run. */
      readonly id: string;
    };
    readonly output: Trace;
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
      /** A workflow with the document that the caller may see. */
      readonly strangersSee: Workflow;
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
}

/** Method and path of each operation; behind `?` the members of a body that travel in the query. */
export const ROUTES: Readonly<Record<keyof Operations, string>> = {
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
  get_run_document: "GET /api/svc/runs/{id}/document",
  get_run_receipt: "GET /api/svc/runs/{id}/receipt",
  retry_run: "POST /api/svc/runs/{id}/retry",
  settle_step: "POST /api/svc/runs/{id}/settle",
  get_trace: "GET /api/svc/traces/{id}",
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
  import_workflow: "POST /api/svc/workflows/import",
  delete_workflow_draft: "DELETE /api/svc/workflows/{id}",
  publish_version: "POST /api/svc/workflows/{id}/publish",
  get_workflow_visibility: "GET /api/svc/workflows/{id}/visibility",
  set_workflow_visibility: "PATCH /api/svc/workflows/{id}/visibility",
  export_workflow_as: "GET /api/svc/workflows/{id}/export",
  list_workflow_versions: "GET /api/svc/workflows/{id}/versions",
  get_workflow_version: "GET /api/svc/workflows/{id}/versions/{version}",
  start_run: "POST /api/svc/workflows/{id}/runs",
  compare_versions: "GET /api/svc/workflows/{id}/diff",
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
  list_retention_rules: "GET /api/svc/retention",
  set_retention_rule: "POST /api/svc/retention",
  remove_retention_rule: "DELETE /api/svc/retention",
  preview_retention_rule: "GET /api/svc/retention/preview",
};
