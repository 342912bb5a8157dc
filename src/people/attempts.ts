import { AppError } from "../kernel/errors.ts";
import type { Clock } from "../ports/platform.ts";

/* How often a sign-in may fail: by account, whether or not it exists, and by address. Each refills over time. */
const BY_ACCOUNT = { burst: 10, everyMs: 60_000 };
const BY_ADDRESS = { burst: 60, everyMs: 5_000 };
const MAX_KEPT = 20_000;

interface Bucket {
  left: number;
  at: number;
}

/** Counts sign-ins. One that succeeds is given back, so a person who types well is never held up. */
export interface Attempts {
  /** Counts an attempt; throws `rate_limited` when too many failed for this account or from this address. */
  begin(account: string, address: string): void;
  succeeded(account: string, address: string): void;
}

/** Makes the counter of one process. */
export function createAttempts(clock: Clock): Attempts {
  const buckets = new Map<string, Bucket>();
  const bucketOf = (key: string, limit: typeof BY_ACCOUNT): Bucket => {
    const now = clock.now();
    const known = buckets.get(key) ?? { left: limit.burst, at: now };
    const left = Math.min(limit.burst, known.left + Math.max(0, now - known.at) / limit.everyMs);
    return { left, at: now };
  };
  const limits = (account: string, address: string) =>
    [
      [`account ${account}`, BY_ACCOUNT],
      [`address ${address}`, BY_ADDRESS],
    ] as const;
  const add = (account: string, address: string, count: number): void => {
    for (const [key, limit] of limits(account, address)) {
      const bucket = bucketOf(key, limit);
      // Taken out and put in again, the keys stand in the order of their last use.
      buckets.delete(key);
      buckets.set(key, { ...bucket, left: bucket.left + count });
    }
    for (const key of buckets.keys()) {
      if (buckets.size <= MAX_KEPT) break;
      buckets.delete(key);
    }
  };
  return {
    begin(account, address) {
      for (const [key, limit] of limits(account, address)) {
        const { left } = bucketOf(key, limit);
        if (left >= 1) continue;
        const seconds = Math.max(1, Math.ceil(((1 - left) * limit.everyMs) / 1_000));
        throw new AppError("rate_limited", `Too many failed sign-ins; try again in ${seconds} s.`, {
          retryAfterSeconds: seconds,
          nextAction: "Wait, or ask an admin for a link that sets a new password.",
        });
      }
      add(account, address, -1);
    },
    succeeded: (account, address) => add(account, address, 1),
  };
}
