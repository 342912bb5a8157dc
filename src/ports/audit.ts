import type { JsonObject } from "../kernel/json.ts";
import type { Page, PageRequest } from "./store.ts";

/** One entry of the audit list, as it is written. */
export interface NewAuditEntry {
  /** What was done, such as `person.invited`. */
  readonly action: string;
  /** The id of the person, key or token that did it; `system`, or `anonymous`. */
  readonly actor: string;
  /** What it was done to, such as `people/person_…`. */
  readonly subject: string;
  /** Nothing secret: everybody who may read the audit list sees it. */
  readonly detail: JsonObject;
  /** The record of the provenance log that says the same, where there is one. */
  readonly provenanceId: string | null;
}

/** One entry of the audit list: who did what to what, and when. */
export interface AuditEntry extends NewAuditEntry {
  readonly id: string;
  readonly createdAt: string;
}

/** Which entries are wanted; every given part must match. */
export interface AuditFilter {
  readonly actor?: string;
  /** One action, or all of a kind: `person.*`. */
  readonly action?: string;
  readonly subject?: string;
  /** From this time on. */
  readonly from?: string;
  /** Before this time. */
  readonly to?: string;
}

/** The audit list. Entries are never changed. */
export interface AuditStore {
  append(entries: readonly NewAuditEntry[]): Promise<void>;
  /** Newest first. */
  list(page: PageRequest, filter?: AuditFilter): Promise<Page<AuditEntry>>;
  /** Drops entries of one action that are older than a time, and all but the newest. */
  trim(action: string, before: string, keep: number): Promise<void>;
}
