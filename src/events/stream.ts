import { AppError } from "../kernel/errors.ts";
import { readsPrivate, type Caller } from "../ports/caller.ts";
import type { HttpAnswer, RequestFacts, HttpSink } from "../ports/http.ts";
import type { EventRecord } from "../ports/records.ts";
import type { Store } from "../ports/store.ts";
import { cloudEvent, matchesType, runOf, seesAll } from "./cloud-event.ts";
import type { EventHub } from "./hub.ts";

const HEARTBEAT_MS = 15_000;
/** How often a key that listens is looked at again. */
const RECHECK_MS = 1_000;
const MAX_STREAMS = 1_000;
const BATCH = 200;
const RETRY_MS = 2_000;
/** As much is handed to the socket at once. */
const PIECE = 32 * 1024;
/** Runs whose starter one reader remembers. */
const MOST_RUNS = 1_000;
/** A client that takes nothing for this long is dropped; it may come back with its Last-Event-ID. */
const PATIENCE_MS = 5_000;

/** What the stream works with. */
export interface StreamParts {
  readonly store: Store;
  readonly hub: EventHub;
  readonly source: string;
  readonly heartbeatMs?: number;
  readonly patienceMs?: number;
}

/** Which events a caller asks for, as it names them. */
interface EventQuery {
  readonly types?: string;
  readonly subject?: string;
  readonly after?: string;
}

interface Wish {
  readonly types: readonly string[];
  readonly subject: string | null;
  /** Where to go on; null begins with what comes next. */
  readonly after: number | null;
}

/** Answers a request for events with a stream of them. */
export type EventStream = (asked: EventQuery, request: RequestFacts) => HttpAnswer;

/** Serves `/api/svc/events`: CloudEvents as they are committed, resumable, without private values for strangers. */
export function createEventStream(parts: StreamParts): EventStream {
  let open = 0;
  return (asked, request) => {
    if (parts.store.kind === "none") {
      throw new AppError(
        "storage_unavailable",
        "There are no events: no persistence adapter is configured.",
        {
          nextAction: "Set DATABASE_URL and start again.",
        },
      );
    }
    const wish = readWish(asked, request);
    if (open >= MAX_STREAMS) {
      throw new AppError("overloaded", "Too many event streams are open.", { retryAfterSeconds: 10 });
    }
    return {
      status: 200,
      contentType: "text/event-stream; charset=utf-8",
      headers: { "cache-control": "no-store", "x-accel-buffering": "no" },
      async stream(sink) {
        open += 1;
        try {
          await new Follower(parts, request, wish, sink).run();
        } finally {
          open -= 1;
          sink.end();
        }
      },
    };
  };
}

function readWish(asked: EventQuery, { headers }: RequestFacts): Wish {
  const given = headers["last-event-id"] ?? asked.after;
  if (given !== undefined && !/^\d{1,15}$/.test(given)) {
    throw new AppError("invalid_input", "Last-Event-ID must be the id of an event that this stream sent.");
  }
  const types = (asked.types ?? "*").split(",").filter((type) => type !== "");
  if (types.length === 0 || types.length > 50 || types.some((type) => type.length > 100)) {
    throw new AppError("invalid_input", "types must be a list such as svc.run.*,svc.approval.requested.");
  }
  return {
    types,
    subject: asked.subject ?? null,
    after: given === undefined ? null : Number(given),
  };
}

/** One reader of the stream. */
class Follower {
  readonly #parts: StreamParts;
  readonly #wish: Wish;
  readonly #sink: HttpSink;
  readonly #request: RequestFacts;
  #caller: Caller;
  #checkedAt = performance.now();
  #cursor = 0;
  /** Whether a run that was looked up is the caller's own. */
  readonly #own = new Map<string, boolean>();
  #wake: (() => void) | null = null;

  constructor(parts: StreamParts, request: RequestFacts, wish: Wish, sink: HttpSink) {
    this.#parts = parts;
    this.#wish = wish;
    this.#sink = sink;
    this.#caller = request.context.caller;
    this.#request = request;
  }

