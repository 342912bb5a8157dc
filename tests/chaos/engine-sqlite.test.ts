import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { settleLogbook } from "../../src/logbook/logbook.ts";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { killSeries, nthOf, POINTS, type Kill } from "./engine-series.ts";

test("sqlite: killed at every named point and by chance, no run is lost and no checkpointed step runs again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "engine-chaos-"));
  try {
    const points = POINTS.map((point) => ({ point, nth: nthOf(point) }));
    const plans: readonly Kill[] = [
      "random",
      ...points,
      "random",
      // With the book in use, plain checkpoints are in no transaction of their own.
      ...points.filter(({ point }) => point !== "in_transaction").map((eagerly) => ({ eagerly })),
      ...Array.from({ length: 5 }, () => ({ eagerly: "random" as const })),
    ];
    const path = join(folder, "chaos.db");
    const report = await killSeries(`sqlite:${path}`, plans, 4);
    assert.equal(report.kills, plans.length);
    assert.ok(report.runs > plans.length, JSON.stringify(report));
    await settleLogbook(path);
    assert.deepEqual((await checkDatabase(`sqlite:${path}`)).problems, []);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
