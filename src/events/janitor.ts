import { startLoop, type Loop } from "../kernel/loop.ts";
import type { Clock, Log } from "../ports/platform.ts";
import type { AnonymousForms } from "../ports/settings.ts";
import type { Store } from "../ports/store.ts";

/** How much of the past stays: enough to resume a stream after a long weekend. */
interface Retention {
  readonly events: number;
  readonly days: number;
  /** Entries of the audit list that strangers make. */
  readonly refusals: number;
}

const RETENTION: Retention = { events: 200_000, days: 14, refusals: 20_000 };
/** Strangers make refused sign-ins; every other entry of the audit list stays. */
const REFUSALS_DAYS = 90;
const EVERY_MS = 10 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/** Deletes what is not needed any more: old events, delivered deliveries, kept answers, old forms of callers without a key. */
export async function tidyUp(
  store: Store,
  clock: Clock,
  forms: Pick<AnonymousForms, "most" | "days">,
  retention: Retention = RETENTION,
): Promise<void> {
  const before = new Date(clock.now() - retention.days * DAY_MS).toISOString();
  await store.transact(async (tx) => {
    const { first, last } = await tx.events.bounds();
    if (last - first >= retention.events) {
      const { items } = await tx.webhooks.list({ limit: 1 });
      // An event that was not turned into deliveries yet is still needed.
      const undelivered = items.length === 0 ? last : await tx.webhooks.cursor();
      await tx.events.trim(Math.min(last - retention.events + 1, undelivered + 1));
    }
    await tx.webhooks.trimDeliveries(before);
    await tx.notifications.trim(before);
    await tx.idempotency.trim(before);
    // What strangers can make grow.
    const old = new Date(clock.now() - REFUSALS_DAYS * DAY_MS).toISOString();
    for (const action of ["session.refused", "client.registered"])
      await tx.audit.trim(action, old, retention.refusals);
    await tx.triggers.trim(old);
    await tx.forms.evictAnonymous(forms.most, new Date(clock.now() - forms.days * DAY_MS).toISOString());
  });
}

/** Tidies up every ten minutes until it is closed. */
export function startJanitor(store: Store, clock: Clock, log: Log, forms: AnonymousForms): Loop {
  return startLoop({
    everyMs: EVERY_MS,
    failed: (error) => log.warn("events.not_tidied", {}, error),
    async work() {
      await tidyUp(store, clock, forms);
      return false;
    },
  });
}
