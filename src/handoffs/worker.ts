import { startLoop, type Loop } from "../kernel/loop.ts";
import type { Log } from "../ports/platform.ts";
import { attempt, claimed } from "./outbox.ts";
import { settled, type OutcomeServices } from "./outcome.ts";

const TICK_MS = 500;
const BATCH = 20;
const SCAN = 100;
const EVENTS = 500;
const GATHER_MS = 100;

/**
 * Sends what waits in the outbox, asks after what was accepted, and settles received handoffs whose run has ended.
 * Everything it needs is on disk, so it starts where a process that died left off.
 */
export function startHandoffWorker(services: OutcomeServices & { readonly log: Log }): Loop | null {
  const { store, clock, log } = services;
  if (store.kind === "none") return null;
  const { events, handoffs } = store.read;
  let isFirst = true;
  let sequence: number | null = null;

  /** One handoff that cannot be worked on must not hold up the others. */
  async function guarded(id: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.error("handoffs.try_failed", { handoffId: id }, error);
    }
  }

  async function sendDue(signal: AbortSignal): Promise<void> {
    const due = await handoffs.due(new Date(clock.now()).toISOString(), BATCH);
    await Promise.all(
      due.map((record) =>
        guarded(record.id, async () => {
          const mine = record.direction === "out" ? await claimed(services, record) : null;
          if (mine !== null) await attempt(services, mine, { background: true, signal });
        }),
      ),
    );
  }

  /** The process that was sending when this database was last open is dead: nobody else opens an embedded one. */
  async function sendCutOff(signal: AbortSignal): Promise<void> {
    if (store.kind !== "sqlite") return;
    const page = await store.read.handoffs.list({ limit: SCAN }, { direction: "out", state: "sending" });
    await Promise.all(
      page.items.map((record) =>
        guarded(record.id, () => attempt(services, record, { background: true, signal })),
      ),
    );
  }

  /** Once over everything at the start, then only what runs tell of. */
  async function settleEnded(signal: AbortSignal): Promise<void> {
    if (sequence === null) {
      sequence = (await events.bounds()).last;
      await settleAll(signal);
      return;
    }
    // Everything up to here is seen by the reading that follows.
    const { last } = await events.bounds();
    const runIds = new Set<string>();
    for (;;) {
      const found = await events.ofRunsAfter(sequence, EVENTS);
      sequence = found.at(-1)?.sequence ?? sequence;
      for (const { subject } of found) runIds.add(subject);
      if (found.length < EVENTS) break;
    }
    sequence = Math.max(sequence, last);
    for (const runId of runIds) {
      const run = await store.read.runs.get(runId);
      if (run === null || run.handoffId === null || run.finishedAt === null) continue;
      const record = await store.read.handoffs.get(run.handoffId, "in");
      if (record === null) continue;
      await guarded(record.id, () => settled(services, { ...record, runId: record.runId ?? run.id }));
    }
  }

  async function settleAll(signal: AbortSignal): Promise<void> {
    let cursor: string | undefined;
    do {
      const page = await store.read.handoffs.list(
        { limit: SCAN, ...(cursor !== undefined && { cursor }) },
        { direction: "in", state: "accepted" },
      );
      for (const record of page.items) await guarded(record.id, () => settled(services, record));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined && !signal.aborted);
  }

  const loop = startLoop({
    everyMs: TICK_MS,
    follow: (changed) => store.onEvents(changed),
    gatherMs: GATHER_MS,
    // The store may be away for a moment; what is due stays due.
    failed: (error) => log.warn("handoffs.worker_failed", {}, error),
    async work(signal) {
      if (isFirst) await sendCutOff(signal);
      isFirst = false;
      await sendDue(signal);
      await settleEnded(signal);
      return false;
    },
  });
  loop.wake();
  return loop;
}
