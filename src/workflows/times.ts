import type { Retry } from "./schema.ts";

/** Milliseconds; null when nothing bounds it. */
export type Time = number | null;

/** The sum of two times; unbounded when one of them is. */
export function addTimes(a: Time, b: Time): Time {
  return a === null || b === null ? null : a + b;
}

/** A time that passes several times over. */
export function multiplyTime(time: Time, times: number): Time {
  return time === null ? null : time * times;
}

/** The longest time that all attempts of a step and the waits between them can take. */
export function longestRetry(retry: Retry, once: number): number {
  const { maxAttempts, backoffMs = 1_000, factor = 2, maxBackoffMs = 60_000 } = retry;
  let total = once;
  for (let attempt = 1; attempt < maxAttempts; attempt++) {
    total += once + Math.min(maxBackoffMs, backoffMs * factor ** (attempt - 1));
  }
  return total;
}
