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
export function requestIdFrom(header: string | string[] | undefined): string {
  if (typeof header === "string" && /^[A-Za-z0-9_.:-]{1,80}$/.test(header)) return header;
  requests += 1;
  return `req_${processTag}${requests.toString(36).padStart(7, "0")}`;
}

/** What is made only when something asks: most calls need neither a trace nor a signal. */
export interface LazyParts {
  readonly requestId: string;
  readonly trace: Trace;
  readonly signal: AbortSignal;
}

/** The context of one call. Trace and signal are own accessors, so that spreading a context copies them. */
export function createContext(
  services: Services,
  lazy: LazyParts,
  caller: Caller,
  meta: JsonObject = NO_META,
): CallContext {
  return {
    services,
    caller,
    meta,
    requestId: lazy.requestId,
    get trace() {
      return lazy.trace;
    },
    get signal() {
      return lazy.signal;
    },
  };
}
