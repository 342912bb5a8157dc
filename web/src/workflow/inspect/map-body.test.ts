import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import { aliasSources } from "../../../build/source-aliases.ts";
import type { ToolInfo } from "../../api/tools.ts";
import type { DraftBody, Graph } from "../document/model.ts";

aliasSources();
const { EMPTY_GRAPH, connect, removeEdges, removeNode, replaceNode } = await import("../document/model.ts");
const { withBodyAndResult } = await import("../document/prefill.ts");
const { bodyGraph, withBody } = await import("./map-body.ts");

const step = (id: string) => ({ id, type: "tool", tool: `shop:${id}`, with: {} });
const edge = { id: "e", from: "a", to: "b", port: "success" };
const mapOf = (body: DraftBody): Graph => ({
  ...EMPTY_GRAPH,
  nodes: [{ id: "each", type: "map", map: { items: [], maxItems: 10, body } }],
});
const bodyOf = (graph: Graph): Graph => bodyGraph(graph, "each") ?? EMPTY_GRAPH;
const changed = (graph: Graph, change: (body: Graph) => Graph): Graph =>
  withBody(graph, "each", change(bodyOf(graph)));
const resultOf = (graph: Graph) => graph.nodes[0]?.map?.body?.outputs;
const addB = (body: Graph): Graph => ({ ...body, nodes: [...body.nodes, step("b")], edges: [edge] });
const result = (path: string): JsonObject => ({ $ref: `steps.${path}` });

describe("the result of a map's item", () => {
  for (const member of ["data", "data.body", "data.structuredContent"]) {
    it(`follows the last step from ${member}, forwards and back`, () => {
      const alone = mapOf({ nodes: [step("a")], outputs: result(`a.outputs.${member}`) });
      const both = changed(alone, addB);
      assert.deepEqual(resultOf(both), result("b.outputs.data"));
      assert.deepEqual(resultOf(changed(both, (body) => removeNode(body, "b"))), result("a.outputs.data"));
    });

    it(`follows it when a step is added first and connected then, from ${member}`, () => {
      const alone = mapOf({ nodes: [step("a")], outputs: result(`a.outputs.${member}`) });
      const apart = changed(alone, (body) => ({ ...body, nodes: [...body.nodes, step("b")] }));
      const both = changed(apart, (body) => connect(body, "a", "b"));
      assert.deepEqual(resultOf(both), result("b.outputs.data"));
      const turned = changed(both, (body) =>
        connect(
          removeEdges(
            body,
            body.edges.map(({ id }) => id),
          ),
          "b",
          "a",
        ),
      );
      assert.deepEqual(resultOf(turned), result("a.outputs.data"));
    });
  }

  it("is the body of a response again once the step after it is gone", () => {
    const outputSchema = { type: "object", properties: { status: {}, body: { type: "object" } } };
    const tools = ["a", "b"].map((id): ToolInfo => ({
      name: `shop:${id}`,
      title: id,
      description: "",
      inputSchema: { type: "object" },
      outputSchema,
      isProtected: false,
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: true,
      hasApp: false,
      server: "shop",
    }));
    const move = (graph: Graph, change: (body: Graph) => Graph): Graph =>
      withBodyAndResult(graph, "each", change(bodyOf(graph)), tools, new Map());
    const both = move(mapOf({ nodes: [step("a")], outputs: result("a.outputs.data.body") }), addB);
    assert.deepEqual(resultOf(both), result("b.outputs.data.body"));
    assert.deepEqual(resultOf(move(both, (body) => removeNode(body, "b"))), result("a.outputs.data.body"));
    // The whole response, where a person chose that.
    const whole = mapOf({ nodes: [step("a")], outputs: result("a.outputs.data") });
    const titled = move(whole, (body) => ({ ...body, nodes: [{ ...step("a"), title: "A" }] }));
    assert.deepEqual(resultOf(titled), result("a.outputs.data"));
  });

  it("follows the step that is put after one tool call", () => {
    for (const chosen of ["/data", "/data/body"]) {
      const call = mapOf({ tool: "shop:a", with: {}, result: chosen });
      assert.deepEqual(resultOf(changed(call, addB)), result("b.outputs.data"));
    }
  });

  it("keeps its part when the step gets another id", () => {
    const alone = mapOf({ nodes: [step("a")], outputs: result("a.outputs.data.body") });
    const named = changed(alone, (body) => replaceNode(body, "a", { ...step("a"), id: "z" }));
    assert.deepEqual(resultOf(named), result("z.outputs.data.body"));
  });

  it("stays where a person chose something else", () => {
    const part = mapOf({ nodes: [step("a")], outputs: result("a.outputs.data.body.total") });
    assert.deepEqual(resultOf(changed(part, addB)), result("a.outputs.data.body.total"));
    const first = mapOf({ nodes: [step("a"), step("b")], edges: [edge], outputs: result("a.outputs.data") });
    const more = changed(first, (body) => ({ ...body, nodes: [...body.nodes, step("c")] }));
    assert.deepEqual(resultOf(more), result("a.outputs.data"));
    const silent = mapOf({ nodes: [step("a")] });
    assert.equal(resultOf(changed(silent, addB)), undefined);
    for (const chosen of ["", "/data/body/total"]) {
      const call = mapOf({ tool: "shop:a", with: {}, ...(chosen !== "" && { result: chosen }) });
      const expected = chosen === "" ? undefined : result("a.outputs.data.body.total");
      assert.deepEqual(resultOf(changed(call, addB)), expected);
    }
  });
});
