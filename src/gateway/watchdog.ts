import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Log } from "../ports/platform.ts";

/** A call that is being served. */
export interface WatchedCall {
  readonly label: string;
  readonly requestId: string;
  readonly since: number;
}

/** Measures how long the event loop stands still and names the calls that did it. */
export interface Watchdog {
  /** A call begins; give what comes back to `end`. */
  begin(label: string, requestId: string): WatchedCall;
  end(call: WatchedCall): void;
  /** Delays of the event loop since the start, in seconds. */
  readonly delay: { readonly p50: number; readonly p99: number; readonly max: number };
  /** How often and for how many seconds the loop stood still, by the call that was most likely the cause. */
  readonly blocked: ReadonlyMap<string, { readonly count: number; readonly seconds: number }>;
  close(): void;
}

const TICK_MS = 50;
/** A pause of the loop that other callers notice. */
const BLOCKED_MS = 100;
const NAMED = 3;
const UNKNOWN = "other";

/**
 * A timer that comes late means that something held the thread. The calls that were being served at that time are the
 * candidates; one that began during the pause is the likeliest, because a call that was there before had let go.
 */
export function createWatchdog(log: Log): Watchdog {
  const delays = monitorEventLoopDelay({ resolution: 20 });
  delays.enable();
  const open = new Set<WatchedCall>();
  let ended: WatchedCall[] = [];
  const blocked = new Map<string, { count: number; seconds: number }>();
  let last = performance.now();

  const tick = (): void => {
    const at = performance.now();
    const from = last;
    const paused = at - from - TICK_MS;
    last = at;
    if (paused >= BLOCKED_MS) report(paused, from);
    ended = [];
  };
  const report = (paused: number, from: number): void => {
    const candidates = [...ended, ...open].toSorted(
      (a, b) => Number(b.since >= from) - Number(a.since >= from),
    );
    const [likely] = candidates;
    const label = likely?.label ?? UNKNOWN;
    const entry = blocked.get(label) ?? { count: 0, seconds: 0 };
    blocked.set(label, { count: entry.count + 1, seconds: entry.seconds + paused / 1_000 });
    log.warn("event loop blocked", {
      durationMs: Math.round(paused),
      method: [...new Set(candidates.map((call) => call.label))].slice(0, NAMED).join(", ") || UNKNOWN,
      count: candidates.length,
      ...(likely && { requestId: likely.requestId }),
    });
  };
  const timer = setInterval(tick, TICK_MS);
  timer.unref();

  return {
    begin(label, requestId) {
      const call = { label, requestId, since: performance.now() };
      open.add(call);
      return call;
    },
    end(call) {
      open.delete(call);
      ended.push(call);
    },
    get delay() {
      return {
        p50: delays.percentile(50) / 1e9,
        p99: delays.percentile(99) / 1e9,
        max: delays.max / 1e9,
      };
    },
    blocked,
    close() {
      clearInterval(timer);
      delays.disable();
    },
  };
}
