import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inexactAt, withExactIntegers } from "./exact-integers.ts";

describe("integers beyond what a double keeps", () => {
  it("are found in values, wherever they are", () => {
    assert.equal(inexactAt({ a: [{ "b/c": 9_007_199_254_740_992 }] }), "/a/0/b~1c");
    assert.equal(
      inexactAt({ a: 9_007_199_254_740_991, b: -1, c: 0.5, d: 1e21, e: "9007199254740993" }),
      null,
    );
    assert.equal(inexactAt(-12_345_678_901_234_567_000), "");
  });

  it("become texts in a JSON text, and nothing else does", () => {
    const text =
      '{"id":9007199254740993,"n":[-12345678901234567891, 1.5e300,9007199254740991,0.12345678901234567],"t":"x\\"9007199254740993","e":9007199254740992}';
    assert.deepEqual(withExactIntegers(text), {
      text: '{"id":"9007199254740993","n":["-12345678901234567891", 1.5e300,9007199254740991,0.12345678901234567],"t":"x\\"9007199254740993","e":9007199254740992}',
      kept: ["9007199254740993", "-12345678901234567891"],
    });
    assert.deepEqual(withExactIntegers('{"id":"9007199254740993"}').kept, []);
    assert.deepEqual(withExactIntegers("9007199254740993").text, '"9007199254740993"');
    assert.equal(withExactIntegers('{"broken":"9007199254740993').kept.length, 0);
  });

  it("are found in time that grows with the text alone", () => {
    const long = `[${"9".repeat(300_000)},${"1,".repeat(500_000)}9007199254740993]`;
    const begun = performance.now();
    assert.deepEqual(withExactIntegers(long).kept, ["9007199254740993"]);
    assert.ok(performance.now() - begun < 5_000);
  });
});
