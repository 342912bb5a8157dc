import type { HandoffRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import type { Store } from "../ports/store.ts";
import { acceptanceFact, handoffEntry, writeHandoffs, type HandoffEntry } from "./entries.ts";

const MAX_BATCH = 64;
/** Packets that are remembered after they were entered in the logbook: more than it holds at a time. */
const MAX_REMEMBERED = 5_120;

type AcceptServices = Pick<Services, "store" | "provenance">;

/** A packet that waits to be stored. */
interface Waiting extends HandoffEntry {
  done(stored: HandoffRecord | null): void;
  fail(error: unknown): void;
}

const queues = new WeakMap<Store, Waiting[]>();
/** By store and id, the packets that may be in the logbook and not yet in their table. */
const remembered = new WeakMap<Store, Map<string, Promise<HandoffRecord | null>>>();

/** Stores a received packet once, with its event and its provenance, and gives what is stored under its id. */
export function storeAccepted(
  services: AcceptServices,
  record: HandoffRecord,
  traceparent: string,
): Promise<HandoffRecord | null> {
  const { store } = services;
  if (store.logbook === undefined) return transacted(services, { record, traceparent });
  const known = remembered.get(store) ?? new Map<string, Promise<HandoffRecord | null>>();
  remembered.set(store, known);
  const before = known.get(record.id);
  if (before !== undefined) return before;
  const storing = entered(services, { record, traceparent });
  known.set(record.id, storing);
  const forget = (): boolean => known.delete(record.id);
  // The oldest has long been in its table. What failed may be tried again.
  storing.then(
    () => (known.size > MAX_REMEMBERED ? known.delete(known.keys().next().value ?? "") : false),
    forget,
  );
  return storing;
}

/** Enters a packet in the logbook; where that is not possible now, it is stored by a transaction. */
async function entered(services: AcceptServices, entry: HandoffEntry): Promise<HandoffRecord | null> {
  const { store } = services;
  const stored = (await store.folded?.handoffs.get(entry.record.id, "in")) ?? null;
  if (stored !== null) return stored;
  return (await store.logbook?.enter(handoffEntry(entry))) ? entry.record : transacted(services, entry);
}

/** Packets that come while others are being written share the next transaction. */
function transacted(services: AcceptServices, entry: HandoffEntry): Promise<HandoffRecord | null> {
  return new Promise((done, fail) => {
    const waiting = { ...entry, done, fail };
    const queue = queues.get(services.store);
    if (queue !== undefined) {
      queue.push(waiting);
      return;
    }
    const fresh = [waiting];
    queues.set(services.store, fresh);
    void drain(services, fresh);
  });
}

/** Writes batch after batch until nothing waits; then the queue is gone and the next packet makes a new one. */
async function drain(services: AcceptServices, queue: Waiting[]): Promise<void> {
  // What arrived in the same turn of the event loop belongs to the first batch too.
  await new Promise((done) => setImmediate(done));
  while (queue.length > 0) {
    const batch = queue.splice(0, MAX_BATCH);
    try {
      const stored = await written(services, batch);
      for (const [index, waiting] of batch.entries()) waiting.done(stored[index] ?? null);
    } catch (error) {
      await oneByOne(services, batch, error);
    }
  }
  queues.delete(services.store);
}

/** A packet that cannot be stored must not take the others of its batch along. */
async function oneByOne(services: AcceptServices, batch: readonly Waiting[], error: unknown): Promise<void> {
  if (batch.length === 1) {
    batch[0]?.fail(error);
    return;
  }
  await Promise.all(
    batch.map(async (waiting) => {
      try {
        const [stored] = await written(services, [waiting]);
        waiting.done(stored ?? null);
      } catch (own) {
        waiting.fail(own);
      }
    }),
  );
}

function written(
  { store, provenance }: AcceptServices,
  batch: readonly Waiting[],
): Promise<readonly (HandoffRecord | null)[]> {
  return store.transact(async (tx) => {
    const fresh = new Set(await writeHandoffs(tx, batch));
    await provenance.append(tx, [...fresh].map(acceptanceFact));
    const stored: (HandoffRecord | null)[] = [];
    for (const waiting of batch) {
      stored.push(fresh.has(waiting) ? waiting.record : await tx.handoffs.get(waiting.record.id, "in"));
    }
    return stored;
  });
}
