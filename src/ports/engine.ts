import type { Histogram } from "../kernel/histogram.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { Trace } from "../kernel/trace.ts";
import type { RepairReport } from "../model/repairs.ts";
import type { RepairAction, SettleOutcome, Verdict } from "../model/states.ts";
import type { Caller } from "./caller.ts";
import type { ApprovalRecord, RunRecord } from "./records.ts";
import type { RunActor } from "./rights.ts";
import type { SignalRecord } from "./signals.ts";
import type { StoreTx } from "./store.ts";

/** What starts a run. */
export interface StartRun {
  readonly workflowId: string;
  /** The draft as it is stored, or a published version. Default: the newest version, or the draft when there is none. */
  readonly version?: number | "draft";
  readonly inputs: JsonObject;
  /** Gives the inputs where they depend on what the workflow asks for. */
  readonly inputsFor?: (schema: JsonObject) => JsonObject;
  readonly caller: Caller;
  readonly trace: Trace;
  /** The same key with the same inputs returns the run that was already started. */
  readonly idempotencyKey?: string;
  /** The accepted handoff whose outcome this run becomes. */
  readonly handoffId?: string;
  /** Whose rights the run acts with, where that is not the caller itself. */
  readonly actor?: RunActor;
  /**
   * What becomes true with the start, in its transaction. Where it answers false nothing is started, and `start` throws
   * a conflict. It may run again, as every transaction may.
   */
  readonly alongside?: (tx: StoreTx, runId: string) => Promise<boolean>;
}

/** How a run that did not succeed is to go on. */
export interface RepairRequest {
  readonly runId: string;
  readonly action: RepairAction;
  readonly stepId?: string;
  readonly input?: JsonObject;
  readonly output?: Json;
  /** The version to continue on; the newest when left out. */
  readonly version?: number;
  readonly reason: string | null;
  /** The digest of the report that was looked at: nothing else is done than what it says. */
  readonly reportDigest?: string;
  readonly caller: Caller;
}

/** What is sent to a run. */
export interface SendSignal {
  readonly runId: string;
  readonly name: string;
  readonly payload: Json;
  /** The same key again is the same signal. */
  readonly key?: string;
  readonly caller: Caller;
}

/** A person's decision on an approval. */
export interface Decision {
  readonly approvalId: string;
  readonly verdict: Verdict;
  readonly reason: string | null;
  /** Values of the approval's form, if it has one. */
  readonly values: JsonObject | null;
  /** The digest of what the decider was shown; a mismatch is a conflict. */
  readonly shownDigest: string | null;
  /** What the browser answered when it was asked for a passkey; needed where the step asks for one. */
  readonly assertion?: unknown;
  readonly caller: Caller;
}

/** Durable execution. Every method returns after its change is on disk. */
export interface Engine {
  start(request: StartRun): Promise<RunRecord>;
  cancel(runId: string, caller: Caller): Promise<RunRecord>;
  /** Runs a failed or timed-out run again from its first unfinished step, with the rights of the caller. */
  retry(runId: string, caller: Caller): Promise<RunRecord>;
  /** What a repair would do, without doing it. */
  previewRepair(request: RepairRequest): Promise<RepairReport>;
  /** Lets a failed or timed-out run go on with what a person changed, with the rights of the caller. */
  repair(request: RepairRequest): Promise<RunRecord>;
  /** Looks at the runs that act for these callers: those whose rights have ended stop. */
  recheck(actors: readonly string[]): Promise<void>;
  decide(decision: Decision): Promise<ApprovalRecord>;
  /** Sends a signal to a run: a step that waits for it gets it, now or when it comes to wait. */
  signal(sent: SendSignal): Promise<SignalRecord>;
  /** What these runs wait for may have happened. */
  lookAt(runIds: readonly string[]): Promise<void>;
  /** A person says what became of a step whose outcome is unknown. */
  settle(
    runId: string,
    stepId: string,
    outcome: SettleOutcome,
    output: JsonObject | null,
    caller: Caller,
    reason?: string | null,
  ): Promise<RunRecord>;
  /** Resolves when the run has ended (or, if asked, waits), or at the time-out with the state it is in. */
  waitFor(runId: string, timeoutMs: number, until?: "ended" | "waiting"): Promise<RunRecord>;
  /** Counted now; null when the store cannot be read. */
  status(): Promise<{
    readonly role: string;
    readonly active: number;
    readonly waiting: number | null;
    readonly backlog: number | null;
  }>;
  /** What this process measured since its start. */
  readonly measures: EngineMeasures;
}

/** What the engine of a process measures while it works. */
export interface EngineMeasures {
  /** Seconds of the attempts at steps, by tool and by outcome. */
  readonly steps: ReadonlyMap<string, ReadonlyMap<string, Histogram>>;
  /** How many checkpoints were written together. */
  readonly checkpointSize: Histogram;
  /** How long such a transaction took. */
  readonly checkpointSeconds: Histogram;
}