  async run(): Promise<void> {
    const stop = this.#parts.hub.subscribe(() => this.#wake?.());
    const onAbort = (): void => this.#wake?.();
    this.#sink.signal.addEventListener("abort", onAbort, { once: true });
    try {
      if (!(await this.#begin())) return;
      for (;;) {
        if (this.#sink.signal.aborted || !(await this.#isWelcome())) return;
        const events = await this.#parts.hub.after(this.#cursor, BATCH);
        if (events.length === 0) {
          if (!(await this.#pause())) return;
        } else if (!(await this.#send(events))) return;
      }
    } finally {
      stop();
      this.#sink.signal.removeEventListener("abort", onAbort);
    }
  }

  /** Says where the stream begins, or that what the reader missed is gone and state must be read again. */
  async #begin(): Promise<boolean> {
    const { first, last } = await this.#parts.store.read.events.bounds();
    const { after } = this.#wish;
    const lost = after !== null && (after < first - 1 || after > last);
    this.#cursor = after === null || lost ? last : after;
    const name = lost ? "resync" : "ready";
    const data = lost ? { reason: "Events after your last one are no longer kept.", last } : { last };
    return this.#sink.write(
      `retry: ${RETRY_MS}\nevent: ${name}\nid: ${this.#cursor}\ndata: ${JSON.stringify(data)}\n\n`,
    );
  }

  /** Sends a batch in pieces, each when the one before was taken. */
  async #send(events: readonly EventRecord[]): Promise<boolean> {
    let text = "";
    for (const event of events) {
      this.#cursor = event.sequence;
      if (this.#wish.subject !== null && event.subject !== this.#wish.subject) continue;
      if (!matchesType(this.#wish.types, event.type)) continue;
      const shown = cloudEvent(event, this.#parts.source, (await this.#sees(event)) ? "all" : "public");
      if (shown !== null) text += `id: ${event.sequence}\ndata: ${JSON.stringify(shown)}\n\n`;
      if (text.length < PIECE) continue;
      if (!(await this.#write(text))) return false;
      text = "";
    }
    return text === "" || this.#write(text);
  }

  /** A caller without `read-private` sees everything of its own runs, and of others what strangers see. */
  async #sees(event: EventRecord): Promise<boolean> {
    if (seesAll(this.#caller, event.type)) return true;
    const runId = this.#caller.kind === "anonymous" ? null : runOf(event);
    if (runId === null) return false;
    const known = this.#own.get(runId);
    if (known !== undefined) return known;
    const run = await this.#parts.store.read.runs.get(runId);
    const isOwn = run !== null && readsPrivate(this.#caller, run.startedBy);
    if (this.#own.size >= MOST_RUNS) this.#own.clear();
    this.#own.set(runId, isOwn);
    return isOwn;
  }

  /** False when the client is gone, or has not read for the time after which it is dropped. */
  async #write(text: string): Promise<boolean> {
    if (!this.#sink.write(text)) return false;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), this.#parts.patienceMs ?? PATIENCE_MS);
    });
    const taken = await Promise.race([this.#sink.drained().then(() => true), late]);
    clearTimeout(timer);
    return taken;
  }

  /** Waits for events; a comment every few seconds keeps proxies from closing the connection. */
  async #pause(): Promise<boolean> {
    const timedOut = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(true), this.#parts.heartbeatMs ?? HEARTBEAT_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(false);
      };
      // What came between the last reading and now.
      if (this.#parts.hub.last > this.#cursor || this.#sink.signal.aborted) this.#wake();
    });
    this.#wake = null;
    return !timedOut || this.#sink.write(": heartbeat\n\n");
  }

  /** A key or a session that was revoked or has expired ends its stream. */
  async #isWelcome(): Promise<boolean> {
    if (this.#caller.kind === "anonymous" || performance.now() - this.#checkedAt < RECHECK_MS) return true;
    this.#checkedAt = performance.now();
    const caller = await this.#request.recheck();
    if (caller === null) return false;
    this.#caller = caller;
    return true;
  }
}
