import type { Json } from "../kernel/json.ts";

/** Something that was sent to a run under a name. */
export interface SignalRecord {
  readonly id: string;
  readonly runId: string;
  readonly name: string;
  /** What makes it one signal: the database holds it once for each run and name. */
  readonly key: string;
  readonly payload: Json;
  readonly sentBy: string;
  readonly sentAt: string;
  /** The step that it was delivered to; null while none has used it. */
  readonly usedBy: string | null;
}

/** A step that waits for an event. */
export interface EventWait {
  readonly runId: string;
  readonly stepId: string;
  readonly type: string;
  /** How far the outbox was read for it. */
  readonly seen: number;
}

/** Signals, and steps that wait for events. */
export interface SignalStore {
  /** False when the run has a signal of this name and key. */
  insert(record: SignalRecord): Promise<boolean>;
  /** The signals of a run, oldest first. */
  of(runId: string): Promise<readonly SignalRecord[]>;
  /** Gives a signal to a step; false when another step has it. */
  use(id: string, stepId: string): Promise<boolean>;
  /** Notes that a step waits for events after those before `since`; what is known of it stays. */
  listen(wait: Omit<EventWait, "seen">, since: string): Promise<void>;
  wait(runId: string, stepId: string): Promise<EventWait | null>;
  /** Steps that wait for events, those that are furthest behind first. */
  waits(limit: number): Promise<readonly EventWait[]>;
  /** The outbox was read up to here for a step. */
  saw(wait: EventWait): Promise<void>;
  /** The step waits no more. */
  stopListening(runId: string, stepId: string): Promise<void>;
}
