import assert from "node:assert/strict";
import { it } from "node:test";
import { startService } from "../support/service.ts";
import { fuzz } from "./fuzz.ts";

it("2,000 made-up requests: no crash, no answer of 5xx, no hang", { timeout: 900_000 }, async (test) => {
  const service = await startService();
  test.after(() => service.close());
  // 32 at a time on a machine that also makes them up and may be busy; `npm run fuzz` holds each to one second.
  const findings = await fuzz(service, { count: 2_000, seed: 20_261_115, maxMs: 30_000 });
  assert.deepEqual(findings.slice(0, 3), []);
  assert.equal((await service.rpc("ping")).status, 200);
});
