import assert from "node:assert/strict";
import { it } from "node:test";
import { aliasSources } from "../../build/source-aliases.ts";

aliasSources();
const { EMPTY_GRAPH } = await import("../workflow/document/model.ts");
const { callsOf } = await import("./consequences.ts");

const graph = {
  ...EMPTY_GRAPH,
  nodes: [
    { id: "review", type: "tool", title: "Review the order", tool: "shop:review", with: {} },
    {
      id: "each",
      type: "map",
      title: "Each line",
      map: {
        items: [],
        body: { nodes: [{ id: "post", type: "tool", title: "Post a line", tool: "shop:post" }] },
      },
    },
  ],
};
const facts = { tools: [], places: new Map<string, string>() };
const shown = (call: Record<string, string | Record<string, string | Record<string, string>>>) =>
  callsOf({ calls: [{ tool: "shop:post", ...call }] }, graph, facts)[0];
const waits = (source: string) => shown({ step: "post", arguments: { total: { $notKnownYet: source } } });

it("values and conditions that are not known yet are said with the titles of steps", () => {
  const comes = "not known yet: it comes from";
  assert.deepEqual(waits("steps.review.outputs.values")?.arguments, { total: `${comes} “Review the order”` });
  assert.deepEqual(waits('size(steps["review"].outputs.a) + steps.each.outputs.n')?.arguments, {
    total: `${comes} “Review the order” and “Each line”`,
  });
  assert.deepEqual(waits("item.price")?.arguments, { total: `${comes} each item of a list` });
  assert.deepEqual(waits("inputs.total")?.arguments, { total: "not known yet" });
  assert.equal(shown({ step: "each[0].post" })?.title, "Post a line");
  const when = (source: string) => shown({ step: "post", if: source })?.condition;
  assert.equal(
    when('steps.review.outputs.data.total > 100 && steps.review.outputs.data.note.contains("x")'),
    "“Review the order › Total” is more than 100 and “Review the order › Note” contains “x”",
  );
  assert.equal(
    when("size(steps.review.outputs.data.rows) + 1 > 2"),
    "a condition holds that depends on “Review the order”",
  );
  assert.equal(shown({ step: "post" })?.condition, "");
});
