import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createClient, OperationError } from "../../packages/client/client.ts";
import { objectsAt, textAt } from "../support/json.ts";
import { startService, type TestService } from "../support/service.ts";
import { json, startApiServer, type Answer, type ApiServer } from "./api-server.ts";
import { rest } from "./rest.ts";

/*
 * Servers that lie, hang, stream without end, answer with too much, redirect away or close half-way: a clear state,
 * bounded resources, nothing claimed. Every server here is a real one on this machine.
 */

const get = (operationId: string, schema?: unknown): unknown => ({
  get: {
    operationId,
    responses: {
      200: {
        description: "ok",
        ...(schema !== undefined && { content: { "application/json": { schema } } }),
      },
    },
  },
});
const post = (operationId: string): unknown => ({
  post: {
    operationId,
    requestBody: { content: { "application/json": { schema: { type: "object" } } } },
    responses: { 200: { description: "ok" } },
  },
});

const DOCUMENT = {
  openapi: "3.0.3",
  info: { title: "Bad", version: "1" },
  paths: {
    "/hang": get("hang"),
    "/endless": get("endless"),
    "/large": get("large"),
    "/away": get("away"),
    "/inside": get("inside"),
    "/half": get("half"),
    "/lies": get("lies", { type: "object", required: ["id"], properties: { id: { type: "integer" } } }),
    "/not-json": get("notJson", {}),
    "/flaky": get("flaky"),
    "/flaky-write": post("flakyWrite"),
    "/undocumented": get("undocumented"),
    "/busy": get("busy"),
  },
};

