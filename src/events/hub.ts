import type { Log } from "../ports/platform.ts";
import type { EventRecord } from "../ports/records.ts";
import type { Store } from "../ports/store.ts";

/** How many of the newest events are kept at hand, so that a thousand readers cost one reading. */
const KEPT = 2_000;
const BATCH = 500;

/** Follows the outbox once for all who listen. */
export interface EventHub {
  /** The sequence up to which everything was read. */
  readonly last: number;
  /** Events after a sequence: from memory when they are recent, else from the store. Oldest first. */
  after(sequence: number, limit: number): Promise<readonly EventRecord[]>;
  /** Called whenever `last` has grown. */
  subscribe(listener: () => void): () => void;
  close(): void;
}

/** Starts to follow the outbox at its present end. */
export async function createEventHub(store: Store, log: Log): Promise<EventHub> {
  const recent: EventRecord[] = [];
  const listeners = new Set<() => void>();
  const { events } = store.read;
  let { last } = await events.bounds();
  /** Everything after this sequence, up to `last`, is in `recent`. */
  let floor = last;
  let reading = false;
  let wanted = last;

  async function follow(): Promise<void> {
    if (reading) return;
    reading = true;
    try {
      while (last < wanted) {
        const batch = await events.after(last, BATCH);
        const newest = batch.at(-1);
        if (newest === undefined) break;
        recent.push(...batch);
        last = newest.sequence;
        if (recent.length > KEPT) {
          recent.splice(0, recent.length - KEPT);
          floor = (recent[0]?.sequence ?? last + 1) - 1;
        }
        for (const listener of listeners) listener();
      }
    } catch (error) {
      // The store tells again with the next event, and after an outage.
      log.warn("events.not_read", {}, error);
    } finally {
      reading = false;
    }
  }

  const stop = store.onEvents((sequence) => {
    wanted = Math.max(wanted, sequence);
    // With nobody listening, reading every event back would only cost those who write them.
    if (listeners.size > 0) void follow();
  });

  return {
    get last() {
      return last;
    },
    async after(sequence, limit) {
      if (sequence < floor) return store.read.events.after(sequence, limit);
      const first = recent[0]?.sequence;
      if (first === undefined) return [];
      const from = Math.max(0, sequence + 1 - first);
      return recent.slice(from, from + limit);
    },
    subscribe(listener) {
      if (listeners.size === 0 && !reading) {
        recent.length = 0;
        last = wanted;
        floor = wanted;
      }
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    close: stop,
  };
}
