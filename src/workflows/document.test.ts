import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { documentDigest, documentJson, emptyDocument, parseDocument } from "./document.ts";

const inputs = {
  type: "object",
  properties: { url: { type: "string" } },
  required: ["url"],
  additionalProperties: false,
};
const plain = {
  inputs,
  nodes: [
    { id: "a", type: "tool", tool: "get_info" },
    { id: "b", type: "approval", title: "Look", approval: { title: "Go?" } },
    { id: "c", type: "transform", value: { $ref: "$inputs.url" } },
  ],
  edges: [
    { from: "a", to: "b" },
    { from: "b", to: "c" },
  ],
  outputs: { url: { $ref: "$steps.c.outputs" } },
};

describe("documents", () => {
  test("edges get ids and the port that is usual for their step", () => {
    const { document, problems } = parseDocument(plain);
    assert.deepEqual(problems, []);
    assert.deepEqual(document.edges, [
      { id: "a:success->b", from: "a", to: "b", port: "success" },
      { id: "b:approved->c", from: "b", to: "c", port: "approved" },
    ]);
  });

  test("what a canvas library writes is the same document", () => {
    const canvas = {
      inputs,
      outputs: plain.outputs,
      viewport: { x: 0, y: 0, zoom: 1 },
      nodes: [
        { id: "a", type: "tool", position: { x: 1, y: 2 }, selected: true, data: { tool: "get_info" } },
        {
          id: "b",
          type: "custom",
          position: { x: 3, y: 4 },
          measured: { width: 9 },
          data: { type: "approval", label: "Look", approval: { title: "Go?" } },
        },
        { id: "c", type: "transform", position: { x: 5, y: 6 }, data: { value: { $ref: "$inputs.url" } } },
      ],
      edges: [
        { source: "a", target: "b", animated: true, markerEnd: { type: "arrow" } },
        { source: "b", target: "c", sourceHandle: "approved", type: "smoothstep" },
      ],
    };
    const [own, other] = [parseDocument(plain), parseDocument(canvas)];
    assert.deepEqual(other.problems, []);
    assert.equal(documentDigest(other.document), documentDigest(own.document));
    assert.deepEqual(other.document.ui.positions?.["b"], { x: 3, y: 4 });
  });

  test("inputs and outputs may stand on start and end nodes", () => {
    const folded = {
      nodes: [
        { id: "begin", type: "start", inputs },
        ...plain.nodes,
        { id: "finish", type: "end", data: { outputs: plain.outputs } },
      ],
      edges: [{ from: "begin", to: "a" }, ...plain.edges, { from: "c", to: "finish" }],
    };
    const parsed = parseDocument(folded);
    assert.deepEqual(parsed.problems, []);
    assert.equal(documentDigest(parsed.document), documentDigest(parseDocument(plain).document));
  });

  test("moving a box changes nothing that runs; everything else does", () => {
    const digest = documentDigest(parseDocument(plain).document);
    assert.equal(
      documentDigest(parseDocument({ ...plain, ui: { positions: { a: { x: 9, y: 9 } } } }).document),
      digest,
    );
    assert.equal(documentDigest(parseDocument({ ...plain, name: "Other" }).document), digest);
    assert.notEqual(
      documentDigest(parseDocument({ ...plain, policy: { maxParallelSteps: 2 } }).document),
      digest,
    );
    assert.notEqual(documentDigest(parseDocument({ ...plain, outputs: {} }).document), digest);
  });

  test("the normal form is read back as itself", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, show) => {
        const given = {
          nodes: [
            { id: "a", type: "transform", value },
            { id: "b", type: "approval", approval: { title: "t", show } },
          ],
          edges: [{ from: "a", to: "b" }],
        };
        const { document, problems } = parseDocument(given);
        fc.pre(problems.length === 0);
        const again = parseDocument(documentJson(document));
        assert.deepEqual(again.problems, []);
        assert.deepEqual(again.document, document);
        assert.equal(documentDigest(again.document), documentDigest(document));
      }),
    );
  });

  test("a node that cannot be read keeps its place, and says why", () => {
    const { document, problems, broken } = parseDocument({
      nodes: [
        { id: "a", type: "tool", tool: "get_info" },
        { id: "b", type: "tool", wiht: {} },
      ],
      edges: [{ from: "a", to: "b" }],
    });
    assert.deepEqual(
      problems.map((item) => `${item.code} ${item.pointer}`),
      ["missing_field /nodes/1/tool", "unknown_field /nodes/1/wiht"],
    );
    assert.equal(document.edges.length, 1);
    assert.equal(broken.size, 1);
  });

  test("an empty document is a draft", () => {
    assert.deepEqual(parseDocument({ nodes: [], edges: [] }).document, emptyDocument());
    assert.deepEqual(parseDocument({}).problems, []);
  });
});
