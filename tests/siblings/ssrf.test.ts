import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, before, describe, it } from "node:test";
import { RECEIVER_PATH } from "../../src/handoffs/receiver.ts";
import { startService, TEST_KEY, type TestService } from "../support/service.ts";
import { testPacket } from "./packets.ts";

/** Ways to write this machine's own address, or one that is only reachable from inside (SECURITY T8). */
const HOSTS = [
  "127.0.0.1",
  "2130706433",
  "0x7f.1",
  "0177.0.0.1",
  "127.1",
  "0.0.0.0",
  "[::1]",
  "[::]",
  "[::ffff:7f00:1]",
  "[64:ff9b::7f00:1]",
  "localhost",
  "localhost.",
  "LOCALHOST.",
  "user:secret@127.0.0.1",
];

describe("no request leaves for an address inside, from any caller, in any way (T8)", () => {
  let connections = 0;
  const socket = createServer((connection) => {
    connections += 1;
    connection.destroy();
  });
  let port = 0;
  let service: TestService;
  before(async () => {
    // Both families, so that a connection to either would be noticed.
    await new Promise<void>((done) => socket.listen({ port: 0, host: "::", ipv6Only: false }, done));
    const address = socket.address();
    port = address !== null && typeof address === "object" ? address.port : 0;
    service = await startService();
  });
  after(async () => {
    await service.close();
    await new Promise((done) => socket.close(done));
  });
  const nothingLeft = (): void => assert.equal(connections, 0, "a request reached the listening socket");

  it("notices who does come", async () => {
    await assert.rejects(fetch(`http://127.0.0.1:${port}/`));
    await assert.rejects(fetch(`http://[::1]:${port}/`));
    assert.equal(connections, 2);
    connections = 0;
  });

  for (const key of [false, true]) {
    const who = key ? "with a key" : "without a key";
    it(`an API description ${who}`, async () => {
      for (const host of HOSTS) {
        const serviceBaseUrl = `http://${host}:${port}`;
        for (const [tool, args] of [
          ["render_openapi_operation_form", { operationId: "list" }],
          ["render_webhook_schema_form", { eventName: "made" }],
        ] as const) {
          const { envelope, json, text } = await service.call(tool, { ...args, serviceBaseUrl }, { key });
          assert.ok(json.error !== undefined || !envelope.ok, `${tool} ${serviceBaseUrl}: ${text}`);
          assert.equal(text.includes("secret"), false);
        }
      }
      nothingLeft();
    });

    it(`a reference in a schema ${who}`, async () => {
      const references = [
        "file:///etc/passwd",
        "file:///etc/passwd#/x",
        ...HOSTS.map((host) => `http://${host}:${port}/schema.json`),
      ];
      for (const $ref of references) {
        const schema = { type: "object", properties: { a: { $ref } } };
        for (const [tool, args] of [
          ["render_json_schema_form", { schema }],
          ["render_webhook_schema_form", { schema, eventName: "made" }],
          ["validate_form_input", { schema, value: { a: 1 } }],
        ] as const) {
          const { status, text } = await service.call(tool, args, { key });
          assert.ok(status < 500, `${tool}: ${text}`);
          assert.equal(/root:.*:0:0:/.test(text), false, `${tool} read a file`);
        }
      }
      nothingLeft();
    });
  }

  it("a webhook", async () => {
    const headers = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };
    const kept: string[] = [];
    for (const host of HOSTS) {
      const answer = await service.fetch("/api/svc/webhooks", {
        method: "POST",
        headers,
        body: JSON.stringify({ url: `http://${host}:${port}/hook`, types: ["svc.artifact.*"] }),
      });
      assert.ok(answer.status < 500);
      if (answer.status < 300) kept.push(host);
    }
    await service.call("save_artifact", { artifact: { title: "Notified of" } }, { key: true });
    const { store } = service.app.services;
    // A name may be kept and is looked up when something is sent: each try must have been refused.
    for (const { id } of (await store.read.webhooks.list({ limit: 100 })).items) {
      for (let tries = 0; ; tries++) {
        const { items } = await store.read.webhooks.deliveries(id, { limit: 10 });
        if (items.length > 0 && items.every(({ lastError }) => lastError !== null)) break;
        assert.ok(tries < 2_400, `nothing was tried for one of ${kept.join(", ")}`);
        await new Promise((done) => setTimeout(done, 50));
      }
    }
    nothingLeft();
  });

  it("the addresses in a packet that was received", async () => {
    for (const host of HOSTS.filter((one) => !one.includes("@"))) {
      const traceUrl = `http://${host}:${port}/trace`;
      const packet = testPacket();
      const answer = await service.fetch(RECEIVER_PATH, {
        method: "POST",
        headers: { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" },
        body: JSON.stringify({
          ...packet,
          resultRef: traceUrl,
          trace: { ...Object(packet["trace"]), traceUrl },
        }),
      });
      assert.equal(answer.status, 202, await answer.text());
    }
    nothingLeft();
  });
});
