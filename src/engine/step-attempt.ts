import type { Envelope } from "../kernel/envelope.ts";
import { AppError, errorBody } from "../kernel/errors.ts";
import { isJsonObject, isList, type Json, type JsonObject } from "../kernel/json.ts";
import { MAX_SHAPE_CHARS } from "../kernel/json-shape.ts";
import type { Trace } from "../kernel/trace.ts";
import { LazyContext } from "../ports/call-context.ts";
import { requireScope, type Caller } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { AttemptRecord, RunRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { delegate, previewOf, type Delegation } from "../handoffs/outbox.ts";
import { spanIdOf } from "../tracing/spans.ts";
import type { HandoffAction, Outcome, StepError, WorkAction } from "../workflows/interpreter/actions.ts";

/** What a step may give at most, as JSON text: an answer that keeps its shape, with its headers and written out. */
const MAX_OUTPUT_CHARS = MAX_SHAPE_CHARS * 1.5;
/** What a step may be given at most, as JSON text. */
export const MAX_INPUT_CHARS = 500_000;

/** From here on, a tenth of a second more does not matter. */
const LONG_MS = 10_000;

/** How long a call that says what is known of its effect may take, when it is out of time, to say whether its request had left. */
const LAST_WORD_MS = 500;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;

const RETRYABLE = new Set(["unavailable", "overloaded", "rate_limited", "timed_out", "internal", "degraded"]);

/** What making a call again would mean. */
export interface CallTraits {
  /** The call can change something whose state is not known after a cut. */
  readonly changes: boolean;
  /** Its effect is none, idempotent or guarded by a key that its target gets: after a cut it can simply be made again. */
  readonly repeatable: boolean;
  /** It acts outside of this service, so that a transaction that is rolled back takes nothing back. */
  readonly outside: boolean;
  /** Its error says when its effect may have happened. */
  readonly saysEffect: boolean;
}

/** How an attempt ended, as the interpreter and the attempt's record see it. */
export interface Ended {
  readonly outcome: Outcome;
  readonly state: AttemptRecord["state"];
}

/** One attempt at a step: it ends by itself, at its time-out, or when it is stopped. */
export class StepAttempt {
  readonly action: WorkAction;
  readonly startedAt: number;
  readonly traits: CallTraits;
  /** True once a checkpoint says that it runs. */
  marked: boolean;
  readonly #services: Services;
  readonly #run: RunRecord;
  readonly #caller: Caller;
  readonly #done: (ended: Ended) => void;
  #controller: AbortController | null = null;
  #timer: NodeJS.Timeout | undefined;
  #deadline = Number.POSITIVE_INFINITY;
  #stopping = false;
  #ended = false;
  /** The pause after the next failure of the store. */
  #retryMs = FIRST_RETRY_MS;
  #isWaiting = false;
  #isLate = false;

  constructor(
    services: Services,
    run: RunRecord,
    caller: Caller,
    action: WorkAction,
    traits: CallTraits,
    done: (ended: Ended) => void,
  ) {
    this.#services = services;
    this.#run = run;
    this.#caller = caller;
    this.action = action;
    this.traits = traits;
    this.marked = !traits.repeatable || (traits.changes && traits.outside);
    this.#done = done;
    this.startedAt = services.clock.now();
  }

  /** Makes the attempt. */
  begin(): void {
    this.#isWaiting = false;
    if (this.action.timeoutMs < LONG_MS) {
      this.#timer = setTimeout(() => this.#timeOut(), this.action.timeoutMs);
    } else {
      this.#deadline = performance.now() + this.action.timeoutMs;
    }
    this.#perform().then(
      (envelope) => this.#answered(envelope),
      (error: unknown) => this.#threw(error),
    );
  }

  /** Ends the attempt when its time is over. Long times have no timer of their own: the worker checks them. */
  checkTime(): void {
    if (this.#deadline < performance.now()) this.#timeOut();
  }

  /** Tells the tool to stop. What it gives is still waited for. */
  stop(): void {
    this.#stopping = true;
    this.#abort();
    if (this.#isWaiting) this.#end({ kind: "cancelled" }, "cancelled");
  }

  /** Nobody waits for the outcome any more. */
  abandon(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#abort();
  }

  #abort(): void {
    this.#controller ??= new AbortController();
    this.#controller.abort();
  }

  get requestId(): string {
    return this.#run.id;
  }

  get trace(): Trace {
    const { id, traceId, spanId: parentSpanId } = this.#run;
    return { traceId, spanId: spanIdOf(id, this.action.stepId, this.action.attempt), parentSpanId };
  }

  /** What a connected tool must still be when it is called. */
  get pins(): CallContext["pins"] {
    return this.#run.resolved?.definitions ?? {};
  }

  get signal(): AbortSignal {
    return (this.#controller ??= new AbortController()).signal;
  }

  #context(): CallContext {
    const { idempotencyKey, stepId } = this.action;
    const meta = { "svc/idempotencyKey": idempotencyKey, "svc/runId": this.#run.id, "svc/stepId": stepId };
    return new LazyContext(this.#services, this.#caller, meta, this);
  }

  async #perform(): Promise<Envelope> {
    const { action } = this;
    if (action.kind === "handoff") return handOver(action, this.#context());
    if (jsonLength(action.args, MAX_INPUT_CHARS) > MAX_INPUT_CHARS) {
      throw new AppError("too_large", `The step's input is larger than ${MAX_INPUT_CHARS} characters.`);
    }
    return this.#services.catalog.call(action.tool, action.args, this.#context());
  }

  #answered(envelope: Envelope): void {
    if (!envelope.ok) {
      this.#failed(errorOf(envelope.data));
      return;
    }
    const size = jsonLength(envelope.data, MAX_OUTPUT_CHARS);
    if (size > MAX_OUTPUT_CHARS) {
      const message = `The step's output has ${size} characters; ${MAX_OUTPUT_CHARS} are allowed.`;
      const error = { code: "too_large", message };
      // The call has answered: what it changed is changed, and no error edge may act as though it were not.
      const { changes } = this.traits;
      this.#end(changes ? { kind: "unknown", error } : { kind: "failed", error, retryable: false }, "failed");
      return;
    }
    this.#end({ kind: "succeeded", output: { ok: true, data: envelope.data } }, "succeeded");
  }

  #threw(error: unknown): void {
    if (error instanceof AppError) {
      this.#failed({ ...errorBody(error), code: error.code, message: error.message });
      return;
    }
    this.#services.log.error(
      "step failed inside",
      { runId: this.#run.id, stepId: this.action.stepId },
      error,
    );
    this.#failed({ code: "internal", message: "The step failed on our side." });
  }

  #failed(error: StepError): void {
    if (this.#ended) return;
    const { repeatable, outside, saysEffect } = this.traits;
    const { code } = error;
    const isOutage = code === "storage_unavailable";
    // What failed inside of this service may have failed after its effect outside; a connected call says it itself.
    const isBlind = !repeatable && (code === "internal" || (isOutage && outside && !saysEffect));
    const isDoubtful = isBlind || error["effect"] === "unknown" || code === "outcome_unknown";
    if (this.#isLate) {
      this.#endLate(isDoubtful);
      return;
    }
    if (isOutage && !this.#stopping && (repeatable || !isDoubtful)) {
      this.#waitForStore();
      return;
    }
    if (this.#stopping && !repeatable && (isDoubtful || !saysEffect)) {
      this.#end(unknown("was asked to stop"), "cancelled");
    } else if (isDoubtful) {
      // What may be repeated is, also after an error that is no outage: a complete answer ends the doubt.
      const again = repeatable && (RETRYABLE.has(code) || code === "upstream_error");
      this.#end({ kind: "unknown", error, retryable: again && !this.#stopping }, "failed");
    } else if (this.#stopping) {
      this.#end({ kind: "cancelled" }, "cancelled");
    } else {
      this.#end({ kind: "failed", error, retryable: RETRYABLE.has(code) }, "failed");
    }
  }

  /** The store is away and nothing was done, or it may be done again: the attempt begins again when the store is back. */
  #waitForStore(): void {
    clearTimeout(this.#timer);
    this.#deadline = Number.POSITIVE_INFINITY;
    this.#isWaiting = true;
    const { stepId } = this.action;
    this.#services.log.warn("step delayed", { runId: this.#run.id, stepId, retryMs: this.#retryMs });
    this.#timer = setTimeout(() => this.begin(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }

  #timeOut(): void {
    this.#isLate = true;
    this.#deadline = Number.POSITIVE_INFINITY;
    this.#abort();
    if (!this.traits.saysEffect || !this.traits.changes) this.#endLate(this.traits.changes);
    else this.#timer = setTimeout(() => this.#endLate(true), LAST_WORD_MS);
  }

  #endLate(isDoubtful: boolean): void {
    const { timeoutMs } = this.action;
    const error = { code: "timed_out", message: `The attempt took longer than ${timeoutMs} ms.` };
    const retryable = !this.#stopping;
    if (isDoubtful && !this.traits.repeatable) this.#end(unknown("ran out of time"), "timed_out");
    else if (isDoubtful) this.#end({ kind: "unknown", error, retryable }, "timed_out");
    else if (this.#stopping) this.#end({ kind: "cancelled" }, "timed_out");
    else this.#end({ kind: "failed", error, retryable }, "timed_out");
  }

  #end(outcome: Outcome, state: AttemptRecord["state"]): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#done({ outcome, state });
  }
}

