import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "@workflow-ui/client";
import { aliasSources } from "../../../build/source-aliases.ts";

aliasSources();
const { fixesFor } = await import("./fixes.ts");
const { EMPTY_GRAPH } = await import("./model.ts");
const { parseDocument } = await import("../../../../src/workflows/document.ts");
const { validateDocument } = await import("../../../../src/workflows/validate.ts");
const { catalogView, subworkflowKey } = await import("../../../../src/workflows/catalog-view.ts");
type Graph = typeof EMPTY_GRAPH;

const tool = (name: string, input: Record<string, unknown>, destructive = false) => ({
  name,
  title: name.replaceAll("_", " "),
  description: "",
  inputSchema: { type: "object", additionalProperties: false, ...input },
  outputSchema: {
    anyOf: [
      {
        properties: {
          ok: { const: true },
          data: { type: "object", properties: { status: { type: "string" } }, additionalProperties: false },
        },
      },
    ],
  },
  isProtected: false,
  readOnly: !destructive && name !== "write_note",
  destructive,
  idempotent: false,
  openWorld: false,
  hasApp: false,
  server: "",
});

const TOOLS = [
  tool("read_status", { properties: {} }),
  tool("write_note", { properties: { text: { type: "string" }, topic: { type: "string" } } }),
  tool("drop_table", { properties: {} }, true),
  tool("order", {
    properties: {
      lines: {
        type: "array",
        items: {
          type: "object",
          properties: { bookId: { type: "string" }, amount: { type: "integer" } },
          required: ["bookId", "amount"],
        },
      },
    },
  }),
  tool("write_notes", {
    properties: {
      notes: {
        type: "array",
        items: {
          type: "object",
          properties: { heading: { type: "string" }, place: { type: "integer" } },
          required: ["heading", "place"],
          additionalProperties: false,
        },
      },
      note: {
        type: "object",
        properties: { heading: { type: "string" } },
        required: ["heading"],
        additionalProperties: false,
      },
    },
  }),
];

/** A workflow whose inputs are described, with one call that takes notes. */
const takingNotes = (given: JsonObject): Graph => ({
  ...EMPTY_GRAPH,
  inputs: {
    type: "object",
    properties: {
      books: {
        type: "array",
        items: {
          type: "object",
          properties: { headings: { type: "string" }, place: { type: "integer" }, price: { type: "number" } },
        },
      },
      answer: { type: "object", properties: { body: { type: "array", items: { type: "string" } } } },
      book: {
        type: "object",
        properties: { heading: { type: "string" }, price: { type: "number" }, sold: { type: "boolean" } },
      },
      names: { type: "array", items: { type: "string" } },
    },
  },
  nodes: [{ id: "last", type: "tool", tool: "write_notes", with: given }],
  edges: [],
});

const STOCK = {
  type: "object",
  properties: {
    stock: {
      type: "array",
      items: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
    },
    total: { type: "integer" },
  },
  required: ["stock", "total"],
};

/** The newest published version of a workflow that takes a note. */
const CHILD = {
  version: 1,
  digest: "d",
  inputs: {
    type: "object",
    properties: {
      note: {
        type: "object",
        properties: { heading: { type: "string" } },
        required: ["heading"],
        additionalProperties: false,
      },
    },
  },
  outputs: { done: true },
  effect: "none" as const,
};
const WORKFLOWS = new Map([[subworkflowKey("workflow_1", undefined), CHILD]]);

function view() {
  return catalogView(
    TOOLS.map((item) => ({
      name: item.name,
      title: item.title,
      inputSchema: JSON.parse(JSON.stringify(item.inputSchema)),
      outputSchema: JSON.parse(JSON.stringify(item.outputSchema.anyOf[0]?.properties.data)),
      effect: item.destructive
        ? ("destructive" as const)
        : item.readOnly
          ? ("none" as const)
          : ("write" as const),
      idempotent: false,
      openWorld: false,
      keyed: true,
      scope: null,
      digest: "d",
    })),
    WORKFLOWS,
  );
}

function problemsOf({ nodes, edges, inputs, outputs, policy, ui }: Graph) {
  return validateDocument(parseDocument({ nodes, edges, inputs, outputs, policy, ui }), view()).problems;
}

const graphWith = (nodes: Graph["nodes"], edges: Graph["edges"] = []): Graph => ({
  ...EMPTY_GRAPH,
  nodes,
  edges,
});
const read = { id: "read", type: "tool", tool: "read_status", with: {} };
const last = (with_: JsonObject) => ({
  id: "last",
  type: "tool",
  tool: "write_note",
  with: with_,
});
const edge = (from: string, to: string, port = "success") => ({
  id: `${from}-${to}-${port}`,
  from,
  to,
  port,
});

/** One step before a switch whose path has a condition, and the step of that path. */
const askedFor = (when: string): Graph => ({
  ...takingNotes({}),
  nodes: [{ id: "pick", type: "switch", cases: [{ name: "a", when }] }, last({}), { ...read, id: "else" }],
  edges: [edge("pick", "last", "case:a"), edge("pick", "else", "default")],
});

