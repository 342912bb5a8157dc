import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { analyseCertainty } from "./certainty.ts";
import { buildGraph, findCycles, topologicalOrder, type FlowGraph } from "./graph.ts";
import { parseDocument } from "./document.ts";

interface Shape {
  readonly kind: "plain" | "switch" | "approval";
  readonly conditional: boolean;
  readonly any: boolean;
}

function graphOf(shapes: readonly Shape[], edges: readonly (readonly [number, number, number])[]): FlowGraph {
  const nodes = shapes.map(({ kind, conditional, any }, i) => ({
    id: `n${i}`,
    ...(conditional && { if: "inputs.flag" }),
    ...(any && { join: "any" }),
    ...(kind === "switch"
      ? { type: "switch", cases: [{ name: "x", when: "inputs.flag" }] }
      : kind === "approval"
        ? { type: "approval", approval: { title: "t", expiresInMs: 1 } }
        : { type: "transform", value: 1 }),
  }));
  const ports = {
    plain: ["success", "error"],
    switch: ["case:x", "default"],
    approval: ["approved", "rejected"],
  };
  const known = edges.map(([from, to, port]) => ({
    from: `n${from}`,
    to: `n${to}`,
    port: ports[shapes[from]?.kind ?? "plain"][port % 2] ?? "",
  }));
  const seen = new Set<string>();
  const once = known.filter((edge) => !seen.has(JSON.stringify(edge)) && seen.add(JSON.stringify(edge)));
  const { document, problems } = parseDocument({
    nodes,
    edges: once,
    inputs: { type: "object", properties: { flag: { type: "boolean" } } },
  });
  assert.deepEqual(problems, []);
  return buildGraph(document.nodes, document.edges);
}

/** Runs the graph with the choices that `choose` makes; which nodes ran and which gave outputs before each began. */
function simulate(
  graph: FlowGraph,
  order: readonly number[],
  choose: (node: number, ways: readonly string[]) => string,
): ReadonlyMap<number, { ran: Set<number>; out: Set<number> }> | null {
  const port = new Map<number, string | null>();
  const out = new Set<number>();
  const ran = new Set<number>();
  const starts = new Map<number, { ran: Set<number>; out: Set<number> }>();
  for (const node of order) {
    const incoming = graph.in[node] ?? [];
    const taken = incoming.filter((edge) => port.get(graph.from[edge] ?? -1) === graph.edges[edge]?.port);
    const item = graph.nodes[node];
    if (item === undefined) return null;
    if (incoming.length > 0 && taken.length === 0) {
      port.set(node, null);
      continue;
    }
    // A join of kind any may begin as early as its first edge: then only what lies behind that edge is known to have ended.
    const before = item.join === "any" && incoming.length > 1 ? behind(graph, taken[0] ?? -1) : null;
    const keep = (all: ReadonlySet<number>): Set<number> =>
      new Set([...all].filter((other) => before === null || before.has(other)));
    if (item.if === undefined || choose(node, ["run", "skip"]) === "run") {
      starts.set(node, { ran: keep(ran), out: keep(out) });
      const wired = new Set((graph.out[node] ?? []).map((edge) => graph.edges[edge]?.port ?? ""));
      const ways =
        item.type === "switch"
          ? ["case:x", "default"]
          : item.type === "approval"
            ? ["approved", ...["rejected"].filter((way) => wired.has(way))]
            : ["success", ...["error"].filter((way) => wired.has(way))];
      const way = choose(node, ways);
      port.set(node, way);
      ran.add(node);
      if (way !== "error") out.add(node);
    } else port.set(node, null);
  }
  starts.set(-1, { ran, out });
  return starts;
}

function behind(graph: FlowGraph, edge: number): ReadonlySet<number> {
  const found = new Set<number>();
  const open = [graph.from[edge] ?? -1];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (found.has(node)) continue;
    found.add(node);
    for (const before of graph.in[node] ?? []) open.push(graph.from[before] ?? -1);
  }
  return found;
}

const plain: Shape = { kind: "plain", conditional: false, any: false };

