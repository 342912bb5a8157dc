import assert from "node:assert/strict";
import { it } from "node:test";
import { ago, duration } from "./format.ts";

it("a duration rounds into the next unit and never shows 60 of a smaller one", () => {
  const shown: readonly (readonly [number, string])[] = [
    [0.04, "0 ms"],
    [9.96, "10 ms"],
    [999.4, "999 ms"],
    [999.6, "1.0 s"],
    [59_940, "59.9 s"],
    [59_960, "1 min"],
    [119_400, "1 min 59 s"],
    [119_600, "2 min"],
    [3_599_400, "59 min 59 s"],
    [3_599_600, "1 h"],
    [7_169_999, "1 h 59 min"],
    [7_170_000, "2 h"],
    [86_369_999, "23 h 59 min"],
    [86_370_000, "1 day"],
    [2 * 86_400_000, "2 days"],
  ];
  for (const [ms, text] of shown) assert.equal(duration(ms), text, `${ms} ms`);
  for (let ms = 0; ms < 90_000_000; ms = ms * 1.001 + 1)
    assert.doesNotMatch(duration(ms), /\b(?:60 s|60\.0 s|60 min|24 h|1000 ms)/, `${ms} ms`);
});

it("a time from now rounds into the next unit", () => {
  const now = Date.parse("2026-11-18T12:00:00Z");
  const before = (seconds: number) => ago(new Date(now - seconds * 1000).toISOString(), now);
  assert.equal(before(59), "59 seconds ago");
  assert.equal(before(3_599), "1 hour ago");
  assert.equal(before(86_399), "yesterday");
});