/** How long a value is as JSON text. What is obviously small is only counted: its text comes later, where it is stored. */
function jsonLength(value: JsonObject, limit: number): number {
  const atMost = atMostChars(value, 0, limit);
  return atMost <= limit ? atMost : JSON.stringify(value).length;
}

/** No less than the length of the text, or more than `limit`; a character takes six at most. */
function atMostChars(value: Json | undefined, depth: number, limit: number): number {
  if (typeof value === "string") return value.length * 6 + 2;
  if (value === null || typeof value !== "object") return 25;
  // What is deep or has many members is left to the serialiser.
  if (depth > 8 || isList(value)) return limit + 1;
  let sum = 2;
  for (const key of Object.keys(value)) {
    sum += key.length * 6 + 4 + atMostChars(value[key], depth + 1, limit);
    if (sum > limit) break;
  }
  return sum;
}

function unknown(why: string): Outcome {
  return {
    kind: "unknown",
    error: {
      code: "outcome_unknown",
      message: `The step ${why}, and its tool cannot say whether its effect happened. Say what became of it.`,
    },
  };
}

function errorOf(data: JsonObject): StepError {
  const error = data["error"];
  if (isJsonObject(error) && typeof error["code"] === "string" && typeof error["message"] === "string") {
    return { ...error, code: error["code"], message: error["message"] };
  }
  const { reason, adapter, effect } = data;
  return {
    code: adapter === "storage" ? "storage_unavailable" : "degraded",
    message: typeof reason === "string" ? reason : "The tool did not do it.",
    ...(effect === "unknown" && { effect }),
  };
}

