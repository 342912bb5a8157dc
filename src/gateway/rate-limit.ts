import { AppError } from "../kernel/errors.ts";
import type { Clock } from "../ports/platform.ts";

/** How many requests one client may make. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** Counts requests by client. */
export interface RateLimiter {
  /** Takes one token from the client's bucket; throws `rate_limited` when it is empty. */
  take(client: string, limit: RateLimit): void;
  /** Takes what a request cost beyond its first token; the next ones wait for it. */
  charge(client: string, tokens: number): void;
  /** Throws when the bucket is empty; takes nothing and keeps nothing. */
  check(client: string, limit: RateLimit): void;
}

interface Bucket {
  tokens: number;
  at: number;
}

const MAX_BUCKETS = 50_000;

/** Token buckets, one a client, in bounded memory. */
export function createRateLimiter(clock: Clock): RateLimiter {
  const buckets = new Map<string, Bucket>();
  const refill = (bucket: Bucket, limit: RateLimit): void => {
    const now = clock.now();
    bucket.tokens = Math.min(
      limit.burst,
      bucket.tokens + (Math.max(0, now - bucket.at) * limit.perSecond) / 1000,
    );
    bucket.at = now;
    if (bucket.tokens >= 1) return;
    const seconds = Math.max(1, Math.ceil((1 - bucket.tokens) / limit.perSecond));
    throw new AppError("rate_limited", `Too many requests; try again in ${seconds} s.`, {
      retryAfterSeconds: seconds,
    });
  };
  return {
    take(client, limit) {
      let bucket = buckets.get(client);
      if (bucket === undefined) {
        if (buckets.size >= MAX_BUCKETS) forgetOldest(buckets);
        bucket = { tokens: limit.burst, at: clock.now() };
        buckets.set(client, bucket);
      }
      refill(bucket, limit);
      bucket.tokens -= 1;
    },
    charge(client, tokens) {
      const bucket = buckets.get(client);
      if (bucket !== undefined) bucket.tokens -= tokens;
    },
    check(client, limit) {
      const bucket = buckets.get(client);
      if (bucket !== undefined) refill(bucket, limit);
    },
  };
}

/** Maps keep insertion order, so the first entries are the clients seen longest ago. */
function forgetOldest(buckets: Map<string, unknown>): void {
  let left = MAX_BUCKETS / 10;
  for (const client of buckets.keys()) {
    if (left-- <= 0) return;
    buckets.delete(client);
  }
}
