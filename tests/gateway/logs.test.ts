import assert from "node:assert/strict";
import { it } from "node:test";
import { createLog } from "../../src/gateway/log.ts";
import { startService } from "../support/service.ts";

it("what callers send reaches no log line and no metric", async () => {
  const lines: string[] = [];
  const service = await startService({ log: createLog("debug", (line) => lines.push(line)) });
  const canary = "canary5f3a9c";
  const headers = {
    "content-type": "application/json",
    authorization: `Bearer ${canary}`,
    cookie: canary,
    "user-agent": canary,
    "x-anything": canary,
  };
  const bodies = [
    ...service.app.services.catalog.tools.map(({ name }) => ({
      jsonrpc: "2.0",
      id: canary,
      method: "tools/call",
      params: { name, arguments: { id: canary, [canary]: canary }, _meta: { [canary]: canary } },
    })),
    { jsonrpc: "2.0", id: 1, method: canary, params: { [canary]: canary } },
    { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: `svc://${canary}` } },
    { jsonrpc: "2.0", id: 1, method: "prompts/get", params: { name: canary } },
  ];
  for (const body of bodies) {
    for (const { authorization, ...rest } of [
      headers,
      { ...headers, authorization: `Bearer ${service.key}` },
    ]) {
      await service.fetch("/api/mcp", {
        method: "POST",
        headers: { ...rest, authorization },
        body: JSON.stringify(body),
      });
    }
  }
  await service.fetch("/api/mcp", { method: "POST", headers, body: `{"${canary}": ` });
  await service.fetch(`/${canary}?${canary}=${canary}`, { headers });
  await service.fetch("/api/svc/receive-handoff", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id: canary }),
  });
  const metrics = await (await service.fetch("/metrics")).text();
  await service.close();
  assert.ok(lines.length >= bodies.length, "every refused key is logged");
  assert.deepEqual(
    lines.filter((line) => line.includes(canary) || line.includes(service.key)),
    [],
  );
  assert.deepEqual(
    lines.filter((line) => line.includes('"unlogged"')),
    [],
    "no call loses a field",
  );
  assert.doesNotMatch(metrics, new RegExp(canary));
});
