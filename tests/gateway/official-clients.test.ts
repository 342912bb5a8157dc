import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { isObject } from "../../src/kernel/json.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.close());

const endpoint = (): URL => new URL(`${service.url}/api/mcp`);
const me = { name: "official-client-test", version: "1.0.0" };

/** What every client must be able to do, whatever its era. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  readResource(params: { uri: string }): Promise<{ contents: { uri: string }[] }>;
  getPrompt(params: { name: string; arguments: Record<string, string> }): Promise<{ messages: unknown[] }>;
}

async function useAsPeopleDo(client: AnyClient): Promise<void> {
  const { tools } = await client.listTools();
  assert.equal(tools.length, 91);
  assert.equal((await client.listResources()).resources.length, 29);
  const { prompts } = await client.listPrompts();
  // The client checks the structured content against the output schema it was told.
  const result = await client.callTool({ name: "test_mcp_tool", arguments: { name: "get_svc_info" } });
  assert.ok(isObject(result) && isObject(result["structuredContent"]));
  assert.equal(result["structuredContent"]["ok"], true);
  assert.equal(result["isError"], false);
  const { contents } = await client.readResource({ uri: "svc://mcp/tools" });
  assert.equal(contents[0]?.uri, "svc://mcp/tools");
  const [prompt] = service.app.services.catalog.prompts;
  assert.ok(prompt !== undefined && prompts.some(({ name }) => name === prompt.name));
  const args = Object.fromEntries(prompt.arguments.map(({ name }) => [name, "sample"]));
  assert.ok((await client.getPrompt({ name: prompt.name, arguments: args })).messages.length > 0);
  await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }));
}

describe("official MCP clients", () => {
  it("SDK v1", async () => {
    const client = new ClientV1(me);
    await client.connect(new TransportV1(endpoint()));
    assert.equal(client.getServerVersion()?.name, "workflow-ui");
    await useAsPeopleDo(client);
    await client.ping();
    await client.close();
  });

  for (const mode of ["legacy", "auto"] as const) {
    it(`SDK v2 in ${mode} mode`, async () => {
      const client = new ClientV2(me, { versionNegotiation: { mode } });
      await client.connect(new TransportV2(endpoint()));
      assert.equal(client.getServerVersion()?.name, "workflow-ui");
      assert.equal(client.getNegotiatedProtocolVersion(), mode === "auto" ? "2026-07-28" : "2025-11-25");
      await useAsPeopleDo(client);
      await client.close();
    });
  }

  it("SDK v2 calls a protected tool with the key, and is refused without", async () => {
    const headers = { authorization: `Bearer ${service.key}` };
    for (const [transport, works] of [
      [new TransportV2(endpoint(), { requestInit: { headers } }), true],
      [new TransportV2(endpoint()), false],
    ] as const) {
      const client = new ClientV2(me, { versionNegotiation: { mode: "auto" } });
      await client.connect(transport);
      const call = client.callTool({
        name: "save_artifact",
        arguments: { artifact: { title: "From a client" } },
      });
      if (works) assert.equal((await call).isError, false);
      else await assert.rejects(call);
      await client.close();
    }
  });
});

describe("MCP Inspector's command line", () => {
  const require = createRequire(import.meta.url);
  const inspector = join(
    dirname(require.resolve("@modelcontextprotocol/inspector/package.json")),
    "clients/launcher/build/index.js",
  );
  const run = promisify(execFile);

  async function inspect(...args: readonly string[]): Promise<Record<string, unknown>> {
    const target = [inspector, "--cli", `${service.url}/api/mcp`, "--transport", "http", ...args];
    const { stdout } = await run(process.execPath, target, { maxBuffer: 16 * 1024 * 1024 });
    const answer: unknown = JSON.parse(stdout);
    assert.ok(isObject(answer));
    return answer;
  }

  it("lists tools", async () => {
    const { tools } = await inspect("--method", "tools/list");
    assert.ok(Array.isArray(tools) && tools.length === 91);
  });

  it("calls a tool", async () => {
    const result = await inspect(
      "--method",
      "tools/call",
      "--tool-name",
      "test_mcp_tool",
      "--tool-arg",
      "name=get_info",
    );
    assert.equal(result["isError"], false);
  });

  it("reads a resource", async () => {
    const { contents } = await inspect("--method", "resources/read", "--uri", "svc://trust-policy");
    assert.ok(Array.isArray(contents) && contents.length === 1);
  });

  it("gets a prompt", async () => {
    const [prompt] = service.app.services.catalog.prompts;
    assert.ok(prompt);
    const args = prompt.arguments.flatMap(({ name }) => ["--prompt-args", `${name}=sample`]);
    const { messages } = await inspect("--method", "prompts/get", "--prompt-name", prompt.name, ...args);
    assert.ok(Array.isArray(messages) && messages.length > 0);
  });
});
