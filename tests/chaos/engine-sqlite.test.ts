import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { killSeries, nthOf, POINTS } from "./engine-series.ts";

test("sqlite: killed at every named point and by chance, no run is lost and no checkpointed step runs again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "engine-chaos-"));
  try {
    const plans = [
      "random" as const,
      ...POINTS.map((point) => ({ point, nth: nthOf(point) })),
      "random" as const,
    ];
    const report = await killSeries(`sqlite:${join(folder, "chaos.db")}`, plans, 4);
    assert.equal(report.kills, plans.length);
    assert.ok(report.runs > plans.length, JSON.stringify(report));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