async function handOver(action: HandoffAction, context: CallContext): Promise<Envelope> {
  const delegation: Delegation = {
    sibling: action.target,
    capability: action.capability,
    intent: action.intent,
    payload: action.payload,
    inputArtifactIds: action.inputArtifactIds,
    background: false,
  };
  if (action.dryRun) {
    const packet = previewOf(delegation, context);
    return {
      ok: true,
      data: { delegationId: packet.id, status: packet.status, resultRef: null, data: null },
    };
  }
  const instead = await guardHandoff(action, context);
  if (instead !== null) return instead;
  const { packet, outcome } = await delegate(delegation, context);
  if (outcome.status === "degraded") {
    const code = outcome.retryable ? "degraded" : "not_confirmed";
    const { reason: message, evidence, effect } = outcome;
    return { ok: false, data: { error: { code, message, evidence, ...(effect && { effect }) } } };
  }
  const confirmed = outcome.status === "completed" ? outcome.confirmation : null;
  return {
    ok: true,
    data: {
      delegationId: packet.id,
      status: outcome.status,
      resultRef: confirmed?.resultRef ?? null,
      data: confirmed?.data ?? null,
    },
  };
}

/** A handoff is a call like any other: it needs its scope, and the guard decides about it. */
async function guardHandoff(action: HandoffAction, context: CallContext): Promise<Envelope | null> {
  const { target, capability, intent, payload, inputArtifactIds } = action;
  requireScope(context.caller, "handoff", "a handoff");
  return context.services.guard.check({
    tool: `handoff:${target}/${capability}`,
    server: target,
    effect: "write",
    leaves: true,
    args: { intent, payload, inputArtifactIds },
    context,
  });
}
