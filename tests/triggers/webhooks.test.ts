import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { execFile, spawnSync } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import type { OutputOf } from "../../packages/client/client.ts";
import { isJsonObject, isObject, type JsonObject } from "../../src/kernel/json.ts";
import { checkSender } from "../../src/triggers/verifiers.ts";
import type { Refused } from "../support/answers.ts";
import { at } from "../support/json.ts";
import { startService, TEST_KEY, type TestService } from "../support/service.ts";
import { ask, create, history, publish, until, type RestAnswer } from "./support.ts";

/* The other vectors are computed here from the documented algorithm of each scheme, not with the code that checks them. */

const NOW = Date.parse("2026-05-01T12:00:00Z");
const AT = String(NOW / 1_000);
const SECRET = "an old secret of ours";
const KEY = Buffer.from("0123456789abcdef0123456789abcdef");
const hex = (key: string | Buffer, text: string): string =>
  createHmac("sha256", key).update(text).digest("hex");
const base64 = (key: string | Buffer, text: string): string =>
  createHmac("sha256", key).update(text).digest("base64");

interface Vector {
  readonly secret: string;
  readonly body: Record<string, unknown>;
  /** The headers of a genuine request at a time. */
  readonly headers: (body: string, at: string) => Record<string, string>;
}

const VECTORS: Readonly<Record<string, Vector>> = {
  "standard-webhooks": {
    secret: `whsec_${KEY.toString("base64")}`,
    body: { type: "invoice.paid", n: 1 },
    headers: (body, at) => ({
      "webhook-id": "msg_1",
      "webhook-timestamp": at,
      "webhook-signature": `v1,AAAA v1,${base64(KEY, `msg_1.${at}.${body}`)}`,
    }),
  },
  github: {
    secret: SECRET,
    body: { action: "opened" },
    headers: (body) => ({
      "x-github-delivery": "d-1",
      "x-github-event": "issues",
      "x-hub-signature-256": `sha256=${hex(SECRET, body)}`,
    }),
  },
  stripe: {
    secret: SECRET,
    body: { id: "evt_1", object: "event" },
    headers: (body, at) => ({
      "stripe-signature": `t=${at},v1=${"0".repeat(64)},v1=${hex(SECRET, `${at}.${body}`)},v0=x`,
    }),
  },
  slack: {
    secret: SECRET,
    body: { event_id: "Ev1", type: "event_callback" },
    headers: (body, at) => ({
      "x-slack-request-timestamp": at,
      "x-slack-signature": `v0=${hex(SECRET, `v0:${at}:${body}`)}`,
    }),
  },
  hmac: { secret: SECRET, body: { a: 1 }, headers: (body) => ({ "x-signature": base64(SECRET, body) }) },
  token: { secret: SECRET, body: { a: 1 }, headers: () => ({ authorization: `Bearer ${SECRET}` }) },
};

/** What the tests of Stripe's own libraries sign. */
const STRIPE_EVENT = {
  id: "evt_123",
  object: "event",
  account: "acct_123",
  api_version: "2017-05-25",
  created: 1_533_204_620,
  data: {
    object: {
      id: "ii_123",
      object: "invoiceitem",
      amount: 1_000,
      currency: "usd",
      customer: "cus_123",
      date: 1_533_204_620,
      description: "Test Invoice Item",
      discountable: false,
      invoice: "in_123",
      livemode: false,
      metadata: {},
      period: { start: 1_533_204_620, end: 1_533_204_620 },
      plan: null,
      proration: false,
      quantity: null,
      subscription: null,
    },
  },
  livemode: false,
  pending_webhooks: 1,
  request: { id: "req_123", idempotency_key: "idempotency-key-123" },
  type: "invoiceitem.created",
};

