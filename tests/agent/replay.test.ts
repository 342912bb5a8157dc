import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { json, startApiServer, type ApiServer } from "../connections/api-server.ts";
import { rest } from "../connections/rest.ts";
import { asOperator, PASSWORD, tokenIn, Visitor } from "../people/support.ts";
import { testPostgres } from "../support/postgres.ts";
import { startServiceProcess, TEST_KEY, type ServiceProcess } from "../support/service.ts";
import type { MethodAnswer } from "./answers.ts";
import { modern, ordersAt } from "./support.ts";

/* Two processes on one PostgreSQL database: what a client keeps for its call goes on at either of them, once. */

const URL_MODE = { elicitation: { url: {} } };
const FORM_MODE = { elicitation: { form: {} } };
let api: ApiServer;
let replicas: readonly ServiceProcess[] = [];
let approver: Visitor;
let key = "";

const at = (index: number): ServiceProcess => {
  const found = replicas[index];
  if (found === undefined) throw new Error(`no replica ${index}`);
  return found;
};
const posts = (): number => api.seen.filter(({ method }) => method === "POST").length;
const gets = (): number =>
  api.seen.filter(({ method, url }) => method === "GET" && url.startsWith("/orders")).length;

before(async () => {
  api = await startApiServer({
    "GET /openapi.json": ordersAt(() => api.url),
    "GET /orders": json({ orders: [] }),
    "POST /orders": json({ id: "o1" }, 201),
  });
  const env = { DATABASE_URL: await (await testPostgres()).createDatabase() };
  const first = await startServiceProcess(env);
  replicas = [first, await startServiceProcess(env)];
  const url = `${api.url}/openapi.json`;
  const shop = { name: "shop", kind: "openapi", url, allowPrivateOrigin: true };
  const added = await rest({ fetch: first.fetch, key: TEST_KEY }, "POST", "", shop);
  assert.equal(added.status, 201, JSON.stringify(added.body));
  const person = { email: "approver@example.com", name: "An approver", role: "approver" };
  const invited = await asOperator(first, "POST", "/api/svc/people", person);
  approver = new Visitor(first);
  const token = tokenIn(invited.data.invitation.url);
  const joined = await approver.ask("POST", "/api/svc/invitations/follow", { token, password: PASSWORD });
  assert.equal(joined.status, 201, joined.text);
  const made = await asOperator(first, "POST", "/api/svc/keys", {
    name: "agent",
    scopes: ["run", "read-private"],
  });
  key = made.data.token;
});
after(async () => {
  for (const replica of replicas) await replica.stop();
  await api?.close();
});

/** Asks at the first replica, and gives what sends the answer to a replica. */
async function asked(args: object, capabilities: typeof URL_MODE | typeof FORM_MODE, answer: object) {
  const call = (index: number, more: object = {}) =>
    modern(at(index), key, "tools/call", { name: "call", arguments: args, ...more }, capabilities);
  const { result } = await call(0);
  assert.equal(result.resultType, "input_required", JSON.stringify(result));
  const { requestState, inputRequests } = result;
  const [question = ""] = Object.keys(inputRequests);
  const inputResponses = { [question]: answer };
  return {
    request: inputRequests[question],
    send: (index: number) => call(index, { requestState, inputResponses }),
  };
}

function once(answers: readonly MethodAnswer<"tools/call">[]): void {
  const [went, ...more] = answers.filter(({ result }) => result !== undefined);
  assert.equal(more.length, 0, JSON.stringify(answers));
  assert.equal(went?.result.isError, false, JSON.stringify(answers));
  for (const { error } of answers.filter((answer) => answer.error !== undefined))
    assert.equal(error.data.code, "conflict", JSON.stringify(error));
}

it("an approved call goes on at the other replica, and a replay at either is refused", async () => {
  const args = { name: "shop:createOrder", arguments: { body: { item: "tea" } } };
  const { request, send } = await asked(args, URL_MODE, { action: "accept" });
  const id = /approvals\?id=([\w-]+)/.exec(request?.params.url ?? "")?.[1] ?? "";
  const shown = await approver.ask("GET", `/api/svc/approvals/${id}`);
  const { shownDigest } = shown.data.approval;
  const decision = { verdict: "approved", shownDigest };
  assert.equal((await approver.ask("POST", `/api/svc/approvals/${id}/decide`, decision)).status, 200);
  once([await send(1), await send(0), await send(1)]);
  assert.equal(posts(), 1);
});

it("of answers that reach both replicas at once one counts, also when one of them is killed", async () => {
  const args = { name: "shop:listOrders", ask: ["query.customer"] };
  const answer = { action: "accept", content: { "query.customer": "ada" } };
  const { send } = await asked(args, FORM_MODE, answer);
  once(await Promise.all([send(0), send(1), send(0), send(1)]));
  assert.equal(gets(), 1);
  const next = await asked(args, FORM_MODE, answer);
  once([await next.send(0)]);
  assert.equal(await at(0).stop("SIGKILL"), "SIGKILL");
  const replayed = await next.send(1);
  assert.equal(replayed.error.data.code, "conflict", JSON.stringify(replayed));
  assert.equal(gets(), 2);
});
