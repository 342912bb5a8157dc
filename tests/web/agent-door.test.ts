import assert from "node:assert/strict";
import { it } from "node:test";
import { modern, ORDERS, TASKS, until } from "../agent/support.ts";
import { startApiServer, type ApiServer } from "../connections/api-server.ts";
import { rest } from "../connections/rest.ts";
import { asOperator, makeOwner } from "../people/support.ts";
import { at } from "../support/json.ts";
import { signIn, startWeb } from "./setup.ts";

const SECRET = "api-secret-that-no-model-sees-0123456789";
const web = startWeb();

it("an agent finds a tool behind a credential, is asked, and gets the result when a person approves", async () => {
  const { service } = web;
  const api: ApiServer = await startApiServer({
    "GET /openapi.json": (_request, response) =>
      void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ ...ORDERS, servers: [{ url: api.url }] })),
    "POST /orders": ({ headers }, response) => {
      const knows = headers["authorization"] === `Bearer ${SECRET}`;
      response.writeHead(knows ? 201 : 401, { "content-type": "application/json" }).end('{"id":"o1"}');
    },
  });
  const owner = await makeOwner(service);
  const key = (
    await asOperator(service, "POST", "/api/svc/keys", { name: "agent", scopes: ["run", "read-private"] })
  ).data.token;
  const seen: string[] = [];
  const ask = async <M extends string>(method: M, params: Readonly<Record<string, unknown>>) => {
    const answer = await modern(service, key, method, params, TASKS);
    seen.push(JSON.stringify(answer));
    return answer.result;
  };
  const tool = (name: string, args: object) => ask("tools/call", { name, arguments: args });
  const address = `${api.url}/openapi.json`;

  // The agent may not connect it; the link opens the page with the address filled in.
  const refused = await tool("connect", { url: address, name: "shop" });
  const link = /\/connections\?add=open&url=\S+/.exec(refused.content[0]?.text ?? "")?.[0] ?? "";
  const { page, faults, close } = await web.open();
  await signIn(page, link, owner.email);
  await page.waitForURL(/\/connections/);
  await page.getByText(address, { exact: true }).waitFor();
  await page.getByRole("button", { name: "Check address" }).waitFor();
  const credential = {
    name: "shop",
    kind: "bearer",
    secret: SECRET,
    hosts: [new URL(api.url).host],
  };
  const kept = await asOperator(service, "POST", "/api/svc/credentials", credential);
  assert.equal(kept.status, 201, kept.text);
  const added = await rest(service, "POST", "", {
    name: "shop",
    kind: "openapi",
    url: address,
    credential: "shop",
    allowPrivateOrigin: true,
  });
  assert.equal(added.status, 201, JSON.stringify(added.body));

  const found = await tool("find", { query: "create an order" });
  assert.equal(at(found.structuredContent, "data", "hits", 0, "name"), "shop:createOrder");
  const task = await tool("call", { name: "shop:createOrder", arguments: { body: { item: "tea" } } });
  assert.equal(task.resultType, "task", JSON.stringify(task));
  const { statusMessage } = await ask("tasks/get", { taskId: task.taskId });
  await page.goto(/\/approvals\?id=\S+/.exec(statusMessage)?.[0] ?? "");
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  const done = await until(
    () => ask("tasks/get", { taskId: task.taskId }),
    ({ status }) => status === "completed",
  );
  const { structuredContent } = done.result;
  assert.equal(at(structuredContent, "data", "result", "body", "id"), "o1", JSON.stringify(done));
  assert.ok(!seen.join().includes(SECRET));
  await close();
  await api.close();
  assert.deepEqual(faults, []);
});