describe("what has surely run", () => {
  test("both branches of a fork have, at the join", () => {
    const graph = graphOf(
      [plain, plain, plain, plain],
      [
        [0, 1, 0],
        [0, 2, 0],
        [1, 3, 0],
        [2, 3, 0],
      ],
    );
    const certainty = analyseCertainty(graph, topologicalOrder(graph));
    assert.deepEqual(
      [0, 1, 2].map((step) => certainty.hasOutputs(step, 3)),
      [true, true, true],
    );
    assert.equal(certainty.hasOutputs(1, 2), false);
  });

  test("a branch of a switch has not, but what follows all of them has", () => {
    const graph = graphOf(
      [{ ...plain, kind: "switch" }, plain, plain, plain, plain],
      [
        [0, 1, 0],
        [0, 2, 1],
        [1, 3, 0],
        [2, 3, 0],
        [3, 4, 0],
      ],
    );
    const certainty = analyseCertainty(graph, topologicalOrder(graph));
    assert.deepEqual(
      [0, 1, 2].map((step) => certainty.hasOutputs(step, 3)),
      [true, false, false],
    );
    assert.equal(certainty.hasOutputs(3, 4), true);
    assert.deepEqual(
      [0, 1, 2, 3, 4].map((step) => certainty.hasOutputsAtEnd(step)),
      [true, false, false, true, true],
    );
  });

  test("what is reported as certain holds in every way a random graph can go", () => {
    const shape = fc.record({
      kind: fc.constantFrom("plain" as const, "plain" as const, "switch" as const, "approval" as const),
      conditional: fc.boolean(),
      any: fc.boolean(),
    });
    const random = fc
      .integer({ min: 2, max: 7 })
      .chain((count) =>
        fc.tuple(
          fc.array(shape, { minLength: count, maxLength: count }),
          fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1), fc.nat(1)), { maxLength: 12 }),
        ),
      );
    let certain = 0;
    fc.assert(
      fc.property(random, fc.infiniteStream(fc.nat(1)), ([shapes, ends], stream) => {
        const forward = ends.filter(([from, to]) => from < to);
        const graph = graphOf(shapes, forward);
        const order = topologicalOrder(graph);
        const certainty = analyseCertainty(graph, order);
        for (let round = 0; round < 24; round++) {
          const starts = simulate(
            graph,
            order,
            (_, ways) => ways[(stream.next().value ?? 0) % ways.length] ?? "",
          );
          assert.ok(starts !== null);
          for (const [node, before] of starts) {
            for (const step of shapes.keys()) {
              if (node === -1) {
                if (certainty.hasOutputsAtEnd(step)) assert.ok(before.out.has(step), `n${step} at the end`);
              } else {
                if (certainty.hasOutputs(step, node)) {
                  certain += 1;
                  assert.ok(before.out.has(step), `n${step} before n${node}`);
                }
                if (certainty.ran(step, node))
                  assert.ok(before.ran.has(step), `n${step} ran before n${node}`);
              }
            }
          }
        }
      }),
      { numRuns: 400 },
    );
    assert.ok(certain > 1_000, "the analysis says something");
  });
});

describe("cycles", () => {
  test("each knot is shown once, as a cycle that exists", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 16 }),
        (count, ends) => {
          const nodes = Array.from({ length: count }, (_, i) => ({
            id: `n${i}`,
            type: "transform",
            value: 1,
          }));
          const edges = ends
            .filter(([from, to]) => from < count && to < count)
            .map(([from, to], i) => ({ id: `e${i}`, from: `n${from}`, to: `n${to}` }));
          const { document } = parseDocument({ nodes, edges });
          const graph = buildGraph(document.nodes, document.edges);
          const cycles = findCycles(graph);
          assert.equal(cycles.length > 0, topologicalOrder(graph).length < count);
          for (const cycle of cycles) {
            assert.equal(cycle[0], cycle.at(-1));
            for (let i = 0; i + 1 < cycle.length; i++) {
              const [from, to] = [cycle[i], cycle[i + 1]];
              assert.ok(
                document.edges.some((edge) => edge.from === `n${from}` && edge.to === `n${to}`),
                `${from} → ${to}`,
              );
            }
          }
        },
      ),
    );
  });
});
