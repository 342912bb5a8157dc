import type { Retry } from "../schema.ts";

/** How long to wait before the next try. The jitter comes from `seed`, so the same step always waits the same time. */
export function backoffDelay(retry: Retry, failedAttempts: number, seed: string): number {
  const { backoffMs = 1_000, factor = 2, maxBackoffMs = 60_000, jitter = 0.2 } = retry;
  const wait = Math.min(maxBackoffMs, backoffMs * factor ** (failedAttempts - 1));
  return Math.round(wait * (1 - jitter * fraction(`${seed}#${failedAttempts}`)));
}

/** A number in [0, 1) that depends on the text alone (FNV-1a, then a final mix so that near texts differ). */
function fraction(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 0x1_0000_0000;
}