/** What is wrong, the label of the fix that is taken, and the graph. */
const CASES: readonly (readonly [string, string, Graph])[] = [
  ["tool_unknown", "Use “read status”", graphWith([{ ...read, tool: "read_statu" }])],
  ["argument_unknown", "Rename to “Text”", graphWith([last({ txt: "a" })])],
  ["argument_unknown", "Remove “Txt”", graphWith([last({ txt: "a" })])],
  [
    "ref_unknown_step",
    "Use “read”",
    graphWith([read, last({ text: { $ref: "$steps.raed.outputs#/data/status" } })], [edge("read", "last")]),
  ],
  [
    "ref_unknown_step",
    "Use “read”",
    graphWith([read, last({ text: { $expr: "steps.raed.outputs.data.status" } })], [edge("read", "last")]),
  ],
  [
    "ref_unknown_path",
    "Use “Status”",
    graphWith([read, last({ text: { $ref: "steps.read.outputs.data.stats" } })], [edge("read", "last")]),
  ],
  ["ref_unknown_input", "Add the input “Name”", graphWith([last({ text: { $ref: "inputs.name" } })])],
  [
    "ref_not_upstream",
    "Run “read” before this",
    graphWith([read, last({ text: { $ref: "steps.read.outputs.data.status" } })]),
  ],
  [
    "looks_like_template",
    "Make it a reference",
    graphWith([read, last({ text: "$steps.read.outputs#/data/status" })], [edge("read", "last")]),
  ],
  ["looks_like_template", "Keep it as text", graphWith([last({ text: "{{ name }}" })])],
  ["argument_type", "Choose Heading, Place of each item", takingNotes({ notes: { $ref: "inputs.books" } })],
  ["argument_type", "Choose its fields Heading", takingNotes({ note: { $ref: "inputs.book" } })],
  [
    "argument_type",
    "Convert it to text",
    { ...graphWith([last({ text: { $ref: "inputs.total" } })]), inputs: STOCK },
  ],
  [
    "argument_type",
    "Use “read › Status”",
    graphWith([read, last({ text: { $ref: "steps.read.outputs.data" } })], [edge("read", "last")]),
  ],
  [
    "argument_type",
    "Use “read › Status”",
    graphWith([read, last({ text: { $ref: "steps.read.outputs" } })], [edge("read", "last")]),
  ],
  [
    "argument_type",
    "Choose its fields Heading",
    {
      ...takingNotes({}),
      nodes: [
        {
          id: "run",
          type: "subworkflow",
          subworkflow: { workflowId: "workflow_1" },
          with: { note: { $ref: "inputs.book" } },
        },
      ],
    },
  ],
  [
    "argument_type",
    "Use “Inputs › Book › Heading”",
    {
      ...takingNotes({}),
      nodes: [{ id: "ask", type: "approval", approval: { title: { $ref: "inputs.book" } } }],
    },
  ],
  [
    "wait_invalid",
    "Use “Inputs › Book › Price”",
    { ...takingNotes({}), nodes: [{ id: "wait", type: "wait", wait: { ms: { $ref: "inputs.book" } } }] },
  ],
  [
    "map_items",
    "Use “Inputs › Answer › Body”",
    {
      ...takingNotes({}),
      nodes: [
        {
          id: "each",
          type: "map",
          map: {
            items: { $ref: "inputs.answer" },
            maxItems: 5,
            body: { tool: "write_note", with: { text: { $ref: "item" } } },
          },
        },
      ],
    },
  ],
  ["expr_not_boolean", "Ask whether it is not empty", askedFor("inputs.names")],
  ["expr_not_boolean", "Ask whether it is more than 0", askedFor("inputs.book.price")],
  ["expr_not_boolean", "Use “Inputs › Book › Sold”", askedFor("inputs.book")],
  [
    "ref_not_upstream",
    "Leave it empty when that step does not run",
    { ...askedFor("inputs.book.sold"), outputs: { status: { $ref: "steps.else.outputs.data.status" } } },
  ],
  [
    "ref_fixed_item",
    "Use this item",
    {
      ...takingNotes({}),
      nodes: [
        {
          id: "each",
          type: "map",
          map: {
            items: { $ref: "inputs.names" },
            maxItems: 5,
            body: { tool: "write_note", with: { text: { $ref: "inputs.names[0]" } } },
          },
        },
      ],
    },
  ],
  [
    "ref_optional",
    "Leave it empty when it is missing",
    {
      ...EMPTY_GRAPH,
      inputs: { type: "object", properties: { a: {}, b: {} }, required: ["a"] },
      nodes: [{ id: "made", type: "transform", value: { b: { $ref: "inputs.b" } } }],
    },
  ],
  ["edge_dangling", "Remove the connection", graphWith([read], [edge("read", "gone")])],
  ["port_unknown", "Use “success”", graphWith([read, last({})], [edge("read", "last", "succes")])],
  [
    "cycle",
    "Remove the connection from “last”",
    graphWith([read, last({})], [edge("read", "last"), edge("last", "read")]),
  ],
  [
    "switch_no_default",
    "Let the path end",
    graphWith(
      [{ id: "pick", type: "switch", cases: [{ name: "a", when: "true" }] }, last({})],
      [edge("pick", "last", "case:a")],
    ),
  ],
  [
    "switch_case_unwired",
    "Remove the case “b”",
    graphWith(
      [
        {
          id: "pick",
          type: "switch",
          cases: [
            { name: "a", when: "true" },
            { name: "b", when: "true" },
          ],
        },
        last({}),
        read,
      ],
      [edge("pick", "last", "case:a"), edge("pick", "read", "default")],
    ),
  ],
  [
    "destructive_without_approval",
    "Ask for approval before it",
    graphWith([read, { id: "drop", type: "tool", tool: "drop_table", with: {} }], [edge("read", "drop")]),
  ],
  [
    "retry_without_key",
    "Send a key that stays the same",
    graphWith([{ ...last({}), retry: { maxAttempts: 3 } }]),
  ],
  ["retry_without_key", "Do not retry", graphWith([{ ...last({}), retry: { maxAttempts: 3 } }])],
  ["retry_pointless", "Remove the retry", graphWith([{ ...read, retry: { maxAttempts: 1 } }])],
  [
    "tool_changed",
    "Use the tool as it is now",
    graphWith([{ ...read, toolDigest: `sha256:${"0".repeat(64)}` }]),
  ],
  [
    "map_items",
    "Allow 3 items",
    graphWith([
      {
        id: "each",
        type: "map",
        map: { items: [1, 2, 3], maxItems: 2, body: { tool: "read_status", with: {} } },
      },
    ]),
  ],
  [
    "destructive_without_approval",
    "Ask for approval before it",
    graphWith([
      {
        id: "each",
        type: "map",
        map: {
          items: [1],
          maxItems: 5,
          body: { nodes: [{ id: "drop", type: "tool", tool: "drop_table", with: {} }], edges: [] },
        },
      },
    ]),
  ],
];

