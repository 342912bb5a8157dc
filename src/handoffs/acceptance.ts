import type { HandoffRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import type { Store } from "../ports/store.ts";
import { handoffEvent, handoffFact } from "./journal.ts";

const MAX_BATCH = 64;

type AcceptServices = Pick<Services, "store" | "provenance">;

/** A packet that waits to be stored. */
interface Waiting {
  readonly record: HandoffRecord;
  readonly traceparent: string;
  done(stored: HandoffRecord | null): void;
  fail(error: unknown): void;
}

const queues = new WeakMap<Store, Waiting[]>();

/**
 * Stores a received packet once, with its event and its provenance, and gives what is on disk under its id. Packets
 * that arrive while others are being written share the next transaction, and with it one signed checkpoint of the
 * log: that is most of what an acceptance costs.
 */
export function storeAccepted(
  services: AcceptServices,
  record: HandoffRecord,
  traceparent: string,
): Promise<HandoffRecord | null> {
  return new Promise((done, fail) => {
    const waiting = { record, traceparent, done, fail };
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
    const stored: (HandoffRecord | null)[] = [];
    const fresh: Waiting[] = [];
    for (const waiting of batch) {
      const { record } = waiting;
      if (await tx.handoffs.insert(record)) {
        fresh.push(waiting);
        stored.push(record);
      } else {
        stored.push(await tx.handoffs.get(record.id, "in"));
      }
    }
    if (fresh.length > 0) {
      await tx.events.append(fresh.map(({ record, traceparent }) => handoffEvent(record, traceparent)));
      await provenance.append(
        tx,
        fresh.map(({ record }) => handoffFact(record)),
      );
    }
    return stored;
  });
}
