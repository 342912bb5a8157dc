import type { RunState } from "../model/states.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ApprovalStore } from "./approvals.ts";
import type { AuditStore } from "./audit.ts";
import type { Listed, Scope } from "./caller.ts";
import type { ConnectionStore } from "./connections.ts";
import type { GroupStore } from "./groups.ts";
import type { OAuthStore } from "./oauth.ts";
import type { PasskeyStore } from "./passkeys.ts";
import type { NotificationStore } from "./notifications.ts";
import type { PeopleStore } from "./people.ts";
import type { RetentionStore } from "./retention.ts";
import type { SignalStore } from "./signals.ts";
import type { TriggerStore } from "./triggers.ts";
import type { RunActor } from "./rights.ts";
import type { TokenStore } from "./tokens.ts";
import type {
  ApiKeyRecord,
  ArtifactRecord,
  AttemptRecord,
  CheckpointRecord,
  CredentialRecord,
  DeliveryRecord,
  EventRecord,
  HandoffRecord,
  IdempotencyRecord,
  NewEvent,
  OAuthFlowRecord,
  PolicyRevisionRecord,
  ProvenanceRecord,
  RenderedFormRecord,
  RunRecord,
  RunResolution,
  SigningKeyRecord,
  StepRecord,
  TemplateRecord,
  WebhookRecord,
  WorkflowRecord,
  WorkflowVersionRecord,
} from "./records.ts";

/* Long on purpose: one list of everything that is stored. */

/** Which part of a list to give. Newest first unless a method says otherwise. */
export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string;
}

/**
 * Part of a list, and where the next part begins. Where a filter has no index, a part may hold fewer items than were asked
 * for, or none: only `nextCursor: null` says that the list has ended.
 */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** Which runs a list holds. */
export interface RunFilter extends Partial<Listed> {
  readonly workflowId?: string;
  readonly states?: readonly RunState[];
  readonly startedBy?: string;
  /** Created at this time or later. */
  readonly from?: string;
  /** Created before this time. */
  readonly to?: string;
  /** Part of a name or a value of the inputs, in any case. */
  readonly text?: string;
}

/** What decides which document of a workflow a run takes, and who may see it. */
export type WorkflowHead = Pick<
  WorkflowRecord,
  "id" | "name" | "status" | "visibility" | "digest" | "publishedVersion" | "createdBy"
>;

/** Workflows and their published versions. */
export interface WorkflowStore {
  insert(record: WorkflowRecord): Promise<void>;
  get(id: string): Promise<WorkflowRecord | null>;
  /** What a workflow is now, without its document: that is known by its digest. */
  head(id: string): Promise<WorkflowHead | null>;
  list(
    page: PageRequest,
    filter?: Partial<Listed> & { status?: WorkflowRecord["status"] },
  ): Promise<Page<WorkflowRecord>>;
  /** Compare-and-set on `revision`: false when the stored one is not `expectedRevision`. */
  update(record: WorkflowRecord, expectedRevision: number): Promise<boolean>;
  /** Deletes a draft that was never published and never ran; false when it is not, or no longer, such a draft. */
  remove(id: string): Promise<boolean>;
  insertVersion(version: WorkflowVersionRecord): Promise<void>;
  /** Notes that a caller worked on what is, or becomes, this version. */
  addEditor(workflowId: string, version: number, editor: string): Promise<void>;
  /** The callers who worked on one of these versions. */
  editors(workflowId: string, versions: readonly [number, number]): Promise<readonly string[]>;
  version(workflowId: string, version: number): Promise<WorkflowVersionRecord | null>;
  versions(workflowId: string, page: PageRequest): Promise<Page<WorkflowVersionRecord>>;
  /** What a version was called when it was published, or the draft is called now. */
  name(id: string, version: number | null): Promise<string | null>;
}

