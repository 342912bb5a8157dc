import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { json, startApiServer, type ApiServer } from "../connections/api-server.ts";
import { rest } from "../connections/rest.ts";
import { asOperator } from "../people/support.ts";
import { startService, type TestService } from "../support/service.ts";
import { foundAt } from "../support/json.ts";
import { ask, firstOf, modern, ORDERS } from "./support.ts";

/* How an agent connects an API: itself, by a description, or through a person who enters the credential. */

let service: TestService;
let api: ApiServer;
before(async () => {
  service = await startService();
  const described = () => json({ ...ORDERS, servers: [{ url: api.url }] });
  api = await startApiServer({
    "GET /openapi.json": (request, response) => described()(request, response),
    "GET /orders": json({ orders: [] }),
  });
});
after(async () => {
  await service.close();
  await api.close();
});

it("hands to a person what it may not connect itself", async () => {
  const blocked = await ask(service, "connect", { url: `${api.url}/openapi.json`, name: "second" });
  assert.equal(blocked.data.error.code, "blocked");
  assert.match(blocked.text, /\/connections\?add=open/);
});

it("finds what a person has connected, also when its description was found below the address", async () => {
  const { data } = await asOperator(service, "POST", "/api/svc/keys", { name: "limited", scopes: ["run"] });
  const before = await ask(service, "connect", { url: api.url }, data.token);
  assert.match(before.text, /call connect again with the same arguments/);
  const body = { name: "below", kind: "openapi", url: `${api.url}/openapi.json`, allowPrivateOrigin: true };
  assert.equal((await rest(service, "POST", "", body)).status, 201);
  const after = await ask(service, "connect", { url: api.url }, data.token);
  assert.equal(after.data.connected, true, after.text);
  assert.match(after.text, /Connected as below/);
  assert.equal((await rest(service, "DELETE", "/below")).status, 200);
});

it("connects an API by its description", async () => {
  const document = JSON.stringify({ ...ORDERS, servers: [{ url: "https://orders.example.com" }] });
  const made = await ask(service, "connect", { document, name: "described" });
  assert.equal(made.isError, false, made.text);
  assert.deepEqual(made.data.tools.toSorted(), [
    "described:createOrder",
    "described:deleteOrder",
    "described:listOrders",
  ]);
  const neither = await ask(service, "connect", { name: "nothing" });
  assert.match(neither.text, /Add "url" or "document"/);
});

it("has the person connect it in the browser, so that the credential passes by the model", async () => {
  const secret = "credential-that-no-message-has-0123456789";
  const { data } = await asOperator(service, "POST", "/api/svc/keys", {
    name: "connects",
    scopes: ["run", "read-private"],
  });
  const args = { url: `${api.url}/openapi.json?by=person`, name: "mine" };
  const seen: string[] = [];
  const call = async (more: object = {}) => {
    const params = { name: "connect", arguments: args, ...more };
    const answer = await modern(service, data.token, "tools/call", params, { elicitation: { url: {} } });
    seen.push(JSON.stringify(params), JSON.stringify(answer));
    return answer.result;
  };
  const { resultType, inputRequests, requestState } = await call();
  assert.equal(resultType, "input_required");
  assert.equal(inputRequests["connection"]?.params.mode, "url");
  assert.equal(
    inputRequests["connection"]?.params.url,
    `${service.url}/connections?add=open&url=${encodeURIComponent(args.url)}`,
  );
  const answers = { requestState, inputResponses: { connection: { action: "accept" } } };
  // The person has not finished: the answer to the model has the link of the page.
  const early = await call(answers);
  assert.equal(early.isError, true);
  assert.match(firstOf(early.content).text, /\/connections\?add=open/);
  const hosts = [new URL(api.url).host];
  const kept = { name: "mine", kind: "bearer", secret, hosts };
  assert.equal((await asOperator(service, "POST", "/api/svc/credentials", kept)).status, 201);
  const made = await rest(service, "POST", "", {
    ...args,
    kind: "openapi",
    credential: "mine",
    allowPrivateOrigin: true,
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const done = await call();
  assert.equal(foundAt(done.structuredContent, "data", "connected"), true, JSON.stringify(done));
  const used = await ask(service, "call", { name: "mine:listOrders", arguments: {} }, data.token);
  assert.equal(used.isError, false, used.text);
  assert.equal(api.seen.at(-1)?.headers["authorization"], `Bearer ${secret}`);
  assert.ok(![...seen, used.text, JSON.stringify(used.data)].some((text) => text.includes(secret)));
});
