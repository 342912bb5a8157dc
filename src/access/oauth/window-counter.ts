import { AppError } from "../../kernel/errors.ts";
import type { Clock } from "../../ports/platform.ts";

const MAX_KEPT = 10_000;

/** Counts what one person or one address does in a time. */
export interface WindowCounter {
  /** `rate_limited` when there was too much, else null. */
  excess(key: string): AppError | null;
  /** Throws it. */
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
  const excess = (key: string): AppError | null => {
    const { since, count } = current(key);
    if (count < most) return null;
    const seconds = Math.max(1, Math.ceil((since + windowMs - clock.now()) / 1_000));
    return new AppError("rate_limited", `Too many ${what}; try again in ${seconds} s.`, {
      retryAfterSeconds: seconds,
    });
  };
  return {
    excess,
    check(key) {
      const found = excess(key);
      if (found !== null) throw found;
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
