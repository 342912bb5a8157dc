import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { catalogView, viewOfTool } from "../../src/workflows/catalog-view.ts";
import { parseDocument } from "../../src/workflows/document.ts";
import { planDocument } from "../../src/workflows/plan.ts";
import { validateDocument } from "../../src/workflows/validate.ts";
import { tools } from "../../src/registry.ts";

const view = catalogView(tools.map(viewOfTool));

/** A graph of chains, forks, joins, switches, references and expressions; `salt` makes its expressions new to caches. */
function bigGraph(size: number, salt: number): JsonObject {
  const nodes: JsonObject[] = [];
  const edges: JsonObject[] = [];
  for (let i = 0; i < size; i += 5) {
    const before = i === 0 ? null : `join${i - 5}`;
    nodes.push({
      id: `get${i}`,
      type: "tool",
      tool: "get_workflow",
      with: { id: { $expr: `inputs.name + "${i}-${salt}"` } },
    });
    nodes.push({
      id: `pick${i}`,
      type: "switch",
      cases: [{ name: "many", when: `inputs.count > ${i + salt}` }],
    });
    nodes.push({ id: `yes${i}`, type: "tool", tool: "get_info", retry: { maxAttempts: 3 } });
    nodes.push({
      id: `no${i}`,
      type: "transform",
      value: { name: { $ref: `$steps.get${i}.outputs#/data/workflow/name` } },
    });
    nodes.push({
      id: `join${i}`,
      type: "transform",
      value: {
        name: { $ref: `$steps.get${i}.outputs#/data/workflow/name` },
        ok: { $expr: `steps.get${i}.outputs.ok && ${i + salt} > 1` },
      },
    });
    if (before !== null) edges.push({ from: before, to: `get${i}` });
    edges.push(
      { from: `get${i}`, to: `pick${i}` },
      { from: `pick${i}`, to: `yes${i}`, port: "case:many" },
      { from: `pick${i}`, to: `no${i}`, port: "default" },
      { from: `yes${i}`, to: `join${i}` },
      { from: `no${i}`, to: `join${i}` },
    );
    if (i >= 50) edges.push({ from: `join${i - 50}`, to: `no${i}` });
  }
  return {
    inputs: {
      type: "object",
      properties: { name: { type: "string" }, count: { type: "integer" } },
      required: ["name", "count"],
      additionalProperties: false,
    },
    nodes,
    edges,
    outputs: { last: { $ref: `$steps.join${size - 5}.outputs` } },
  };
}

/** Eight times as many nodes may cost this many times as much: in proportion, with room for caches and collections. */
const LINEAR = 20;

/** Parses, validates and plans a graph; processor time in milliseconds. */
function cost(nodes: number, salt: number): number {
  const document = bigGraph(nodes, salt);
  const before = process.cpuUsage();
  const parsed = parseDocument(document);
  const verdict = validateDocument(parsed, view);
  const plan = planDocument(parsed, view, verdict);
  const { user, system } = process.cpuUsage(before);
  assert.deepEqual(verdict.problems, []);
  assert.equal(plan.steps.length, nodes);
  assert.equal(plan.executable, true);
  assert.ok(plan.levels.length > nodes / 2);
  return (user + system) / 1_000;
}

test("the cost of parsing, validating and planning a graph grows with its size and no faster", () => {
  let [small, large] = [Infinity, Infinity];
  // In turns and the cheapest of each: what else the machine does makes both dearer. The first warm the compiler up.
  for (let round = 0; round < 3 || (round < 15 && large >= small * LINEAR); round++) {
    small = Math.min(small, cost(500, round));
    large = Math.min(large, cost(4_000, round));
  }
  assert.ok(large < small * LINEAR, `500 nodes ${small.toFixed(1)} ms, 4,000 nodes ${large.toFixed(1)} ms`);
});

test("the largest graph that is read stays bounded, whatever its shape", () => {
  const many = Array.from({ length: 5_000 }, (_, i) => ({ id: `n${i}`, type: "transform", value: i }));
  const star = many.slice(1).map(({ id }) => ({ from: "n0", to: id }));
  const funnel = many.slice(0, -1).map(({ id }) => ({ from: id, to: "n4999" }));
  const chain = many.slice(1).map(({ id }, i) => ({ from: `n${i}`, to: id }));
  const loop = [...chain, { from: "n4999", to: "n0" }];
  const pair = Array.from({ length: 2_499 }, (_, i) => [
    { from: `s${i}`, to: i === 2_498 ? "m0" : `s${i + 1}`, port: "case:x" },
    { from: `s${i}`, to: `m${i}`, port: "default" },
    ...(i === 2_498 ? [] : [{ from: `m${i + 1}`, to: `m${i}` }]),
  ]);
  const ladder = Array.from({ length: 2_499 }, (_, i) => [
    { id: `s${i}`, type: "switch", cases: [{ name: "x", when: "inputs.flag" }] },
    { id: `m${i}`, type: "transform", value: i },
  ]);
  const graphs = [star, funnel, chain, loop].map((edges) => ({ nodes: many, edges }));
  const inputs = { type: "object", properties: { flag: { type: "boolean" } } };
  for (const { nodes, edges } of [...graphs, { nodes: ladder.flat(), edges: pair.flat() }]) {
    const before = process.cpuUsage();
    validateDocument(parseDocument({ inputs, nodes, edges }), view);
    const { user, system } = process.cpuUsage(before);
    assert.ok((user + system) / 1_000 < 10_000, `${(user + system) / 1_000} ms of processor time`);
  }
});

test("documents made to cost time are answered in bounded time, with a bounded list of problems", () => {
  const nodes = (count: number, node: (i: number) => JsonObject): JsonObject => ({
    nodes: Array.from({ length: count }, (_, i) => node(i)),
    edges: [],
  });
  const hostile: readonly JsonObject[] = [
    nodes(5_000, (i) => ({ id: `n${i}`, type: "tool", tool: `${"get_workflow_".repeat(4)}${i}` })),
    nodes(1, () => ({
      id: "n",
      type: "transform",
      value: Array.from({ length: 100_000 }, () => ({ $ref: 1 })),
    })),
    nodes(4_000, (i) => ({
      id: `n${i}`,
      type: "transform",
      value: { $expr: `inputs.${"a.".repeat(15)}b${i} + steps.x${i}.outputs` },
    })),
    nodes(5_000, (i) => ({ id: `n${i}`, type: "transform", value: `sk-${"a".repeat(40)}${i} {{x}}` })),
    nodes(1, () => ({
      id: "n",
      type: "tool",
      tool: "save_artifact",
      with: Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`x${i}`, i])),
    })),
  ];
  for (const document of hostile) {
    const cpu = process.cpuUsage();
    const { problems, valid } = validateDocument(parseDocument(document), view);
    const { user, system } = process.cpuUsage(cpu);
    assert.equal(valid, false);
    assert.ok(problems.length < 25_000, String(problems.length));
    assert.ok((user + system) / 1_000 < 10_000, `${(user + system) / 1_000} ms of processor time`);
  }
});
