import assert from "node:assert/strict";
import { test } from "node:test";
import { effectSeries } from "./effects-series.ts";

/* The long form, over both stores: npm run chaos:effects. */
test("every way a call can end: what is claimed of its effect is what the oracle counted", async () => {
  const calls = { none: 62, "database away": 62, "process killed": 31 };
  const figures = await effectSeries({ store: "SQLite", calls, concurrency: 24 });
  assert.equal(figures.calls, 155);
  assert.ok(figures.outages > 0 && figures.kills > 0, JSON.stringify(figures));
  for (const count of Object.values(figures.claims)) assert.ok(count > 0, JSON.stringify(figures));
});

for (const store of ["SQLite", "PostgreSQL"] as const) {
  test(`handoffs and own tools while the database is away, ${store}: no acknowledged run fails`, async () => {
    const calls = { none: 0, "database away": 48, "process killed": 0 };
    const plan = { store, calls, concurrency: 16, targets: /^(?:docs|own):/ };
    const figures = await effectSeries(plan);
    assert.equal(figures.calls, 48);
    assert.ok(figures.outages > 0 && figures.claims.happened > 0, JSON.stringify(figures));
  });
}
