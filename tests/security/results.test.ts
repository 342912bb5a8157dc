import assert from "node:assert/strict";
import { it } from "node:test";
import { isWhole, keptAfter, type SecurityResult } from "./results.ts";

const run = (done: number, more: Partial<SecurityResult> = {}, but?: string): SecurityResult => ({
  result: "passed",
  date: "2026-11-18",
  detail: "",
  extent: { done, asked: 1_000, unit: "kills", ...(but !== undefined && { but }) },
  ...more,
});

it("a shorter run never replaces a longer one: both are kept, and it is no whole run", () => {
  assert.equal(isWhole(run(1_000)), true);
  for (const part of [run(999), run(1_000, {}, "one store alone")]) assert.equal(isWhole(part), false);
  assert.deepEqual(keptAfter(run(1_000), run(100)), { ...run(1_000), shorter: run(100) });
  const failed = run(100, { result: "failed" });
  assert.deepEqual(keptAfter(run(1_000), failed).shorter, failed);
  // The newest of the shorter ones stands beside it.
  assert.deepEqual(keptAfter({ ...run(1_000), shorter: failed }, run(200)), {
    ...run(1_000),
    shorter: run(200),
  });
  assert.deepEqual(keptAfter(run(300), run(200)), { ...run(300), shorter: run(200) });
});

it("a whole run, or one at least as long as a part, replaces what was kept", () => {
  assert.deepEqual(keptAfter(undefined, run(100)), run(100));
  assert.deepEqual(keptAfter({ ...run(1_000), shorter: run(100) }, run(1_000)), run(1_000));
  assert.deepEqual(keptAfter(run(100), run(200)), run(200));
  const failed = run(1_000, { result: "failed" });
  assert.deepEqual(keptAfter(run(1_000), failed), failed);
});
