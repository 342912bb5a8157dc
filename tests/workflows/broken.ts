/*
 * Long on purpose: one list of faulty documents, a case after another, so that every code of the validator can be
 * looked up in one place and counted.
 */

import type { Json, JsonObject } from "../../src/kernel/json.ts";
import type { ProblemCode } from "../../src/workflows/problems.ts";
import { catalogView, subworkflowKey, type ToolView } from "../../src/workflows/catalog-view.ts";

/** A document with one fault: the code it must be reported as, and where. */
export interface Broken {
  readonly name: string;
  readonly code: ProblemCode;
  readonly pointer: string;
  readonly document: unknown;
}

function toolView(name: string, effect: ToolView["effect"], idempotent: boolean): ToolView {
  return {
    name,
    title: name,
    inputSchema: {
      type: "object",
      properties: {
        id: { type: "string", minLength: 1 },
        count: { type: "integer", minimum: 1, maximum: 10 },
        mode: { type: "string", enum: ["fast", "slow"] },
        list: { type: "array", items: { type: "string" } },
        body: { type: "object" },
      },
      required: ["id"],
      additionalProperties: false,
    },
    outputSchema: {
      type: "object",
      properties: {
        name: { type: "string" },
        size: { type: "integer" },
        rows: { type: "array", items: { type: "object" } },
      },
      additionalProperties: false,
    },
    effect,
    idempotent,
    openWorld: false,
    scope: effect === "none" ? null : "write",
    digest: `sha256:${"a".repeat(64)}`,
  };
}

/** Four tools, one of each effect that matters, and one published workflow. */
export const view = catalogView(
  [
    toolView("read", "none", true),
    toolView("send", "write", false),
    toolView("put", "write", true),
    toolView("wipe", "destructive", true),
    { ...toolView("pets:new", "none", true), unavailable: "quarantined" },
    { ...toolView("pets:gone", "none", true), unavailable: "removed" },
  ],
  new Map([
    [
      subworkflowKey("workflow_known", undefined),
      {
        version: 1,
        digest: "sha256:x",
        inputs: {
          type: "object",
          properties: { n: { type: "integer" } },
          required: ["n"],
          additionalProperties: false,
        },
        effect: "none",
        outputs: { total: 1 },
      },
    ],
    [
      subworkflowKey("workflow_wipes", undefined),
      {
        version: 1,
        digest: "sha256:y",
        inputs: { type: "object", properties: { id: {} } },
        effect: "destructive",
        outputs: {},
      },
    ],
    [subworkflowKey("workflow_gone", undefined), null],
    [subworkflowKey("workflow_known", 9), null],
  ]),
);

/** The id that the documents are validated under. */
export const OWN_ID = "workflow_self";

const inputs = {
  type: "object",
  properties: {
    url: { type: "string" },
    n: { type: "integer" },
    tags: { type: "array", items: { type: "string" } },
    flag: { type: "boolean" },
  },
  required: ["url"],
  additionalProperties: false,
};

const read = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  type: "tool",
  tool: "read",
  with: { id: "x" },
  ...more,
});
const make = (id: string, value: Json = 1, more: JsonObject = {}): JsonObject => ({
  id,
  type: "transform",
  value,
  ...more,
});
const ask = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  type: "approval",
  approval: { title: "Go?", ...more },
});

function doc(nodes: readonly unknown[], edges: readonly unknown[] = [], more: JsonObject = {}): unknown {
  return { inputs, nodes, edges, ...more };
}

function withValue(value: Json): unknown {
  return doc([make("a", value)]);
}

const each = (id: string, map: JsonObject): JsonObject => ({
  id,
  type: "map",
  map: { items: [1], maxItems: 1, ...map },
});

/** A map that chooses two fields of each item, and a step that takes something of it. */
function chosenFields(given: JsonObject): unknown {
  const body = {
    nodes: [make("fields", { name: { $ref: "item" }, place: { $ref: "index" } })],
    edges: [],
    outputs: { $ref: "steps.fields.outputs" },
  };
  return doc(
    [each("all", { items: ["x"], body }), read("a", { with: { id: "x", ...given } })],
    [{ from: "all", to: "a" }],
  );
}

function optionalInput(id: Json): JsonObject {
  return {
    inputs: {
      type: "object",
      properties: { name: { type: "string" }, nick: { type: "string" } },
      required: ["name"],
    },
    nodes: [read("a", { with: { id } })],
    edges: [],
  };
}

let deep: Json = 1;
for (let i = 0; i < 60; i++) deep = { a: deep };

