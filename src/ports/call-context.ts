import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import type { Trace } from "../kernel/trace.ts";
import type { Caller } from "./caller.ts";
import type { CallContext, ClientRequests, Questions } from "./definitions.ts";
import type { Services } from "./services.ts";

/** Where a context takes from what most calls never ask for. */
export interface LazyParts {
  readonly requestId: string;
  readonly trace: Trace;
  readonly signal: AbortSignal;
  readonly pins?: CallContext["pins"];
  /** Sends a notification ahead of the answer; null where the answer is one document. */
  readonly notify?: ((method: string, params: JsonObject) => void) | null | undefined;
  /** Asks the client ahead of the answer; null where it cannot be asked. */
  readonly questionsTo?: ((caller: Caller) => Questions) | null | undefined;
}

/**
 * A context whose trace and signal are made when something asks for them. The accessors are the prototype's: as
 * accessors of an object literal they would give each context a hidden class of its own, which outlives the call
 * and keeps its whole request in memory until the next full collection.
 */
export class LazyContext implements CallContext {
  readonly services: Services;
  readonly caller: Caller;
  readonly meta: JsonObject;
  readonly requestId: string;
  readonly #lazy: LazyParts;

  constructor(services: Services, caller: Caller, meta: JsonObject, lazy: LazyParts) {
    this.services = services;
    this.caller = caller;
    this.meta = meta;
    this.requestId = lazy.requestId;
    this.#lazy = lazy;
  }

  get trace(): Trace {
    return this.#lazy.trace;
  }

  get signal(): AbortSignal {
    return this.#lazy.signal;
  }

  get pins(): CallContext["pins"] {
    return this.#lazy.pins;
  }

  get onProgress(): CallContext["onProgress"] {
    const { progressToken } = this.meta;
    const { notify } = this.#lazy;
    if (!notify || (typeof progressToken !== "string" && typeof progressToken !== "number")) return undefined;
    return (update) => notify("notifications/progress", { progressToken, ...update });
  }

  get questions(): Questions | undefined {
    return this.#lazy.questionsTo?.(this.caller);
  }

  /** Older revisions ask on the stream of the call itself. */
  get client(): ClientRequests | undefined {
    const { questions } = this;
    if (questions === undefined) return undefined;
    return {
      modes: questions.modes,
      async ask(requests) {
        const answers: Record<string, JsonObject> = {};
        for (const [key, { params = null }] of Object.entries(requests))
          answers[key] = await questions.ask(isJsonObject(params) ? params : {});
        return answers;
      },
    };
  }
}

/** The same call with something changed. */
export function contextWith(context: CallContext, changes: Partial<CallContext>): CallContext {
  const { caller, services, requestId, meta, dryRun, pins, onProgress, questions, client } = context;
  return {
    caller,
    services,
    requestId,
    meta,
    trace: changes.trace ?? context.trace,
    signal: changes.signal ?? context.signal,
    ...(dryRun !== undefined && { dryRun }),
    ...(pins !== undefined && { pins }),
    ...(onProgress !== undefined && { onProgress }),
    ...(questions !== undefined && { questions }),
    ...(client !== undefined && { client }),
    ...changes,
  };
}
