import type { ProvenanceFact } from "../ports/provenance.ts";
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
  /** What provenance says of it, signed already. */
  readonly facts: readonly ProvenanceFact[];
  done(stored: HandoffRecord | null): void;
  fail(error: unknown): void;
}

const queues = new WeakMap<Store, Waiting[]>();

/**
 * Stores a received packet once, with its event and its provenance, and gives what is on disk under its id. Its
 * statement is signed on another thread while packets that came before are being written; those that are signed by then
 * share the next transaction.
 */
export async function storeAccepted(
  services: AcceptServices,
  record: HandoffRecord,
  traceparent: string,
): Promise<HandoffRecord | null> {
  const facts = await services.provenance.sign([handoffFact(record)]);
  return new Promise((done, fail) => {
    const waiting = { record, traceparent, facts, done, fail };
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
        fresh.flatMap(({ facts }) => facts),
      );
    }
    return stored;
  });
}
