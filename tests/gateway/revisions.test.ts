import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { at, listAt } from "../support/json.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.close());

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const MODERN = "2026-07-28";
const meta = { [VERSION]: MODERN, [CAPABILITIES]: {} };

function modern(
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string | undefined> = {},
) {
  const name = params["name"] ?? params["uri"];
  const sent = {
    "mcp-protocol-version": MODERN,
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": name }),
    ...headers,
  };
  const kept = Object.fromEntries(
    Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return service.rpc(method, { _meta: meta, ...params }, kept);
}

/** MCP Apps are declared, so that hosts show the page a tool names in `_meta.ui`. */
const APPS = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } };

describe("revisions before 2026-07-28", () => {
  it("agrees on the revision that was asked for, else on the newest", async () => {
    for (const [asked, agreed] of [
      ["2024-11-05", "2024-11-05"],
      ["2025-03-26", "2025-03-26"],
      ["2025-06-18", "2025-06-18"],
      ["2025-11-25", "2025-11-25"],
      ["1999-01-01", "2025-11-25"],
      ["2026-07-28", "2025-11-25"],
      [undefined, "2025-11-25"],
    ]) {
      const { json } = await service.rpc("initialize", {
        protocolVersion: asked,
        capabilities: {},
        clientInfo: { name: "t", version: "1" },
      });
      assert.equal(json.result["protocolVersion"], agreed);
      assert.equal(at(json.result, "serverInfo", "version"), "0.10.0");
      assert.equal("resultType" in json.result, false);
      assert.deepEqual(json.result.capabilities["extensions"], APPS);
    }
  });

  it("takes a known revision in the header and refuses others with what it serves", async () => {
    assert.equal((await service.rpc("ping", {}, { "mcp-protocol-version": "2025-06-18" })).status, 200);
    const { status, json } = await service.rpc("ping", {}, { "mcp-protocol-version": "2025-01-01" });
    assert.deepEqual([status, json.error.code], [400, -32022]);
    assert.ok(listAt(json.error.data, "supported").includes("2025-11-25"));
  });

  it("does not know the methods of the newer one", async () => {
    assert.equal((await service.rpc("server/discover")).json.error.code, -32601);
  });
});

describe("revision 2026-07-28", () => {
  it("server/discover says who we are and what we serve", async () => {
    const { status, json } = await modern("server/discover");
    assert.equal(status, 200);
    assert.deepEqual(json.result["supportedVersions"], [MODERN]);
    assert.equal(json.result["resultType"], "complete");
    assert.equal(at(json.result, "_meta", "io.modelcontextprotocol/serverInfo", "name"), "workflow-ui");
    assert.ok(json.result.capabilities["tools"] && Number(json.result["ttlMs"]) > 0);
    assert.deepEqual(json.result.capabilities["extensions"], {
      ...APPS,
      "io.modelcontextprotocol/tasks": {},
    });
  });

  it("lists may be cached by anybody, personal reads by nobody else", async () => {
    for (const method of ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]) {
      const { json } = await modern(method);
      assert.partialDeepStrictEqual(
        json.result,
        { resultType: "complete", cacheScope: "public", ttlMs: 300_000 },
        method,
      );
    }
    const open = await modern("resources/read", { uri: "svc://templates" });
    assert.equal(open.json.result["cacheScope"], "public");
    const keyed = await modern(
      "resources/read",
      { uri: "svc://templates" },
      { authorization: `Bearer ${service.key}` },
    );
    assert.equal(keyed.json.result["cacheScope"], "private");
  });

  it("tools, prompts and completions carry their result type", async () => {
    const call = await modern("tools/call", { name: "get_health", arguments: {} });
    assert.partialDeepStrictEqual(call.json.result, { resultType: "complete", isError: false });
    const [prompt] = service.app.services.catalog.prompts;
    assert.ok(prompt);
    const args = Object.fromEntries(prompt.arguments.map(({ name }) => [name, "sample"]));
    assert.equal(
      (await modern("prompts/get", { name: prompt.name, arguments: args })).json.result["resultType"],
      "complete",
    );
    const complete = await modern("completion/complete", {
      ref: { type: "ref/prompt", name: prompt.name },
      argument: { name: "toolName", value: "get_h" },
    });
    assert.deepEqual(complete.json.result.completion.values, ["get_health"]);
  });

  it("answers errors with the statuses of that revision", async () => {
    assert.deepEqual(brief(await modern("no/such")), [404, -32601]);
    assert.deepEqual(brief(await modern("ping")), [404, -32601]);
    assert.deepEqual(brief(await modern("initialize")), [404, -32601]);
    assert.deepEqual(brief(await modern("tools/call", { name: "nope" })), [400, -32602]);
    assert.deepEqual(brief(await modern("resources/read", { uri: "svc://nope" })), [400, -32602]);
    assert.deepEqual(
      brief(await modern("tools/call", { name: "delete_artifact", arguments: { id: "x" } })),
      [401, -32001],
    );
  });

  it("refuses headers that are missing or say something else than the body", async () => {
    const wrong: readonly Record<string, string | undefined>[] = [
      { "mcp-protocol-version": undefined },
      { "mcp-protocol-version": "2025-11-25" },
      { "mcp-method": undefined },
      { "mcp-method": "tools/list" },
      { "mcp-name": undefined },
      { "mcp-name": "get_svc_info" },
      { "mcp-name": "=?base64?@@?=" },
    ];
    for (const headers of wrong) {
      const answer = await modern("tools/call", { name: "get_health", arguments: {} }, headers);
      assert.deepEqual(brief(answer), [400, -32020], JSON.stringify(headers));
    }
    const encoded = `=?base64?${Buffer.from("get_health").toString("base64")}?=`;
    assert.equal(
      (await modern("tools/call", { name: "get_health", arguments: {} }, { "mcp-name": encoded })).status,
      200,
    );
  });

  it("refuses an envelope that is not complete and a revision it does not serve", async () => {
    const headers = { "mcp-protocol-version": MODERN, "mcp-method": "tools/list" };
    for (const params of [
      {},
      { _meta: {} },
      { _meta: { [VERSION]: MODERN } },
      { _meta: { ...meta, [VERSION]: 5 } },
      { _meta: { ...meta, [CAPABILITIES]: [] } },
    ]) {
      assert.deepEqual(
        brief(await service.rpc("tools/list", params, headers)),
        [400, -32602],
        JSON.stringify(params),
      );
    }
    const future = { ...headers, "mcp-protocol-version": "2099-01-01" };
    const answer = await service.rpc("tools/list", { _meta: { ...meta, [VERSION]: "2099-01-01" } }, future);
    assert.deepEqual(brief(answer), [400, -32022]);
    assert.deepEqual(
      [answer.json.error.data["supported"], answer.json.error.data["requested"]],
      [[MODERN], "2099-01-01"],
    );
    assert.deepEqual(
      brief(
        await service.rpc(
          "initialize",
          { protocolVersion: "2025-11-25" },
          { "mcp-protocol-version": MODERN },
        ),
      ),
      [400, -32020],
    );
  });

  it("accepts notifications", async () => {
    const response = await service.fetch("/api/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "mcp-protocol-version": MODERN,
        "mcp-method": "notifications/cancelled",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { _meta: meta, requestId: 1 },
      }),
    });
    assert.equal(response.status, 202);
  });
});

