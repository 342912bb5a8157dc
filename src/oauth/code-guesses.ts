import { AppError } from "../kernel/errors.ts";
import type { Clock } from "../ports/platform.ts";

const MOST = 20;
const WINDOW_MS = 10 * 60_000;
const MAX_KEPT = 10_000;

/** Counts codes that did not exist, by person: a code is short, so nobody may try many. */
export interface CodeGuesses {
  /** Throws `rate_limited` when a person typed too many wrong codes. */
  check(personId: string): void;
  count(personId: string): void;
}

/** Makes the counter of one process. */
export function createCodeGuesses(clock: Clock): CodeGuesses {
  const wrong = new Map<string, { readonly since: number; readonly count: number }>();
  const current = (personId: string): { readonly since: number; readonly count: number } => {
    const known = wrong.get(personId);
    const now = clock.now();
    return known === undefined || now - known.since >= WINDOW_MS ? { since: now, count: 0 } : known;
  };
  return {
    check(personId) {
      const { since, count } = current(personId);
      if (count < MOST) return;
      const seconds = Math.max(1, Math.ceil((since + WINDOW_MS - clock.now()) / 1_000));
      throw new AppError("rate_limited", `Too many wrong codes; try again in ${seconds} s.`, {
        retryAfterSeconds: seconds,
      });
    },
    count(personId) {
      const { since, count } = current(personId);
      wrong.delete(personId);
      wrong.set(personId, { since, count: count + 1 });
      const [oldest] = wrong.keys();
      if (wrong.size > MAX_KEPT && oldest !== undefined) wrong.delete(oldest);
    },
  };
}
