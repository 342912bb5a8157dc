import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, describe, it } from "node:test";
import { textAt } from "../support/json.ts";
import { startService, type TestService } from "../support/service.ts";
import { addCredential } from "../vault/support.ts";
import { json, startApiServer, type Answer, type ApiServer } from "./api-server.ts";
import { rest } from "./rest.ts";

/*
 * MCP servers that refuse, repeat secrets, hang, stream without end, answer with too much, redirect away, close half-way
 * or change their tools between list and call. They speak the protocol by hand, because no library misbehaves like this.
 */

const SECRET = "mcp-secret-4f1c9a77";
const OBJECT = { type: "object", properties: {} };
const NAMES = ["echo", "hang", "endless", "large", "away", "half", "fails"];

type Call = (name: string, response: ServerResponse, id: unknown, authorization: string) => void;

/** An MCP server on Streamable HTTP, revision 2025-11-25, without sessions. */
function mcp(tools: () => readonly string[], call: Call): Answer {
  return (request, response) => {
    const { id, method, params } = JSON.parse(request.body.toString() || "{}");
    const result = (value: unknown): void =>
      void json({ jsonrpc: "2.0", id, result: value })(request, response);
    if (id === undefined) response.writeHead(202).end();
    else if (method === "initialize") {
      result({
        protocolVersion: "2025-11-25",
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "faulty", version: "1" },
      });
    } else if (method === "tools/list")
      result({ tools: tools().map((name) => ({ name, description: name, inputSchema: OBJECT })) });
    else if (method === "tools/call")
      call(params.name, response, id, request.headers["authorization"]?.toString() ?? "");
    else void json({ jsonrpc: "2.0", id, error: { code: -32601, message: "unknown" } })(request, response);
  };
}

