import { AppError } from "../../kernel/errors.ts";
import { networkOf } from "../../kernel/network.ts";
import type { Clock } from "../../ports/platform.ts";
import type { Store } from "../../ports/store.ts";
import { digestOfToken } from "./tokens.ts";

/*
 * How often a sign-in may fail: for an account, whether or not it exists, from one address; for an account from anywhere;
 * and from an address. Each refills over time. A browser in which the person has signed in before is counted apart, so
 * that nobody else's guesses keep the person out.
 */
const BY_PAIR = { burst: 10, everyMs: 60_000 };
const BY_ACCOUNT = { burst: 100, everyMs: 60_000 };
const BY_ADDRESS = { burst: 60, everyMs: 5_000 };

/** Counts sign-ins. One that succeeds is given back, so a person who types well is never held up. */
export interface Attempts {
  /** Counts an attempt; throws `rate_limited` when too many failed for this account or from this address. */
  begin(account: string | null, address: string, isKnown?: boolean): Promise<void>;
  succeeded(account: string | null, address: string, isKnown?: boolean): Promise<void>;
}

/** Makes the counter. It is kept in the store, so that replicas count together. */
export function createAttempts(store: Store, clock: Clock): Attempts {
  // Digests: what strangers typed is not kept.
  const limits = (account: string | null, address: string, isKnown: boolean) => {
    const network = networkOf(address);
    const byAddress = [digestOfToken(`address ${network}`), BY_ADDRESS] as const;
    if (account === null) return [byAddress];
    if (isKnown) return [[digestOfToken(`device ${account}`), BY_PAIR] as const];
    return [
      byAddress,
      [digestOfToken(`account ${account} from ${network}`), BY_PAIR] as const,
      [digestOfToken(`account ${account}`), BY_ACCOUNT] as const,
    ];
  };
  return {
    async begin(account, address, isKnown = false) {
      const now = clock.now();
      await store.transact(async (tx) => {
        await tx.people.trimAttempts(now);
        for (const [key, { burst, everyMs }] of limits(account, address, isKnown)) {
          const wait = await tx.people.countAttempt(key, now, everyMs, burst);
          if (wait === 0) continue;
          const seconds = Math.max(1, Math.ceil(wait / 1_000));
          throw new AppError("rate_limited", `Too many failed sign-ins; try again in ${seconds} s.`, {
            retryAfterSeconds: seconds,
            nextAction: "Wait, or ask an admin for a link that lets you sign in again.",
          });
        }
      });
    },
    async succeeded(account, address, isKnown = false) {
      await store.transact(async (tx) => {
        for (const [key, { everyMs }] of limits(account, address, isKnown))
          await tx.people.returnAttempt(key, everyMs);
      });
    },
  };
}