/** Runs, their steps and attempts, and the documents they are pinned to. */
export interface RunStore {
  /** Keeps a document under its digest; writing it again is harmless. */
  putDocument(digest: string, document: JsonObject): Promise<void>;
  document(digest: string): Promise<JsonObject | null>;
  insert(...records: readonly RunRecord[]): Promise<void>;
  get(id: string): Promise<RunRecord | null>;
  list(page: PageRequest, filter?: RunFilter): Promise<Page<RunRecord>>;
  /** How many runs of a workflow have begun and not ended; `most` when there are more. */
  goingOf(workflowId: string, most: number): Promise<number>;
  /** Writes the run's new state if `epoch` is still the current one; false means another worker owns it now. */
  save(record: RunRecord): Promise<boolean>;
  /** From now on the run acts with the rights of another caller. */
  actFor(id: string, actor: RunActor, scopes: readonly Scope[]): Promise<void>;
  /** The runs that have not ended and act for one of these callers. */
  actingFor(actors: readonly string[]): Promise<readonly string[]>;
  /** Writes what a repair changes of a run besides its state: document, what its steps refer to, and the repairs. */
  repair(record: RunRecord): Promise<void>;
  /** Writes what the run's steps refer to, where that is not known yet. */
  resolve(id: string, resolved: RunResolution): Promise<void>;
  /**
   * The runs whose epoch is still this one, with who may see them now; no worker claims these before the transaction
   * ends.
   */
  holdAll(
    runs: readonly Pick<RunRecord, "id" | "epoch">[],
  ): Promise<ReadonlyMap<string, RunRecord["visibility"]>>;
  /** Writes the new states of runs that this transaction holds. */
  saveAll(held: readonly RunRecord[]): Promise<void>;
  /** Workers have to look at these runs: they begin, or what they wait for has happened. Workers are notified. */
  want(ids: readonly string[], at: string): Promise<void>;
  /** PostgreSQL only: gives a worker runs without a worker that are wanted or due, with the raised epoch. */
  take(worker: string, now: string, limit: number): Promise<readonly RunRecord[]>;
  /** The runs that a worker has. */
  heldBy(worker: string): Promise<readonly Pick<RunRecord, "id" | "epoch">[]>;
  /** Runs that a worker has and does not work on are for others. */
  giveBack(runs: readonly Pick<RunRecord, "id" | "epoch">[]): Promise<void>;
  /** Takes runs from their workers by raising the epoch; gives those that had not ended. */
  claimAll(ids: readonly string[]): Promise<readonly RunRecord[]>;
  /** Runs that no worker has begun, oldest first. */
  queued(limit: number): Promise<readonly RunRecord[]>;
  /** Runs that a worker has begun and not let go of, oldest first. */
  going(limit: number): Promise<readonly RunRecord[]>;
  /** The ids of waiting runs whose `wakeAt` has passed, the longest overdue first. */
  wakeable(now: string, limit: number): Promise<readonly string[]>;
  /** The runs of one trace, oldest first. */
  ofTrace(traceId: string, limit: number): Promise<readonly RunRecord[]>;
  /** The earliest `wakeAt` of a waiting run; null when none waits for a time. */
  nextWakeAt(): Promise<string | null>;
  /** How many runs wait for a worker, and how many for a person or a time; counted up to 50,000. */
  activeCounts(): Promise<{ queued: number; waiting: number; oldestQueuedAt: string | null }>;
  /** Makes the public runs of a workflow private. */
  hideOf(workflowId: string): Promise<void>;
  /** Writes checkpoints of steps; a step that is stored already is replaced. */
  putSteps(steps: readonly StepRecord[]): Promise<void>;
  steps(runId: string): Promise<readonly StepRecord[]>;
  /** The steps of several runs, by run; one without steps may be missing. */
  stepsOf(runIds: readonly string[]): Promise<ReadonlyMap<string, readonly StepRecord[]>>;
  putAttempts(attempts: readonly AttemptRecord[]): Promise<void>;
  attempts(runId: string): Promise<readonly AttemptRecord[]>;
}

/** The workers that share the runs (PostgreSQL only). */
export interface WorkerStore {
  /** There is a worker from now on. */
  join(id: string, at: string): Promise<void>;
  /** The worker is still there; false when others have taken it for dead. */
  beat(id: string, at: string): Promise<boolean>;
  /** Strikes off the workers that were last seen before a time, and gives back their runs. Says how many there were. */
  reap(before: string): Promise<number>;
  /** True in a restored database until an operator decides: nothing goes on or is sent. */
  onHold(): Promise<boolean>;
  endHold(): Promise<void>;
  /** The worker ends: its runs are for others. */
  leave(id: string): Promise<void>;
}

