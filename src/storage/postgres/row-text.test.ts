import assert from "node:assert/strict";
import { test } from "node:test";
import { Notices } from "./notices.ts";
import { rowText } from "./row-text.ts";

test("rows are one text, unless a value holds what stands between values", () => {
  assert.equal(
    rowText([
      ["a", 1, null],
      ["", 2, "😀"],
    ]),
    "a\u001f1\u001f\u001d\u001e\u001f2\u001f😀",
  );
  for (const separator of ["\u001d", "\u001e", "\u001f"])
    assert.equal(rowText([["a", `b${separator}`]]), null);
});

test("what a database would not keep is refused on its way into the text", () => {
  for (const value of ["\u0000", "\ud800", 1.5, 2 ** 53]) {
    assert.throws(() => rowText([["a", value]]), { code: "invalid_input" });
  }
});

test("other replicas are told at once, then together, and of everything", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const told: number[] = [];
  const notices = new Notices(async (sequence) => void told.push(sequence));
  assert.equal(notices.take(), true, "the first of a while");
  notices.wrote(1, true);
  assert.equal(notices.take(), false, "a moment later");
  notices.wrote(2, false);
  notices.wrote(3, false);
  assert.deepEqual(told, []);
  t.mock.timers.tick(20);
  assert.deepEqual(told, [3]);
  notices.wrote(5, false);
  await notices.flush();
  await notices.flush();
  assert.deepEqual(told, [3, 5], "at the end nothing is kept back");
});
