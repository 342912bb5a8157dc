import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { isJsonRecord } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../support/json.ts";
import { startService, TEST_KEY, type TestService } from "../support/service.ts";
import { serverEntry, startEverything } from "./everything.ts";
import { rest } from "./rest.ts";
import { EVERYTHING, fileArguments, MEMORY, type Arguments } from "./server-arguments.ts";
import { bridgeToHttp } from "./stdio-bridge.ts";

/*
 * MCP servers that others wrote, from npm: every tool is listed, shown as a form, and called by REST, by
 * execute_mcp_tool and as a step of a workflow.
 */

const entry = serverEntry;

describe("MCP servers from npm", () => {
  let service: TestService;
  let folder: string;
  let http: Awaited<ReturnType<typeof startEverything>>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "mcp-servers-"));
    await writeFile(join(folder, "a.txt"), "one\ntwo\n");
    await writeFile(join(folder, "m0.txt"), "moved");
    service = await startService({ settings: { programEnvironment: { PATH: process.env["PATH"] ?? "" } } });
    http = await startEverything();
  });
  after(async () => {
    http.close();
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function useAll(
    connection: string,
    given: Readonly<Record<string, Arguments>>,
    expected: number,
  ): Promise<void> {
    const listed = (await rest(service, "GET", `/${connection}/definitions`)).body.data.definitions;
    assert.equal(listed.length, expected);
    // Those that a given order matters for come as they were written down, the others after them and side by side.
    // What asks its caller in the middle of a call is in questions.test.ts.
    const names: readonly string[] = listed
      .map(({ name }: { name: string }) => name)
      .filter((name: string) => !name.includes("elicitation"));
    const use = async (name: string) => {
      const id = `${connection}:${name}`;
      const form = await service.call("render_mcp_tool_form", { toolName: id }, { key: true });
      assert.equal(form.envelope?.data.renderStatus, "rendered", `${id} ${form.text}`);
      const chosen = given[name];
      const example = form.envelope.data.form["exampleValue"];
      const argsOf = (time: number): object =>
        typeof chosen === "function" ? chosen(time) : (chosen ?? (isJsonRecord(example) ? example : {}));
      const call = () => rest(service, "POST", `/${connection}/call/${name}`, { arguments: argsOf(0) });
      const execute = () =>
        service.call("execute_mcp_tool", { name: id, arguments: argsOf(1) }, { key: true });
      const [called, executed] =
        name in given ? [await call(), await execute()] : await Promise.all([call(), execute()]);
      assert.equal(called.body.ok, true, `${id} ${JSON.stringify(called.body)}`);
      assert.deepEqual(called.body.data.problems, [], id);
      assert.equal(executed.envelope?.ok, true, `${id} ${executed.text}`);
      return { id: name.replaceAll("-", "_"), type: "tool", tool: id, with: argsOf(2) };
    };
    const first = [];
    for (const name of Object.keys(given).filter((name) => names.includes(name))) first.push(await use(name));
    const others = await Promise.all(names.filter((name) => !(name in given)).map(use));
    const nodes = [...first, ...others];
    const edges = nodes.slice(1).map(({ id }, index) => ({
      from: nodes[Math.min(index, first.length - 1)]?.id,
      to: id,
    }));
    const meta = { "svc/document": { policy: { requireApproval: "none" } } };
    const created = await service.call(
      "create_workflow",
      { name: connection, nodes, edges },
      { key: true, meta },
    );
    assert.equal(created.envelope?.ok, true, created.text);
    const started = await service.call(
      "run_workflow",
      { id: created.envelope.data.workflow.id },
      { key: true },
    );
    const runId = started.envelope?.data.run?.id;
    assert.equal(typeof runId, "string", started.text);
    await service.app.services.engine.waitFor(runId, 60_000);
    const steps = await service.app.services.store.read.runs.steps(runId);
    assert.deepEqual(
      steps.filter(({ state }) => state !== "succeeded").map(({ stepId, error }) => [stepId, error]),
      [],
    );
    assert.equal(steps.length, nodes.length);
  }

  it("server-everything over stdio", async () => {
    const added = await rest(service, "POST", "", {
      name: "everything",
      kind: "mcp",
      command: process.execPath,
      args: [entry("server-everything"), "stdio"],
    });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    await useAll("everything", EVERYTHING, added.body.data.definitions.length);
    // It offers sampling and roots only to clients that declare them, and this one has no model.
    const offered = added.body.data.definitions.map(({ name }) => name).join(" ");
    assert.doesNotMatch(offered, /sampling|roots/);
    const env = await rest(service, "POST", "/everything/call/get-env", { arguments: {} });
    const seen = JSON.parse(textAt(env.body.data["content"], 0, "text"));
    assert.deepEqual(
      Object.keys(seen).filter((name) => /KEY|SVC|DATABASE/.test(name)),
      [],
      "a clean environment",
    );
    const image = await rest(service, "POST", "/everything/call/get-tiny-image", { arguments: {} });
    assert.ok(
      objectsAt(image.body.data["content"]).some(({ type }) => type === "image"),
      "pictures are passed on",
    );
    const links = await rest(service, "POST", "/everything/call/get-resource-links", {
      arguments: { count: 2 },
    });
    assert.ok(objectsAt(links.body.data["content"]).some(({ type }) => type === "resource_link"));
  });

  it("server-everything over HTTP", async () => {
    const { url } = http;
    const found = await rest(service, "POST", "/probe", { url, allowPrivateOrigin: true });
    assert.equal(found.body.data.kind, "mcp", JSON.stringify(found.body));
    const added = await rest(service, "POST", "", {
      name: "remote",
      kind: "mcp",
      url,
      allowPrivateOrigin: true,
    });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    await useAll("remote", EVERYTHING, added.body.data.definitions.length);
  });

  it("server-filesystem over stdio", async () => {
    const added = await rest(service, "POST", "", {
      name: "files",
      kind: "mcp",
      command: process.execPath,
      args: [entry("server-filesystem"), folder],
    });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    const given = fileArguments(folder, "b.txt");
    await useAll("files", given, added.body.data.definitions.length);
    const outside = await rest(service, "POST", "/files/call/read_text_file", {
      arguments: { path: "/etc/passwd" },
    });
    assert.equal(outside.body.ok, false);
    assert.match(outside.body.data.error.upstream.text, /denied/i, "the server's own words");
  });

  it("server-memory over stdio, which is started again when it ended", async () => {
    const added = await rest(service, "POST", "", {
      name: "memory",
      kind: "mcp",
      command: process.execPath,
      args: [entry("server-memory")],
      env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
    });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    await useAll("memory", MEMORY, added.body.data.definitions.length);
    // A change ends the program; the next call starts it again.
    await rest(service, "PATCH", "/memory", { title: "Memory" });
    const again = await rest(service, "POST", "/memory/call/read_graph", { arguments: {} });
    assert.equal(again.body.ok, true, JSON.stringify(again.body));
  });

  it("server-filesystem and server-memory over HTTP", async () => {
    await rm(join(folder, "m3.txt"), { force: true });
    await writeFile(join(folder, "m0.txt"), "moved");
    const files = await bridgeToHttp([entry("server-filesystem"), folder]);
    const graph = await bridgeToHttp([entry("server-memory")], {
      MEMORY_FILE_PATH: join(folder, "memory-http.jsonl"),
    });
    try {
      for (const [name, { url }] of Object.entries({ "files-http": files, "memory-http": graph })) {
        const added = await rest(service, "POST", "", { name, kind: "mcp", url, allowPrivateOrigin: true });
        assert.equal(added.status, 201, JSON.stringify(added.body));
        const given = name === "memory-http" ? MEMORY : fileArguments(folder, "c.txt");
        await useAll(name, given, added.body.data.definitions.length);
      }
    } finally {
      await files.close();
      await graph.close();
    }
  });

  it("progress of a server reaches an MCP client of ours that asks for it, over stdio and HTTP, also of tasks", async () => {
    const client = new Client({ name: "caller", version: "1" });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${service.url}/api/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${TEST_KEY}` } },
      }),
    );
    try {
      for (const [id, args] of [
        ["everything:trigger-long-running-operation", { duration: 1, steps: 4 }],
        ["remote:trigger-long-running-operation", { duration: 1, steps: 4 }],
        ["everything:simulate-research-query", { topic: "tides" }],
      ] as const) {
        const seen: number[] = [];
        const params = { name: "execute_mcp_tool", arguments: { name: id, arguments: args } };
        const result = await client.callTool(params, undefined, {
          onprogress: ({ progress }) => void seen.push(progress),
        });
        assert.notEqual(result.isError, true, JSON.stringify(result));
        assert.ok(seen.length >= 3, `${id} ${JSON.stringify(seen)}`);
        assert.deepEqual(
          seen,
          seen.toSorted((a, b) => a - b),
        );
      }
      // One that has nothing to report is answered as before.
      const plain = await client.callTool(
        { name: "execute_mcp_tool", arguments: { name: "everything:echo", arguments: { message: "hi" } } },
        undefined,
        { onprogress: () => assert.fail("nothing to tell") },
      );
      assert.notEqual(plain.isError, true);
    } finally {
      await client.close();
    }
  });

  it("programs are refused where the operator has not allowed them", async () => {
    const strict = await startService();
    try {
      const refused = await rest(strict, "POST", "", { name: "x", kind: "mcp", command: "node", args: [] });
      assert.equal(refused.status, 403);
      assert.match(refused.body.data.error.nextAction, /SVC_ALLOW_STDIO/);
    } finally {
      await strict.close();
    }
  });

  it("a program that ends at once, prints noise or hangs is a clear error", async () => {
    const add = (name: string, script: string) =>
      rest(service, "POST", "", { name, kind: "mcp", command: process.execPath, args: ["-e", script] });
    const ended = await add("ended", "process.exit(3)");
    assert.equal(ended.status, 503, JSON.stringify(ended.body));
    const noise = await add("noise", "setInterval(() => process.stdout.write('x'.repeat(1 << 20)), 1)");
    assert.ok([413, 503].includes(noise.status), JSON.stringify(noise.body));
    const missing = await rest(service, "POST", "", {
      name: "none",
      kind: "mcp",
      command: "no-such-program-here",
    });
    assert.equal(missing.status, 503);
    assert.equal((await rest(service, "GET", "/ended")).status, 404, "nothing was stored");
  });
});
