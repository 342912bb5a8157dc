import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as TransportV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { isObject } from "../../src/kernel/json.ts";
import type { Catalog } from "../../src/ports/services.ts";
import { testInspector, useAsPeopleDo } from "../support/official-clients.ts";
import { startCliWorld, SUITECTL, type CliWorld } from "./support.ts";

let world: CliWorld;
before(async () => {
  world = await startCliWorld();
});
after(() => world.close());

const me = { name: "stdio-test", version: "1.0.0" };
const parameters = (key = false): { command: string; args: string[]; env: Record<string, string> } => ({
  command: process.execPath,
  args: [SUITECTL, "mcp"],
  env: { ...world.env, ...(key && { SUITE_API_KEY: world.service.key }) },
});

const catalog = (): Catalog => world.service.app.services.catalog;

describe("the stdio bridge with the official clients", () => {
  it("SDK v1", async () => {
    const client = new ClientV1(me);
    await client.connect(new TransportV1(parameters()));
    assert.equal(client.getServerVersion()?.name, "workflow-ui");
    await useAsPeopleDo(client, catalog());
    await client.ping();
    await client.close();
  });

  for (const mode of ["legacy", "auto"] as const) {
    it(`SDK v2 in ${mode} mode`, async () => {
      const client = new ClientV2(me, { versionNegotiation: { mode } });
      await client.connect(new TransportV2(parameters()));
      assert.equal(client.getServerVersion()?.name, "workflow-ui");
      assert.equal(client.getNegotiatedProtocolVersion(), mode === "auto" ? "2026-07-28" : "2025-11-25");
      await useAsPeopleDo(client, catalog());
      await client.close();
    });
  }

  it("calls a protected tool with the key of the environment, and is refused without", async () => {
    for (const key of [true, false]) {
      const client = new ClientV2(me, { versionNegotiation: { mode: "auto" } });
      await client.connect(new TransportV2(parameters(key)));
      const call = client.callTool({
        name: "save_artifact",
        arguments: { artifact: { title: "Over stdio" } },
      });
      if (key) assert.equal((await call).isError, false);
      else await assert.rejects(call);
      await client.close();
    }
  });
});

describe("the stdio bridge with MCP Inspector's command line", () => {
  // Hosts pass on a few variables only; the rest goes into their configuration, or -e here.
  testInspector(
    () => ({
      args: ["-e", `SUITE_URL=${world.service.url}`, process.execPath, SUITECTL, "mcp"],
      env: world.env,
    }),
    catalog,
  );
});

describe("the stdio bridge, message by message", () => {
  /** Sends lines, closes the input, and gives what came back. */
  async function exchange(
    lines: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<readonly unknown[]> {
    const child = spawn(process.execPath, [SUITECTL, "mcp"], {
      env: { ...world.env, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const answers: unknown[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => answers.push(JSON.parse(line)));
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    child.stdin.end(`${lines.join("\n")}\n`);
    assert.equal(await ended, 0);
    return answers;
  }

  it("answers requests and batches, keeps silent on notifications, and reports what is no JSON", async () => {
    const answers = await exchange([
      '{"jsonrpc":"2.0","id":"a","method":"ping"}',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]',
      "{not json",
      "",
    ]);
    const text = answers.map((answer) => JSON.stringify(answer));
    assert.equal(answers.length, 3, text.join("\n"));
    assert.ok(text.includes('{"jsonrpc":"2.0","id":"a","result":{}}'));
    assert.ok(text.some((line) => line.startsWith('[{"jsonrpc":"2.0","id":1,')));
    assert.ok(text.some((line) => line.includes("-32700")));
  });

  it("a service that is not there, and a key that is not valid, are errors of the request", async () => {
    const lines = [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"save_artifact","arguments":{"artifact":{"title":"x"}}}}',
    ];
    const [gone] = await exchange(lines, { SUITE_URL: "http://127.0.0.1:9" });
    assert.ok(isObject(gone) && isObject(gone["error"]));
    assert.match(String(gone["error"]["message"]), /cannot be reached/);
    const [refused] = await exchange(lines, { SUITE_API_KEY: "not-a-valid-key-0123456789" });
    assert.ok(isObject(refused) && isObject(refused["error"]));
    assert.equal(refused["error"]["code"], -32_001);
    assert.ok(!JSON.stringify(refused).includes("not-a-valid-key"));
  });
});
