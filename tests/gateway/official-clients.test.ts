import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { testInspector, useAsPeopleDo } from "../support/official-clients.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.close());

const endpoint = (): URL => new URL(`${service.url}/api/mcp`);
const me = { name: "official-client-test", version: "1.0.0" };

describe("official MCP clients", () => {
  it("SDK v1", async () => {
    const client = new ClientV1(me);
    await client.connect(new TransportV1(endpoint()));
    assert.equal(client.getServerVersion()?.name, "workflow-ui");
    await useAsPeopleDo(client, service.app.services.catalog);
    await client.ping();
    await client.close();
  });

  for (const mode of ["legacy", "auto"] as const) {
    it(`SDK v2 in ${mode} mode`, async () => {
      const client = new ClientV2(me, { versionNegotiation: { mode } });
      await client.connect(new TransportV2(endpoint()));
      assert.equal(client.getServerVersion()?.name, "workflow-ui");
      assert.equal(client.getNegotiatedProtocolVersion(), mode === "auto" ? "2026-07-28" : "2025-11-25");
      await useAsPeopleDo(client, service.app.services.catalog);
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
  testInspector(
    () => ({ args: [`${service.url}/api/mcp`, "--transport", "http"] }),
    () => service.app.services.catalog,
  );
});