/** At least two documents for each code, each with one fault. */
export const BROKEN: readonly Broken[] = [
  { name: "a list", code: "document_not_object", pointer: "", document: [] },
  {
    name: "nodes as text",
    code: "document_not_object",
    pointer: "/nodes",
    document: { nodes: "x", edges: [] },
  },
  {
    name: "a node that is a number",
    code: "document_not_object",
    pointer: "/nodes/1",
    document: doc([make("a"), 7]),
  },
  { name: "nested too deeply", code: "document_too_large", pointer: "", document: withValue(deep) },
  {
    name: "too many expressions",
    code: "document_too_large",
    pointer: "",
    document: withValue(Array.from({ length: 8_001 }, (_, i) => ({ $expr: String(i) }))),
  },
  {
    name: "too many nodes",
    code: "document_too_large",
    pointer: "/nodes",
    document: doc(Array.from({ length: 5001 }, (_, i) => make(`n${i}`))),
  },
  {
    name: "another version",
    code: "schema_version",
    pointer: "/schemaVersion",
    document: doc([make("a")], [], { schemaVersion: "suite.workflow.v2" }),
  },
  {
    name: "a number as version",
    code: "schema_version",
    pointer: "/schemaVersion",
    document: doc([make("a")], [], { schemaVersion: 1 }),
  },
  {
    name: "a tool step without tool",
    code: "missing_field",
    pointer: "/nodes/0/tool",
    document: doc([{ id: "a", type: "tool" }]),
  },
  {
    name: "an edge without an end",
    code: "missing_field",
    pointer: "/edges/0/to",
    document: doc([make("a")], [{ from: "a" }]),
  },
  {
    name: "an unknown top field",
    code: "unknown_field",
    pointer: "/steps",
    document: doc([make("a")], [], { steps: [] }),
  },
  {
    name: "a misspelt node field",
    code: "unknown_field",
    pointer: "/nodes/0/whith",
    document: doc([{ ...make("a"), whith: {} }]),
  },
  {
    name: "a misspelt edge field",
    code: "unknown_field",
    pointer: "/edges/0/when",
    document: doc([make("a"), make("b")], [{ from: "a", to: "b", when: "x" }]),
  },
  {
    name: "a fractional time-out",
    code: "bad_field",
    pointer: "/nodes/0/timeoutMs",
    document: doc([read("a", { timeoutMs: 1.5 })]),
  },
  {
    name: "a join that does not exist",
    code: "bad_field",
    pointer: "/nodes/0/join",
    document: doc([make("a", 1, { join: "some" })]),
  },
  {
    name: "a wait of both kinds",
    code: "wait_invalid",
    pointer: "/nodes/0/wait",
    document: doc([{ id: "a", type: "wait", wait: { ms: 1, until: "2030-01-01T00:00:00Z" } }]),
  },
  {
    name: "a policy out of range",
    code: "bad_field",
    pointer: "/policy/maxParallelSteps",
    document: doc([make("a")], [], { policy: { maxParallelSteps: 0 } }),
  },
  {
    name: "an id with a space",
    code: "node_id_invalid",
    pointer: "/nodes/0/id",
    document: doc([make("a b")]),
  },
  {
    name: "no id",
    code: "node_id_invalid",
    pointer: "/nodes/0/id",
    document: doc([{ type: "transform", value: 1 }]),
  },
  {
    name: "a prototype as id",
    code: "node_id_invalid",
    pointer: "/nodes/0/id",
    document: doc([make("__proto__")]),
  },
  {
    name: "an id twice",
    code: "node_id_duplicate",
    pointer: "/nodes/1/id",
    document: doc([make("a"), make("a", 2)]),
  },
  {
    name: "an id twice in a body",
    code: "node_id_duplicate",
    pointer: "/nodes/0/map/body/nodes/1/id",
    document: doc([
      {
        id: "m",
        type: "map",
        map: { items: [1], maxItems: 1, body: { nodes: [make("x"), make("x")], edges: [] } },
      },
    ]),
  },
  {
    name: "an unknown type",
    code: "node_type_unknown",
    pointer: "/nodes/0/type",
    document: doc([{ id: "a", type: "script" }]),
  },
  {
    name: "a map in a map",
    code: "node_type_unknown",
    pointer: "/nodes/0/map/body/nodes/0/type",
    document: doc([
      {
        id: "m",
        type: "map",
        map: {
          items: [1],
          maxItems: 1,
          body: {
            nodes: [
              {
                id: "n",
                type: "map",
                map: { items: [1], maxItems: 1, body: { tool: "read", with: { id: "x" } } },
              },
            ],
            edges: [],
          },
        },
      },
    ]),
  },
  {
    name: "two starts",
    code: "start_end_misplaced",
    pointer: "/nodes/1",
    document: {
      nodes: [{ id: "s", type: "start", inputs }, { id: "t", type: "start" }, make("a")],
      edges: [],
    },
  },
  {
    name: "outputs said twice",
    code: "start_end_misplaced",
    pointer: "/nodes/1",
    document: doc([make("a"), { id: "e", type: "end", outputs: { a: 1 } }], [], { outputs: { a: 2 } }),
  },
  { name: "nothing at all", code: "no_nodes", pointer: "/nodes", document: doc([]) },
  {
    name: "an empty body",
    code: "no_nodes",
    pointer: "/nodes/0/map/body/nodes",
    document: doc([
      { id: "m", type: "map", map: { items: [1], maxItems: 1, body: { nodes: [], edges: [] } } },
    ]),
  },
  {
    name: "an edge to nowhere",
    code: "edge_dangling",
    pointer: "/edges/0/to",
    document: doc([make("a")], [{ from: "a", to: "b" }]),
  },
  {
    name: "an edge from nowhere",
    code: "edge_dangling",
    pointer: "/edges/0/from",
    document: doc([make("a")], [{ source: "z", target: "a" }]),
  },
  {
    name: "an edge twice",
    code: "edge_duplicate",
    pointer: "/edges/1",
    document: doc(
      [make("a"), make("b")],
      [
        { from: "a", to: "b" },
        { id: "other", from: "a", to: "b" },
      ],
    ),
  },
  {
    name: "an edge id twice",
    code: "edge_duplicate",
    pointer: "/edges/1/id",
    document: doc(
      [make("a"), make("b"), make("c")],
      [
        { id: "e", from: "a", to: "b" },
        { id: "e", from: "a", to: "c" },
      ],
    ),
  },
  {
    name: "an approval's port on a tool",
    code: "port_unknown",
    pointer: "/edges/0/port",
    document: doc([read("a"), make("b")], [{ from: "a", to: "b", port: "approved" }]),
  },
  {
    name: "a case that a switch lacks",
    code: "port_unknown",
    pointer: "/edges/0/port",
    document: doc(
      [
        { id: "s", type: "switch", cases: [{ name: "yes", when: "inputs.flag" }] },
        make("b"),
        make("c"),
        make("d"),
      ],
      [
        { from: "s", to: "b", port: "case:no" },
        { from: "s", to: "c", port: "default" },
        { from: "s", to: "d", port: "case:yes" },
      ],
    ),
  },
  {
    name: "a cycle of two",
    code: "cycle",
    pointer: "/nodes/0",
    document: doc(
      [make("a"), make("b")],
      [
        { from: "a", to: "b" },
        { from: "b", to: "a" },
      ],
    ),
  },
  {
    name: "a step that follows itself",
    code: "cycle",
    pointer: "/nodes/1",
    document: doc(
      [make("a"), make("b")],
      [
        { from: "a", to: "b" },
        { from: "b", to: "b" },
      ],
    ),
  },
  {
    name: "behind an expiry that never comes",
    code: "unreachable",
    pointer: "/nodes/1",
    document: doc([ask("a"), make("b")], [{ from: "a", to: "b", port: "expired" }]),
  },
  {
    name: "behind a step that never runs",
    code: "unreachable",
    pointer: "/nodes/1",
    document: doc([make("a", 1, { if: "false" }), make("b")], [{ from: "a", to: "b" }]),
  },
  {
    name: "a switch without default",
    code: "switch_no_default",
    pointer: "/nodes/0",
    document: doc(
      [{ id: "s", type: "switch", cases: [{ name: "y", when: "inputs.flag" }] }, make("b")],
      [{ from: "s", to: "b", port: "case:y" }],
    ),
  },
  {
    name: "a switch in a body without default",
    code: "switch_no_default",
    pointer: "/nodes/0/map/body/nodes/0",
    document: doc([
      {
        id: "m",
        type: "map",
        map: {
          items: [1],
          maxItems: 1,
          body: {
            nodes: [{ id: "s", type: "switch", cases: [{ name: "y", when: "index == 0" }] }, make("b")],
            edges: [{ from: "s", to: "b", port: "case:y" }],
          },
        },
      },
    ]),
  },
  {
    name: "a case twice",
    code: "switch_case_duplicate",
    pointer: "/nodes/0/cases/1/name",
    document: doc(
      [
        {
          id: "s",
          type: "switch",
          cases: [
            { name: "y", when: "inputs.flag" },
            { name: "y", when: "inputs.n > 1" },
          ],
        },
        make("b"),
      ],
      [
        { from: "s", to: "b", port: "case:y" },
        { from: "s", to: "b", port: "default" },
      ],
    ),
  },
  {
    name: "a case three times",
    code: "switch_case_duplicate",
    pointer: "/nodes/0/cases/2/name",
    document: doc(
      [
        {
          id: "s",
          type: "switch",
          cases: [
            { name: "x", when: "inputs.flag" },
            { name: "y", when: "inputs.flag" },
            { name: "x", when: "inputs.n > 1" },
          ],
        },
        make("b"),
      ],
      [
        { from: "s", to: "b", port: "case:y" },
        { from: "s", to: "b", port: "case:x" },
        { from: "s", to: "b", port: "default" },
      ],
    ),
  },
  {
    name: "a case that leads nowhere",
    code: "switch_case_unwired",
    pointer: "/nodes/0/cases/0",
    document: doc(
      [{ id: "s", type: "switch", cases: [{ name: "y", when: "inputs.flag" }] }, make("b")],
      [{ from: "s", to: "b", port: "default" }],
    ),
  },
  {
    name: "one of two cases leads nowhere",
    code: "switch_case_unwired",
    pointer: "/nodes/0/cases/1",
    document: doc(
      [
        {
          id: "s",
          type: "switch",
          cases: [
            { name: "x", when: "inputs.flag" },
            { name: "y", when: "inputs.n == 1" },
          ],
        },
        make("b"),
      ],
      [
        { from: "s", to: "b", port: "default" },
        { from: "s", to: "b", port: "case:x" },
      ],
    ),
  },
  {
    name: "a tag beside other fields",
    code: "value_tag",
    pointer: "/nodes/0/value",
    document: withValue({ $ref: "$inputs.url", also: 1 }),
  },
  {
    name: "two tags",
    code: "value_tag",
    pointer: "/nodes/0/value/a",
    document: withValue({ a: { $ref: "$inputs.url", $expr: "1" } }),
  },
  {
    name: "a reference that is a number",
    code: "value_tag",
    pointer: "/nodes/0/value",
    document: withValue({ $ref: 3 }),
  },
  {
    name: "mustaches",
    code: "looks_like_template",
    pointer: "/nodes/0/value",
    document: withValue("Hello {{inputs.url}}"),
  },
  {
    name: "a bare reference",
    code: "looks_like_template",
    pointer: "/nodes/0/with/id",
    document: doc([read("a", { with: { id: "$inputs.url" } })]),
  },
  {
    name: "a JSON Schema reference as value",
    code: "ref_syntax",
    pointer: "/nodes/0/value/$ref",
    document: withValue({ $ref: "#/$defs/x" }),
  },
  {
    name: "a reference into nothing",
    code: "ref_syntax",
    pointer: "/nodes/0/value/$ref",
    document: withValue({ $ref: "$env.HOME" }),
  },
  {
    name: "a step that does not exist",
    code: "ref_unknown_step",
    pointer: "/nodes/0/value/$ref",
    document: withValue({ $ref: "$steps.b.outputs" }),
  },
  {
    name: "an expression over a step that does not exist",
    code: "ref_unknown_step",
    pointer: "/nodes/0/value/$expr",
    document: withValue({ $expr: "steps.b.outputs.x" }),
  },
  {
    name: "a step beside",
    code: "ref_not_upstream",
    pointer: "/nodes/1/value/$ref",
    document: doc([make("a"), make("b", { $ref: "$steps.a.outputs" })]),
  },
  {
    name: "a step after",
    code: "ref_not_upstream",
    pointer: "/nodes/0/value/$ref",
    document: doc([make("a", { $ref: "$steps.b.outputs" }), make("b")], [{ from: "a", to: "b" }]),
  },
  {
    name: "itself",
    code: "ref_not_upstream",
    pointer: "/nodes/0/value/$ref",
    document: withValue({ $ref: "$steps.a.outputs" }),
  },
  {
    name: "one branch of a switch",
    code: "ref_not_upstream",
    pointer: "/nodes/3/value/$ref",
    document: doc(
      [
        { id: "s", type: "switch", cases: [{ name: "y", when: "inputs.flag" }] },
        make("a"),
        make("b"),
        make("c", { $ref: "$steps.a.outputs" }),
      ],
      [
        { from: "s", to: "a", port: "case:y" },
        { from: "s", to: "b", port: "default" },
        { from: "a", to: "c" },
        { from: "b", to: "c" },
      ],
    ),
  },
  {
    name: "an output of a step that may be skipped",
    code: "ref_not_upstream",
    pointer: "/outputs/x/$ref",
    document: doc([make("a", 1, { if: "inputs.flag" })], [], {
      outputs: { x: { $ref: "$steps.a.outputs" } },
    }),
  },
  {
    name: "an undeclared input",
    code: "ref_unknown_input",
    pointer: "/nodes/0/value/$ref",
    document: withValue({ $ref: "$inputs.uri" }),
  },
  {
    name: "an undeclared input in CEL",
    code: "ref_unknown_input",
    pointer: "/nodes/0/if",
    document: doc([make("a", 1, { if: "inputs.flags" })]),
  },
  {
    name: "a path that a tool does not give",
    code: "ref_unknown_path",
    pointer: "/nodes/1/value/$ref",
    document: doc([read("a"), make("b", { $ref: "$steps.a.outputs#/data/nme" })], [{ from: "a", to: "b" }]),
  },
  {
    name: "a path into a text",
    code: "ref_unknown_path",
    pointer: "/nodes/0/value/$ref",
    document: withValue({ $ref: "$inputs.url#/host" }),
  },
  {
    name: "a field that a step does not give, in CEL",
    code: "ref_unknown_path",
    pointer: "/nodes/1/value/$expr",
    document: doc(
      [read("a"), make("b", { $expr: "steps.a.outputs.data.lenght + 1" })],
      [{ from: "a", to: "b" }],
    ),
  },
  {
    name: "a path that a tool does not give, with a default that would hide it",
    code: "ref_unknown_path",
    pointer: "/nodes/1/value/$ref",
    document: doc(
      [read("a"), make("b", { $ref: "$steps.a.outputs#/data/nme", default: null })],
      [{ from: "a", to: "b" }],
    ),
  },
  {
    name: "a field that a step does not give, in CEL with a default",
    code: "ref_unknown_path",
    pointer: "/nodes/1/value/$expr",
    document: doc(
      [read("a"), make("b", { $expr: "steps.a.outputs.data.lenght + 1", default: 0 })],
      [{ from: "a", to: "b" }],
    ),
  },
  {
    name: "an item outside a map",
    code: "ref_scope",
    pointer: "/nodes/0/value/$ref",
    document: withValue({ $ref: "$item" }),
  },
  {
    name: "an index outside a map",
    code: "ref_scope",
    pointer: "/nodes/0/if",
    document: doc([make("a", 1, { if: "index > 0" })]),
  },
  {
    name: "an unfinished expression",
    code: "expr_syntax",
    pointer: "/nodes/0/value/$expr",
    document: withValue({ $expr: "inputs.n +" }),
  },
  {
    name: "JavaScript",
    code: "expr_syntax",
    pointer: "/nodes/0/if",
    document: doc([make("a", 1, { if: "inputs.flag === true" })]),
  },
  {
    name: "text plus number",
    code: "expr_type",
    pointer: "/nodes/0/value/$expr",
    document: withValue({ $expr: "inputs.url + inputs.n" }),
  },
  {
    name: "an unknown function",
    code: "expr_type",
    pointer: "/nodes/0/value/$expr",
    document: withValue({ $expr: "now()" }),
  },
  {
    name: "an unknown name",
    code: "expr_type",
    pointer: "/nodes/0/if",
    document: doc([make("a", 1, { if: "process.env" })]),
  },
  {
    name: "a text as condition",
    code: "expr_not_boolean",
    pointer: "/nodes/0/if",
    document: doc([make("a", 1, { if: "inputs.url" })]),
  },
  {
    name: "a number as case",
    code: "expr_not_boolean",
    pointer: "/nodes/0/cases/0/when",
    document: doc(
      [{ id: "s", type: "switch", cases: [{ name: "y", when: "inputs.n + 1" }] }, make("b")],
      [
        { from: "s", to: "b", port: "case:y" },
        { from: "s", to: "b", port: "default" },
      ],
    ),
  },
  {
    name: "matches",
    code: "expr_forbidden",
    pointer: "/nodes/0/if",
    document: doc([make("a", 1, { if: 'inputs.url.matches("(a+)+$")' })]),
  },
  {
    name: "bind",
    code: "expr_forbidden",
    pointer: "/nodes/0/value/$expr",
    document: withValue({ $expr: "cel.bind(x, inputs.url, x + x)" }),
  },
  {
    name: "loops four deep",
    code: "expr_cost",
    pointer: "/nodes/0/if",
    document: doc([
      make("a", 1, {
        if: "inputs.tags.all(a, inputs.tags.all(b, inputs.tags.all(c, inputs.tags.all(d, a == d))))",
      }),
    ]),
  },
  {
    name: "nested without end",
    code: "expr_cost",
    pointer: "/nodes/0/value/$expr",
    document: withValue({ $expr: `${"(".repeat(60)}1${")".repeat(60)}` }),
  },
  {
    name: "a tool that does not exist",
    code: "tool_unknown",
    pointer: "/nodes/0/tool",
    document: doc([read("a", { tool: "reed" })]),
  },
  {
    name: "a synced tool that does not exist",
    code: "tool_unknown",
    pointer: "/nodes/0/map/body/tool",
    document: doc([{ id: "m", type: "map", map: { items: [1], maxItems: 1, body: { tool: "far:away" } } }]),
  },
  {
    name: "a connected tool that nobody has accepted",
    code: "tool_unavailable",
    pointer: "/nodes/0/tool",
    document: doc([read("a", { tool: "pets:new" })]),
  },
  {
    name: "a connected tool that is gone",
    code: "tool_unavailable",
    pointer: "/nodes/0/map/body/tool",
    document: doc([
      {
        id: "m",
        type: "map",
        map: { items: [1], maxItems: 1, body: { tool: "pets:gone", with: { id: "x" } } },
      },
    ]),
  },
  {
    name: "a tool that changed",
    code: "tool_changed",
    pointer: "/nodes/0/toolDigest",
    document: doc([read("a", { toolDigest: `sha256:${"b".repeat(64)}` })]),
  },
  {
    name: "a map's tool that changed",
    code: "tool_changed",
    pointer: "/nodes/0/map/body/toolDigest",
    document: doc([
      {
        id: "m",
        type: "map",
        map: {
          items: [1],
          maxItems: 1,
          body: { tool: "read", with: { id: "x" }, toolDigest: `sha256:${"c".repeat(64)}` },
        },
      },
    ]),
  },
  {
    name: "approving itself",
    code: "tool_forbidden",
    pointer: "/nodes/0/tool",
    document: doc([{ id: "a", type: "tool", tool: "approve_step", with: { id: "x" } }]),
  },
  {
    name: "a hidden call",
    code: "tool_forbidden",
    pointer: "/nodes/0/tool",
    document: doc([{ id: "a", type: "tool", tool: "execute_mcp_tool", with: { name: "wipe" } }]),
  },
  {
    name: "no required argument",
    code: "argument_missing",
    pointer: "/nodes/0/with/id",
    document: doc([read("a", { with: {} })]),
  },
  {
    name: "a workflow without its input",
    code: "argument_missing",
    pointer: "/nodes/0/with/n",
    document: doc([{ id: "a", type: "subworkflow", subworkflow: { workflowId: "workflow_known" } }]),
  },
  {
    name: "an argument too many",
    code: "argument_unknown",
    pointer: "/nodes/0/with/extra",
    document: doc([read("a", { with: { id: "x", extra: 1 } })]),
  },
  {
    name: "an input too many",
    code: "argument_unknown",
    pointer: "/nodes/0/with/m",
    document: doc([
      { id: "a", type: "subworkflow", subworkflow: { workflowId: "workflow_known" }, with: { n: 1, m: 2 } },
    ]),
  },
  {
    name: "a number out of range",
    code: "argument_invalid",
    pointer: "/nodes/0/with/count",
    document: doc([read("a", { with: { id: "x", count: 99 } })]),
  },
  {
    name: "a choice that is none",
    code: "argument_invalid",
    pointer: "/nodes/0/with/mode",
    document: doc([read("a", { with: { id: "x", mode: "medium" } })]),
  },
  {
    name: "a title that is a list",
    code: "argument_invalid",
    pointer: "/nodes/0/approval/title",
    document: doc([{ id: "a", type: "approval", approval: { title: [1] } }]),
  },
  {
    name: "a list for a text",
    code: "argument_type",
    pointer: "/nodes/0/with/id/$ref",
    document: doc([read("a", { with: { id: { $ref: "$inputs.tags" } } })]),
  },
  {
    name: "a boolean for a number",
    code: "argument_type",
    pointer: "/nodes/0/with/count/$expr",
    document: doc([read("a", { with: { id: "x", count: { $expr: "inputs.n > 1" } } })]),
  },
  {
    name: "a list whose items are of another type",
    code: "argument_type",
    pointer: "/nodes/1/with/list/$ref",
    document: chosenFields({ list: { $ref: "steps.all.outputs.results" } }),
  },
  {
    name: "a text that may be empty",
    code: "argument_unsure",
    pointer: "/nodes/0/with/id/$ref",
    document: {
      inputs: { type: "object", properties: { name: { type: ["string", "null"] } } },
      nodes: [read("a", { with: { id: { $ref: "inputs.name" } } })],
      edges: [],
    },
  },
  {
    name: "results of a map whose items may fail",
    code: "argument_unsure",
    pointer: "/nodes/1/with/list/$ref",
    document: {
      nodes: [
        each("all", {
          onItemError: "continue",
          body: { tool: "read", with: { id: "x" }, result: "/data/name" },
        }),
        read("a", { with: { id: "x", list: { $ref: "steps.all.outputs.results" } } }),
      ],
      edges: [{ from: "all", to: "a" }],
    },
  },
  {
    name: "an optional input",
    code: "ref_optional",
    pointer: "/nodes/0/with/id/$ref",
    document: optionalInput({ $ref: "inputs.nick" }),
  },
  {
    name: "an optional member in a transform",
    code: "ref_optional",
    pointer: "/nodes/0/value/nick/$ref",
    document: { ...optionalInput(""), nodes: [make("a", { nick: { $ref: "inputs.nick" } })] },
  },
  {
    name: "the first item in the body of a map",
    code: "ref_fixed_item",
    pointer: "/nodes/0/map/body/with/id/$ref",
    document: doc([
      each("a", {
        items: { $ref: "inputs.tags" },
        body: { tool: "read", with: { id: { $ref: "inputs.tags[0]" } } },
      }),
    ]),
  },
  {
    name: "the third item in a step of a map, as a pointer",
    code: "ref_fixed_item",
    pointer: "/nodes/0/map/body/nodes/0/value/$ref",
    document: doc([
      each("a", {
        items: { $ref: "$inputs.tags" },
        body: { nodes: [make("b", { $ref: "$inputs.tags#/2" })], edges: [] },
      }),
    ]),
  },
  {
    name: "inputs that are no object",
    code: "schema_invalid",
    pointer: "/inputs/type",
    document: { inputs: { type: "array" }, nodes: [make("a")], edges: [] },
  },
  {
    name: "a form with an unknown type",
    code: "schema_invalid",
    pointer: "/nodes/0/approval/form/properties/x/type",
    document: doc([ask("a", { form: { type: "object", properties: { x: { type: "text" } } } })]),
  },
  {
    name: "a retried write",
    code: "retry_without_key",
    pointer: "/nodes/0/retry",
    document: doc([{ id: "a", type: "tool", tool: "send", with: { id: "x" }, retry: { maxAttempts: 3 } }]),
  },
  {
    name: "a retried write of our own under a key that it does not get",
    code: "retry_without_key",
    pointer: "/nodes/0/retry",
    document: doc([
      {
        id: "a",
        type: "tool",
        tool: "send",
        with: { id: "x" },
        idempotencyKey: "k",
        retry: { maxAttempts: 3 },
      },
    ]),
  },
  {
    name: "a write retried by policy",
    code: "retry_without_key",
    pointer: "/nodes/0",
    document: doc([{ id: "a", type: "tool", tool: "send", with: { id: "x" } }], [], {
      policy: { retry: { maxAttempts: 2 } },
    }),
  },
  {
    name: "one attempt",
    code: "retry_pointless",
    pointer: "/nodes/0/retry/maxAttempts",
    document: doc([read("a", { retry: { maxAttempts: 1 } })]),
  },
  {
    name: "a retried approval",
    code: "retry_pointless",
    pointer: "/nodes/0/retry",
    document: doc([{ ...ask("a"), retry: { maxAttempts: 3 } }]),
  },
  {
    name: "a destructive step by itself",
    code: "destructive_without_approval",
    pointer: "/nodes/0",
    document: doc([{ id: "a", type: "tool", tool: "wipe", with: { id: "x" } }]),
  },
  {
    name: "a way around the approval",
    code: "destructive_without_approval",
    pointer: "/nodes/2",
    document: doc(
      [ask("a"), make("b"), { id: "c", type: "tool", tool: "wipe", with: { id: "x" } }],
      [
        { from: "a", to: "c" },
        { from: "b", to: "c" },
        { from: "a", to: "b", port: "rejected" },
      ],
    ),
  },
  {
    name: "a write where the policy guards writes",
    code: "destructive_without_approval",
    pointer: "/nodes/0",
    document: doc([{ id: "a", type: "tool", tool: "put", with: { id: "x" } }], [], {
      policy: { requireApproval: "writes" },
    }),
  },
  {
    name: "an approval of a call whose arguments come later",
    code: "approval_shows_nothing",
    pointer: "/nodes/0/approval",
    document: doc(
      [
        ask("a"),
        read("b"),
        { id: "c", type: "tool", tool: "wipe", with: { id: { $ref: "$steps.b.outputs#/data/id" } } },
      ],
      [
        { from: "a", to: "b" },
        { from: "b", to: "c" },
      ],
    ),
  },
  {
    name: "an approval of a call whose arguments are computed later",
    code: "approval_shows_nothing",
    pointer: "/nodes/0/approval",
    document: doc(
      [
        ask("a"),
        read("b"),
        { id: "c", type: "tool", tool: "wipe", with: { id: { $expr: "steps.b.outputs.data.id" } } },
      ],
      [
        { from: "a", to: "b" },
        { from: "b", to: "c" },
      ],
    ),
  },
  {
    name: "an approval of a call of which only what is always the same is known",
    code: "approval_shows_nothing",
    pointer: "/nodes/0/approval",
    document: doc(
      [
        ask("a"),
        read("b"),
        {
          id: "c",
          type: "tool",
          tool: "wipe",
          with: { id: { $ref: "$steps.b.outputs#/data/id" }, count: 1 },
        },
      ],
      [
        { from: "a", to: "b" },
        { from: "b", to: "c" },
      ],
    ),
  },
  {
    name: "an approval that shows a fixed text",
    code: "approval_shows_nothing",
    pointer: "/nodes/0/approval",
    document: doc(
      [
        { ...ask("a"), approval: { title: "Ok?", show: { text: "The usual" } } },
        read("b"),
        {
          id: "c",
          type: "tool",
          tool: "wipe",
          with: { id: { $ref: "$steps.b.outputs#/data/id" }, count: 1 },
        },
      ],
      [
        { from: "a", to: "b" },
        { from: "b", to: "c" },
      ],
    ),
  },
  {
    name: "an approval of a map's call whose items come later",
    code: "approval_shows_nothing",
    pointer: "/nodes/0/approval",
    document: doc(
      [
        ask("a"),
        read("b"),
        {
          id: "c",
          type: "map",
          map: {
            maxItems: 10,
            items: { $ref: "$steps.b.outputs#/data/rows" },
            body: { tool: "wipe", with: { id: { $ref: "$item#/id" } } },
          },
        },
      ],
      [
        { from: "a", to: "b" },
        { from: "b", to: "c" },
      ],
    ),
  },
  {
    name: "an approval of a call in the graph of a map whose items come later",
    code: "approval_shows_nothing",
    pointer: "/nodes/0/approval",
    document: doc(
      [
        ask("a"),
        read("b"),
        {
          id: "c",
          type: "map",
          map: {
            maxItems: 10,
            items: { $ref: "$steps.b.outputs#/data/rows" },
            body: {
              nodes: [
                { id: "x", type: "transform", value: { $ref: "$item#/id" } },
                { id: "y", type: "tool", tool: "wipe", with: { id: { $ref: "$steps.x.outputs" } } },
              ],
              edges: [{ from: "x", to: "y" }],
            },
          },
        },
      ],
      [
        { from: "a", to: "b" },
        { from: "b", to: "c" },
      ],
    ),
  },
  {
    name: "an approval of a workflow whose inputs come later",
    code: "approval_shows_nothing",
    pointer: "/nodes/0/approval",
    document: doc(
      [
        ask("a"),
        read("b"),
        {
          id: "c",
          type: "subworkflow",
          subworkflow: { workflowId: "workflow_wipes" },
          with: { id: { $ref: "$steps.b.outputs#/data/id" } },
        },
      ],
      [
        { from: "a", to: "b" },
        { from: "b", to: "c" },
      ],
    ),
  },
  {
    name: "a key of this service",
    code: "secret_literal",
    pointer: "/nodes/0/value",
    document: withValue("suite_live_ab12cd34_0123456789abcdef_x"),
  },
  {
    name: "a password by name",
    code: "secret_literal",
    pointer: "/nodes/0/value/password",
    document: withValue({ password: "correct-horse" }),
  },
  {
    name: "a bearer token in a header",
    code: "secret_literal",
    pointer: "/nodes/0/value/0",
    document: withValue(["Bearer abcdefghijklmnop123"]),
  },
  {
    name: "items that are no list",
    code: "map_items",
    pointer: "/nodes/0/map/items/$ref",
    document: doc([
      {
        id: "m",
        type: "map",
        map: { items: { $ref: "$inputs.url" }, maxItems: 5, body: { tool: "read", with: { id: "x" } } },
      },
    ]),
  },
  {
    name: "more items than allowed",
    code: "map_items",
    pointer: "/nodes/0/map/items",
    document: doc([
      {
        id: "m",
        type: "map",
        map: { items: [1, 2, 3], maxItems: 2, body: { tool: "read", with: { id: "x" } } },
      },
    ]),
  },
  {
    name: "a wait into the past of time",
    code: "wait_invalid",
    pointer: "/nodes/0/wait/ms",
    document: doc([{ id: "a", type: "wait", wait: { ms: -5 } }]),
  },
  {
    name: "a wait until someday",
    code: "wait_invalid",
    pointer: "/nodes/0/wait/until",
    document: doc([{ id: "a", type: "wait", wait: { until: "tomorrow" } }]),
  },
  {
    name: "more approvals than people who are named",
    code: "approval_unmeetable",
    pointer: "/nodes/0/approval/required",
    document: doc([ask("a", { approvers: ["person:ada@example.com"], required: 2 })]),
  },
  {
    name: "several approvals with one form",
    code: "approval_unmeetable",
    pointer: "/nodes/0/approval/required",
    document: doc([ask("a", { required: 2, form: { type: "object", properties: {} } })]),
  },
  {
    name: "an approval that asks nothing",
    code: "approval_no_question",
    pointer: "/nodes/0/approval/title",
    document: doc([ask("a", { title: " " })]),
  },
  {
    name: "a second approval that asks nothing",
    code: "approval_no_question",
    pointer: "/nodes/1/approval/title",
    document: doc([ask("a"), ask("b", { title: "" })]),
  },
  {
    name: "a reminder after the expiry",
    code: "time_conflict",
    pointer: "/nodes/0/approval/reminderMs",
    document: doc([ask("a", { expiresInMs: 1000, reminderMs: 2000 })]),
  },
  {
    name: "a try as long as the run",
    code: "time_conflict",
    pointer: "/nodes/0/timeoutMs",
    document: doc([read("a", { timeoutMs: 5000 })], [], { policy: { timeoutMs: 5000 } }),
  },
  {
    name: "a workflow that is not published",
    code: "subworkflow_unknown",
    pointer: "/nodes/0/subworkflow",
    document: doc([{ id: "a", type: "subworkflow", subworkflow: { workflowId: "workflow_gone" } }]),
  },
  {
    name: "a version that does not exist",
    code: "subworkflow_unknown",
    pointer: "/nodes/0/subworkflow",
    document: doc([
      {
        id: "a",
        type: "subworkflow",
        subworkflow: { workflowId: "workflow_known", version: 9 },
        with: { n: 1 },
      },
    ]),
  },
  {
    name: "itself as a step",
    code: "subworkflow_recursive",
    pointer: "/nodes/0/subworkflow/workflowId",
    document: doc([{ id: "a", type: "subworkflow", subworkflow: { workflowId: OWN_ID } }]),
  },
  {
    name: "itself in a body",
    code: "subworkflow_recursive",
    pointer: "/nodes/0/map/body/nodes/0/subworkflow/workflowId",
    document: doc([
      {
        id: "m",
        type: "map",
        map: {
          items: [1],
          maxItems: 1,
          body: { nodes: [{ id: "x", type: "subworkflow", subworkflow: { workflowId: OWN_ID } }], edges: [] },
        },
      },
    ]),
  },
];
