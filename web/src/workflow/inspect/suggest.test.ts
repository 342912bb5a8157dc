import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import { aliasSources } from "../../../build/source-aliases.ts";
import type { ToolInfo } from "../../api/tools.ts";

aliasSources();
const { EMPTY_GRAPH, fieldsBody } = await import("../document/model.ts");
const { prefilled } = await import("../document/prefill.ts");
const { problemWords } = await import("../document/problem-words.ts");
const { openScope } = await import("./scope.ts");
const { fitOf, fitWords, search, suggestions } = await import("./suggest.ts");

const text = { type: "string" };
const tool = (name: string, outputSchema: JsonObject | null, inputSchema: JsonObject = {}): ToolInfo => ({
  name,
  title: name,
  description: "",
  inputSchema: { type: "object", ...inputSchema },
  outputSchema,
  isProtected: false,
  readOnly: true,
  destructive: false,
  idempotent: true,
  openWorld: true,
  hasApp: false,
  server: name.split(":")[0] ?? "",
});
const TOOLS = [
  tool("shop:books", {
    type: "object",
    properties: {
      status: { type: "integer" },
      headers: { type: "object" },
      body: {
        type: "object",
        properties: { count: { type: "integer" }, books: { type: "array", items: { $ref: "#/$defs/book" } } },
      },
    },
    $defs: { book: { type: "object", properties: { id: { type: "integer" }, title: text } } },
  }),
];
const books = { id: "books", type: "tool", title: "List books", tool: "shop:books", with: {} };
const each = { id: "each", type: "map", title: "Each", map: { items: [], maxItems: 10, body: fieldsBody() } };
const edges = [{ id: "e", from: "books", to: "each", port: "success" }];
const graph = prefilled(
  { ...EMPTY_GRAPH, nodes: [books, each], edges },
  TOOLS,
  { node: "each", body: null },
  new Map(),
);

it("a new approval shows what the workflow was given, where it is given something", () => {
  const ask = { id: "ask", type: "approval", approval: { title: "Well?" } };
  const shown = (inputs: JsonObject) =>
    prefilled({ ...EMPTY_GRAPH, inputs, nodes: [ask] }, TOOLS, { node: "ask", body: null }, new Map())
      .nodes[0]?.approval?.show;
  assert.deepEqual(shown({ type: "object", properties: { name: text } }), { $ref: "inputs" });
  assert.equal(shown(EMPTY_GRAPH.inputs), undefined);
});

describe("data in a loop", () => {
  it("a new map goes through the nearest list, and its item has fields without a dry run", () => {
    assert.deepEqual(graph.nodes[1]?.map?.items, { $ref: "steps.books.outputs.data.body.books" });
    const scope = openScope(graph, TOOLS, { node: "fields", body: "each" }, new Map());
    assert.equal(scope.sources[0]?.path, "item");
    assert.deepEqual(
      scope.sources[0].children().map(({ path }) => path),
      ["item.id", "item.title"],
    );
  });

  it("the item comes before fixed items of the list, in suggestions and in a search", () => {
    const { sources } = openScope(graph, TOOLS, { node: "fields", body: "each" }, new Map());
    assert.equal(suggestions(sources, text)[0]?.path, "item.title");
    assert.deepEqual(
      search(sources, null, "title").map(({ path }) => path),
      ["item.title", "steps.books.outputs.data.body.books[0].title"],
    );
  });

  it("the body of a response is its value; status and headers are one level aside", () => {
    const scope = openScope(graph, TOOLS, { node: "each", body: null }, new Map());
    const [value] = scope.sources.filter(({ label }) => label === "List books");
    assert.equal(value?.path, "steps.books.outputs.data.body");
    assert.deepEqual(
      value.children().map(({ label }) => label),
      ["Count", "Books", "Response"],
    );
    assert.equal(scope.describe("steps.books.outputs.data.status"), "List books › Response › Status");
    assert.equal(scope.describe("steps.books.outputs.data.body.count"), "List books › Count");
  });

  it("what a map gives is known to the steps after it", () => {
    const chosen = {
      ...fieldsBody(),
      nodes: [{ id: "fields", type: "transform", value: { name: { $ref: "item.title" } } }],
    };
    const nodes = [
      books,
      { ...each, map: { ...graph.nodes[1]?.map, body: chosen } },
      { id: "last", type: "transform", value: {} },
    ];
    const more = [...edges, { id: "f", from: "each", to: "last", port: "success" }];
    const scope = openScope({ ...graph, nodes, edges: more }, TOOLS, { node: "last", body: null }, new Map());
    const wanted = (name: string) => ({
      type: "array",
      items: { type: "object", properties: { [name]: text }, required: [name] },
    });
    assert.equal(suggestions(scope.sources, wanted("name"))[0]?.path, "steps.each.outputs.results");
    assert.notEqual(suggestions(scope.sources, wanted("titel"))[0]?.path, "steps.each.outputs.results");
  });

  it("says by labels why data does not surely fit", () => {
    const inputs = {
      type: "object",
      properties: { updatedAt: text, endsAt: { type: ["string", "null"] } },
      required: ["endsAt"],
    };
    const { sources } = openScope({ ...EMPTY_GRAPH, inputs }, [], { node: null, body: null }, new Map());
    const why = sources.slice(0, 2).map((source) => fitWords(fitOf(source, text)));
    assert.deepEqual(why, ["“Updated at” may be missing.", "may be empty"]);
  });
});

describe("problems in the words of the form", () => {
  const say = (code: string, message: string, fix = ""): string =>
    problemWords({ code, message, fix }, (ref) => (ref === "steps.a.outputs" ? "List books" : ref));

  it("names fields by their labels and data by where it comes from", () => {
    assert.equal(say("argument_missing", '"note" is required: string.'), "Fill this in.");
    assert.equal(
      say("argument_type", '"steps.a.outputs" gives object; string is expected.', "Use `$expr`."),
      "“List books” gives fields; text is expected. Choose other data.",
    );
    assert.equal(
      say("argument_type", '"steps.a.outputs" does not fit: “bookId” is missing in each item.'),
      "“List books” does not fit: “Book ID” is missing in each item. Choose other data.",
    );
    assert.doesNotMatch(
      say(
        "switch_no_default",
        "The switch has no edge with port `default`.",
        "Add an edge with port `default`.",
      ),
      /port|edge|`/,
    );
  });

  it("explains a pattern by an example", () => {
    const words = say("bad_field", '`name` must match pattern "^[a-z]{3}$"; given is "A".');
    assert.match(words, /for example [a-z]{3}\./);
  });
});