/** The examples of the schemes' own documentation; of Stripe the one in the tests of its libraries (stripe-dotnet). */
const PUBLISHED = [
  {
    verifier: "github",
    secret: "It's a Secret to Everybody",
    body: "Hello, World!",
    headers: {
      "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    },
    at: 0,
  },
  {
    verifier: "standard-webhooks",
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    body: '{"test": 2432232314}',
    headers: {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    },
    at: 1_614_265_330,
  },
  {
    verifier: "slack",
    secret: "8f742231b10e8888abcd99yyyzzz85a5",
    body: "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
    headers: {
      "x-slack-request-timestamp": "1531420618",
      "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    },
    at: 1_531_420_618,
  },
  {
    verifier: "stripe",
    secret: "webhook_secret",
    body: `${JSON.stringify(STRIPE_EVENT, null, 2)}\n`,
    headers: {
      "stripe-signature":
        "t=1533204620,v1=f0bdba6d4eacbd8ad8a3bbadd7248e633ec1477f7899c124c51b39405fa36613,v0=63f3a72374a733066c4be69ed7f8e5ac85c22c9f0a6a612ab9a025a9e4ee7eef",
    },
    at: 1_533_204_620,
  },
] as const;

it("agrees with the published examples of the schemes", () => {
  for (const { verifier, secret, body, headers, at } of PUBLISHED) {
    const check = (text: string): void =>
      checkSender({ verifier }, { headers, body: Buffer.from(text) }, secret, at * 1_000);
    check(body);
    assert.throws(() => check(`${body} `), { code: "unauthorized" }, verifier);
  }
});

describe("webhooks", () => {
  let service: TestService;
  let now = NOW;
  before(async () => {
    service = await startService({ clock: { now: () => now } });
  });
  after(() => service?.close());

  /** What a webhook answers. */
  type Received = OutputOf<"receive_webhook">["data"] & Refused;
  const send = async (
    address: string,
    body: string,
    headers: Record<string, string>,
  ): Promise<RestAnswer<Received>> => {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    });
    const envelope: Pick<RestAnswer<Received>, "ok" | "data"> = JSON.parse(await answer.text());
    return { status: answer.status, ok: envelope.ok, data: envelope.data };
  };
  const addressOf = (trigger: { readonly id: string }): string => `${service.url}/hooks/${trigger.id}`;

  for (const [verifier, { secret, body, headers }] of Object.entries(VECTORS)) {
    it(`${verifier}: takes a genuine message once, and no other`, async () => {
      const workflowId = await publish(service);
      const made = await create(service, { workflowId, kind: "webhook", verifier, secret });
      assert.match(made.trigger.address ?? "", /\/hooks\/trigger_/);
      assert.equal(made.secret, secret);
      const address = addressOf(made.trigger);
      const text = JSON.stringify(body);
      const forged = Object.fromEntries(
        Object.entries(headers(text, AT)).map(([name, value]) => [
          name,
          value.replace(/.$/, (last) => (last === "1" ? "2" : "1")),
        ]),
      );
      if (verifier === "stripe") forged["stripe-signature"] = `t=${AT},v1=${hex("another", `${AT}.${text}`)}`;
      assert.equal((await send(address, text, forged)).status, 401);
      assert.equal((await send(address, text, {})).status, 401);
      if (verifier !== "token")
        assert.equal((await send(address, `${text} `, headers(text, AT))).status, 401, "another body");
      if (["standard-webhooks", "stripe", "slack"].includes(verifier)) {
        const old = String(Number(AT) - 301);
        assert.equal((await send(address, text, headers(text, old))).status, 401, "an old message");
      }
      const first = await send(address, text, headers(text, AT));
      assert.equal(first.status, 202, JSON.stringify(first.data));
      assert.equal(first.data.duplicate, false);
      const again = await send(address, text, headers(text, AT));
      assert.equal(again.status, 202);
      assert.deepEqual(again.data, { ...first.data, duplicate: true });
      const { data } = await ask(service, "GET", `/api/svc/runs/${first.data.runId}`);
      assert.deepEqual(data.run.inputs, body);
      const fired = await history(service, made.trigger.id);
      assert.deepEqual(
        fired.map(({ state, runId }) => [state, runId]),
        [["started", first.data.runId]],
      );
    });
  }

  it("is given a new secret, which ends the one before and is shown once", async () => {
    const { trigger, secret } = await create(service, {
      workflowId: await publish(service),
      kind: "webhook",
    });
    const path = `/api/svc/triggers/${trigger.id}` as const;
    const made = await ask(service, "PATCH", path, { newSecret: true });
    assert.equal(made.status, 200, JSON.stringify(made.data));
    assert.ok(made.data.secret !== null);
    assert.notEqual(made.data.secret, secret);
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    assert.equal((await send(addressOf(trigger), "{}", bearer(secret ?? ""))).status, 401);
    const taken = await send(addressOf(trigger), "{}", bearer(made.data.secret));
    assert.equal(taken.status, 202);
    const { data } = await ask(service, "GET", path);
    assert.ok(!JSON.stringify(data).includes(made.data.secret));
    assert.equal(data.trigger.lastRunId, taken.data.runId);
    assert.equal((await ask(service, "PATCH", path, { name: "Mine" })).data.secret, null);
    const both = { newSecret: true, secret: "one of our own" };
    assert.equal((await ask(service, "PATCH", path, both)).status, 400);
  });

  it("never shows the secret again", async () => {
    const workflowId = await publish(service);
    const { trigger, secret } = await create(service, { workflowId, kind: "webhook" });
    assert.ok(secret !== null && secret.length >= 32);
    for (const path of [
      `/api/svc/triggers/${trigger.id}`,
      "/api/svc/triggers",
      "/api/svc/credentials",
      "/api/svc/audit",
    ]) {
      const answer = await service.fetch(path, { headers: { authorization: `Bearer ${TEST_KEY}` } });
      assert.equal(answer.status, 200, path);
      assert.ok(!(await answer.text()).includes(secret), path);
    }
    const { data } = await ask(service, "GET", "/api/svc/audit?action=trigger.created");
    assert.match(data.entries[0]?.subject.name ?? "", /^webhook of Triggered$/);
    const replaced = "a new secret, sixteen";
    await ask(service, "PATCH", `/api/svc/triggers/${trigger.id}`, { secret: replaced });
    assert.equal((await send(addressOf(trigger), "{}", { authorization: `Bearer ${secret}` })).status, 401);
    assert.equal((await send(addressOf(trigger), "{}", { authorization: `Bearer ${replaced}` })).status, 202);
    await ask(service, "DELETE", `/api/svc/triggers/${trigger.id}`);
    const left = await ask(service, "GET", "/api/svc/credentials");
    assert.ok(!JSON.stringify(left.data).includes(trigger.id.replace("_", "-")));
    assert.equal((await send(addressOf(trigger), "{}", { authorization: `Bearer ${replaced}` })).status, 404);
  });

  it("gives the payload to an input named payload, or its members to inputs of their names", async () => {
    const auth = { authorization: `Bearer ${SECRET}`, "x-topic": "orders" };
    const runOf = async (inputs: unknown, settings: object = {}): Promise<RestAnswer<Received>> => {
      const workflowId = await publish(service, inputs);
      const { trigger } = await create(service, { workflowId, kind: "webhook", secret: SECRET, ...settings });
      return send(addressOf(trigger), JSON.stringify({ order: 7, note: "n", fixed: "theirs" }), auth);
    };
    const inputsOf = async ({ data }: RestAnswer<Received>): Promise<JsonObject> => {
      const { run } = await service.client.call("get_workflow_run", { id: data.runId ?? "" });
      assert.ok(isJsonObject(run.inputs));
      return run.inputs;
    };
    const whole = {
      type: "object",
      properties: { payload: { type: "object" }, headers: { type: "object" } },
    };
    const { payload, headers } = await inputsOf(await runOf(whole));
    assert.ok(isObject(payload) && isObject(headers));
    assert.equal(payload["order"], 7);
    assert.equal(headers["x-topic"], "orders");
    assert.equal(headers["authorization"], undefined);
    const members = {
      type: "object",
      properties: { order: { type: "integer" }, fixed: { type: "string" } },
      additionalProperties: false,
      required: ["order"],
    };
    assert.deepEqual(await inputsOf(await runOf(members, { inputs: { fixed: "ours" } })), {
      order: 7,
      fixed: "ours",
    });
    const wrong = await runOf({ type: "object", properties: { order: { type: "string" } } });
    assert.equal(wrong.status, 400);
    assert.match(wrong.data.error.nextAction, /input named payload/);
    const schema = { type: "object", required: ["customer"] };
    assert.equal((await runOf(members, { payloadSchema: schema })).status, 400);
  });

  it("keeps a 64-bit id that a number here would change, as a text", async () => {
    const workflowId = await publish(service, { type: "object", properties: { payload: {} } });
    const { trigger } = await create(service, { workflowId, kind: "webhook", secret: SECRET });
    const body = '{"id":9007199254740993,"small":1}';
    const { data } = await send(addressOf(trigger), body, { authorization: `Bearer ${SECRET}` });
    const { run } = (await ask(service, "GET", `/api/svc/runs/${data.runId}`)).data;
    assert.deepEqual(at(run.inputs, "payload"), { id: "9007199254740993", small: 1 });
  });

  it("keeps what it could not start, and replays it", async () => {
    const workflowId = await publish(service, { type: "object", properties: { n: { type: "integer" } } });
    const { trigger } = await create(service, {
      workflowId,
      kind: "webhook",
      secret: SECRET,
      idHeader: "x-id",
    });
    const refused = await send(addressOf(trigger), '{"n":"x"}', {
      authorization: `Bearer ${SECRET}`,
      "x-id": "1",
    });
    assert.equal(refused.status, 400);
    const [failed] = await history(service, trigger.id);
    assert.equal(failed?.state, "failed");
    assert.match(failed?.reason ?? "", /\/n/);
    // The sender sends it again, as it should have been: now it has a run.
    const fixed = await send(addressOf(trigger), '{"n":1}', {
      authorization: `Bearer ${SECRET}`,
      "x-id": "1",
    });
    assert.equal(fixed.status, 202);
    const fire = `/api/svc/triggers/${trigger.id}/fire` as const;
    assert.equal(fixed.data.deliveryId, failed?.id);
    const replayed = await ask(service, "POST", fire, { firingId: failed?.id });
    assert.deepEqual(replayed.data.firing.payload, { n: 1 });
    const tried = await ask(service, "POST", fire, { payload: { n: 2 } });
    assert.equal(tried.status, 202, JSON.stringify(tried.data));
    assert.equal(tried.data.firing.state, "started");
    const again = await ask(service, "POST", fire, { firingId: tried.data.firing.id });
    assert.notEqual(again.data.firing.runId, tried.data.firing.runId);
  });

  it("replays a message with the headers that its workflow saw, and keeps no others", async () => {
    const withHeaders = {
      type: "object",
      properties: { n: { type: "integer" }, headers: { type: "object" } },
    };
    const settings = { kind: "webhook", secret: SECRET, verifier: "token", header: "x-proof" };
    const inputs = async (runId: string | null) =>
      (await ask(service, "GET", `/api/svc/runs/${runId}`)).data.run.inputs;
    const { trigger } = await create(service, {
      workflowId: await publish(service, withHeaders),
      ...settings,
    });
    const sent = { "x-proof": SECRET, "x-topic": "orders", "x-api-key": "k-123456", "x-auth": "a-123456" };
    const first = await send(addressOf(trigger), '{"n":1}', sent);
    const seen = await inputs(first.data.runId);
    assert.equal(at(seen, "headers", "x-topic"), "orders");
    for (const name of ["x-proof", "x-api-key", "x-auth"])
      assert.equal(at(seen, "headers", name), undefined, name);
    const refused = await send(addressOf(trigger), '{"n":"x"}', { ...sent, "x-topic": "refused" });
    assert.equal(refused.status, 400);
    const kept = await service.app.services.store.read.triggers.firings(trigger.id, { limit: 10 });
    for (const secret of [SECRET, "k-123456", "a-123456"]) assert.ok(!JSON.stringify(kept).includes(secret));
    const fire = `/api/svc/triggers/${trigger.id}/fire` as const;
    const again = await ask(service, "POST", fire, { firingId: first.data.deliveryId });
    assert.deepEqual(await inputs(again.data.firing.runId), seen);
    const replayed = await ask(service, "POST", fire, { firingId: again.data.firing.id });
    assert.deepEqual(await inputs(replayed.data.firing.runId), seen, "also of a replay");
    const other = await create(service, { workflowId: await publish(service), ...settings });
    await send(addressOf(other.trigger), '{"n":1}', sent);
    const [plain] = (await service.app.services.store.read.triggers.firings(other.trigger.id, { limit: 1 }))
      .items;
    assert.equal(plain?.headers, null, "a workflow that does not ask for them");
  });

  it("is made with its secret, or not at all", async () => {
    const workflowId = await publish(service);
    const event = { workflowId, kind: "event", type: "svc.run.failed", paused: true };
    for (let nth = 0; nth < 99; nth++) await create(service, event);
    const { trigger } = await create(service, { workflowId, kind: "webhook", secret: SECRET });
    const names = async () =>
      (await service.app.services.store.read.credentials.list({ limit: 500 })).items.map(({ name }) => name);
    const before = await names();
    const full = await ask(service, "POST", "/api/svc/triggers", {
      workflowId,
      kind: "webhook",
      secret: SECRET,
    });
    assert.equal(full.status, 409);
    assert.deepEqual(await names(), before);
    await ask(service, "DELETE", `/api/svc/triggers/${trigger.id}`);
    assert.equal((await names()).length, before.length - 1);
  });

  it("does not let a stranger use up the rate of the sender", async () => {
    const workflowId = await publish(service);
    const { trigger } = await create(service, { workflowId, kind: "webhook", secret: SECRET, perMinute: 3 });
    const given = async (nth: number, authorization: string): Promise<number> =>
      (await send(addressOf(trigger), JSON.stringify({ nth }), { authorization })).status;
    for (let nth = 0; nth < 10; nth++) assert.equal(await given(nth, "Bearer wrong"), 401);
    for (let nth = 0; nth < 3; nth++) assert.equal(await given(nth, `Bearer ${SECRET}`), 202);
    assert.equal(await given(3, `Bearer ${SECRET}`), 429);
  });

  it("limits size, media type and rate, and starts nothing while it is paused", async () => {
    const workflowId = await publish(service);
    const settings = { maxBytes: 20, perMinute: 4, contentTypes: ["application/json"] };
    const { trigger } = await create(service, { workflowId, kind: "webhook", secret: SECRET, ...settings });
    const auth = { authorization: `Bearer ${SECRET}` };
    const address = addressOf(trigger);
    assert.equal((await send(address, JSON.stringify({ long: "x".repeat(30) }), auth)).status, 413);
    assert.equal((await send(address, "a=1", { ...auth, "content-type": "text/csv" })).status, 415);
    assert.equal((await send(address, "{", auth)).status, 400);
    await ask(service, "PATCH", `/api/svc/triggers/${trigger.id}`, { paused: true });
    assert.equal((await send(address, "{}", auth)).status, 409);
    await ask(service, "PATCH", `/api/svc/triggers/${trigger.id}`, { paused: false });
    assert.equal((await send(address, "{}", auth)).status, 202);
    assert.equal((await send(address, '{"n":2}', auth)).status, 202);
    assert.equal((await send(address, '{"n":3}', auth)).status, 429);
    now += 60_000;
    assert.equal((await send(address, '{"n":3}', auth)).status, 202);
    assert.equal((await send(`${service.url}/hooks/trigger_none`, "{}", auth)).status, 404);
  });

  it("answers with the outputs when it is to wait", async () => {
    const workflowId = await publish(
      service,
      { type: "object" },
      [{ id: "echo", type: "transform", value: { seen: 42 } }],
      {
        outputs: { answer: { $ref: "$steps.echo.outputs#/seen" } },
      },
    );
    const { trigger } = await create(service, {
      workflowId,
      kind: "webhook",
      secret: SECRET,
      waitSeconds: 20,
    });
    const answer = await send(addressOf(trigger), "{}", { authorization: `Bearer ${SECRET}` });
    assert.equal(answer.status, 200, JSON.stringify(answer.data));
    assert.deepEqual(answer.data.outputs, { answer: 42 });
  });

  it("gives a command that works for every verifier", async (t) => {
    if (spawnSync("openssl", ["version"]).status !== 0 || spawnSync("curl", ["--version"]).status !== 0) {
      t.skip("no openssl or no curl");
      return;
    }
    // The command signs the time of the machine.
    now = Date.now();
    for (const [verifier, { secret }] of Object.entries(VECTORS)) {
      const workflowId = await publish(service, { type: "object", properties: { text: { type: "string" } } });
      const { trigger } = await create(service, { workflowId, kind: "webhook", verifier, secret });
      const { data } = await ask(service, "GET", `/api/svc/triggers/${trigger.id}/sample`);
      assert.equal(data.schemaFrom, "inputs");
      const env = { ...process.env, SECRET: secret };
      const { stdout } = await promisify(execFile)("sh", ["-c", data.curl], { env, timeout: 20_000 });
      assert.equal(JSON.parse(stdout).ok, true, `${verifier}: ${stdout}`);
      const after = await ask(service, "GET", `/api/svc/triggers/${trigger.id}/sample`);
      assert.equal(after.data.schemaFrom, "received");
      assert.deepEqual(after.data.payload, data.payload);
    }
  });

  it("answers Slack's question whether the address is ours", async () => {
    const { trigger } = await create(service, {
      workflowId: await publish(service),
      kind: "webhook",
      verifier: "slack",
      secret: SECRET,
    });
    const body = JSON.stringify({ type: "url_verification", challenge: "c1" });
    const at = String(Math.floor(now / 1_000));
    const answer = await fetch(addressOf(trigger), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-slack-request-timestamp": at,
        "x-slack-signature": `v0=${hex(SECRET, `v0:${at}:${body}`)}`,
      },
      body,
    });
    assert.equal(await answer.text(), "c1");
    await until(
      () => history(service, trigger.id),
      ({ length }) => length === 0,
    );
  });
});
