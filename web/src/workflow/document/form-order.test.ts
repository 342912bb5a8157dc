import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inFormOrder } from "./form-order.ts";

const shown = (pointers: readonly string[], fields: Readonly<Record<string, readonly string[]>> = {}) =>
  inFormOrder(
    pointers.map((pointer) => ({ pointer })),
    (call) => fields[call] ?? [],
  ).map(({ pointer }) => pointer);

describe("problems in the order of the form", () => {
  it("takes steps in their order, and the workflow before them", () => {
    assert.deepEqual(shown(["/nodes/10/tool", "/nodes/2/tool", "/inputs/a", ""]), [
      "",
      "/inputs/a",
      "/nodes/2/tool",
      "/nodes/10/tool",
    ]);
  });

  it("takes the fields of a step from the top of its form down", () => {
    const approval = [
      "/nodes/0/approval/title",
      "/nodes/0/approval/approvers",
      "/nodes/0/approval/required",
      "/nodes/0/approval/show",
      "/nodes/0/approval/escalateTo",
      "/nodes/0/if",
      "/nodes/0/timeoutMs",
      "/nodes/0/id",
    ];
    assert.deepEqual(shown(approval.toReversed()), approval);
    const map = [
      "/nodes/0/map",
      "/nodes/0/map/items",
      "/nodes/0/map/body/tool",
      "/nodes/0/map/body/with/a",
      "/nodes/0/map/maxItems",
    ];
    assert.deepEqual(shown(map.toReversed()), map);
  });

  it("takes arguments as the form of the tool shows them, also inside a map, and unknown ones last", () => {
    const fields = { "/nodes/0": ["title", "body"], "/nodes/1/map/body/nodes/0": ["z", "a"] };
    const pointers = [
      "/nodes/0/with/title",
      "/nodes/0/with/body/0/x",
      "/nodes/0/with/body/1/x",
      "/nodes/0/with/other",
      "/nodes/1/map/body/nodes/0/with/z",
      "/nodes/1/map/body/nodes/0/with/a",
    ];
    assert.deepEqual(shown(pointers.toReversed(), fields), pointers);
  });
});