/** Stored templates. */
export interface TemplateStore {
  insert(record: TemplateRecord): Promise<void>;
  get(id: string): Promise<TemplateRecord | null>;
  list(page: PageRequest): Promise<Page<TemplateRecord>>;
}

/** Artifacts with all their versions. */
export interface ArtifactStore {
  /** Writes version 1. */
  insert(record: ArtifactRecord): Promise<void>;
  get(id: string): Promise<ArtifactRecord | null>;
  version(id: string, version: number): Promise<ArtifactRecord | null>;
  versions(id: string, page: PageRequest): Promise<Page<ArtifactRecord>>;
  list(
    page: PageRequest,
    filter?: Partial<Listed> & { includeDeleted?: boolean },
  ): Promise<Page<ArtifactRecord>>;
  /** Adds `record.version`; false when the stored version is not the one before it. */
  update(record: ArtifactRecord): Promise<boolean>;
}

/** Rendered forms, content-addressed. */
export interface FormStore {
  /** Inserts, or counts one more rendering of the same form; its source is the newest. */
  upsert(record: RenderedFormRecord): Promise<void>;
  /**
   * Removes forms whose source says `anonymous`: those last rendered before a time, and of the others the least recently
   * rendered, until `keep` are left.
   */
  evictAnonymous(keep: number, renderedBefore: string): Promise<void>;
  get(id: string): Promise<RenderedFormRecord | null>;
  list(page: PageRequest): Promise<Page<RenderedFormRecord>>;
}

/** Handoffs in both directions. */
export interface HandoffStore {
  /** False when the id is taken; the caller compares digests and answers replay or conflict. */
  insert(record: HandoffRecord): Promise<boolean>;
  get(id: string, direction: "in" | "out"): Promise<HandoffRecord | null>;
  list(
    page: PageRequest,
    filter?: Pick<Partial<Listed>, "ownedBy"> & { direction?: "in" | "out"; state?: HandoffRecord["state"] },
  ): Promise<Page<HandoffRecord>>;
  /** Compare-and-set on the state. */
  update(record: HandoffRecord, expectedState: HandoffRecord["state"]): Promise<boolean>;
  due(now: string, limit: number): Promise<readonly HandoffRecord[]>;
}

/** The provenance log: leaves, tree nodes, checkpoints and keys. */
export interface ProvenanceStore {
  /** Makes those who extend the tree wait for each other until commit (a no-op where there is one writer). */
  lock(): Promise<void>;
  /** How many leaves are in the log, and the hash of the last one (null when there are none). */
  head(): Promise<{ readonly size: number; readonly lastLeafHash: string | null }>;
  /** Stores records, with their place in the log or, where they are numbered after the commit, without. */
  append(records: readonly ProvenanceRecord[]): Promise<void>;
  /** Gives committed records that have no place in the log the places from `first` on, and gives them in that order. */
  number(first: number, limit: number): Promise<readonly Pick<ProvenanceRecord, "kind" | "leafHash">[]>;
  get(id: string): Promise<ProvenanceRecord | null>;
  atIndex(leafIndex: number): Promise<ProvenanceRecord | null>;
  /** The hashes of the leaves from `start` up to, not including, `end`. */
  leafHashes(start: number, end: number): Promise<readonly string[]>;
  /** Newest first. Steps are found by their run, not by hash. */
  find(
    by: { subjectId?: string; runId?: string; lookupKey?: string; leafHash?: string; kind?: string },
    page: PageRequest,
  ): Promise<Page<ProvenanceRecord>>;
  /** Hashes of complete subtrees; those of few leaves are not stored. */
  putNodes(
    nodes: readonly { readonly level: number; readonly index: number; readonly hash: string }[],
  ): Promise<void>;
  nodes(
    wanted: readonly { readonly level: number; readonly index: number }[],
  ): Promise<readonly (string | null)[]>;
  putCheckpoint(record: CheckpointRecord): Promise<void>;
  /** The checkpoint of exactly this size, or the newest one. */
  checkpoint(treeSize?: number): Promise<CheckpointRecord | null>;
  putKey(record: SigningKeyRecord): Promise<void>;
  keys(): Promise<readonly SigningKeyRecord[]>;
}

