import { setTimeout as sleep } from "node:timers/promises";
import { startLoop, type Loop } from "../kernel/loop.ts";
import type { Clock, Log } from "../ports/platform.ts";
import type { Store, StoreTx } from "../ports/store.ts";
import { detailsBefore, pastLimits, workflowsUnder } from "./due.ts";

/** Runs in one transaction: few where there is one writer, so that no other write waits long for it. */
const BATCH = { sqlite: 50, postgres: 250, none: 0 } as const;
/** Between two transactions others get their turn. */
const PAUSE_MS = 2;
const EVERY_MS = 10 * 60_000;

/** How much was removed. */
interface Pruned {
  readonly details: number;
  readonly runs: number;
}

/** Removes what the rules say in small transactions until nothing is left to remove, or until it is stopped. */
async function prune(store: Store, clock: Clock, signal?: AbortSignal): Promise<Pruned> {
  const pruned = { details: 0, runs: 0 };
  const rules = await store.read.retention.rules();
  for (const rule of rules) {
    for await (const workflowId of workflowsUnder(rule, rules, store.read)) {
      for (const old of await pastLimits(rule, workflowId, clock.now(), store.read)) {
        const at = new Date(clock.now()).toISOString();
        pruned[old.stage === "details" ? "details" : "runs"] += await inBatches(store, signal, (tx, batch) =>
          old.stage === "details"
            ? tx.retention.removeDetails(old, batch, at)
            : tx.retention.removeRuns(old, batch),
        );
        if (signal?.aborted === true) return pruned;
      }
      const before = detailsBefore(rule, clock.now());
      if (workflowId !== null && before !== null)
        await inBatches(store, signal, (tx, batch) => tx.retention.removePayloads(workflowId, before, batch));
    }
  }
  // Also when nothing was removed now: a process that ended before it was done leaves free pages, and so do trimmed events.
  await reclaim(store, signal);
  return pruned;
}

/** Removes in small transactions until one finds less than it may remove; says how much it was. */
async function inBatches(
  store: Store,
  signal: AbortSignal | undefined,
  remove: (tx: StoreTx, batch: number) => Promise<number>,
): Promise<number> {
  const batch = BATCH[store.kind];
  let total = 0;
  for (;;) {
    const count = await store.transact((tx) => remove(tx, batch));
    total += count;
    if (count < batch || signal?.aborted === true) return total;
    await sleep(PAUSE_MS);
  }
}

/** What was removed leaves free pages in the file; they go back to the disk in small pieces. */
async function reclaim(store: Store, signal?: AbortSignal): Promise<void> {
  let before = Infinity;
  for (;;) {
    const left = await store.transact((tx) => tx.retention.reclaim());
    if (left === 0 || left >= before || signal?.aborted === true) return;
    before = left;
    await sleep(PAUSE_MS);
  }
}

/** Starts to remove what the rules say, every ten minutes and when it is woken. */
export function startPruner(store: Store, clock: Clock, log: Log): Loop {
  return startLoop({
    everyMs: EVERY_MS,
    failed: (error) => log.warn("runs.not_pruned", {}, error),
    async work(signal) {
      const { details, runs } = await prune(store, clock, signal);
      if (details + runs > 0) log.info("runs.pruned", { count: details, runs });
      return false;
    },
  });
}
