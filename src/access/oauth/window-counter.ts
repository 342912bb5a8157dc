import { AppError } from "../../kernel/errors.ts";
import type { Clock } from "../../ports/platform.ts";

const MAX_KEPT = 10_000;

/** Counts what one person or one address does in a time. */
export interface WindowCounter {
  /** Throws `rate_limited` when there was too much. */
  check(key: string): void;
  count(key: string): void;
}

/** Makes the counter of one process; `what` there is too much of. */
export function createWindowCounter(
  clock: Clock,
  { most, windowMs, what }: { readonly most: number; readonly windowMs: number; readonly what: string },
): WindowCounter {
  const counted = new Map<string, { readonly since: number; readonly count: number }>();
  const current = (key: string): { readonly since: number; readonly count: number } => {
    const known = counted.get(key);
    const now = clock.now();
    return known === undefined || now - known.since >= windowMs ? { since: now, count: 0 } : known;
  };
  return {
    check(key) {
      const { since, count } = current(key);
      if (count < most) return;
      const seconds = Math.max(1, Math.ceil((since + windowMs - clock.now()) / 1_000));
      throw new AppError("rate_limited", `Too many ${what}; try again in ${seconds} s.`, {
        retryAfterSeconds: seconds,
      });
    },
    count(key) {
      const { since, count } = current(key);
      counted.delete(key);
      counted.set(key, { since, count: count + 1 });
      const [oldest] = counted.keys();
      if (counted.size > MAX_KEPT && oldest !== undefined) counted.delete(oldest);
    },
  };
}
