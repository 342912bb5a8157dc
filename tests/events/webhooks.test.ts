import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { createProvenance } from "../../src/provenance/provenance.ts";
import { createWebhookAdmin, type WebhookAdmin } from "../../src/events/webhook-admin.ts";
import { startDeliverer } from "../../src/events/webhook-deliverer.ts";
import { AppError } from "../../src/kernel/errors.ts";
import type { Loop } from "../../src/kernel/loop.ts";
import type { NewEvent } from "../../src/ports/records.ts";
import type { Store } from "../../src/ports/store.ts";
import { createFetcher } from "../../src/fetch/fetcher.ts";
import { openStore } from "../../src/storage/open.ts";
import { quiet } from "../storage/store.samples.ts";
import { startService } from "../support/service.ts";

interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly event: { readonly id: string; readonly subject: string; readonly data: { readonly n: number } };
}

/** A receiver whose answers a test decides. */
class Receiver {
  readonly all: Received[] = [];
  readonly taken: Received[] = [];
  answer: (received: Received) => number = () => 204;
  readonly #server: Server = createServer((request, response) => {
    void this.#take(request).then((status) => response.writeHead(status).end());
  });

  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    assert.ok(address !== null && typeof address === "object");
    return `http://127.0.0.1:${address.port}/hook`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #take(request: IncomingMessage): Promise<number> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const received: Received = { headers, body, event: JSON.parse(body) };
    this.all.push(received);
    const status = this.answer(received);
    if (status < 300) this.taken.push(received);
    return status;
  }
}

const FAST = { backoffMs: Array.from({ length: 30 }, () => 5), pollMs: 10 };

let folder: string;
let store: Store;
let admin: WebhookAdmin;
let receiver: Receiver;
let url: string;
let deliverers: Loop[];
const fetcher = createFetcher({ trustedHosts: ["127.0.0.1"], siblings: {} });
after(() => fetcher.close());

const start = (change: Partial<Parameters<typeof startDeliverer>[0]> = {}): Loop => {
  const one = startDeliverer({
    store,
    fetcher,
    ...quiet,
    source: "https://svc.example/api/svc",
    ...FAST,
    ...change,
  });
  deliverers.push(one);
  return one;
};

const happened = (subject: string, n: number): NewEvent => ({
  type: "svc.run.failed",
  subject,
  traceparent: null,
  data: { n },
  publicData: null,
  madeIn: null,
});

async function until(done: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!(await done())) {
    assert.ok(Date.now() < deadline, "it did not happen in time");
    await sleep(10);
  }
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "workflow-ui-webhooks-"));
  store = await openStore(`sqlite:${join(folder, "w.db")}`, quiet);
  admin = createWebhookAdmin({
    store,
    clock: quiet.clock,
    provenance: createProvenance({ store, clock: quiet.clock }),
  });
  receiver = new Receiver();
  url = await receiver.start();
  deliverers = [];
});

