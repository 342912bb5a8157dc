import type { RunRecord } from "../ports/records.ts";
import type { Store } from "../ports/store.ts";
import { runHasEnded } from "../model/states.ts";

const LOOK_MS = 25;

interface Waiter {
  readonly until: "ended" | "waiting";
  readonly resolve: (record: RunRecord) => void;
}

/** Those who wait for a run to end. Other replicas' runs are watched through the events they write. */
export class Waiters {
  readonly #store: Store;
  readonly #waiting = new Map<string, Set<Waiter>>();
  readonly #isHere: (runId: string) => boolean;
  readonly #stopListening: () => void;
  #looking = false;

  constructor(store: Store, isHere: (runId: string) => boolean) {
    this.#store = store;
    this.#isHere = isHere;
    this.#stopListening =
      store.kind === "postgres" ? store.onEvents(() => void this.#lookAll()) : () => undefined;
  }

  /** How many runs are waited for. */
  get size(): number {
    return this.#waiting.size;
  }

  /** The run once it has ended (or waits), or as it is when the time is over; null when there is none. */
  async wait(runId: string, timeoutMs: number, until: "ended" | "waiting"): Promise<RunRecord | null> {
    let resolve: (record: RunRecord | null) => void = () => undefined;
    const met = new Promise<RunRecord | null>((settle) => {
      resolve = settle;
    });
    const waiter: Waiter = { until, resolve };
    const others = this.#waiting.get(runId);
    if (others === undefined) this.#waiting.set(runId, new Set([waiter]));
    else others.add(waiter);
    const timer = setTimeout(() => resolve(null), timeoutMs);
    try {
      // The outcome of a run that this process works on is reported to `saved`.
      if (!this.#isHere(runId)) {
        const now = await this.#store.read.runs.get(runId);
        if (now === null || isMet(now, until)) return now;
      }
      return (await met) ?? (await this.#store.read.runs.get(runId));
    } finally {
      clearTimeout(timer);
      this.#remove(runId, waiter);
    }
  }

  /** A run's new state is on disk. */
  saved(record: RunRecord): void {
    const waiting = this.#waiting.get(record.id);
    if (waiting === undefined) return;
    for (const waiter of waiting) if (isMet(record, waiter.until)) waiter.resolve(record);
  }

  close(): void {
    this.#stopListening();
  }

  #remove(runId: string, waiter: Waiter): void {
    const waiting = this.#waiting.get(runId);
    waiting?.delete(waiter);
    if (waiting?.size === 0) this.#waiting.delete(runId);
  }

  async #lookAll(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    // Events come in crowds; one look after a moment sees what all of them tell.
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    this.#looking = false;
    for (const runId of this.#waiting.keys()) {
      if (this.#isHere(runId)) continue;
      const record = await this.#store.read.runs.get(runId).catch(() => null);
      if (record !== null) this.saved(record);
    }
  }
}

function isMet(record: RunRecord, until: "ended" | "waiting"): boolean {
  return runHasEnded(record.state) || (until === "waiting" && record.state === "waiting");
}
