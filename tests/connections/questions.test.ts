import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { isJsonRecord, type Json } from "../../src/kernel/json.ts";
import { at, objectsAt, textAt } from "../support/json.ts";
import { startService, TEST_KEY, type TestService } from "../support/service.ts";
import { serverEntry, startEverything } from "./everything.ts";
import { rest } from "./rest.ts";

/*
 * What an MCP server asks in the middle of a call reaches the caller where the caller can be asked, in both generations
 * of the protocol on either side; where it cannot, the call is refused in words. And links to resources can be read.
 */

const EVERYTHING = serverEntry("server-everything");
const ASKS = "trigger-elicitation-request";
const CONTENT = { name: "Ada", check: true, integer: 7 };

function onlyQuestion(requests: Json | undefined): { id: string; message: string; requestedSchema: unknown } {
  assert.ok(isJsonRecord(requests));
  const [first] = Object.entries(requests);
  assert.ok(first, "one question");
  const [id, request] = first;
  return {
    id,
    message: textAt(request, "params", "message"),
    requestedSchema: at(request, "params", "requestedSchema"),
  };
}

describe("questions of MCP servers", () => {
  let service: TestService;
  /** Connected to the first one, so that there is a server of the newer revision that asks. */
  let second: TestService;
  let remote: Awaited<ReturnType<typeof startEverything>>;

  before(async () => {
    const settings = { programEnvironment: { PATH: process.env["PATH"] ?? "" } };
    service = await startService({ settings });
    second = await startService();
    remote = await startEverything();
    const add = (to: TestService, body: object) => rest(to, "POST", "", { kind: "mcp", ...body });
    const program = { name: "everything", command: process.execPath, args: [EVERYTHING, "stdio"] };
    assert.equal((await add(service, program)).status, 201);
    const added = await add(service, { name: "remote", url: remote.url, allowPrivateOrigin: true });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    await second.fetch("/api/svc/credentials", {
      method: "POST",
      headers: { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({
        name: "first",
        kind: "bearer",
        token: TEST_KEY,
        hosts: [new URL(service.url).host],
        allowHttp: true,
      }),
    });
    const chained = await add(second, {
      name: "first",
      url: `${service.url}/api/mcp`,
      allowPrivateOrigin: true,
      credential: "first",
    });
    assert.equal(chained.status, 201, JSON.stringify(chained.body));
  });
  after(async () => {
    await second.close();
    await service.close();
    remote.close();
  });

  const use = (to: TestService, connection: string, definition: string, body: object) =>
    rest(to, "POST", `/${connection}/call/${definition}`, body);
  const read = (uri: string) => rest(service, "POST", "/everything/resource", { uri });

  for (const name of ["everything", "remote"]) {
    it(`${name}: a caller that cannot be asked is refused with the question, and the next call works`, async () => {
      const refused = await use(service, name, ASKS, { arguments: {} });
      assert.equal(refused.status, 400, JSON.stringify(refused.body));
      const { error } = refused.body.data;
      assert.match(error.message, /asks something in the middle of this call/);
      assert.match(textAt(error.details["question"], "text"), /Please provide inputs/);
      assert.match(error.nextAction, /web app/);
      const { connection } = (await rest(service, "GET", `/${name}`)).body.data;
      assert.equal(connection.state, "reachable", "the server is not to blame");
      assert.equal((await use(service, name, "echo", { arguments: { message: "x" } })).body.ok, true);
    });

    it(`${name}: over REST the question is the answer, and the call goes on with what was said`, async () => {
      const asked = await use(service, name, ASKS, { arguments: {}, elicitation: true });
      assert.equal(asked.status, 202, JSON.stringify(asked.body));
      const { inputRequests, requestState, error } = asked.body.data;
      assert.equal(error.code, "input_required");
      const { id, message } = onlyQuestion(inputRequests);
      assert.match(message, new RegExp(`^${name} asks: Please provide`));
      const wrong = { [id]: { action: "accept", content: { ...CONTENT, integer: 1_000 } } };
      const again = await use(service, name, ASKS, { arguments: {}, requestState, inputResponses: wrong });
      assert.equal(again.status, 202, JSON.stringify(again.body));
      const { id: next, message: retry } = onlyQuestion(again.body.data["inputRequests"]);
      assert.match(retry, /was invalid: integer/);
      const right = { [next]: { action: "accept", content: CONTENT } };
      const done = await use(service, name, ASKS, { arguments: {}, requestState, inputResponses: right });
      assert.equal(done.status, 200, JSON.stringify(done.body));
      assert.equal(done.body.ok, true);
      assert.match(JSON.stringify(done.body.data["content"]), /Name: Ada/);
      const late = await use(service, name, ASKS, { arguments: {}, requestState, inputResponses: right });
      assert.equal(late.status, 404, "an answered call waits for nothing");
    });

    it(`${name}: a person may decline`, async () => {
      const asked = await use(service, name, ASKS, { arguments: {}, elicitation: true });
      const { inputRequests, requestState } = asked.body.data;
      const inputResponses = { [onlyQuestion(inputRequests).id]: { action: "decline" } };
      const done = await use(service, name, ASKS, { arguments: {}, requestState, inputResponses });
      assert.match(JSON.stringify(done.body.data), /declined/);
    });

    it(`${name}: an MCP client of 2025-11-25 is asked on the stream of its call`, async () => {
      const client = new Client(
        { name: "earlier", version: "1" },
        { capabilities: { elicitation: { form: {} } } },
      );
      const seen: string[] = [];
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        seen.push(params.message);
        return { action: "accept", content: CONTENT };
      });
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${service.url}/api/mcp`), {
          requestInit: { headers: { authorization: `Bearer ${TEST_KEY}` } },
        }),
      );
      try {
        const params = { name: "execute_mcp_tool", arguments: { name: `${name}:${ASKS}`, arguments: {} } };
        const result = await client.callTool(params);
        assert.match(JSON.stringify(result.structuredContent), /Name: Ada/, JSON.stringify(result));
        assert.match(seen[0] ?? "", /asks: Please provide/);
        // What it cannot show is refused.
        const url = { url: "https://example.com/consent" };
        const refused = await client.callTool({
          name: "execute_mcp_tool",
          arguments: { name: `${name}:trigger-url-elicitation`, arguments: url },
        });
        assert.match(JSON.stringify(refused.structuredContent), /this caller cannot be asked/);
      } finally {
        await client.close();
      }
    });
  }

  async function modern(to: TestService): Promise<{ client: ModernClient; seen: string[] }> {
    const client = new ModernClient(
      { name: "newer", version: "1" },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    const seen: string[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      seen.push(params.message);
      return { action: "accept", content: CONTENT };
    });
    const headers = { authorization: `Bearer ${TEST_KEY}` };
    await client.connect(new ModernTransport(new URL(`${to.url}/api/mcp`), { requestInit: { headers } }));
    return { client, seen };
  }

  it("an MCP client of 2026-07-28 gets an input_required result, and answers with its next request", async () => {
    const { client, seen } = await modern(service);
    try {
      for (const name of ["everything", "remote"]) {
        const result = await client.callTool({
          name: "execute_mcp_tool",
          arguments: { name: `${name}:${ASKS}`, arguments: {} },
        });
        assert.match(JSON.stringify(result.structuredContent), /Name: Ada/, JSON.stringify(result));
      }
      assert.equal(seen.length, 2);
    } finally {
      await client.close();
    }
  });

  it("a server of 2026-07-28 that asks is passed on the same way", async () => {
    const inner = { name: `everything:${ASKS}`, arguments: {} };
    const { client, seen } = await modern(second);
    try {
      const result = await client.callTool({
        name: "execute_mcp_tool",
        arguments: { name: "first:execute_mcp_tool", arguments: inner },
      });
      assert.match(JSON.stringify(result.structuredContent), /Name: Ada/, JSON.stringify(result));
      assert.match(seen[0] ?? "", /^first asks: everything asks: /);
    } finally {
      await client.close();
    }
    const refused = await use(second, "first", "execute_mcp_tool", { arguments: inner });
    assert.equal(refused.status, 400, JSON.stringify(refused.body));
    assert.match(refused.body.data.error.message, /cannot be asked/);
  });

  it("a task that wants input is answered too", async () => {
    const query = "simulate-research-query";
    const args = { topic: "python", ambiguous: true };
    const asked = await use(service, "everything", query, { arguments: args, elicitation: true });
    assert.equal(asked.status, 202, JSON.stringify(asked.body));
    const { inputRequests, requestState } = asked.body.data;
    const { id, requestedSchema } = onlyQuestion(inputRequests);
    assert.match(JSON.stringify(requestedSchema), /interpretation/);
    const content = { interpretation: "snake" };
    const inputResponses = { [id]: { action: "accept", content } };
    const done = await use(service, "everything", query, { arguments: args, requestState, inputResponses });
    assert.equal(done.body.ok, true, JSON.stringify(done.body));
    assert.match(JSON.stringify(done.body.data), /After receiving clarification/);
  });

  it("only the caller that was asked can answer", async () => {
    const asked = await use(service, "everything", ASKS, { arguments: {}, elicitation: true });
    const { requestState } = asked.body.data;
    const { token: key } = await service.app.keyring.create({
      name: "other",
      scopes: ["run"],
      expiresAt: null,
    });
    const other = await rest({ ...service, key }, "POST", `/everything/call/${ASKS}`, { requestState });
    assert.equal(other.status, 404, JSON.stringify(other.body));
    const stray = await service.fetch("/api/mcp", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: "question-0123456789abcdef01234567", result: {} }),
    });
    assert.equal(stray.status, 400);
    assert.match(await stray.text(), /No call here waits for this answer/);
  });

  it("a step of a workflow is refused and says what was asked", async () => {
    const nodes = [{ id: "ask", type: "tool", tool: `everything:${ASKS}`, with: {} }];
    const meta = { "svc/document": { policy: { requireApproval: "none" } } };
    const created = await service.call("create_workflow", { name: "asks", nodes }, { key: true, meta });
    const { id } = created.envelope.data.workflow;
    const started = await service.call("run_workflow", { id }, { key: true });
    const runId = started.envelope.data.run.id;
    await service.app.services.engine.waitFor(runId, 120_000, "waiting");
    const steps = await service.app.services.store.read.runs.steps(runId);
    assert.match(JSON.stringify(steps.map(({ error }) => error)), /this caller cannot be asked/);
  });

  it("a link to a resource is read from its own server, and a large one is kept as an artifact", async () => {
    const linkIn = (content: Json | undefined) =>
      textAt(
        objectsAt(content).find(({ type }) => type === "resource_link"),
        "uri",
      );
    const links = await use(service, "everything", "get-resource-links", { arguments: { count: 2 } });
    const link = linkIn(links.body.data["content"]);
    const found = await read(link);
    assert.equal(found.status, 200, JSON.stringify(found.body));
    assert.equal(found.body.data.contents[0]?.["uri"], link);
    const data = `data:application/octet-stream;base64,${randomBytes(100_000).toString("base64")}`;
    const zipped = await use(service, "everything", "gzip-file-as-resource", {
      arguments: { name: "large.gz", data, outputType: "resourceLink" },
    });
    const [kept] = (await read(linkIn(zipped.body.data["content"]))).body.data.contents;
    assert.ok(kept);
    assert.equal(kept["blob"], undefined);
    assert.equal(typeof at(kept["kept"], "artifact"), "string", JSON.stringify(kept));
    const missing = await read("demo://resource/nothing/here");
    assert.equal(missing.status, 404, JSON.stringify(missing.body));
    assert.equal((await read("not a uri")).status, 400);
    const anonymous = await rest({ ...service, key: "" }, "POST", "/everything/resource", { uri: link });
    assert.equal(anonymous.status, 401);
  });
});
