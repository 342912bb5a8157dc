import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startServiceProcess, type ServiceProcess } from "../support/service.ts";
import { routeOfOperation } from "../../src/ports/operations.ts";
import { operations } from "../../src/registry.ts";
import { isSeeded, seed } from "./seeds.ts";
import { MAX_CPU_MS, sweep, targetsOf } from "./cost-sweep.ts";

let folder: string;
let service: ServiceProcess;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "cost-"));
  service = await startServiceProcess({ DATABASE_URL: `sqlite:${join(folder, "test.db")}` });
});
after(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Places where documents are read; the long sweep (`npm run fuzz:cost`) covers all of them. */
const PLACES =
  /^(?:render_|validate_form_input|validate_workflow|plan_workflow|create_local_artifact|evaluate_agent_access|packet|POST \/api\/svc\/workflows\/import)/;

test("no input of a reader of documents costs the main thread more than it may", async () => {
  const all = await targetsOf(service);
  assert.ok(all.length > 1_500, `${all.length} places and shapes`);
  const targets = all.filter(({ place }) => PLACES.test(place)).filter((_, index) => index % 5 === 0);
  assert.ok(targets.length > 50, `${targets.length} chosen`);
  const { findings } = await sweep(service, targets, [16_000, 120_000]);
  // A busy machine makes small costs uneven; what is beyond the bound is not noise.
  const grave = findings.filter(({ cpuMs }) => cpuMs > MAX_CPU_MS);
  assert.deepEqual(grave, []);
});

test("what has an id in its path is asked for a record that exists", async () => {
  const own = await startServiceProcess({ DATABASE_URL: `sqlite:${join(folder, "seeds.db")}` });
  try {
    const seeds = await seed(own);
    const asked = operations.filter((operation) => {
      const { method, path } = routeOfOperation(operation);
      return method === "GET" && isSeeded(path);
    });
    assert.ok(asked.length > 25, `${asked.length} operations`);
    for (const operation of asked) {
      const path = seeds.fill(routeOfOperation(operation).path);
      const answer = await own.fetch(path, { headers: seeds.headers(operation.access) });
      await answer.body?.cancel();
      assert.ok(![401, 403, 404].includes(answer.status), `${path}: ${answer.status}`);
    }
  } finally {
    await own.stop();
  }
});
