import type { JsonObject } from "../kernel/json.ts";
import { randomHex } from "../kernel/ids.ts";
import type { Trace } from "../kernel/trace.ts";
import type { Caller } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { Services } from "../ports/services.ts";

const NO_META: JsonObject = {};
const processTag = randomHex(4);
let requests = 0;

/** The caller's request id when it is a plain one, else a new one. */
export function requestIdFrom(header: string | undefined): string {
  if (header !== undefined && /^[A-Za-z0-9_.:-]{1,80}$/.test(header)) return header;
  requests += 1;
  return `req_${processTag}${requests.toString(36).padStart(7, "0")}`;
}

/** What a context is made of. */
export interface ContextParts {
  readonly services: Services;
  readonly caller: Caller;
  readonly requestId: string;
  readonly trace: () => Trace;
  readonly meta: JsonObject | undefined;
  readonly signal: () => AbortSignal;
}

/**
 * The context of one call. The trace and the signal are made when something asks: most calls need neither. They are own
 * accessors, so that spreading a context copies them.
 */
export function createContext(parts: ContextParts): CallContext {
  return {
    services: parts.services,
    caller: parts.caller,
    requestId: parts.requestId,
    meta: parts.meta ?? NO_META,
    get trace() {
      return parts.trace();
    },
    get signal() {
      return parts.signal();
    },
  };
}
