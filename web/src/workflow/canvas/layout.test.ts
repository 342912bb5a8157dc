import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { aliasSources } from "../../../build/source-aliases.ts";

aliasSources();
const { buttonSpots, crosses } = await import("./geometry.ts");
const { layoutOf } = await import("./layout.ts");

/** A generator that gives the same numbers each time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function graph(count: number, more: number, next: () => number) {
  const nodes = Array.from({ length: count }, (_, n) => ({
    id: `n${n}`,
    type: ["tool", "approval", "map"][Math.floor(next() * 3)] ?? "tool",
    ...(next() < 0.3 && { type: "switch", cases: ["a", "b"].map((name) => ({ name, when: "true" })) }),
  }));
  const edges = Array.from({ length: count - 1 + more }, (_, n) => {
    const to = n < count - 1 ? n + 1 : 1 + Math.floor(next() * (count - 1));
    return { id: `e${n}`, from: `n${Math.floor(next() * to)}`, to: `n${to}`, port: "success" };
  });
  return { nodes, edges };
}

describe("the layout", () => {
  it("draws no edge through a step and no step over another, for graphs of many shapes", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const next = numbers(seed);
      const { nodes, edges } = graph(2 + Math.floor(next() * 24), Math.floor(next() * 8), next);
      const layout = layoutOf(nodes, edges, {}, () => false);
      const boxes = [...layout.boxes];
      for (const [id, box] of boxes) {
        for (const [other, second] of boxes) {
          if (id >= other) continue;
          const apart =
            box.x + box.width <= second.x ||
            second.x + second.width <= box.x ||
            box.y + box.height <= second.y ||
            second.y + second.height <= box.y;
          assert.ok(apart, `${id} and ${other} overlap with seed ${seed}`);
        }
      }
      for (const edge of edges) {
        const others = boxes.filter(([id]) => id !== edge.from && id !== edge.to).map(([, box]) => box);
        assert.ok(!crosses(layout.way(edge), others), `${edge.id} crosses a step with seed ${seed}`);
      }
    }
  });

  it("keeps the edges of thousands of steps short, so that few of them pass by any place", () => {
    const nodes = Array.from({ length: 2_000 }, (_, n) => ({ id: `n${n}`, type: "tool" }));
    const edges = nodes
      .slice(1)
      .map((node, n) => ({ id: `e${n}`, from: `n${Math.floor(n / 2)}`, to: node.id, port: "success" }));
    const { boxes, way } = layoutOf(nodes, edges, {}, () => false);
    for (const row of Map.groupBy(boxes.values(), (box) => box.y).values())
      row
        .toSorted((a, b) => a.x - b.x)
        .forEach((box, n, all) => assert.ok(n === 0 || box.x >= (all[n - 1]?.x ?? 0) + box.width));
    const ways = edges.map((edge) => way(edge).map(({ x }) => x));
    const right = Math.max(...[...boxes.values()].map((box) => box.x));
    for (let x = 0; x < right; x += 5_000) {
      const passing = ways.filter((xs) => Math.max(...xs) > x && Math.min(...xs) < x + 3_000);
      assert.ok(passing.length < 80, `${passing.length} edges pass between ${x} and ${x + 3_000}`);
    }
  });

  it("keeps the buttons of edges apart, however the edges cross and wherever a person has put the steps", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const next = numbers(seed);
      const { nodes, edges } = graph(2 + Math.floor(next() * 24), Math.floor(next() * 8), next);
      const ends = edges.map(({ from, to }) => `${from} ${to}`);
      const once = edges.filter((_, n) => ends.indexOf(ends[n] ?? "") === n);
      const spread = nodes.map(({ id }, n) => [id, { x: (n % 4) * 320, y: Math.floor(n / 4) * 260 }]);
      for (const ui of [{}, { positions: Object.fromEntries(spread) }]) {
        const spots = buttonSpots(once.map(layoutOf(nodes, once, ui, () => false).way));
        spots.forEach((spot, n) => {
          for (const other of spots.slice(0, n)) {
            const apart = Math.hypot(spot.x - other.x, spot.y - other.y);
            assert.ok(apart >= 60, `two buttons are ${apart} apart with seed ${seed}`);
          }
        });
      }
    }
    const crossing = [
      [
        { x: 0, y: 0 },
        { x: 300, y: 100 },
      ],
      [
        { x: 300, y: 0 },
        { x: 0, y: 100 },
      ],
    ];
    assert.deepEqual(buttonSpots(crossing)[0], { x: 150, y: 50 }, "the first one stands in the middle");
  });

  it("sets the paths of a switch side by side in the order of its ports", () => {
    for (const order of [
      ["yes", "no"],
      ["no", "yes"],
    ]) {
      const nodes = [
        { id: "which", type: "switch", cases: [{ name: "yes", when: "true" }] },
        ...order.map((id) => ({ id, type: "tool" })),
      ];
      const edges = order.map((to) => ({
        id: to,
        from: "which",
        to,
        port: to === "yes" ? "case:yes" : "default",
      }));
      const { boxes } = layoutOf(nodes, edges, {}, () => false);
      assert.ok((boxes.get("yes")?.x ?? 0) < (boxes.get("no")?.x ?? 0), order.join());
    }
  });

  it("goes around steps that a person has put between two others", () => {
    const nodes = ["a", "b", "c"].map((id) => ({ id, type: "tool" }));
    const edge = { id: "e", from: "a", to: "c", port: "success" };
    const ui = { positions: { a: { x: 0, y: 0 }, b: { x: 10, y: 160 }, c: { x: 0, y: 320 } } };
    const layout = layoutOf(nodes, [edge], ui, () => false);
    const between = layout.boxes.get("b");
    assert.ok(between !== undefined);
    assert.ok(!crosses(layout.way(edge), [between]));
    assert.deepEqual(layout.boxes.get("b")?.x, 10);
  });
});
