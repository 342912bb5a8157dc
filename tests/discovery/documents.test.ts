import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { parse } from "yaml";
import { DOCUMENT_LOCATIONS } from "../../src/discovery/locations.ts";
import { EVENT_TYPES } from "../../src/events/catalogue.ts";
import { LEGACY_VERSIONS, MODERN_VERSIONS } from "../../src/gateway/protocol-generation.ts";
import { startService, type TestService } from "../support/service.ts";

const run = promisify(execFile);

describe("discovery documents", () => {
  let service: TestService;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "workflow-ui-discovery-"));
    service = await startService();
  });
  after(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });
  const text = async (path: string): Promise<string> => (await service.fetch(path)).text();

  test("each is served with its type, readable from any page, and cacheable or fresh", async () => {
    for (const { path, contentType } of DOCUMENT_LOCATIONS) {
      const anywhere = !path.startsWith("/api/");
      const answer = await service.fetch(
        path,
        anywhere ? { headers: { origin: "https://elsewhere.example" } } : {},
      );
      assert.equal(answer.status, 200, path);
      assert.equal(answer.headers.get("content-type"), contentType, path);
      assert.equal(answer.headers.get("access-control-allow-origin"), anywhere ? "*" : null, path);
      assert.match(answer.headers.get("cache-control") ?? "", /max-age|no-cache/, path);
      assert.ok((await answer.text()).length > 100, path);
    }
  });

  test("Redocly finds nothing to say about openapi.yaml and asyncapi.yaml", async () => {
    for (const name of ["openapi.yaml", "asyncapi.yaml"]) {
      const file = join(folder, name);
      await writeFile(file, await text(`/${name}`));
      const { stdout, stderr } = await run(
        process.execPath,
        [
          "node_modules/@redocly/cli/bin/cli.js",
          "lint",
          "--extends=recommended",
          // Operations that only send a browser on have no answer of this kind.
          "--skip-rule=operation-2xx-response",
          file,
        ],
        { env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" } },
      );
      assert.match(stdout + stderr, /is valid/, name);
      assert.doesNotMatch(stdout + stderr, /warning/i, name);
    }
  });

  test("openapi.yaml has one operation for each route, and every schema compiles", async () => {
    // Compiling holds this thread for longer than the service keeps a connection open: what is asked is asked before.
    const preview = await service.call("delegate_artifact", { targetService: "sandbox", action: "validate" });
    const document = parse(await text("/openapi.yaml"));
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item ?? {}).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routes = service.app.services.site.routes.map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(operations.sort(), [...routes].sort());
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item ?? {}).map((operation) => operation.operationId),
    );
    assert.equal(new Set(ids).size, ids.length, "operation ids are unique");
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema(document, "openapi");
    for (const { name } of service.app.services.catalog.tools) {
      for (const suffix of ["arguments", "data"]) {
        assert.ok(ajv.compile({ $ref: `openapi#/components/schemas/${name}_${suffix}` }), name);
      }
    }
    const packet = ajv.compile({ $ref: "openapi#/components/schemas/HandoffPacket" });
    assert.ok(packet(preview.envelope.data.packet ?? preview.envelope.data), JSON.stringify(packet.errors));
    const call = ajv.compile({ $ref: "openapi#/components/schemas/ToolCall" });
    assert.ok(
      call({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_svc_info", arguments: {} } }),
    );
    assert.ok(
      !call({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "nope", arguments: {} } }),
    );
  });

  test("asyncapi.yaml has a message for every event", async () => {
    const document = parse(await text("/asyncapi.yaml"));
    const messages: Record<string, { name: string }> = document.components.messages;
    const named = Object.values(messages).map((message) => message.name);
    assert.deepEqual(named.sort(), EVENT_TYPES.map(({ type }) => type).sort());
    for (const channel of ["eventStream", "webhook"]) {
      assert.equal(Object.keys(document.channels[channel].messages).length, EVENT_TYPES.length);
    }
  });

  test("llms.txt begins with a title and a summary, and its links answer", async () => {
    const body = await text("/llms.txt");
    assert.match(body, /^# \S.*\n\n> \S/);
    const links = [...body.matchAll(/\]\((http[^)]+)\)/g)].map(([, url]) => String(url));
    assert.equal(links.length, DOCUMENT_LOCATIONS.length);
    for (const url of links) assert.equal((await service.fetch(new URL(url).pathname)).status, 200, url);
  });

  test("the server card is what the protocol's schema asks for and what the gateway speaks", async () => {
    const card = JSON.parse(await text("/.well-known/mcp/server-card.json"));
    assert.deepEqual(card, JSON.parse(await text("/api/mcp/server-card")));
    assert.match(card.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    assert.equal(card.$schema, "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json");
    assert.ok(card.description.length >= 1 && card.description.length <= 100);
    assert.ok(card.title.length <= 100);
    const [remote] = card.remotes;
    assert.equal(remote.type, "streamable-http");
    assert.equal(remote.url, `${service.url}/api/mcp`);
    assert.deepEqual(remote.supportedProtocolVersions, [...MODERN_VERSIONS, ...LEGACY_VERSIONS]);
    const catalog = JSON.parse(await text("/.well-known/mcp/catalog.json"));
    assert.equal(catalog.entries[0].url, `${service.url}/api/mcp/server-card`);
    assert.equal(catalog.entries[0].type, "application/mcp-server-card+json");
  });

  test("GET /api/mcp, get_svc_info and get_info are one document", async () => {
    const strip = (value: unknown): string =>
      JSON.stringify(value, (key, item: unknown) => (key === "generatedAt" ? undefined : item));
    const info = JSON.parse(await text("/api/mcp"));
    assert.equal(strip(info), strip((await service.call("get_svc_info")).envelope));
    assert.equal(strip(info), strip((await service.call("get_info")).envelope));
    assert.deepEqual(info.data.counts, {
      tools: 91,
      publicTools: 63,
      protectedTools: 28,
      resources: 29,
      prompts: 29,
    });
  });

  test("web.json is the manifest of the tool, and the legacy address has the same", async () => {
    const strip = (value: object): object => ({ ...value, generatedAt: "" });
    const manifest = JSON.parse(await text("/.well-known/web.json"));
    assert.deepEqual(strip(JSON.parse(await text("/.well-known/web4.json"))), strip(manifest));
    assert.deepEqual(strip((await service.call("get_svc_web_manifest")).envelope.data), strip(manifest));
  });

  test("robots.txt names no crawler", async () => {
    assert.deepEqual((await text("/robots.txt")).match(/^user-agent:.*$/gim), ["User-agent: *"]);
  });
});
