import type { Envelope } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { randomHex } from "../kernel/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import { contextWith } from "./call-context.ts";
import type { CallContext, QuestionMode } from "./definitions.ts";

/** How long a person has to answer. */
export const ANSWER_MS = 5 * 60_000;
const MOST_HELD = 200;
const MOST_OF_ONE = 20;

/** What a call came to: its end, or questions that its caller answers by calling again with `requestState`. */
export type HeldAnswer =
  | { readonly kind: "done"; readonly envelope: Envelope }
  | { readonly kind: "asks"; readonly inputRequests: JsonObject; readonly requestState: string };

/** What a held call belongs to: only the same caller goes on with the same tool. */
export interface HeldKey {
  readonly caller: string;
  readonly name: string;
}

interface OpenQuestion {
  readonly params: JsonObject;
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (error: AppError) => void;
}

interface Held {
  readonly key: HeldKey;
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
export class HeldCalls {
  readonly #held = new Map<string, Held>();

  /** Begins a call whose caller can be asked in these modes. */
  begin(
    key: HeldKey,
    context: CallContext,
    modes: ReadonlySet<QuestionMode>,
    work: (context: CallContext) => Promise<Envelope>,
  ): Promise<HeldAnswer> {
    const controller = new AbortController();
    const questions = { modes, ask: (params: JsonObject) => this.#ask(held, params) };
    const running = contextWith(context, { signal: controller.signal, questions });
    const held: Held = {
      key,
      state: randomHex(16),
      controller,
      questions: new Map(),
      // The work begins after `held` exists.
      result: Promise.resolve().then(() => work(running)),
      asked: Promise.withResolvers(),
      count: 0,
      expiry: null,
    };
    held.result
      .catch(() => undefined)
      .finally(() => {
        this.#held.delete(held.state);
        if (held.expiry !== null) clearTimeout(held.expiry);
      });
    return this.#next(held, context.signal);
  }

  /** Goes on with a call that asked. Questions without an answer are asked again. */
  resume(state: string, key: HeldKey, responses: Json | undefined, signal: AbortSignal): Promise<HeldAnswer> {
    const held = this.#held.get(state);
    if (held === undefined || held.key.caller !== key.caller || held.key.name !== key.name) throw gone();
    if (held.expiry === null) {
      throw new AppError("conflict", "The questions of this call are answered already; it is at work.");
    }
    const given = isJsonObject(responses) ? responses : {};
    for (const [id, question] of held.questions) {
      const answer = given[id];
      if (!isJsonObject(answer)) continue;
      held.questions.delete(id);
      question.resolve(answer);
    }
    clearTimeout(held.expiry);
    held.expiry = null;
    if (held.questions.size > 0) held.asked.resolve();
    return this.#next(held, signal);
  }

  async #next(held: Held, signal: AbortSignal): Promise<HeldAnswer> {
    const stop = (): void => held.controller.abort(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      const envelope = await Promise.race([held.result, held.asked.promise]);
      if (envelope !== undefined) return { kind: "done", envelope };
    } finally {
      signal.removeEventListener("abort", stop);
    }
    // A server may ask several things at once.
    await new Promise((resolve) => setImmediate(resolve));
    held.asked = Promise.withResolvers();
    held.expiry = setTimeout(() => this.#expire(held), ANSWER_MS);
    held.expiry.unref();
    const requests = [...held.questions].map(([id, { params }]) => [
      id,
      { method: "elicitation/create", params },
    ]);
    return { kind: "asks", inputRequests: Object.fromEntries(requests), requestState: held.state };
  }

  #ask(held: Held, params: JsonObject): Promise<JsonObject> {
    const ofCaller = [...this.#held.values()].filter(({ key }) => key.caller === held.key.caller).length;
    if (!this.#held.has(held.state) && (this.#held.size >= MOST_HELD || ofCaller >= MOST_OF_ONE)) {
      throw new AppError("overloaded", "Too many calls wait for an answer of their caller already.", {
        nextAction: "Answer or give up some of them, and call again.",
      });
    }
    this.#held.set(held.state, held);
    held.count += 1;
    return new Promise((resolve, reject) => {
      held.questions.set(`question-${held.count}`, { params, resolve, reject });
      held.asked.resolve();
    });
  }

  #expire(held: Held): void {
    const late = new AppError("timed_out", "The question of the server was not answered in time.");
    for (const { reject } of held.questions.values()) reject(late);
    this.#held.delete(held.state);
    held.controller.abort(late);
  }
}

function gone(): AppError {
  return new AppError("not_found", "No call waits here for this answer.", {
    nextAction:
      "Call the tool again: the call has ended, waited too long, is another caller's, or is held by another replica.",
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
