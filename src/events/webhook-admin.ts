import { randomBytes } from "node:crypto";
import { recordEntry } from "../audit/record.ts";
import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Clock } from "../ports/platform.ts";
import type { Provenance } from "../ports/provenance.ts";
import type { DeliveryRecord, WebhookRecord } from "../ports/records.ts";
import type { Page, PageRequest, Store, StoreTx } from "../ports/store.ts";
import { EVENT_TYPES } from "./catalogue.ts";
import { matchesType } from "./cloud-event.ts";

/** Which events an operator wants, and where. */
interface NewWebhook {
  readonly url: string;
  /** Names or patterns such as `svc.run.*`; `*` for everything. */
  readonly types: readonly string[];
}

/** A webhook with the secret that was just made; it is shown this once. */
interface IssuedWebhook {
  readonly webhook: WebhookRecord;
  readonly secret: string;
}

/** Everything an operator does to webhooks. */
export interface WebhookAdmin {
  /** `by` is the id of the caller. */
  create(request: NewWebhook, by?: string): Promise<IssuedWebhook>;
  list(page: PageRequest): Promise<Page<WebhookRecord>>;
  get(id: string): Promise<WebhookRecord>;
  /** A paused webhook collects its deliveries and sends them when it is resumed. */
  pause(id: string, by?: string): Promise<WebhookRecord>;
  resume(id: string, by?: string): Promise<WebhookRecord>;
  remove(id: string, by?: string): Promise<void>;
  /** A new secret; messages are signed with the old one, too, until the next rotation. */
  rotate(id: string, by?: string): Promise<IssuedWebhook>;
  deliveries(id: string, page: PageRequest, state?: DeliveryRecord["state"]): Promise<Page<DeliveryRecord>>;
  /** Queues dead letters again: one, or all of the webhook. Says how many. */
  redeliver(id: string, deliveryId?: string): Promise<number>;
}

const SYSTEM = "system";
const MAX_WEBHOOKS = 100;
const PAGE = 500;

/** Manages webhooks in the store. */
export function createWebhookAdmin(parts: {
  readonly store: Store;
  readonly clock: Clock;
  readonly provenance: Provenance;
}): WebhookAdmin {
  const { store, clock, provenance } = parts;
  const now = (): string => new Date(clock.now()).toISOString();

  async function existing(tx: StoreTx, id: string): Promise<WebhookRecord> {
    return (await tx.webhooks.get(id)) ?? missing();
  }

  function change(
    id: string,
    action: "paused" | "resumed" | "secret_rotated",
    by: string,
    how: (webhook: WebhookRecord) => WebhookRecord,
  ): Promise<WebhookRecord> {
    return store.transact(async (tx) => {
      const changed = how(await existing(tx, id));
      if (!(await tx.webhooks.update(changed))) return missing();
      await recordWebhook(tx, provenance, "updated", changed, { by, action });
      return changed;
    });
  }

  return {
    async create(request, by = SYSTEM) {
      const secret = newSecret();
      const webhook: WebhookRecord = {
        id: newId("webhook"),
        url: checkedUrl(request.url),
        types: checkedTypes(request.types),
        secrets: [secret],
        state: "active",
        createdAt: now(),
      };
      await store.transact(async (tx) => {
        const { items } = await tx.webhooks.list({ limit: MAX_WEBHOOKS });
        if (items.length >= MAX_WEBHOOKS) {
          throw new AppError("conflict", `There are ${MAX_WEBHOOKS} webhooks already.`);
        }
        // While there was no webhook nobody followed the outbox; the first one begins at its end.
        if (items.length === 0) await tx.webhooks.setCursor((await tx.events.bounds()).last);
        await tx.webhooks.insert(webhook);
        await recordWebhook(tx, provenance, "created", webhook, { by });
      });
      return { webhook, secret };
    },
    list: (page) => store.read.webhooks.list(page),
    get: async (id) => (await store.read.webhooks.get(id)) ?? missing(),
    pause: (id, by = SYSTEM) => change(id, "paused", by, (webhook) => ({ ...webhook, state: "paused" })),
    resume: (id, by = SYSTEM) => change(id, "resumed", by, (webhook) => ({ ...webhook, state: "active" })),
    remove: (id, by = SYSTEM) =>
      store.transact(async (tx) => {
        const webhook = await existing(tx, id);
        await tx.webhooks.remove(id);
        await recordWebhook(tx, provenance, "deleted", webhook, { by });
      }),
    async rotate(id, by = SYSTEM) {
      const secret = newSecret();
      const webhook = await change(id, "secret_rotated", by, (old) => ({
        ...old,
        secrets: [secret, ...old.secrets.slice(0, 1)],
      }));
      return { webhook, secret };
    },
    async deliveries(id, page, state) {
      if ((await store.read.webhooks.get(id)) === null) missing();
      return store.read.webhooks.deliveries(id, page, state);
    },
    redeliver: (id, deliveryId) =>
      store.transact(async (tx) => {
        await existing(tx, id);
        const { items } = await tx.webhooks.deliveries(id, { limit: PAGE }, "dead");
        const chosen = deliveryId === undefined ? items : items.filter((item) => item.id === deliveryId);
        if (deliveryId !== undefined && chosen.length === 0) {
          throw new AppError("not_found", "There is no dead delivery with this id.");
        }
        for (const item of chosen) {
          await tx.webhooks.putDelivery({ ...item, state: "pending", attempts: 0, nextAttemptAt: now() });
        }
        return chosen.length;
      }),
  };
}

/**
 * Who sends events where. Not an event itself: the first one of a new webhook would be about the webhook. The address may
 * hold a secret in its path or query, so only its origin is written.
 */
async function recordWebhook(
  tx: StoreTx,
  provenance: Provenance,
  change: "created" | "updated" | "deleted",
  { id, url, types, state }: WebhookRecord,
  { by, ...more }: { readonly by: string; readonly action?: string },
): Promise<void> {
  const { origin } = new URL(url);
  const detail: JsonObject = { id, name: origin, types: [...types], state, ...more };
  const [provenanceId = null] = await provenance.append(tx, [
    {
      kind: "webhook",
      subjectId: id,
      digest: digestOf({ ...detail, url, by, change }),
      privacy: "restricted",
      predicate: { ...detail, by, change },
    },
  ]);
  await recordEntry(tx, { action: `webhook.${change}`, by, subject: `webhooks/${id}`, detail, provenanceId });
}

function newSecret(): string {
  return `whsec_${randomBytes(24).toString("base64")}`;
}

function checkedUrl(text: string): string {
  const url = URL.parse(text);
  if (
    url === null ||
    (url.protocol !== "https:" && url.protocol !== "http:") ||
    url.username !== "" ||
    url.password !== ""
  ) {
    throw new AppError("invalid_input", "url must be an http or https URL without user and password.");
  }
  url.hash = "";
  return url.href;
}

function checkedTypes(types: readonly string[]): readonly string[] {
  const unknown = types.filter((pattern) => !EVENT_TYPES.some(({ type }) => matchesType([pattern], type)));
  if (types.length === 0 || unknown.length > 0) {
    throw new AppError(
      "invalid_input",
      "types must name events of this service, such as svc.run.failed or svc.run.*.",
      {
        details: { unknown, known: EVENT_TYPES.map(({ type }) => type) },
      },
    );
  }
  return [...new Set(types)];
}

function missing(): never {
  throw new AppError("not_found", "There is no webhook with this id.");
}
