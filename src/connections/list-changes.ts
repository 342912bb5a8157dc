import { LazyContext } from "../ports/call-context.ts";
import type { CallContext } from "../ports/definitions.ts";
import { AppError } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import { traceFrom } from "../kernel/trace.ts";
import type { ListChanged } from "./mcp-sessions.ts";

/** A server that changes one tool after the other is read once. */
const SETTLE_MS = 500;
/** A server that says without end that its list changed is not read without end. */
const LEAST_MS = 30_000;
const SYNC_MS = 60_000;

/** Reads the list of a server again when it says that it changed; what is new or changed is quarantined. */
export class ListChanges {
  readonly #sync: (name: string, context: CallContext) => Promise<unknown>;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #readAt = new Map<string, number>();

  constructor(sync: (name: string, context: CallContext) => Promise<unknown>) {
    this.#sync = sync;
  }

  readonly note: ListChanged = (name, services, caller) => {
    if (this.#timers.has(name)) return;
    const since = performance.now() - (this.#readAt.get(name) ?? Number.NEGATIVE_INFINITY);
    const read = (): void => {
      this.#timers.delete(name);
      this.#readAt.set(name, performance.now());
      const parts = {
        requestId: newId("sync"),
        trace: traceFrom(undefined),
        signal: AbortSignal.timeout(SYNC_MS),
      };
      this.#sync(name, new LazyContext(services, caller, {}, parts)).catch((error: unknown) => {
        const code = error instanceof AppError ? error.code : "internal";
        services.log.warn("a changed list was not read", { code }, error);
      });
    };
    this.#timers.set(name, setTimeout(read, Math.max(SETTLE_MS, LEAST_MS - since)).unref());
  };

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
