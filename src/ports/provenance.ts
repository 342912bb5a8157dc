import type { JsonObject } from "../kernel/json.ts";
import type {
  DisclosureView,
  GrowthView,
  LogView,
  SigningKeyView,
  VerificationView,
} from "../model/provenance.ts";
import type { PrivacyClass } from "../model/states.ts";
import type { ProvenanceRecord } from "./records.ts";
import type { Page, PageRequest, StoreTx } from "./store.ts";

/** What a provenance record can speak of. The only list: the database refuses every other kind. */
export const SUBJECT_KINDS = [
  "workflow_version",
  "run",
  "step",
  "approval",
  "approval_action",
  "artifact_version",
  "handoff",
  "rendered_form",
  "discovery_document",
  "agent_policy",
  "credential",
  "connection",
  "connection_call",
  "person",
  "group",
  "token",
  "passkey",
  "session",
  "api_key",
  "notification_target",
  "webhook",
] as const;

/** What a provenance record speaks of. */
type SubjectKind = (typeof SUBJECT_KINDS)[number];

/** One fact to be recorded with the change that made it true. */
export interface ProvenanceFact {
  readonly kind: SubjectKind;
  /** The id that lookups use: workflow, run, artifact, delegation or form id, or a URL. */
  readonly subjectId: string;
  readonly runId?: string;
  /** `sha256:…` of the subject's canonical form. */
  readonly digest: string;
  readonly privacy: PrivacyClass;
  readonly predicate: JsonObject;
}

/** What a lookup asks for; every given part must match. */
export interface ProvenanceQuery {
  readonly recordId?: string;
  readonly subjectId?: string;
  readonly runId?: string;
  readonly kind?: SubjectKind;
  /** A digest, a published salted digest or a leaf hash, with or without its `sha256:` prefix. */
  readonly hash?: string;
}

/** Writes provenance inside the caller's transaction; proofs come from the log. */
export interface Provenance {
  /**
   * Appends records. With those that people exchange a checkpoint that covers them is signed in the same commit; step
   * results and forms are leaves that the next checkpoint covers (at the latest with the end of their run). Returns the
   * ids of the records.
   */
  append(tx: StoreTx, facts: readonly ProvenanceFact[]): Promise<readonly string[]>;
  /** Records that match, newest first. A lookup by plain hash finds private subjects only when `includePrivate`. */
  lookup(query: ProvenanceQuery, page: PageRequest, includePrivate: boolean): Promise<Page<ProvenanceRecord>>;
  /**
   * The record with its signed statement and its proof, for anyone to check offline; signs a checkpoint first when none
   * covers it yet.
   */
  prove(recordId: string): Promise<JsonObject | null>;
  /** Separate verdicts, each pass, fail or not_checked. */
  verify(record: ProvenanceRecord): Promise<VerificationView>;
  /** The proof that the log only grew since the checkpoint of that size; null where there is none. */
  growthSince(treeSize: number): Promise<GrowthView | null>;
  /** What shows a third party that a private record speaks of the content they were given: its salt. */
  disclose(record: ProvenanceRecord): Promise<DisclosureView>;
  /** The salt of the reason and the values that a person decides an approval with. */
  saidSalt(approvalId: string, personId: string): Promise<string>;
  /** Retires the signing key and makes a new one; `by` is the id of the caller. */
  rotateKey(by?: string): Promise<SigningKeyView>;
  /** Public keys and the newest signed checkpoint, as `/.well-known/provenance.json` shows them. */
  describe(): Promise<LogView>;
}