describe("MCP servers that misbehave", () => {
  let server: ApiServer;
  let other: ApiServer;
  let service: TestService;
  let names: readonly string[] = NAMES;
  const open = new Set<object>();
  const streams = new Set<ServerResponse>();

  const call: Call = (name, response, id, authorization) => {
    const head = { "content-type": "application/json" };
    const answer = (text: string): void =>
      void response
        .writeHead(200, head)
        .end(JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } }));
    if (name === "hang") response.writeHead(200, head).write("{");
    else if (name === "endless") {
      open.add(response);
      response.writeHead(200, { "content-type": "text/event-stream" });
      const event = `event: message\ndata: ${"x".repeat(256 * 1024)}\n`;
      const timer = setInterval(() => response.write(event), 1);
      response.on("close", () => {
        open.delete(response);
        clearInterval(timer);
      });
    } else if (name === "large") answer("x".repeat(30_000_000));
    else if (name === "away") response.writeHead(307, { location: `${other.url}/mcp` }).end();
    else if (name === "half") {
      response.writeHead(200, { ...head, "content-length": "1000" }).write('{"jsonrpc":');
      setTimeout(() => response.destroy(), 20);
    } else if (name === "fails") {
      const message = `token ${authorization} is not allowed to do this`;
      response
        .writeHead(200, head)
        .end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message } }));
    } else if (names.includes(name)) answer(`${name} ${authorization}`);
    else {
      const error = { code: -32602, message: `Unknown tool: ${name}` };
      response.writeHead(200, head).end(JSON.stringify({ jsonrpc: "2.0", id, error }));
    }
  };

  before(async () => {
    other = await startApiServer({ "POST /mcp": json({ secret: true }) });
    const guarded: Answer = (request, response) =>
      request.headers["authorization"] === `Bearer ${SECRET}`
        ? mcp(() => names, call)(request, response)
        : void response
            .writeHead(401, {
              "www-authenticate": `Bearer resource_metadata="${server.url}/.well-known/oauth-protected-resource"`,
            })
            .end("{}");
    server = await startApiServer({
      "POST /open": mcp(() => names, call),
      "POST /talks": mcp(() => names, call),
      "GET /talks": (_request, response) => {
        streams.add(response.writeHead(200, { "content-type": "text/event-stream" }));
        response.flushHeaders();
      },
      "POST /mcp": guarded,
      "GET /plain/things": json({ error: "no" }, 401, { "www-authenticate": 'Basic realm="x"' }),
    });
    service = await startService();
    const added = await rest(service, "POST", "", {
      name: "faulty",
      kind: "mcp",
      url: `${server.url}/open`,
      allowPrivateOrigin: true,
    });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    const host = new URL(server.url).host;
    for (const [name, token] of [
      ["right", SECRET],
      ["wrong", "wrong-token-77aa"],
    ] as const)
      await addCredential(service, { name, kind: "bearer", token, hosts: [host], allowHttp: true });
  });
  after(async () => {
    await service.close();
    await server.close();
    await other.close();
  });

  const use = (name: string, more: object = {}) =>
    rest(service, "POST", `/faulty/call/${name}`, { arguments: {}, ...more });

  it("one that hangs is given up in time, and its state says so", async () => {
    const answer = await use("hang", { timeoutMs: 400 });
    assert.equal(answer.status, 502, JSON.stringify(answer.body));
    assert.equal(answer.body.data.error.code, "outcome_unknown", "the tool may have acted before it hung");
    assert.equal((await rest(service, "GET", "/faulty")).body.data.connection.state, "failing");
    assert.equal((await use("echo")).body.ok, true, "and it is used again when it answers");
  });

  it("one that streams without end or answers 30 MB is cut off", async () => {
    const stream = await use("endless");
    assert.equal(stream.body.data.error.details.reason, "too_large", JSON.stringify(stream.body));
    const large = await use("large");
    assert.equal(large.body.data.error.details.reason, "too_large", JSON.stringify(large.body).slice(0, 300));
    for (let waited = 0; open.size > 0 && waited < 1_500; waited++)
      await new Promise((done) => setTimeout(done, 20));
    assert.equal(open.size, 0, "the connection was closed");
  });

  it("a redirect to another private address is not followed", async () => {
    const away = await use("away");
    assert.equal(away.body.ok, false);
    assert.match(away.body.data.error.message, /a redirect, which is not followed/);
    assert.equal(away.body.data.error.code, "outcome_unknown", "a redirect may follow what was done");
    assert.equal(other.seen.length, 0, "nothing reached the other server");
  });

  it("one that closes half-way has not answered", async () => {
    const half = await use("half");
    assert.equal(half.body.data.error.code, "outcome_unknown", JSON.stringify(half.body));
  });

  it("a tool that was renamed between list and call fails with the server's words, and waits after a sync", async () => {
    names = [...NAMES.filter((name) => name !== "echo"), "shout"];
    try {
      const gone = await use("echo");
      assert.equal(gone.body.ok, false);
      assert.match(gone.body.data.error.upstream.text, /Unknown tool: echo/);
      const tested = await rest(service, "POST", "/faulty/test");
      assert.equal(tested.status, 200, JSON.stringify(tested.body));
      assert.deepEqual(tested.body.data.test.drift, { added: ["shout"], changed: [], removed: ["echo"] });
      const synced = await rest(service, "POST", "/faulty/sync");
      assert.deepEqual(synced.body.data.added, ["faulty:shout"]);
      const refused = await use("shout");
      assert.equal(refused.status, 403);
      assert.match(refused.body.data.error.message, /waits for an admin/);
    } finally {
      names = NAMES;
      await rest(service, "POST", "/faulty/sync");
    }
    assert.equal((await use("echo")).body.ok, true);
  });

  it("one that says over HTTP that its list changed is read again, and what is new waits", async () => {
    const url = `${server.url}/talks`;
    await rest(service, "POST", "", { name: "talks", kind: "mcp", url, allowPrivateOrigin: true });
    const used = await rest(service, "POST", "/talks/call/echo", { arguments: {} });
    assert.equal(used.status, 200, JSON.stringify(used.body));
    const within = async (what: () => boolean | Promise<boolean>): Promise<void> => {
      for (let waited = 0; !(await what()); waited++) {
        assert.ok(waited < 300, "it did not happen within 15 s");
        await new Promise((done) => setTimeout(done, 50));
      }
    };
    await within(() => streams.size > 0);
    names = [...NAMES, "fresh"];
    const note = JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    for (const stream of streams) stream.write(`event: message\ndata: ${note}\n\n`);
    await within(async () => {
      const { definitions } = (await rest(service, "GET", "/talks/definitions")).body.data;
      const fresh = definitions.find(({ name }: { name: string }) => name === "fresh");
      return fresh?.state === "quarantined";
    });
    names = NAMES;
  });

  it("one that wants credentials is called so, with their kind, and nothing is stored", async () => {
    const url = `${server.url}/mcp`;
    const added = await rest(service, "POST", "", {
      name: "closed",
      kind: "mcp",
      url,
      allowPrivateOrigin: true,
    });
    assert.equal(added.status, 409, JSON.stringify(added.body));
    const { error } = added.body.data;
    assert.match(error.message, /answered 401: it wants credentials \(OAuth 2.1/);
    assert.match(error.nextAction, /credential of kind oauth2/);
    assert.equal((await rest(service, "GET", "/closed")).status, 404);
    const probed = (await rest(service, "POST", "/probe", { url, allowPrivateOrigin: true })).body.data;
    assert.equal(probed.kind, "mcp");
    assert.equal(probed.needsCredential, true);
    assert.equal(probed.wants, "oauth2");
    const wrong = { name: "closed", kind: "mcp", url, allowPrivateOrigin: true, credential: "wrong" };
    const refused = (await rest(service, "POST", "", wrong)).body.data.error;
    assert.match(refused.message, /it refuses the credential "wrong"/);
  });

  it("what an error repeats of the credential is masked, and the state says when it is refused", async () => {
    const added = await rest(service, "POST", "", {
      name: "guarded",
      kind: "mcp",
      url: `${server.url}/mcp`,
      allowPrivateOrigin: true,
      credential: "right",
    });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    const fails = await rest(service, "POST", "/guarded/call/fails", { arguments: {} });
    assert.equal(fails.body.ok, false);
    assert.match(fails.body.data.error.upstream.text, /\[credential\] is not allowed/);
    const echo = await rest(service, "POST", "/guarded/call/echo", { arguments: {} });
    assert.match(textAt(echo.body.data["content"], 0, "text"), /\[credential\]/);
    const history = await rest(service, "GET", "/guarded/definitions/fails/calls");
    assert.ok(![fails, echo, history].some(({ body }) => JSON.stringify(body).includes(SECRET)));
    await rest(service, "PATCH", "/guarded", { credential: "wrong" });
    const refused = await rest(service, "POST", "/guarded/call/echo", { arguments: {} });
    assert.equal(refused.status, 409, JSON.stringify(refused.body));
    assert.equal(refused.body.data.error.details.wants, "oauth2");
    const { connection } = (await rest(service, "GET", "/guarded")).body.data;
    assert.equal(connection.state, "failing");
    assert.match(connection.problem ?? "", /refuses the credential/);
  });

  it("a 401 is not asked again with a secret that cannot be renewed", async () => {
    const document = { requests: [{ name: "things", method: "GET", path: "/things" }] };
    const base = { name: "plain", kind: "http", url: `${server.url}/plain`, allowPrivateOrigin: true };
    await rest(service, "POST", "", { ...base, document, credential: "right" });
    const before_ = server.seen.length;
    const answer = await rest(service, "POST", "/plain/call/things", { arguments: {} });
    assert.equal(answer.body.data.error.code, "upstream_refused", JSON.stringify(answer.body));
    assert.equal(server.seen.length - before_, 1);
  });

  it("a test tells whether a connection works, leaves an event and needs the scope run", async () => {
    const good = (await rest(service, "POST", "/faulty/test")).body.data.test;
    assert.equal(good.state, "reachable");
    assert.equal(good.checked, "tools/list");
    assert.deepEqual(good.drift, { added: [], changed: [], removed: [] });
    const bad = await rest(service, "POST", "/guarded/test");
    assert.equal(bad.status, 200);
    assert.equal(bad.body.data.test.state, "failing");
    assert.match(bad.body.data.test.problem ?? "", /refuses the credential/);
    const plain = (await rest(service, "POST", "/plain/test")).body.data.test;
    assert.equal(plain.state, "failing", "its own operation refuses the credential");
    assert.match(plain.problem ?? "", /answered 401: it refuses the credential/);
    assert.equal((await rest(service, "POST", "/nothing/test")).status, 404);
    const events = await service.app.services.store.read.events.after(0, 500);
    assert.ok(events.filter(({ type }) => type === "svc.connection.tested").length >= 3);
  });
});
