import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readYaml } from "./yaml.ts";

const keys = (count: number): string =>
  Array.from({ length: count }, (_, index) => `key${index}: 1`).join("\n");

/** Processor time of this thread, in milliseconds. */
function cost(work: () => void): number {
  const began = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1_000;
}

describe("readYaml", () => {
  it("reads block and flow mappings, aliases within bounds, and empty text", () => {
    assert.deepEqual(readYaml("a: 1\nb: [x, {c: d}]", { maxAliasCount: 100 }), {
      a: 1,
      b: ["x", { c: "d" }],
    });
    assert.deepEqual(readYaml("a: &x [1]\nb: *x", { maxAliasCount: 100 }), { a: [1], b: [1] });
    assert.throws(() => readYaml("a: &x [1]\nb: *x", { maxAliasCount: 0 }));
    assert.equal(readYaml("", { maxAliasCount: 0 }), null);
  });

  it("refuses a part that contains itself, and reads one that is named twice", () => {
    assert.throws(() => readYaml("a: &a [*a]", { maxAliasCount: 100 }), /inside the part that it names/);
    assert.deepEqual(readYaml("a: &a [1]\nb: *a\nc: *a", { maxAliasCount: 100 }), { a: [1], b: [1], c: [1] });
  });

  it("refuses a key that stands twice, at any depth, and what is not YAML", () => {
    for (const text of ["a: 1\na: 2", "a: {b: 1, b: 2}", "- x: 1\n  x: 2", "a: [", "? 1\n? 1"])
      assert.throws(() => readYaml(text, { maxAliasCount: 100 }), text);
    assert.deepEqual(readYaml("a: {a: 1}\nb: {a: 1}", { maxAliasCount: 0 }), { a: { a: 1 }, b: { a: 1 } });
  });

  it("takes time in proportion to the number of keys", () => {
    readYaml(keys(2_000), { maxAliasCount: 0 });
    const small = cost(() => readYaml(keys(5_000), { maxAliasCount: 0 }));
    const large = cost(() => readYaml(keys(20_000), { maxAliasCount: 0 }));
    assert.ok(large < small * 9, `4 times the keys took ${(large / small).toFixed(1)} times as long`);
  });
});
