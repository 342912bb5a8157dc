import { AppError } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import { startLoop, type Loop } from "../kernel/loop.ts";
import type { Clock, Fetcher, FetchedResponse, Log } from "../ports/platform.ts";
import type { DeliveryRecord, EventRecord, WebhookRecord } from "../ports/records.ts";
import type { Store } from "../ports/store.ts";
import { cloudEvent, matchesType } from "./cloud-event.ts";
import { afterFailure, later, signedPost } from "./signed-post.ts";

/** What the deliverer works with. */
export interface DelivererParts {
  readonly store: Store;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly log: Log;
  /** The CloudEvents `source`. */
  readonly source: string;
  /** Waits between attempts; as many as there are, and then the delivery is a dead letter. */
  readonly backoffMs?: readonly number[];
  readonly pollMs?: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const POLL_MS = SECOND;
/** Events come in bursts: a look at the store for each commit would cost those who write them. */
const GATHER_MS = 25;
/** A replica that dies with a delivery in hand keeps the others from it this long. */
const LEASE_MS = MINUTE;
/** How far this machine's clock may be behind the database's without delaying a delivery. */
const SKEW_MS = 5 * SECOND;
const FAN_OUT = 200;
const AT_ONCE = 32;
/** What a kept delivery says of an answer; bodies may quote anything and are not kept. */
const GONE = 410;

/**
 * Starts to deliver. Events become deliveries in the order of the outbox; for each webhook and subject only the
 * oldest pending one is tried, so order within a subject holds, at least once, until it succeeds or is given up.
 */
export function startDeliverer(parts: DelivererParts): Loop {
  const { store, log } = parts;
  const deliveries = new Deliveries(parts);
  const loop = startLoop({
    everyMs: parts.pollMs ?? POLL_MS,
    follow: (changed) => store.onEvents(changed),
    gatherMs: GATHER_MS,
    failed: (error) => log.warn("webhooks.paused", {}, error),
    async work() {
      // Deliveries belong to webhooks: without one there is nothing to look for.
      if ((await store.read.webhooks.list({ limit: 1 })).items.length === 0) return false;
      const moved = await deliveries.fanOut();
      return (await deliveries.sendDue()) > 0 || moved;
    },
  });
  loop.wake();
  return loop;
}

class Deliveries {
  readonly #parts: DelivererParts;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
  }

  /** Turns new events into deliveries. True when there may be more. */
  async fanOut(): Promise<boolean> {
    const { store } = this.#parts;
    const at = await store.read.webhooks.cursor();
    if ((await store.read.events.bounds()).last <= at) return false;
    return store.transact(async (tx) => {
      const now = await tx.now();
      const cursor = await tx.webhooks.cursor();
      const events = await tx.events.after(cursor, FAN_OUT);
      const last = events.at(-1);
      if (last === undefined) return false;
      const { items: webhooks } = await tx.webhooks.list({ limit: FAN_OUT });
      for (const event of events) {
        for (const webhook of webhooks) {
          if (event.time < webhook.createdAt || !matchesType(webhook.types, event.type)) continue;
          await tx.webhooks.putDelivery(newDelivery(webhook, event, now));
        }
      }
      await tx.webhooks.setCursor(last.sequence);
      return events.length === FAN_OUT;
    });
  }

  /** Sends what is due and returns how much that was. Leases go by the database's clock, which all replicas share. */
  async sendDue(): Promise<number> {
    const { store, clock } = this.#parts;
    const soon = new Date(clock.now() + SKEW_MS).toISOString();
    if ((await store.read.webhooks.dueDeliveries(soon, 1)).length === 0) return 0;
    const claimed = await store.transact(async (tx) => {
      const now = await tx.now();
      return tx.webhooks.claimDeliveries(now, later(now, LEASE_MS), AT_ONCE);
    });
    await Promise.all(claimed.map((delivery) => this.#attempt(delivery)));
    return claimed.length;
  }

  async #attempt(delivery: DeliveryRecord): Promise<void> {
    const { store } = this.#parts;
    const webhook = await store.read.webhooks.get(delivery.webhookId);
    if (webhook === null) return;
    const [event] = await store.read.events.after(delivery.sequence - 1, 1);
    if (event?.sequence !== delivery.sequence) {
      await this.#settle(delivery, () => dead(delivery, "The event is no longer kept."));
      return;
    }
    let answer: FetchedResponse;
    try {
      answer = await this.#post(webhook, event);
    } catch (error) {
      const reason = error instanceof AppError ? error.message : "The request failed.";
      await this.#settle(delivery, (now) => this.#failed(delivery, now, reason));
      return;
    }
    const { status } = answer;
    if (status >= 200 && status < 300) await this.#settle(delivery, (now) => delivered(delivery, now));
    else {
      const reason = `The receiver answered ${status}.`;
      const failed = (now: string): DeliveryRecord => this.#failed(delivery, now, reason, retryAfter(answer));
      await this.#settle(delivery, failed, status === GONE ? webhook : null);
    }
  }

  #post(webhook: WebhookRecord, event: EventRecord): Promise<FetchedResponse> {
    const request = signedPost({
      url: webhook.url,
      secrets: webhook.secrets,
      id: event.id,
      at: this.#parts.clock.now(),
      contentType: "application/cloudevents+json; charset=utf-8",
      body: JSON.stringify(cloudEvent(event, this.#parts.source, "all")),
    });
    const trace = event.traceparent !== null && { traceparent: event.traceparent };
    return this.#parts.fetcher.fetch({ ...request, headers: { ...request.headers, ...trace } });
  }

  #failed(delivery: DeliveryRecord, now: string, reason: string, askedMs = 0): DeliveryRecord {
    return { ...delivery, ...afterFailure(delivery.attempts, now, reason, this.#parts.backoffMs, askedMs) };
  }

  /** Stores the result of an attempt. A receiver that answered that it is gone for good is not called again. */
  async #settle(
    attempted: DeliveryRecord,
    outcome: (now: string) => DeliveryRecord,
    gone: WebhookRecord | null = null,
  ): Promise<void> {
    const { state } = await this.#parts.store.transact(async (tx) => {
      const settled = outcome(await tx.now());
      if ((await tx.webhooks.get(attempted.webhookId)) === null) return settled;
      await tx.webhooks.putDelivery(settled);
      if (gone !== null) await tx.webhooks.update({ ...gone, state: "paused" });
      return settled;
    });
    if (state === "dead") {
      const { webhookId, attempts } = attempted;
      this.#parts.log.warn("webhooks.dead_letter", { webhookId, attempts });
    }
  }
}

function dead(delivery: DeliveryRecord, lastError: string): DeliveryRecord {
  return { ...delivery, state: "dead", nextAttemptAt: null, lastError };
}

function delivered(delivery: DeliveryRecord, now: string): DeliveryRecord {
  return { ...delivery, state: "delivered", nextAttemptAt: null, lastError: null, deliveredAt: now };
}

function newDelivery(webhook: WebhookRecord, event: EventRecord, now: string): DeliveryRecord {
  return {
    id: newId("delivery"),
    webhookId: webhook.id,
    sequence: event.sequence,
    subject: event.subject,
    state: "pending",
    attempts: 0,
    nextAttemptAt: now,
    lastError: null,
    createdAt: now,
    deliveredAt: null,
  };
}

/** `Retry-After` in seconds, within reason. */
function retryAfter(answer: FetchedResponse): number {
  const seconds = Number(answer.headers["retry-after"]);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 3_600) * SECOND : 0;
}
