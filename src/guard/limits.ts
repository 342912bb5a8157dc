import { AppError } from "../kernel/errors.ts";
import type { GuardView } from "../model/guard.ts";
import type { Store } from "../ports/store.ts";
import { recordDecision, type Decided } from "./notes.ts";

const WINDOW_MS = { minute: 60_000, day: 86_400_000 } as const;

/**
 * Counts in the database, so that a limit holds over all replicas. A person's limit holds for the person's tokens and
 * clients together.
 */
export async function checkLimits(
  store: Store,
  { limits }: GuardView,
  entry: Decided,
  ids: readonly string[],
  now: number,
): Promise<void> {
  const own = limits.filter(({ tool = entry.call.tool }) => tool === entry.call.tool);
  for (const id of new Set([entry.id, ...ids])) {
    const most = own.filter((limit) => (limit.caller ?? entry.id) === id);
    await checkLimitsOf(store, most, { ...entry, id }, now);
  }
}

async function checkLimitsOf(
  store: Store,
  limits: GuardView["limits"],
  { call, id }: Decided,
  now: number,
): Promise<void> {
  const { tool } = call;
  const most = {
    minute: Math.min(...limits.map(({ perMinute = Infinity }) => perMinute)),
    day: Math.min(...limits.map(({ perDay = Infinity }) => perDay)),
  };
  for (const unit of ["minute", "day"] as const) {
    if (most[unit] === Infinity) continue;
    const window = Math.floor(now / WINDOW_MS[unit]);
    const rule = `limit-per-${unit}`;
    const isOver = await store.transact(async (tx) => {
      const calls = await tx.guard.count(id, tool, unit, window);
      // Once for each window: a caller that goes on must not fill the list.
      if (calls === most[unit] + 1) await recordDecision(tx, "guard.denied", { call, id, rule });
      return calls > most[unit];
    });
    if (!isOver) continue;
    throw new AppError("rate_limited", `The guard allows ${most[unit]} calls of ${tool} per ${unit}.`, {
      retryAfterSeconds: Math.ceil(((window + 1) * WINDOW_MS[unit] - now) / 1_000),
    });
  }
}
