import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { json, startApiServer, type ApiServer } from "../connections/api-server.ts";
import { rest } from "../connections/rest.ts";
import { addMember, asOperator, makeOwner, Visitor } from "../people/support.ts";
import { at } from "../support/json.ts";
import { startService, startServiceProcess, type ServiceProcess } from "../support/service.ts";
import { ask, modern, ordersAt, until } from "./support.ts";

/* kill -9 in each state in which a client waits for a person: nothing is lost, and the call is made once. */

let folder = "";
let api: ApiServer;
let service: ServiceProcess;
let approver: Visitor;
let key = "";
let port = "0";
const ORDER = { name: "shop:createOrder", arguments: { body: { item: "tea" } } };
const URL_MODE = { elicitation: { url: {} } };
const made = (): number => api.seen.filter(({ method }) => method === "POST").length;
const databaseUrl = (): string => `sqlite:${join(folder, "test.db")}`;

async function start(): Promise<void> {
  service = await startServiceProcess({ DATABASE_URL: databaseUrl(), PORT: port });
  port = new URL(service.url).port;
  const next = new Visitor(service);
  next.cookie = approver.cookie;
  next.device = approver.device;
  approver = next;
}

async function crash(): Promise<void> {
  assert.equal(await service.stop("SIGKILL"), "SIGKILL");
  await start();
}

async function approve(id: string): Promise<void> {
  const { data } = await approver.ask("GET", `/api/svc/approvals/${id}`);
  const { shownDigest } = data.approval;
  const decided = await approver.ask("POST", `/api/svc/approvals/${id}/decide`, {
    verdict: "approved",
    shownDigest,
  });
  assert.equal(decided.status, 200, decided.text);
}
const approvalIn = (text: string): string => /approvals\?id=([\w-]+)/.exec(text)?.[1] ?? "";

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "waiting-"));
  api = await startApiServer({
    "GET /openapi.json": ordersAt(() => api.url),
    "POST /orders": json({ id: "o1" }, 201),
  });
  const first = await startService({ settings: { databaseUrl: databaseUrl() } });
  const url = `${api.url}/openapi.json`;
  const added = await rest(first, "POST", "", {
    name: "shop",
    kind: "openapi",
    url,
    allowPrivateOrigin: true,
  });
  assert.equal(added.status, 201, JSON.stringify(added.body));
  const owner = await makeOwner(first);
  approver = (await addMember(first, owner, "approver")).visitor;
  const { data } = await asOperator(first, "POST", "/api/svc/keys", {
    name: "agent",
    scopes: ["run", "read-private"],
  });
  key = data.token;
  await first.close();
  await start();
});
after(async () => {
  await service.stop();
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

it("a task that waits survives, and so does its result", async () => {
  const before = made();
  const { result } = await modern(service, key, "tools/call", { name: "call", arguments: ORDER });
  assert.equal(result.resultType, "task", JSON.stringify(result));
  await crash();
  const get = async () => (await modern(service, key, "tasks/get", { taskId: result.taskId })).result;
  const waiting = await get();
  assert.equal(waiting.status, "working", JSON.stringify(waiting));
  await approve(approvalIn(waiting.statusMessage));
  await until(get, ({ status }) => status === "completed");
  await crash();
  const done = await get();
  assert.equal(done.result.isError, false, JSON.stringify(done));
  assert.equal(at(done.result.structuredContent, "data", "result", "body", "id"), "o1");
  assert.equal(made(), before + 1);
});

it("an elicitation that waits goes on in the next process", async () => {
  const before = made();
  const call = (more: object = {}) =>
    modern(service, key, "tools/call", { name: "call", arguments: ORDER, ...more }, URL_MODE);
  const { result } = await call();
  assert.equal(result.resultType, "input_required", JSON.stringify(result));
  const [question = ""] = Object.keys(result.inputRequests);
  await crash();
  await approve(approvalIn(result.inputRequests[question]?.params.url ?? ""));
  const { requestState } = result;
  const answered = { requestState, inputResponses: { [question]: { action: "accept" } } };
  const end = await call(answered);
  assert.equal(end.result.isError, false, JSON.stringify(end));
  assert.match(JSON.stringify(end.result.structuredContent), /"o1"/);
  await crash();
  const replayed = await call(answered);
  assert.equal(replayed.error.data.code, "conflict", JSON.stringify(replayed));
  assert.equal(made(), before + 1);
});

it("a handle that waits is polled in the next process", async () => {
  const before = made();
  const held = await ask({ ...service, key }, "call", ORDER);
  assert.equal(held.data.status, "approval_required", held.text);
  await crash();
  await approve(held.data.approvalId);
  const got = await ask({ ...service, key }, "get", { kind: "run", id: held.data.runId, waitSeconds: 30 });
  assert.equal(got.data.run.status, "succeeded", got.text);
  assert.equal(made(), before + 1);
});
