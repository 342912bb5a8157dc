import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { promisify } from "node:util";
import { isObject } from "../../src/kernel/json.ts";
import type { Catalog } from "../../src/ports/services.ts";

/** What every official client must be able to do, whatever its era and whatever it talks over. */
export interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  readResource(params: { uri: string }): Promise<{ contents: { uri: string }[] }>;
  getPrompt(params: { name: string; arguments: Record<string, string> }): Promise<{ messages: unknown[] }>;
}

/** Lists, calls, reads and gets as a person's host would. */
export async function useAsPeopleDo(client: AnyClient, catalog: Catalog): Promise<void> {
  assert.equal((await client.listTools()).tools.length, 91);
  assert.equal((await client.listResources()).resources.length, 29);
  const { prompts } = await client.listPrompts();
  assert.equal(prompts.length, 29);
  // The client checks the structured content against the output schema it was given.
  const result = await client.callTool({ name: "test_mcp_tool", arguments: { name: "get_svc_info" } });
  assert.ok(isObject(result) && isObject(result["structuredContent"]));
  assert.equal(result["structuredContent"]["ok"], true);
  assert.equal(result["isError"], false);
  const { contents } = await client.readResource({ uri: "svc://mcp/tools" });
  assert.equal(contents[0]?.uri, "svc://mcp/tools");
  const [prompt] = catalog.prompts;
  assert.ok(prompt !== undefined && prompts.some(({ name }) => name === prompt.name));
  const args = Object.fromEntries(prompt.arguments.map(({ name }) => [name, "sample"]));
  assert.ok((await client.getPrompt({ name: prompt.name, arguments: args })).messages.length > 0);
  await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }));
  // Wrong arguments are a result that the model sees, not an exception of the client.
  const wrong = await client.callTool({ name: "get_artifact", arguments: { idd: "x" } });
  assert.ok(isObject(wrong) && Array.isArray(wrong["content"]));
  assert.equal(wrong["isError"], true);
  const text = JSON.stringify(wrong["content"]);
  for (const part of ["invalid_arguments", "/idd", "/id", "Rename"]) assert.ok(text.includes(part), text);
  // Many at once: answers find their requests whatever the order they come in.
  const many = await Promise.all(
    Array.from({ length: 20 }, () => client.callTool({ name: "get_health", arguments: {} })),
  );
  assert.equal(many.length, 20);
}

const require = createRequire(import.meta.url);
const INSPECTOR = join(
  dirname(require.resolve("@modelcontextprotocol/inspector/package.json")),
  "clients/launcher/build/index.js",
);
const run = promisify(execFile);

/** Tests of MCP Inspector's command line against a server that is named by these arguments. */
export function testInspector(
  target: () => { readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> },
  catalog: () => Catalog,
): void {
  async function inspect(...args: readonly string[]): Promise<Record<string, unknown>> {
    const server = target();
    const { stdout } = await run(process.execPath, [INSPECTOR, "--cli", ...server.args, ...args], {
      maxBuffer: 16 * 1024 * 1024,
      env: { ...process.env, ...server.env },
    });
    const answer: unknown = JSON.parse(stdout);
    assert.ok(isObject(answer));
    return answer;
  }

  it("lists tools", async () => {
    const { tools } = await inspect("--method", "tools/list");
    assert.ok(Array.isArray(tools) && tools.length === 91);
  });

  it("calls a tool", async () => {
    const call = ["--method", "tools/call", "--tool-name", "test_mcp_tool", "--tool-arg", "name=get_info"];
    assert.equal((await inspect(...call))["isError"], false);
  });

  it("reads a resource", async () => {
    const { contents } = await inspect("--method", "resources/read", "--uri", "svc://trust-policy");
    assert.ok(Array.isArray(contents) && contents.length === 1);
  });

  it("gets a prompt", async () => {
    const [prompt] = catalog().prompts;
    assert.ok(prompt);
    const args = prompt.arguments.flatMap(({ name }) => ["--prompt-args", `${name}=sample`]);
    const { messages } = await inspect("--method", "prompts/get", "--prompt-name", prompt.name, ...args);
    assert.ok(Array.isArray(messages) && messages.length > 0);
  });
}
