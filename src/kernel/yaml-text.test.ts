import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parse } from "yaml";
import { isJson } from "./json.ts";
import { inOne, inSlices } from "./slices.ts";
import { yamlSlices, yamlText } from "./yaml-text.ts";

test("YAML says what the JSON says, to readers of YAML 1.2 and of 1.1", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      if (!isJson(value)) return;
      const text = yamlText(value);
      assert.equal(inOne(yamlSlices(value)), text);
      const expected: unknown = JSON.parse(JSON.stringify(value));
      assert.deepEqual(JSON.parse(JSON.stringify(parse(text))), expected);
      assert.deepEqual(JSON.parse(JSON.stringify(parse(text, { version: "1.1" }))), expected);
    }),
  );
});

test("words that mean something in YAML, and characters it wants escaped, are quoted", () => {
  const words = [
    "no",
    "Yes",
    "null",
    "1",
    "1e3",
    "E0",
    "e-1",
    "a: b",
    "a #b",
    "- a",
    "trailing ",
    "",
    "\u0085",
    "\u2028",
    "~",
  ];
  const value = Object.fromEntries(words.map((word) => [word, [word, { [word]: word }]]));
  assert.deepEqual(parse(yamlText(value)), value);
  assert.deepEqual(parse(yamlText(value), { version: "1.1" }), value);
});

test("the text is in block style and quotes only where it must", () => {
  const value = {
    openapi: "3.1.0",
    info: { title: "Forms (all)", tags: [] },
    list: [{ a: 1, b: [[2]] }, {}],
  };
  assert.equal(
    yamlText(value),
    'openapi: "3.1.0"\ninfo:\n  title: Forms (all)\n  tags: []\nlist:\n  - a: 1\n    b:\n      -\n        - 2\n  - {}\n',
  );
});

test("others get their turn between slices", async () => {
  let turns = 0;
  const others = setInterval(() => (turns += 1), 1);
  const work = function* (): Generator<void, string> {
    for (let step = 0; step < 30; step++) {
      for (const until = performance.now() + 2; performance.now() < until;) continue;
      yield;
    }
    return "done";
  };
  assert.equal(await inSlices(work()), "done");
  clearInterval(others);
  assert.ok(turns > 2);
});
