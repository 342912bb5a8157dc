import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { knownValue } from "./known-value.ts";

const known = {
  inputs: { lines: [{ name: "tea" }], "odd.name": 1 },
  steps: { "look-up": { outputs: { data: { "a/b": [3, 4] } } }, look: { outputs: { data: { id: "x" } } } },
};

describe("the value that a reference names", () => {
  for (const [reference, value] of [
    ["inputs.lines[0].name", "tea"],
    ['inputs["odd.name"]', 1],
    ['steps["look-up"].outputs.data["a/b"][1]', 4],
    ["steps.look.outputs.data.id", "x"],
    ["$steps.look-up.outputs#/data/a~1b/0", 3],
    ["$inputs.lines#/0/name", "tea"],
    ["steps.later.outputs.data", undefined],
    ["inputs.lines[7].name", undefined],
    ["inputs.constructor", undefined],
  ] as const)
    it(`is found for ${reference}`, () => assert.equal(knownValue(reference, known), value));
});