afterEach(async () => {
  for (const one of deliverers) await one.close();
  receiver.stop();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("webhooks", () => {
  it("arrive at least once, signed and in order within a subject, though the receiver fails 30 % of the time", async () => {
    const { secret } = await admin.create({ url, types: ["svc.run.*"] });
    let seed = 12_345;
    receiver.answer = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed / 2_147_483_648 < 0.3 ? 500 : 200;
    };
    // Two deliverers, as on two replicas.
    start();
    start();
    const subjects = ["a", "b", "c", "d", "e"];
    for (let n = 0; n < 40; n++) {
      await store.transact((tx) => tx.events.append(subjects.map((subject) => happened(subject, n))));
    }
    await until(() => new Set(receiver.taken.map(({ event }) => event.id)).size === 200);
    assert.ok(receiver.all.length > 230, "some were refused and came again");
    const verifier = new Webhook(secret);
    for (const { body, headers, event } of receiver.all) {
      verifier.verify(body, headers);
      assert.equal(headers["webhook-id"], event.id);
      assert.match(headers["content-type"] ?? "", /^application\/cloudevents\+json/);
    }
    for (const subject of subjects) {
      const order = receiver.taken
        .filter(({ event }) => event.subject === subject)
        .map(({ event }) => event.data.n);
      assert.deepEqual(
        [...new Set(order)],
        Array.from({ length: 40 }, (_, n) => n),
        subject,
      );
      assert.deepEqual(
        order,
        order.toSorted((a, b) => a - b),
        "never an older one after a newer one",
      );
    }
    const [webhook] = (await admin.list({ limit: 1 })).items;
    assert.ok(webhook);
    await until(async () => (await admin.deliveries(webhook.id, { limit: 1 }, "pending")).items.length === 0);
  });

  it("are signed with both secrets while one is replaced", async () => {
    const first = await admin.create({ url, types: ["*"] });
    const second = await admin.rotate(first.webhook.id);
    start();
    await store.transact((tx) => tx.events.append([happened("a", 1)]));
    await until(() => receiver.taken.length === 1);
    const { body = "", headers = {} } = receiver.taken[0] ?? {};
    for (const { secret } of [first, second]) new Webhook(secret).verify(body, headers);
    // The standard in its own words, without the library.
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
    const expected = [second, first].map(({ secret }) => {
      const key = Buffer.from(secret.slice("whsec_".length), "base64");
      return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
    });
    assert.equal(headers["webhook-signature"], expected.join(" "));
    assert.throws(() => new Webhook("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").verify(body, headers));
    assert.throws(() => new Webhook(second.secret).verify(`${body} `, headers));
    const third = await admin.rotate(first.webhook.id);
    assert.deepEqual(third.webhook.secrets, [third.secret, second.secret]);
  });

  it("that keep failing become dead letters, let the next one pass, and can be sent again", async () => {
    const { webhook } = await admin.create({ url, types: ["*"] });
    receiver.answer = ({ event }) => (event.data.n === 1 ? 500 : 200);
    start({ backoffMs: [1, 1] });
    await store.transact((tx) => tx.events.append([happened("a", 1), happened("a", 2)]));
    await until(() => receiver.taken.length === 1);
    assert.equal(receiver.taken[0]?.event.data.n, 2);
    assert.equal(receiver.all.length, 4);
    const dead = (await admin.deliveries(webhook.id, { limit: 5 }, "dead")).items;
    assert.equal(dead.length, 1);
    assert.equal(dead[0]?.attempts, 3);
    assert.equal(dead[0]?.lastError, "The receiver answered 500.");
    receiver.answer = () => 200;
    await assert.rejects(admin.redeliver(webhook.id, "delivery_none"), isAppError("not_found"));
    assert.equal(await admin.redeliver(webhook.id), 1);
    await until(() => receiver.taken.length === 2);
  });

  it("wait while they are paused, and go out when they are resumed", async () => {
    const { webhook } = await admin.create({ url, types: ["*"] });
    await admin.pause(webhook.id);
    start();
    await store.transact((tx) => tx.events.append([happened("a", 1)]));
    await until(async () => (await admin.deliveries(webhook.id, { limit: 5 }, "pending")).items.length === 1);
    assert.equal(receiver.all.length, 0);
    await admin.resume(webhook.id);
    await until(() => receiver.taken.length === 1);
  });

  it("of a receiver that is gone for good are paused", async () => {
    const { webhook } = await admin.create({ url, types: ["*"] });
    receiver.answer = () => 410;
    start();
    await store.transact((tx) => tx.events.append([happened("a", 1)]));
    await until(async () => (await admin.get(webhook.id)).state === "paused");
    assert.equal(receiver.all.length, 1);
  });

  it("tell only of what happened since they were made, and of what was asked for", async () => {
    await store.transact((tx) => tx.events.append([happened("before", 0)]));
    await admin.create({ url, types: ["svc.run.failed"] });
    start();
    await store.transact((tx) =>
      tx.events.append([{ ...happened("other", 1), type: "svc.artifact.saved" }, happened("wanted", 2)]),
    );
    await until(() => receiver.taken.length === 1);
    assert.equal(receiver.taken[0]?.event.subject, "wanted");
    assert.equal(receiver.all.length, 1);
  });

  it("are not sent to addresses inside, unless the operator trusts them", async () => {
    const guarded = createFetcher({ trustedHosts: [], siblings: {} });
    const { webhook } = await admin.create({ url, types: ["*"] });
    start({ fetcher: guarded, backoffMs: [] });
    await store.transact((tx) => tx.events.append([happened("a", 1)]));
    await until(async () => (await admin.deliveries(webhook.id, { limit: 5 }, "dead")).items.length === 1);
    assert.equal(receiver.all.length, 0);
    await guarded.close();
  });

  it("need an address and events that exist", async () => {
    for (const bad of ["", "ftp://x/", "https://u:p@x/", "not a url"]) {
      await assert.rejects(admin.create({ url: bad, types: ["*"] }), isAppError("invalid_input"), bad);
    }
    for (const types of [[], ["svc.nothing.*"], ["svc.run.failed", "nope"]]) {
      await assert.rejects(admin.create({ url, types }), isAppError("invalid_input"));
    }
    await assert.rejects(admin.get("webhook_none"), isAppError("not_found"));
    await assert.rejects(admin.remove("webhook_none"), isAppError("not_found"));
    await assert.rejects(admin.pause("webhook_none"), isAppError("not_found"));
    await assert.rejects(admin.deliveries("webhook_none", { limit: 1 }), isAppError("not_found"));
  });
});

describe("over the wire", () => {
  it("an operator manages webhooks and keys; others may not", async () => {
    const service = await startService({ settings: { trustedHosts: ["127.0.0.1"] } });
    const send = async (method: string, path: string, body: unknown, key: string | null) => {
      const response = await service.fetch(path, {
        method,
        headers: {
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(key !== null && { authorization: `Bearer ${key}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, envelope: JSON.parse(await response.text()) };
    };
    try {
      const made = await send("POST", "/api/svc/webhooks", { url, types: ["svc.artifact.*"] }, service.key);
      assert.equal(made.status, 201);
      const { id } = made.envelope.data.webhook;
      const { secret } = made.envelope.data;
      assert.equal(made.envelope.data.webhook.secrets, undefined);
      const saved = await service.call(
        "save_artifact",
        { artifact: { title: "x", type: "note" } },
        { key: true },
      );
      assert.equal(saved.envelope.ok, true);
      await until(() => receiver.taken.length === 1);
      new Webhook(secret).verify(receiver.taken[0]?.body ?? "", receiver.taken[0]?.headers ?? {});
      const listed = await send("GET", "/api/svc/webhooks?limit=5", undefined, service.key);
      assert.ok(!JSON.stringify(listed.envelope).includes(secret));
      for (const action of ["pause", "resume", "rotate"]) {
        assert.equal(
          (await send("POST", `/api/svc/webhooks/${id}/${action}`, {}, service.key)).status,
          200,
          action,
        );
      }
      const deliveries = await send(
        "GET",
        `/api/svc/webhooks/${id}/deliveries?state=delivered`,
        undefined,
        service.key,
      );
      assert.equal(deliveries.envelope.data.deliveries.length, 1);
      assert.equal(
        (await send("POST", `/api/svc/webhooks/${id}/redeliver`, {}, service.key)).envelope.data.queued,
        0,
      );
      assert.equal((await send("GET", `/api/svc/webhooks/${id}`, undefined, service.key)).status, 200);
      assert.equal((await send("POST", `/api/svc/webhooks/${id}/remove`, {}, service.key)).status, 200);
      assert.equal((await send("GET", `/api/svc/webhooks/${id}`, undefined, service.key)).status, 404);

      const key = await send("POST", "/api/svc/keys", { name: "ci", scopes: ["run"] }, service.key);
      assert.equal(key.status, 201);
      const { token } = key.envelope.data;
      assert.equal(key.envelope.data.key.digest, undefined);
      const next = await send(
        "POST",
        `/api/svc/keys/${key.envelope.data.key.id}/rotate`,
        { graceSeconds: 60 },
        service.key,
      );
      assert.equal(next.status, 201);
      assert.equal((await send("GET", "/api/svc/keys", undefined, token)).status, 403);
      assert.equal(
        (await send("POST", `/api/svc/keys/${key.envelope.data.key.id}/revoke`, {}, service.key)).status,
        200,
      );
      assert.equal((await send("GET", "/api/svc/keys", undefined, token)).status, 401);
      const bad = [
        {},
        { name: "", scopes: ["run"] },
        { name: "x", scopes: [] },
        { name: "x", scopes: ["root"] },
        { name: "x", scopes: ["run"], expiresAt: "2020-01-01" },
      ];
      for (const body of bad)
        assert.equal((await send("POST", "/api/svc/keys", body, service.key)).status, 400);
      const paths = [
        ["GET", "/api/svc/keys"],
        ["POST", "/api/svc/keys"],
        ["POST", "/api/svc/keys/x/revoke"],
        ["POST", "/api/svc/keys/x/rotate"],
        ["GET", "/api/svc/webhooks"],
        ["POST", "/api/svc/webhooks"],
        ["POST", "/api/svc/webhooks/x/remove"],
        ["GET", "/api/svc/webhooks/x/deliveries"],
      ] as const;
      for (const [method, path] of paths) {
        const body = method === "POST" ? {} : undefined;
        assert.equal((await send(method, path, body, null)).status, 401, path);
        assert.equal((await send(method, path, body, next.envelope.data.token)).status, 403, path);
      }
    } finally {
      await service.close();
    }
  });
});

function isAppError(code: string): (error: unknown) => boolean {
  return (error) => error instanceof AppError && error.code === code;
}