describe("fixes", () => {
  for (const [code, label, graph] of CASES) {
    it(`${code}: ${label}`, () => {
      const problem = problemsOf(graph).find((item) => item.code === code);
      assert.ok(problem !== undefined, `${code} is reported: ${JSON.stringify(problemsOf(graph))}`);
      const fixes = fixesFor({ ...problem }, graph, TOOLS, WORKFLOWS);
      const fix = fixes.find((item) => item.label === label);
      assert.ok(fix !== undefined, `offered: ${fixes.map((item) => item.label).join(", ")}`);
      assert.deepEqual(problemsOf(fix.apply(graph)), []);
    });
  }

  it("chooses and converts the fields that there are, and names the others to fill in", () => {
    const nodes = [{ id: "last", type: "tool", tool: "order", with: { lines: { $ref: "inputs.stock" } } }];
    const graph = { ...graphWith(nodes), inputs: STOCK };
    const problem = problemsOf(graph).find(({ code }) => code === "argument_type");
    assert.ok(problem !== undefined);
    const fix = fixesFor({ ...problem }, graph, TOOLS).find(({ label }) => label.startsWith("Choose"));
    assert.equal(fix?.label, "Choose Book ID of each item; fill in Amount");
    const fixed = fix.apply(graph);
    assert.deepEqual(fixed.nodes.find(({ type }) => type === "map")?.map?.body?.nodes?.[0]?.value, {
      bookId: { $expr: "string(item.id)" },
      amount: null,
    });
    const [rest] = problemsOf(fixed);
    assert.match(rest?.message ?? "", /“amount” in each item: null is given/);
    assert.deepEqual(rest === undefined ? null : fixesFor({ ...rest }, fixed, TOOLS), []);
  });

  it("offers no key where none is taken", () => {
    const retry = { maxAttempts: 3 };
    for (const step of [
      { ...last({}), idempotencyKey: "a", retry },
      { ...last({}), tool: "shop:order", retry },
    ]) {
      const graph = graphWith([step]);
      const problem = { code: "retry_without_key", pointer: "/nodes/0/retry", message: "", fix: "" };
      const labels = fixesFor({ ...problem, severity: "error" }, graph, TOOLS).map((item) => item.label);
      assert.deepEqual(labels, ["Do not retry"]);
    }
  });

  it("offers to delete or connect a step that nothing leads to", () => {
    const graph = graphWith([{ ...read, if: "false" }, last({})], [edge("read", "last")]);
    const problem = problemsOf(graph).find((item) => item.code === "unreachable");
    assert.ok(problem !== undefined);
    const [connect, remove] = fixesFor({ ...problem }, graph, TOOLS);
    assert.equal(connect?.label, "Run it after “read”");
    assert.deepEqual(remove?.apply(graph).nodes, [{ ...read, if: "false" }]);
  });
});