describe("tools, resources and prompts as clients see them", () => {
  it("a tool declares title, annotations, schemas and its MCP App", async () => {
    const { json } = await service.rpc("tools/list");
    assert.deepEqual(
      json.result.tools.map((tool) => tool.name),
      service.app.services.catalog.tools.map(({ name }) => name),
    );
    assert.equal(json.result["nextCursor"], undefined);
    for (const tool of json.result.tools) {
      assert.ok(
        tool.title && tool.annotations["readOnlyHint"] !== undefined && tool.description.length >= 60,
        tool.name,
      );
      assert.deepEqual([tool.inputSchema["type"], tool.outputSchema["type"]], ["object", "object"]);
      assert.equal(typeof tool.annotations["readOnlyHint"], "boolean");
    }
    const withApp = json.result.tools.filter((tool) => tool._meta?.["ui"]);
    assert.ok(
      withApp.length > 0 && withApp.every((tool) => JSON.stringify(tool._meta).includes("ui://svc/form")),
    );
  });

  it("a result is the envelope, as structure and as text", async () => {
    const good = await service.call("get_svc_info");
    assert.deepEqual(JSON.parse(good.json.result.content[0]?.text ?? ""), good.envelope);
    assert.deepEqual([good.envelope.ok, good.json.result.isError], [true, false]);
    const missing = await service.call("get_artifact", { id: "artifact_nope" });
    assert.deepEqual([missing.status, missing.envelope.ok, missing.json.result.isError], [200, false, true]);
    assert.equal(missing.envelope.data.error.code, "not_found");
  });

  it("resources/list has all 29, the templates are listed again", async () => {
    const list = (await service.rpc("resources/list")).json.result.resources;
    const templates = (await service.rpc("resources/templates/list")).json.result.resourceTemplates;
    assert.equal(list.length, 29);
    assert.deepEqual(
      templates.map((item) => item.uriTemplate),
      list.map((item) => item.uri).filter((uri) => uri.includes("{")),
    );
  });

  it("an unknown resource is -32002 with the nearest ones", async () => {
    for (const uri of [
      "svc://workflos",
      "svc://nope",
      "file:///etc/passwd",
      "svc://artifact/",
      "svc://artifact/a/b",
      "svc://artifact/%zz",
      "ui://svc/other",
    ]) {
      const { status, json } = await service.rpc("resources/read", { uri });
      assert.deepEqual([status, json.error.code], [200, -32002], uri);
    }
    const { json } = await service.rpc("resources/read", { uri: "svc://workflos" });
    assert.match(json.error.data.nextAction, /svc:\/\/workflows/);
  });
});

function brief(answer: { status: number; json: { error: { code: number } } }): [number, number] {
  return [answer.status, answer.json.error.code];
}
