import assert from "node:assert/strict";
import { it } from "node:test";
import { trendsOf, type Sample } from "./trend.ts";

const flat = (over: Partial<Sample> = {}): Sample => ({
  residentMb: 200,
  heapMb: 50,
  descriptors: 40,
  walMb: 4,
  livezMs: 2,
  requests: 100,
  ...over,
});

it("a flat run passes, and each figure that keeps growing is named", () => {
  const many = Array.from({ length: 100 }, (_, at) => at);
  assert.deepEqual(
    trendsOf(many.map((at) => flat({ heapMb: 40 + (at % 10) * 5 }))).filter((trend) => !trend.flat),
    [],
  );
  const growing: readonly [string, (at: number) => Partial<Sample>][] = [
    ["resident MB", (at) => ({ residentMb: 200 + at * 2 })],
    ["heap MB", (at) => ({ heapMb: 40 + at + (at % 7) })],
    ["descriptors", (at) => ({ descriptors: 40 + at })],
    ["WAL MB", (at) => ({ walMb: at })],
    ["livez ms", (at) => ({ livezMs: at ** 3 / 1_000 })],
  ];
  for (const [name, grow] of growing) {
    const steep = trendsOf(many.map((at) => flat(grow(at)))).filter((trend) => !trend.flat);
    assert.deepEqual(
      steep.map((trend) => trend.name),
      [name],
    );
  }
});

it("growth at the start, while caches fill, does not count", () => {
  const samples = Array.from({ length: 100 }, (_, at) => flat({ residentMb: Math.min(200, 100 + at * 5) }));
  assert.ok(trendsOf(samples).every((trend) => trend.flat));
});
