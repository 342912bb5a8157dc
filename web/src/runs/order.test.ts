import assert from "node:assert/strict";
import { it } from "node:test";
import { aliasSources } from "../../build/source-aliases.ts";

aliasSources();
const { inOrder } = await import("./order.ts");

it("puts a step that a repair has put back after those that ran", () => {
  const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
  const step = { attempt: 1, startedAt: at(1), finishedAt: null };
  const order = inOrder([
    { ...step, id: "order", status: "pending" },
    { ...step, id: "map", status: "succeeded", startedAt: at(5) },
  ]);
  assert.deepEqual(
    order.map(({ id }) => id),
    ["map", "order"],
  );
});
