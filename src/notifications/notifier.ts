import { randomBytes } from "node:crypto";
import { afterFailure, later, signedPost } from "../events/signed-post.ts";
import { AppError } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import { startLoop, type Loop } from "../kernel/loop.ts";
import type { NotificationRecord, NotificationSettings } from "../ports/notifications.ts";
import type { EventRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import type { StoreTx } from "../ports/store.ts";
import type { Mailer } from "./mailer.ts";
import { linkOf, mailText, NOTIFIED, type Item } from "./message.ts";
import { recipientsOf, type Recipients } from "./recipients.ts";

/** What may be set from outside, for tests. */
export interface NotifierOptions {
  readonly pollMs?: number;
  readonly digestMs?: number;
  readonly backoffMs?: readonly number[];
  readonly leaseMs?: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const POLL_MS = SECOND;
/** A digest goes out this long after the first approval in it. */
const DIGEST_MS = 24 * HOUR;
/** A replica that dies with a message in hand keeps the others from it this long. */
const LEASE_MS = MINUTE;
const FAN_OUT = 200;
const AT_ONCE = 32;
const PREFIX = "svc.approval.";

/**
 * Follows the outbox. An event becomes a row for each recipient, in one transaction with how far the outbox was read;
 * rows are sent afterwards, at least once, always under the same Message-ID.
 */
export function startNotifier(
  services: Services,
  mailer: Mailer | null,
  options: NotifierOptions = {},
): Loop {
  const { store, log } = services;
  const sender = new Sender(services, mailer, options);
  const loop = startLoop({
    everyMs: options.pollMs ?? POLL_MS,
    failed: (error) => log.warn("notifications.paused", {}, error),
    async work() {
      // Without a mail server and without targets there is nothing to send, and the outbox is not read.
      if (mailer === null && (await store.read.notifications.targets()).length === 0) return false;
      const moved = await sender.fanOut();
      return (await sender.sendDue()) > 0 || moved;
    },
  });
  loop.wake();
  return {
    wake: () => loop.wake(),
    async close() {
      await loop.close();
      mailer?.close();
    },
  };
}

class Sender {
  readonly #services: Services;
  readonly #mailer: Mailer | null;
  readonly #options: NotifierOptions;

  constructor(services: Services, mailer: Mailer | null, options: NotifierOptions) {
    this.#services = services;
    this.#mailer = mailer;
    this.#options = options;
  }

  /** Turns new events into notifications. True when there may be more. */
  async fanOut(): Promise<boolean> {
    const { store } = this.#services;
    const { read } = store;
    const cursor = await read.notifications.cursor();
    const events = await read.events.after(cursor, FAN_OUT);
    const last = events.at(-1);
    if (last === undefined) return false;
    const found: { readonly event: EventRecord; readonly id: string; readonly to: Recipients }[] = [];
    for (const event of events) {
      if (!event.type.startsWith(PREFIX) || !NOTIFIED.has(event.type.slice(PREFIX.length))) continue;
      const id = event.data["id"];
      const approval = typeof id === "string" ? await read.approvals.get(id) : null;
      if (approval === null || approval.state !== "pending") continue;
      found.push({ event, id: approval.id, to: await recipientsOf(this.#services, approval, event) });
    }
    return store.transact(async (tx) => {
      // Another replica may have been faster.
      if ((await tx.notifications.cursor()) !== cursor) return true;
      for (const { event, id, to } of found) await this.#write(tx, event, id, to);
      await tx.notifications.setCursor(last.sequence);
      return events.length === FAN_OUT;
    });
  }

  async #write(tx: StoreTx, event: EventRecord, approvalId: string, to: Recipients): Promise<void> {
    const now = await tx.now();
    const base = {
      sequence: event.sequence,
      kind: event.type.slice(PREFIX.length),
      approvalId,
      state: "pending" as const,
      attempts: 0,
      nextAttemptAt: now,
      lastError: null,
      createdAt: now,
      sentAt: null,
    };
    for (const target of to.targets) {
      await tx.notifications.add({
        ...base,
        id: newId("notification"),
        channel: "webhook",
        recipient: target.id,
      });
    }
    if (this.#mailer === null) return;
    for (const personId of to.people) {
      const { mail } = await settingsOf(tx, personId);
      if (mail === "off") continue;
      const digestAt = later(now, this.#options.digestMs ?? DIGEST_MS);
      const nextAttemptAt =
        mail === "digest" ? ((await tx.notifications.nextDigestAt(personId, now)) ?? digestAt) : now;
      await tx.notifications.add({
        ...base,
        id: newId("notification"),
        channel: "email",
        recipient: personId,
        nextAttemptAt,
      });
    }
  }

  /** Sends what is due and says how much that was. Leases go by the database's clock, which all replicas share. */
  async sendDue(): Promise<number> {
    const { store, clock } = this.#services;
    if (!(await store.read.notifications.isDue(new Date(clock.now() + 5 * SECOND).toISOString()))) return 0;
    const claimed = await store.transact(async (tx) => {
      const now = await tx.now();
      return tx.notifications.claim(now, later(now, this.#options.leaseMs ?? LEASE_MS), AT_ONCE);
    });
    const mails = Map.groupBy(
      claimed.filter(({ channel }) => channel === "email"),
      ({ recipient }) => recipient,
    );
    await Promise.all([
      ...claimed.filter(({ channel }) => channel === "webhook").map((one) => this.#webhook(one)),
      ...[...mails].map(([personId, records]) => this.#mailTo(personId, records)),
    ]);
    return claimed.length;
  }

  /** Mails of a person: one for each notification, or one digest. */
  async #mailTo(personId: string, records: readonly NotificationRecord[]): Promise<void> {
    const { read } = this.#services.store;
    const person = await read.people.get(personId);
    const settings = await read.notifications.settings(personId);
    if (this.#mailer === null || person?.state !== "active" || settings === null || settings.mail === "off") {
      await this.#settle(records, () => ({ state: "dropped", nextAttemptAt: null }));
      return;
    }
    const batches = settings.mail === "digest" ? [records] : records.map((record) => [record]);
    for (const batch of batches) await this.#mail(this.#mailer, person, settings, batch);
  }

  async #mail(
    mailer: Mailer,
    person: { readonly email: string; readonly name: string },
    settings: NotificationSettings,
    records: readonly NotificationRecord[],
  ): Promise<void> {
    const waiting: { readonly record: NotificationRecord; readonly item: Item }[] = [];
    for (const record of records) {
      const item = await this.#itemOf(record);
      if (item === null) await this.#settle([record], () => ({ state: "dropped", nextAttemptAt: null }));
      else waiting.push({ record, item });
    }
    const [first] = waiting;
    if (first === undefined) return;
    const { baseUrl } = this.#services.settings;
    const unsubscribeUrl = `${baseUrl}/api/svc/unsubscribe/${settings.unsubscribeToken}`;
    const items = waiting.map(({ item }) => item);
    await this.#attempt(
      waiting.map(({ record }) => record),
      () =>
        mailer.send({
          to: person.email,
          messageId: `<${first.record.id}@${new URL(baseUrl).hostname}>`,
          ...mailText(items, person.name, baseUrl, unsubscribeUrl),
          unsubscribeUrl,
        }),
    );
  }

  async #webhook(record: NotificationRecord): Promise<void> {
    const { store, fetcher, settings, clock } = this.#services;
    const target = await store.read.notifications.target(record.recipient);
    const item = target === null ? null : await this.#itemOf(record);
    if (target === null || item === null) {
      await this.#settle([record], () => ({ state: "dropped", nextAttemptAt: null }));
      return;
    }
    const { id, dueAt, expiresAt } = item.approval;
    const link = linkOf(settings.baseUrl, id);
    const body = JSON.stringify({ type: `${PREFIX}${record.kind}`, approvalId: id, link, dueAt, expiresAt });
    await this.#attempt([record], async () => {
      const { status } = await fetcher.fetch(
        signedPost({
          url: target.url,
          secrets: [target.secret],
          id: record.id,
          at: clock.now(),
          contentType: "application/json",
          body,
        }),
      );
      if (status < 200 || status >= 300)
        throw new AppError("unavailable", `The receiver answered ${status}.`);
    });
  }

  /** The approval that a notification is about; null when it was decided since. */
  async #itemOf({ approvalId, kind }: NotificationRecord): Promise<Item | null> {
    const approval = await this.#services.store.read.approvals.get(approvalId);
    return approval?.state === "pending" ? { approval, kind } : null;
  }

  async #attempt(records: readonly NotificationRecord[], send: () => Promise<void>): Promise<void> {
    try {
      await send();
    } catch (error) {
      const reason = error instanceof AppError ? error.message : "The message was not taken.";
      this.#services.log.warn("notifications.not_sent", { attempts: records[0]?.attempts ?? 0 }, error);
      return this.#settle(records, ({ attempts }, now) =>
        afterFailure(attempts, now, reason, this.#options.backoffMs),
      );
    }
    await this.#settle(records, (_, now) => ({
      state: "sent",
      nextAttemptAt: null,
      lastError: null,
      sentAt: now,
    }));
  }

  async #settle(
    records: readonly NotificationRecord[],
    outcome: (record: NotificationRecord, now: string) => Partial<NotificationRecord>,
  ): Promise<void> {
    await this.#services.store.transact(async (tx) => {
      const now = await tx.now();
      for (const record of records) await tx.notifications.settle({ ...record, ...outcome(record, now) });
    });
  }
}

/** What a person has chosen; mail at once for those who have chosen nothing. */
export async function settingsOf(tx: StoreTx, personId: string): Promise<NotificationSettings> {
  const known = await tx.notifications.settings(personId);
  if (known !== null) return known;
  const made = {
    personId,
    mail: "immediate" as const,
    unsubscribeToken: randomBytes(32).toString("base64url"),
  };
  await tx.notifications.putSettings(made);
  return made;
}