/** API keys. */
export interface KeyStore {
  insert(record: ApiKeyRecord): Promise<void>;
  get(id: string): Promise<ApiKeyRecord | null>;
  list(page: PageRequest): Promise<Page<ApiKeyRecord>>;
  revoke(id: string, at: string): Promise<boolean>;
  /** Moves the end of a key's life to `at`; false when it ends sooner already. */
  expire(id: string, at: string): Promise<boolean>;
  touch(id: string, at: string): Promise<void>;
  count(): Promise<number>;
}

/** The event outbox. */
export interface EventStore {
  append(events: readonly NewEvent[]): Promise<void>;
  /** Numbers committed events that have no sequence yet; `last` is the newest sequence, 0 when there were none. */
  number(limit: number): Promise<{ readonly count: number; readonly last: number }>;
  /** Events after a sequence, oldest first. One that has no sequence yet is not among them. */
  after(sequence: number, limit: number): Promise<readonly EventRecord[]>;
  /** Those among them that tell of runs. */
  ofRunsAfter(sequence: number, limit: number): Promise<readonly EventRecord[]>;
  /** Oldest and newest sequence that are kept; 0 and 0 when there are none. */
  bounds(): Promise<{ readonly first: number; readonly last: number }>;
  /** Drops events before a sequence. */
  trim(before: number): Promise<number>;
}

/** Webhook subscriptions and their deliveries. */
export interface WebhookStore {
  insert(record: WebhookRecord): Promise<void>;
  get(id: string): Promise<WebhookRecord | null>;
  list(page: PageRequest): Promise<Page<WebhookRecord>>;
  update(record: WebhookRecord): Promise<boolean>;
  remove(id: string): Promise<boolean>;
  putDelivery(record: DeliveryRecord): Promise<void>;
  /** Pending deliveries that are due, at most one for each webhook and subject (order within a subject is kept). */
  dueDeliveries(now: string, limit: number): Promise<readonly DeliveryRecord[]>;
  /** Takes due deliveries for one attempt: counts it and hides them from other replicas until `leaseUntil`. */
  claimDeliveries(now: string, leaseUntil: string, limit: number): Promise<readonly DeliveryRecord[]>;
  deliveries(
    webhookId: string,
    page: PageRequest,
    state?: DeliveryRecord["state"],
  ): Promise<Page<DeliveryRecord>>;
  /** Forgets what was delivered before a time. Dead letters stay. */
  trimDeliveries(before: string): Promise<number>;
  /** How far the outbox was fanned out to deliveries. */
  cursor(): Promise<number>;
  setCursor(sequence: number): Promise<void>;
}

/** Agent policy revisions. */
export interface PolicyStore {
  latest(): Promise<PolicyRevisionRecord | null>;
  /** False when the revision exists already. */
  insert(record: PolicyRevisionRecord): Promise<boolean>;
  list(page: PageRequest): Promise<Page<PolicyRevisionRecord>>;
}

/** The guard's settings, and how often callers used tools. */
export interface GuardStore extends PolicyStore {
  /** Counts one more call of the caller and the tool in a window of time, whichever replica counts; gives the count. */
  count(caller: string, tool: string, unit: "minute" | "day", window: number): Promise<number>;
}

/** Answers kept for replays. */
export interface IdempotencyStore {
  get(scope: string, key: string): Promise<IdempotencyRecord | null>;
  /** False when the key is taken. */
  insert(record: IdempotencyRecord): Promise<boolean>;
  /** Forgets answers that were kept before a time. */
  trim(before: string): Promise<number>;
}

/** What names one credential. */
export interface CredentialKey {
  readonly name: string;
  /** The caller it belongs to; empty for the shared one. */
  readonly owner: string;
}

