import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { Store } from "../ports/store.ts";
import { openStore } from "../storage/open.ts";
import { quiet, sampleDelivery, sampleWebhook } from "../../tests/storage/store.samples.ts";
import { tidyUp } from "./janitor.ts";

const FORMS = { most: 10, days: 7 };

describe("the janitor", () => {
  let folder: string;
  let store: Store;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "workflow-ui-janitor-"));
    store = await openStore(`sqlite:${join(folder, "j.db")}`, quiet);
    await store.transact((tx) =>
      tx.events.append(
        Array.from({ length: 20 }, (_, index) => ({
          type: "svc.run.queued",
          subject: `run_${index}`,
          traceparent: null,
          data: {},
          publicData: null,
          madeIn: null,
        })),
      ),
    );
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("keeps the newest events and drops the rest", async () => {
    await tidyUp(store, quiet.clock, FORMS, { events: 5, days: 14, refusals: 10 });
    assert.deepEqual(await store.read.events.bounds(), { first: 16, last: 20 });
    await tidyUp(store, quiet.clock, FORMS, { events: 5, days: 14, refusals: 10 });
    assert.deepEqual(await store.read.events.bounds(), { first: 16, last: 20 });
  });

  it("keeps what was not turned into deliveries yet", async () => {
    await store.transact(async (tx) => {
      await tx.webhooks.insert(sampleWebhook());
      await tx.webhooks.setCursor(7);
    });
    await tidyUp(store, quiet.clock, FORMS, { events: 5, days: 14, refusals: 10 });
    assert.deepEqual(await store.read.events.bounds(), { first: 8, last: 20 });
  });

  it("forgets old answers and what was delivered, never dead letters", async () => {
    const webhook = sampleWebhook();
    const recent = new Date().toISOString();
    await store.transact(async (tx) => {
      await tx.webhooks.insert(webhook);
      const done = { state: "delivered", nextAttemptAt: null, deliveredAt: recent } as const;
      await tx.webhooks.putDelivery(sampleDelivery(webhook.id, 1, done));
      await tx.webhooks.putDelivery(sampleDelivery(webhook.id, 2, { ...done, createdAt: recent }));
      await tx.webhooks.putDelivery(sampleDelivery(webhook.id, 3, { state: "dead", nextAttemptAt: null }));
      for (const createdAt of ["2020-01-01T00:00:00.000Z", recent]) {
        await tx.idempotency.insert({
          scope: "s",
          key: createdAt,
          requestDigest: "d",
          answer: {},
          createdAt,
        });
      }
    });
    await tidyUp(store, quiet.clock, FORMS, { events: 100, days: 14, refusals: 10 });
    const { items } = await store.read.webhooks.deliveries(webhook.id, { limit: 10 });
    assert.deepEqual(
      items.map((item) => item.sequence).toSorted((a, b) => a - b),
      [2, 3],
    );
    assert.equal(await store.read.idempotency.get("s", "2020-01-01T00:00:00.000Z"), null);
    assert.notEqual(await store.read.idempotency.get("s", recent), null);
  });
});
