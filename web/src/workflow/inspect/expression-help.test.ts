import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { aroundArgument, callAt } from "./expression-help.ts";

const at = (text: string) => {
  const call = callAt(text, text.length);
  return call === null ? "" : `${call.known.name} ${call.argument} ${call.from}`;
};

describe("what is known of the call that is typed", () => {
  it("finds the innermost known function and the argument", () => {
    assert.equal(at("size("), "size 0 0");
    assert.equal(at("inputs.list.map(x, "), "map 1 12");
    assert.equal(at("inputs.list.filter(x, x.name.contains("), "contains 0 29");
    assert.equal(at("inputs.list.filter(x, x.name.contains('a'"), "contains 0 29");
    assert.equal(at("inputs.list.filter(x, x.name.contains('a') && "), "filter 1 12");
    assert.equal(at("fits([1, 2, "), "fits 0 0");
    assert.equal(at("fits([1, 2], "), "fits 1 0");
  });

  it("finds none outside of calls, and counts nothing inside of texts", () => {
    assert.equal(at("size(inputs.a)"), "");
    assert.equal(at("(1 + 2"), "");
    assert.equal(at('"size("'), "");
    assert.equal(at('fits("a, b(", '), "fits 1 0");
  });

  it("marks the argument in the signature", () => {
    const call = callAt("a.filter(x, ", 12);
    assert.ok(call !== null);
    assert.deepEqual(aroundArgument(call.known, call.argument), ["list.filter(x, ", "condition", ") → list"]);
    assert.deepEqual(aroundArgument(call.known, 9), ["list.filter(x, ", "condition", ") → list"]);
    assert.deepEqual(aroundArgument(call.known, 0), ["list.filter(", "x", ", condition) → list"]);
  });
});