/** Credentials and the sign-ins that are under way. */
export interface CredentialStore {
  /** False when the name is taken. */
  insert(record: CredentialRecord): Promise<boolean>;
  get(key: CredentialKey): Promise<CredentialRecord | null>;
  /** What a name means to a caller: the caller's own credential, else the shared one. */
  find(name: string, callerId: string): Promise<CredentialRecord | null>;
  /** By name. */
  list(page: PageRequest): Promise<Page<CredentialRecord>>;
  /** Compare-and-set on `revision`: false when the stored one is not `expectedRevision`. */
  update(record: CredentialRecord, expectedRevision: number): Promise<boolean>;
  /** Takes the right to fetch a token until a time; false when another process has it or the revision is stale. */
  lease(
    key: CredentialKey & { readonly revision: number },
    by: string,
    now: string,
    until: string,
  ): Promise<boolean>;
  /** Gives the right back. */
  release(key: CredentialKey, by: string): Promise<void>;
  remove(key: CredentialKey): Promise<boolean>;
  /** How many credentials each master key wraps. */
  countByMasterKey(): Promise<readonly { readonly masterKeyId: string; readonly count: number }[]>;
  insertFlow(record: OAuthFlowRecord): Promise<void>;
  /** A flow that is under way. */
  flow(stateDigest: string): Promise<OAuthFlowRecord | null>;
  /** Gives a flow and removes it: a second call with the same state gets null. */
  takeFlow(stateDigest: string): Promise<OAuthFlowRecord | null>;
  /** Forgets flows whose time is over. */
  trimFlows(now: string): Promise<number>;
}

/** Everything that is stored, by domain. */
export interface Records {
  readonly workflows: WorkflowStore;
  readonly runs: RunStore;
  readonly workers: WorkerStore;
  readonly approvals: ApprovalStore;
  readonly templates: TemplateStore;
  readonly artifacts: ArtifactStore;
  readonly forms: FormStore;
  readonly handoffs: HandoffStore;
  readonly provenance: ProvenanceStore;
  readonly keys: KeyStore;
  readonly events: EventStore;
  readonly webhooks: WebhookStore;
  readonly connections: ConnectionStore;
  readonly policies: PolicyStore;
  /** Revisions of the guard's settings, kept like those of the agent policy. */
  readonly guard: GuardStore;
  /** Revisions of the toolsets, kept like those of the agent policy. */
  readonly toolsets: PolicyStore;
  readonly idempotency: IdempotencyStore;
  readonly credentials: CredentialStore;
  readonly people: PeopleStore;
  readonly notifications: NotificationStore;
  readonly groups: GroupStore;
  readonly tokens: TokenStore;
  readonly oauth: OAuthStore;
  readonly passkeys: PasskeyStore;
  readonly audit: AuditStore;
  readonly retention: RetentionStore;
  readonly triggers: TriggerStore;
  readonly signals: SignalStore;
}

/** The records inside a transaction. Its methods are the only thing a transaction may await. */
export interface StoreTx extends Records {
  /** The database's clock, so that leases do not depend on a machine's. */
  now(): Promise<string>;
  /** True where one writer commits everything: events and leaves then get their numbers inside the transaction. */
  readonly numbersAtOnce: boolean;
  /**
   * Runs `work` before the commit that makes this transaction durable, once for all transactions of that commit that
   * give the same name. Missing where each transaction has a commit of its own.
   */
  beforeCommit?(name: string, work: (tx: StoreTx) => Promise<void>): void;
  /** SQL inside the transaction, for a library that must write with it (PostgreSQL only). */
  sql?(text: string, values: readonly unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/** What the store can promise at this moment, measured. */
export interface StoreStatus {
  readonly kind: "sqlite" | "postgres" | "none";
  readonly ready: boolean;
  /** Why it is not ready. */
  readonly reason: string | null;
  readonly durability: string;
  readonly schemaVersion: number;
  readonly sizeBytes: number | null;
  readonly lastProbeAt: string | null;
  readonly lastProbeMs: number | null;
}

/** The store. With `kind: "none"` reads find nothing and `transact` throws `storage_unavailable`. */
export interface Store {
  readonly kind: StoreStatus["kind"];
  /** Reads outside a transaction see what was committed before. */
  readonly read: Records;
  /**
   * Runs `work` in one durable transaction and resolves when it is on disk. Transactions that arrive together
   * share a commit. `work` must await nothing but the methods of its argument. It may run again after a
   * serialisation conflict, so it has no effects outside.
   */
  transact<T>(work: (tx: StoreTx) => Promise<T>): Promise<T>;
  /** Called with the newest sequence after events were numbered, here or on another replica. */
  onEvents(listener: (lastSequence: number) => void): () => void;
  /** Called with the runs that are wanted, here or on another replica; with null when some may have been missed. */
  onWanted(listener: (runIds: readonly string[] | null) => void): () => void;
  status(): Promise<StoreStatus>;
  /** The connections to the server, where there is one. */
  readonly pool?: { readonly open: number; readonly idle: number; readonly waiting: number };
  close(): Promise<void>;
}
