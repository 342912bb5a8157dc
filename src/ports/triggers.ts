import type { Json, JsonObject } from "../kernel/json.ts";
import type { FiringState, TriggerKind, TriggerSettings } from "../model/triggers.ts";
import type { Listed } from "./caller.ts";
import type { RunActor } from "./rights.ts";
import type { Page, PageRequest } from "./store.ts";

/** What starts runs of a workflow by itself, and whose rights those runs have. */
export interface TriggerRecord extends RunActor {
  readonly id: string;
  readonly workflowId: string;
  readonly kind: TriggerKind;
  /** The last part of a form's address; null for every other kind. */
  readonly slug: string | null;
  readonly settings: TriggerSettings;
  readonly pausedAt: string | null;
  readonly pauseNote: string | null;
  /** The next date of a schedule; null when there is none. */
  readonly dueAt: string | null;
  /** When that date is acted on: `dueAt` and its jitter. */
  readonly fireAt: string | null;
  readonly lastRunId: string | null;
  readonly revision: number;
  readonly createdAt: string;
}

/** One occasion on which a trigger started a run, or was to. */
export interface FiringRecord {
  readonly id: string;
  readonly triggerId: string;
  /** What makes it one occasion: the date, the id of a message or an event. The database holds it once for each trigger. */
  readonly key: string;
  readonly state: FiringState;
  readonly dueAt: string | null;
  /** What came: the payload of a webhook or of an event, the values of a form. */
  readonly payload: Json | null;
  /** What came with a webhook and its workflow sees, without what proves who the sender is: a replay needs it. */
  readonly headers: JsonObject | null;
  readonly runId: string | null;
  /** How many runs started each other by events before this one. */
  readonly depth: number;
  readonly reason: string | null;
  readonly createdAt: string;
}

/** What a person typed into a form page and wants to go on with later. */
export interface SavedForm {
  /** The digest of the token in its link. */
  readonly id: string;
  readonly triggerId: string;
  readonly fields: string;
  readonly expiresAt: string;
}

/** Triggers and their firings. */
export interface TriggerStore {
  /** False when the slug is taken. */
  insert(record: TriggerRecord): Promise<boolean>;
  get(id: string): Promise<TriggerRecord | null>;
  bySlug(slug: string): Promise<TriggerRecord | null>;
  list(
    page: PageRequest,
    filter?: Pick<Listed, "ownedBy"> & { readonly workflowId?: string; readonly kind?: TriggerKind },
  ): Promise<Page<TriggerRecord>>;
  /** How many there are; a list may be cut off by time. */
  count(of: { readonly workflowId: string } | { readonly kind: TriggerKind }): Promise<number>;
  /** Compare-and-set on `revision`: false when the stored one is not the one before. */
  update(record: TriggerRecord): Promise<boolean>;
  remove(id: string): Promise<void>;
  /** Triggers that are not paused and whose time has come, the longest overdue first. */
  due(now: string, limit: number): Promise<readonly TriggerRecord[]>;
  /** Moves a schedule on; false when it is paused, or when its date is no longer `from`. */
  advance(id: string, from: string, next: Pick<TriggerRecord, "dueAt" | "fireAt">): Promise<boolean>;
  /** The run that decides about an overlap. */
  setLastRun(id: string, runId: string): Promise<void>;
  /** False when there is a firing of this key. */
  insertFiring(record: FiringRecord): Promise<boolean>;
  /** Compare-and-set on the state: false when it is no longer `from`. */
  settle(record: FiringRecord, from: FiringState): Promise<boolean>;
  firing(
    triggerId: string,
    by: { readonly key: string } | { readonly id: string },
  ): Promise<FiringRecord | null>;
  firings(triggerId: string, page: PageRequest): Promise<Page<FiringRecord>>;
  /** The oldest queued firing of each trigger that is not paused. */
  queued(limit: number): Promise<readonly FiringRecord[]>;
  countQueued(triggerId: string): Promise<number>;
  /** Which trigger started a run, and how deep the chain of runs that started each other is there. */
  ofRun(runId: string): Promise<Pick<FiringRecord, "triggerId" | "depth"> | null>;
  keepForm(record: SavedForm): Promise<void>;
  savedForm(triggerId: string, id: string, now: string): Promise<SavedForm | null>;
  countForms(triggerId: string, now: string): Promise<number>;
  dropForm(id: string): Promise<void>;
  /** How far event triggers have read the outbox. */
  cursor(): Promise<number>;
  /** It never goes back. */
  setCursor(sequence: number): Promise<void>;
  /** Forgets firings before a time, and saved forms that ended before it. Firings that wait stay. */
  trim(before: string): Promise<number>;
}
