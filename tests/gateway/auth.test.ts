import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { isObject } from "../../src/kernel/json.ts";
import type { Scope } from "../../src/ports/caller.ts";
import type { Tool } from "../../src/ports/operations.ts";
import { startService, TEST_KEY, type TestService } from "../support/service.ts";

let service: TestService;
let ahead = 0;
const keys: Record<string, string> = {};

before(async () => {
  service = await startService({ clock: { now: () => Date.now() + ahead } });
  const { keyring } = service.app;
  const create = async (scopes: readonly Scope[], expiresAt: string | null = null) =>
    keyring.create({ name: "matrix", scopes, expiresAt });
  const expiring = await create(["admin"], new Date(Date.now() + 60_000).toISOString());
  ahead = 120_000;
  const revoked = await create(["admin"]);
  await keyring.revoke(revoked.record.id);
  keys["expired"] = expiring.token;
  keys["revoked"] = revoked.token;
  keys["readOnly"] = (await create(["read-private"])).token;
  keys["good"] = (await create(["admin"])).token;
});
after(() => service.close());

/** Arguments that satisfy the schema as far as required members go. */
function minimal(tool: Tool): JsonObject {
  const required = tool.input.required ?? [];
  return Object.fromEntries(
    required.map((name) => {
      const schema: unknown = tool.input.properties[name];
      const type = isObject(schema) ? schema["type"] : "string";
      return [name, type === "object" ? { title: "Sample" } : type === "array" ? [] : "sample"];
    }),
  );
}

async function post(body: unknown, headers: Record<string, string>) {
  const response = await service.fetch("/api/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, json: JSON.parse(await response.text()) };
}

const request = (tool: Tool) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: tool.name, arguments: minimal(tool) },
});

describe("every tool × every kind of key × single and batch", () => {
  const credentials: Record<string, () => Record<string, string>> = {
    none: () => ({}),
    bad: () => ({ authorization: "Bearer suite_live_0000000000_wrong_wrong" }),
    nonsense: () => ({ "x-suite-api-key": "wrong" }),
    expired: () => ({ authorization: `Bearer ${keys["expired"]}` }),
    revoked: () => ({ "x-suite-api-key": keys["revoked"] ?? "" }),
    "wrong scope": () => ({ authorization: `Bearer ${keys["readOnly"]}` }),
    good: () => ({ authorization: `Bearer ${keys["good"]}` }),
    given: () => ({ "x-suite-api-key": TEST_KEY }),
  };
  for (const [kind, headers] of Object.entries(credentials)) {
    it(kind, async () => {
      const tools = service.app.services.catalog.tools;
      assert.equal(tools.length, 91);
      for (const tool of tools) {
        const single = await post(request(tool), headers());
        const batch = await post([request(tool)], headers());
        const expected = expectation(tool, kind);
        assert.equal(single.status, expected.status, `${tool.name} ${JSON.stringify(single.json)}`);
        assert.equal(single.json.error?.code, expected.code, tool.name);
        assert.equal(batch.status, 200);
        assert.equal(batch.json[0].error?.code, expected.code, tool.name);
        if (expected.status === 401) {
          assert.match(single.headers.get("www-authenticate") ?? "", /^Bearer realm="workflow-ui"/);
          assert.deepEqual(single.json.error, REFUSAL, "one identical refusal for every cause");
        }
      }
    });
  }
});

const REFUSAL = {
  code: -32001,
  message: "A valid API key is required.",
  data: {
    code: "unauthorized",
    message: "A valid API key is required.",
    nextAction: "Send the key as Authorization: Bearer <key> or X-Suite-API-Key: <key>.",
  },
};

function expectation(tool: Tool, kind: string): { status: number; code: number | undefined } {
  const served = { status: 200, code: undefined };
  const refused = { status: 401, code: -32001 };
  if (kind === "good" || kind === "given") return served;
  if (kind === "none") return tool.access === "public" ? served : refused;
  if (kind === "wrong scope") {
    return tool.access === "public" || tool.access === "read-private"
      ? served
      : { status: 403, code: -32003 };
  }
  // A key that is shown must be valid, even where none is needed: its holder believes to be known.
  return refused;
}

describe("credentials", () => {
  const info = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "get_svc_info", arguments: {} },
  };

  it("two keys that differ are a bad request, the same key twice is not", async () => {
    const both = await post(info, { authorization: `Bearer ${TEST_KEY}`, "x-suite-api-key": "another" });
    assert.deepEqual([both.status, both.json.error.data.code], [400, "invalid_request"]);
    const same = await post(info, { authorization: `Bearer ${TEST_KEY}`, "x-suite-api-key": TEST_KEY });
    assert.equal(same.status, 200);
  });

  it("other schemes are not keys", async () => {
    assert.equal((await post(info, { authorization: "Basic dXNlcjpwYXNz" })).status, 200);
    const tool = { ...info, params: { name: "delete_artifact", arguments: { id: "x" } } };
    assert.equal((await post(tool, { authorization: `Basic ${TEST_KEY}` })).status, 401);
    assert.equal((await post(tool, { authorization: TEST_KEY })).status, 401);
  });

  it("a header that names a tool gives no right to call another", async () => {
    const tool = { ...info, params: { name: "delete_artifact", arguments: { id: "x" } } };
    assert.equal((await post(tool, { "mcp-name": "get_svc_info", "mcp-method": "tools/call" })).status, 401);
  });

  it("execute_mcp_tool gives no more rights than the key has", async () => {
    const { record, token } = await service.app.keyring.create({
      name: "run only",
      scopes: ["run"],
      expiresAt: null,
    });
    assert.ok(record.id);
    const call = {
      ...info,
      params: {
        name: "execute_mcp_tool",
        arguments: { name: "update_agent_policy", arguments: { policy: {} } },
      },
    };
    const { status, json } = await post(call, { authorization: `Bearer ${token}` });
    assert.ok(status === 403 || json.result?.structuredContent?.ok === false, JSON.stringify(json));
    assert.match(JSON.stringify(json), /forbidden|scope/);
  });

  it("public methods do not ask who calls", async () => {
    for (const method of ["ping", "tools/list", "resources/list", "prompts/list"]) {
      assert.equal((await service.rpc(method, {}, { authorization: "Bearer wrong" })).status, 200);
    }
  });
});
