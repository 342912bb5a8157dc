import type { Envelope } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { randomHex } from "../kernel/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import { contextWith } from "./call-context.ts";
import type { CallContext, QuestionMode } from "./definitions.ts";

/** How long a person has to answer. */
export const ANSWER_MS = 5 * 60_000;
const MOST_PENDING = 200;
const MOST_OF_ONE = 20;

/** What a call came to: its end, or questions that its caller answers by calling again with `requestState`. */
export type PendingCallResult =
  | { readonly kind: "done"; readonly envelope: Envelope }
  | { readonly kind: "asks"; readonly inputRequests: JsonObject; readonly requestState: string };

/** What a pending call belongs to: only the same caller goes on with the same tool. */
export interface PendingCallKey {
  readonly caller: string;
  readonly name: string;
}

interface OpenQuestion {
  readonly params: JsonObject;
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (error: AppError) => void;
}

interface PendingCall {
  readonly key: PendingCallKey;
  readonly state: string;
  readonly controller: AbortController;
  readonly questions: Map<string, OpenQuestion>;
  readonly result: Promise<Envelope>;
  /** Resolves with the next question. */
  asked: PromiseWithResolvers<void>;
  count: number;
  expiry: NodeJS.Timeout | null;
}

/**
 * Calls that wait for an answer of their caller between two requests. They live in this process: an answer that
 * reaches another replica, or comes too late, is refused.
 */
export class PendingCalls {
  readonly #pending = new Map<string, PendingCall>();

  /** Begins a call whose caller can be asked in these modes. */
  begin(
    key: PendingCallKey,
    context: CallContext,
    modes: ReadonlySet<QuestionMode>,
    work: (context: CallContext) => Promise<Envelope>,
  ): Promise<PendingCallResult> {
    const controller = new AbortController();
    const questions = { modes, ask: (params: JsonObject) => this.#ask(pending, params) };
    const running = contextWith(context, { signal: controller.signal, questions });
    const pending: PendingCall = {
      key,
      state: randomHex(16),
      controller,
      questions: new Map(),
      // The work begins after `pending` exists.
      result: Promise.resolve().then(() => work(running)),
      asked: Promise.withResolvers(),
      count: 0,
      expiry: null,
    };
    pending.result
      .catch(() => undefined)
      .finally(() => {
        this.#pending.delete(pending.state);
        if (pending.expiry !== null) clearTimeout(pending.expiry);
      });
    return this.#next(pending, context.signal);
  }

  /** Goes on with a call that asked. Questions without an answer are asked again. */
  resume(
    state: string,
    key: PendingCallKey,
    responses: Json | undefined,
    signal: AbortSignal,
  ): Promise<PendingCallResult> {
    const pending = this.#pending.get(state);
    if (pending === undefined || pending.key.caller !== key.caller || pending.key.name !== key.name)
      throw gone();
    if (pending.expiry === null) {
      throw new AppError("conflict", "The questions of this call are answered already; it is at work.");
    }
    const given = isJsonObject(responses) ? responses : {};
    for (const [id, question] of pending.questions) {
      const answer = given[id];
      if (!isJsonObject(answer)) continue;
      pending.questions.delete(id);
      question.resolve(answer);
    }
    clearTimeout(pending.expiry);
    pending.expiry = null;
    if (pending.questions.size > 0) pending.asked.resolve();
    return this.#next(pending, signal);
  }

  async #next(pending: PendingCall, signal: AbortSignal): Promise<PendingCallResult> {
    const stop = (): void => pending.controller.abort(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      const envelope = await Promise.race([pending.result, pending.asked.promise]);
      if (envelope !== undefined) return { kind: "done", envelope };
    } finally {
      signal.removeEventListener("abort", stop);
    }
    // A server may ask several things at once.
    await new Promise((resolve) => setImmediate(resolve));
    pending.asked = Promise.withResolvers();
    pending.expiry = setTimeout(() => this.#expire(pending), ANSWER_MS);
    pending.expiry.unref();
    const requests = [...pending.questions].map(([id, { params }]) => [
      id,
      { method: "elicitation/create", params },
    ]);
    return { kind: "asks", inputRequests: Object.fromEntries(requests), requestState: pending.state };
  }

  #ask(pending: PendingCall, params: JsonObject): Promise<JsonObject> {
    const ofCaller = [...this.#pending.values()].filter(
      ({ key }) => key.caller === pending.key.caller,
    ).length;
    if (
      !this.#pending.has(pending.state) &&
      (this.#pending.size >= MOST_PENDING || ofCaller >= MOST_OF_ONE)
    ) {
      throw new AppError("overloaded", "Too many calls wait for an answer of their caller already.", {
        nextAction: "Answer or give up some of them, and call again.",
      });
    }
    this.#pending.set(pending.state, pending);
    pending.count += 1;
    return new Promise((resolve, reject) => {
      pending.questions.set(`question-${pending.count}`, { params, resolve, reject });
      pending.asked.resolve();
    });
  }

  #expire(pending: PendingCall): void {
    const late = new AppError("timed_out", "The question of the server was not answered in time.");
    for (const { reject } of pending.questions.values()) reject(late);
    this.#pending.delete(pending.state);
    pending.controller.abort(late);
  }
}

function gone(): AppError {
  return new AppError("not_found", "No call waits here for this answer.", {
    nextAction:
      "Call the tool again: the call has ended, waited too long, is another caller's, or waits on another replica.",
  });
}

/** How a caller can be asked, from the `elicitation` member of its capabilities; null when it cannot. */
export function questionModes(elicitation: unknown): ReadonlySet<QuestionMode> | null {
  if (typeof elicitation !== "object" || elicitation === null) return null;
  // Before the modes had names there was one.
  if (!("form" in elicitation) && !("url" in elicitation)) return new Set(["form"]);
  const modes: QuestionMode[] = [];
  if ("form" in elicitation) modes.push("form");
  if ("url" in elicitation) modes.push("url");
  return new Set(modes);
}