describe("servers that misbehave", () => {
  let other: ApiServer;
  let api: ApiServer;
  let service: TestService;
  let flaky = 0;
  const open = new Set<object>();
  const busy: number[] = [];

  const endless: Answer = (_request, response) => {
    open.add(response);
    response.writeHead(200, { "content-type": "application/octet-stream" });
    const chunk = Buffer.alloc(256 * 1024, 97);
    const timer = setInterval(() => response.write(chunk), 1);
    response.on("close", () => {
      open.delete(response);
      clearInterval(timer);
    });
  };

  before(async () => {
    other = await startApiServer({ "GET /secret": json({ secret: true }) });
    api = await startApiServer({
      "GET /openapi.json": json(DOCUMENT),
      "GET /hang": (_request, response) =>
        void response.writeHead(200, { "content-type": "application/json" }).write("{"),
      "GET /endless": endless,
      "GET /large": (_request, response) =>
        void response.writeHead(200, { "content-type": "text/plain" }).end(Buffer.alloc(30_000_000, 97)),
      "GET /away": (_request, response) =>
        void response.writeHead(302, { location: `${other.url}/secret` }).end(),
      "GET /inside": (_request, response) => void response.writeHead(302, { location: "/lies" }).end(),
      "GET /half": (_request, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
        response.write('{"a":');
        setTimeout(() => response.destroy(), 20);
      },
      "GET /lies": json({ id: "not a number" }),
      "GET /not-json": (_request, response) =>
        void response.writeHead(200, { "content-type": "application/json" }).end("<html>"),
      "GET /flaky": (request, response) => json({ ok: true }, ++flaky < 3 ? 503 : 200)(request, response),
      "POST /flaky-write": json({}, 503),
      "GET /undocumented": json({}, 404),
      "GET /busy": (request, response) => {
        busy.push(performance.now());
        void json({ why: "too many" }, 429, { "retry-after": "1" })(request, response);
      },
      "POST /hook": json({ fired: true }),
    });
    service = await startService();
    const added = await rest(service, "POST", "", {
      name: "bad",
      kind: "openapi",
      url: `${api.url}/openapi.json`,
      allowPrivateOrigin: true,
    });
    assert.equal(added.status, 201, JSON.stringify(added.body));
  });
  after(async () => {
    await service.close();
    await api.close();
    await other.close();
  });

  const call = (name: string, more: object = {}) =>
    rest(service, "POST", `/bad/call/${name}`, { arguments: {}, ...more });

  it("one that hangs is given up in time, and its state says so", async () => {
    const begun = Date.now();
    const answer = await call("hang", { timeoutMs: 400 });
    assert.equal(answer.status, 504, JSON.stringify(answer.body));
    assert.equal(answer.body.data.error.code, "timed_out");
    assert.ok(Date.now() - begun < 20_000);
    const { connection } = (await rest(service, "GET", "/bad")).body.data;
    assert.equal(connection.state, "failing");
    assert.match(connection.problem ?? "", /in time/);
  });

  it("one that streams without end or answers 30 MB is cut off", async () => {
    const stream = await call("endless");
    assert.equal(stream.status, 413, JSON.stringify(stream.body));
    const large = await call("large");
    assert.equal(large.body.data.error.code, "too_large");
    for (let waited = 0; open.size > 0 && waited < 1_500; waited++)
      await new Promise((done) => setTimeout(done, 20));
    assert.equal(open.size, 0, "the connection was closed");
  });

  it("a redirect to another private address is not followed, one inside is", async () => {
    const away = await call("away");
    assert.equal(away.status, 403);
    assert.equal(away.body.data.error.code, "blocked");
    assert.equal(other.seen.length, 0, "nothing reached the other server");
    assert.equal((await call("inside")).body.data.status, 200);
  });

  it("one that closes half-way has not answered", async () => {
    const answer = await call("half");
    assert.equal(answer.status, 503);
    assert.equal(answer.body.ok, false);
  });

  it("one that lies about its schema is caught", async () => {
    const lies = await call("lies");
    assert.equal(lies.body.ok, true);
    assert.deepEqual(
      objectsAt(lies.body.data["problems"]).map(({ pointer }) => pointer),
      ["/body/id"],
    );
    const broken = await call("notJson");
    assert.equal(broken.body.data.body, "<html>");
    assert.match(textAt(broken.body.data["problems"], 0, "message"), /says that it is JSON/);
    const unknown = await call("undocumented");
    assert.equal(unknown.body.ok, false);
    assert.match(textAt(unknown.body.data["problems"], 0, "message"), /does not name the status 404/);
  });

  it("reports not_sent exactly where nothing was sent", async () => {
    const gone = await startApiServer({});
    const added = await rest(service, "POST", "", {
      name: "closed",
      kind: "http",
      url: gone.url,
      document: { requests: [{ name: "ask", method: "GET", path: "/" }] },
      allowPrivateOrigin: true,
    });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    await gone.close();
    const body = { body: {}, contentType: "application/json" };
    const cases: readonly (readonly [name: string, args: unknown, key?: string])[] = [
      ["closed/call/ask", {}],
      ["bad/call/half", {}],
      ["bad/call/half", { unknown: 1 }],
      ["bad/call/half", 1],
      ["bad/call/nothing", {}],
      ["bad/call/half", {}, "no key of this service"],
      ["bad/call/hang", {}],
      ["bad/call/away", {}],
      ["bad/call/undocumented", {}],
      ["bad/call/flakyWrite", body],
      ["bad/call/flakyWrite", { ...body, contentType: "text/x-other" }],
    ];
    for (const [path, args, key] of cases) {
      const before = api.seen.length;
      const asked = { arguments: args, timeoutMs: 500 };
      const answer = await rest({ ...service, key: key ?? service.key }, "POST", `/${path}`, asked);
      const where = `${path} ${JSON.stringify(answer.body)}`;
      assert.equal(answer.body.ok, false, where);
      const isSaid = answer.body.data.error.effect === "not_sent";
      assert.equal(isSaid, api.seen.length === before, where);
    }
  });

  it("only what is safe is sent again", async () => {
    assert.equal((await call("flaky")).body.ok, true);
    assert.equal(flaky, 3);
    const before = api.seen.length;
    const write = await call("flakyWrite", { arguments: { body: {} } });
    assert.equal(write.body.ok, false);
    assert.equal(write.body.data.error.code, "outcome_unknown");
    assert.equal(api.seen.length, before + 1, "a write without a key is sent once");
  });

  it("a step is sent once an attempt, and its error has the status and Retry-After", async () => {
    const nodes = [
      { id: "ask", type: "tool", tool: "bad:busy", retry: { maxAttempts: 2, backoffMs: 1 } },
      { id: "status", type: "transform", value: { $expr: "steps.ask.error.status" } },
    ];
    const edges = [{ id: "e1", from: "ask", to: "status", port: "error" }];
    const created = await service.call("create_workflow", { name: "Busy", nodes, edges }, { key: true });
    assert.equal(created.envelope.ok, true, created.text);
    const before = api.seen.length;
    const { id } = created.envelope.data.workflow;
    const started = await service.call("run_workflow", { id }, { key: true });
    assert.equal(started.envelope.ok, true, started.text);
    const runId = started.envelope.data.run.id;
    await service.app.services.engine.waitFor(runId, 120_000);
    const steps = await service.app.services.store.read.runs.steps(runId);
    const step = (name: string) => JSON.stringify(steps.find(({ stepId }) => stepId === name));
    assert.match(step("status"), /429/);
    assert.match(step("ask"), /"retryAfterSeconds":1/);
    assert.equal(api.seen.length, before + 2, "two attempts are two requests");
    const [first = 0, second = 0] = busy.slice(-2);
    assert.ok(second - first >= 900, `the API asked for a second, not ${second - first} ms`);
  });

  it("the typed client says with which status the API answered", async () => {
    const headers = () => ({ authorization: `Bearer ${service.key}` });
    const client = createClient({ baseUrl: service.url, headers });
    const error: unknown = await client
      .call("call_definition", { connection: "bad", definition: "undocumented" })
      .catch((reason: unknown) => reason);
    assert.ok(error instanceof OperationError);
    assert.equal(error.upstreamStatus, 404, JSON.stringify(error));
  });

  it("an address that nobody called an MCP server is sent no POST", async () => {
    const before = api.seen.length;
    const url = `${api.url}/hook`;
    const { data } = (await rest(service, "POST", "/probe", { url, allowPrivateOrigin: true })).body;
    assert.equal(data.kind, "http");
    assert.match(data.nextAction ?? "", /kind: "mcp"/);
    const methods = new Set(api.seen.slice(before).map(({ method }) => method));
    assert.deepEqual([...methods], ["GET"]);
  });

  it("a test looks at the API and its credential, not only at the description", async () => {
    let status = 401;
    const shy = await startApiServer({
      "GET /openapi.json": json({ ...DOCUMENT, paths: { "/me": get("me") } }),
      "GET /me": (request, response) => json({ why: "the token is stale" }, status)(request, response),
    });
    const url = `${shy.url}/openapi.json`;
    await rest(service, "POST", "", { name: "shy", kind: "openapi", url, allowPrivateOrigin: true });
    const { test } = (await rest(service, "POST", "/shy/test")).body.data;
    assert.equal(test.state, "failing", JSON.stringify(test));
    assert.match(textAt(test.error?.details, "upstream", "text"), /the token is stale/);
    status = 200;
    assert.equal((await rest(service, "POST", "/shy/test")).body.data.test.state, "reachable");
    const leaving = new AbortController();
    const path = "/api/svc/connections/bad/call/hang";
    const headers = { authorization: `Bearer ${service.key}`, "content-type": "application/json" };
    await call("lies");
    const left = service.fetch(path, { method: "POST", headers, body: "{}", signal: leaving.signal });
    setTimeout(() => leaving.abort(), 300);
    await assert.rejects(left);
    await new Promise((done) => setTimeout(done, 300));
    assert.equal((await rest(service, "GET", "/bad")).body.data.connection.state, "reachable");
    await shy.close();
  });

  it("reports why TLS failed", async (t) => {
    const over = async (port: number): Promise<string> => {
      const url = `https://127.0.0.1:${port}/`;
      const { body } = await rest(service, "POST", "/probe", { url, allowPrivateOrigin: true });
      return JSON.stringify(body.data);
    };
    assert.match(await over(Number(new URL(api.url).port)), /does not speak TLS at this port/);
    if (spawnSync("openssl", ["version"]).status !== 0) return t.skip("the program openssl is not installed");
    const folder = mkdtempSync(join(tmpdir(), "tls-"));
    const file = (name: string): string => join(folder, name);
    const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    const subject = ["-subj", "/CN=localhost", "-keyout", file("key"), "-out", file("cert")];
    assert.equal(spawnSync("openssl", [...made, ...subject]).status, 0);
    const server = createServer({ key: readFileSync(file("key")), cert: readFileSync(file("cert")) });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    try {
      const address = server.address();
      assert.ok(typeof address === "object" && address !== null);
      assert.match(await over(address.port), /the server's certificate is signed by itself/);
    } finally {
      server.close();
      rmSync(folder, { recursive: true });
    }
  });

  it("a server that is gone leaves a state and an error", async () => {
    const gone = await startApiServer({
      "GET /openapi.json": json({ ...DOCUMENT, paths: { "/x": get("x") } }),
    });
    await rest(service, "POST", "", {
      name: "gone",
      kind: "openapi",
      url: `${gone.url}/openapi.json`,
      allowPrivateOrigin: true,
    });
    await gone.close();
    assert.equal((await rest(service, "POST", "/gone/call/x", { arguments: {} })).status, 503);
    assert.equal((await rest(service, "POST", "/gone/sync")).status, 503);
    const { connection } = (await rest(service, "GET", "/gone")).body.data;
    assert.equal(connection.state, "failing");
    const nodes = [{ id: "a", type: "tool", tool: "gone:x" }];
    const plan = await service.call("plan_workflow", { nodes, edges: [] }, { key: true });
    const [step] = plan.envelope.data.plan.steps;
    assert.deepEqual(step?.connection, { name: "gone", credential: null, reachable: "failing" }, plan.text);
  });
});
