import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { killSeries, nthOf, POINTS, type Kill } from "./engine-series.ts";

test("sqlite: killed at every named point and by chance, no run is lost and no checkpointed step runs again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "engine-chaos-"));
  try {
    const points = POINTS.map((point) => ({ point, nth: nthOf(point) }));
    const plans: readonly Kill[] = [
      "random",
      ...points,
      ...Array.from({ length: 6 }, () => "random" as const),
    ];
    const path = join(folder, "chaos.db");
    const report = await killSeries(`sqlite:${path}`, plans, 4);
    assert.equal(report.kills, plans.length);
    // On a slow machine many processes end before they have answered.
    assert.ok(report.runs > 0, JSON.stringify(report));
    assert.deepEqual((await checkDatabase(`sqlite:${path}`)).problems, []);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
