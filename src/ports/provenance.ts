import type { JsonObject } from "../kernel/json.ts";
import type { ProvenanceRecord, PrivacyClass } from "./records.ts";
import type { StoreTx } from "./store.ts";

/** What a provenance record speaks of. */
export type SubjectKind =
  | "workflow_version"
  | "run"
  | "step"
  | "approval"
  | "artifact_version"
  | "handoff"
  | "rendered_form"
  | "discovery_document"
  | "agent_policy";

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

/** Writes provenance inside the caller's transaction; proofs come from the log. */
export interface Provenance {
  /** Appends records; those that people exchange are signed, the rest are log leaves. */
  append(tx: StoreTx, facts: readonly ProvenanceFact[]): Promise<readonly string[]>;
  /** The record with its proof, for anyone to check offline. */
  prove(recordId: string): Promise<JsonObject | null>;
  /** Separate verdicts, each pass, fail or not_checked. */
  verify(record: ProvenanceRecord): Promise<JsonObject>;
  /** Public keys and the newest signed checkpoint, as `/.well-known/provenance.json` shows them. */
  describe(): Promise<JsonObject>;
}
