import { isObject } from "#kernel/json.ts";
import type { JsonObject, Json } from "@workflow-ui/client";
import { pathText } from "#kernel/paths.ts";
import {
  catalogView,
  type SubworkflowView,
  type ToolCatalogView,
  type ToolView,
} from "#workflows/catalog-view.ts";
import { parseDocument } from "#workflows/document.ts";
import { compileExpression } from "#workflows/expressions.ts";
import { deref, inlined, mayLack, typesOf, type SchemaOrNull } from "#workflows/schema-types.ts";
import type { WorkflowNode } from "#workflows/schema.ts";
import {
  findStep,
  isCertain,
  openContext,
  type GraphContext,
  type When,
} from "#workflows/validation/context.ts";
import { typeOfExpression } from "#workflows/validation/expression-types.ts";
import { bodyContext, itemSchema, stepSchema } from "#workflows/validation/outputs.ts";
import { asWritten, resolveValue } from "#workflows/values.ts";
import { words } from "../../lib/format.ts";
import { at, objectAt } from "../../lib/read.ts";
import { titleOf, type Graph, type DraftNode } from "../document/model.ts";
import { VALUE_MEMBERS } from "./map-body.ts";
import { expressionTypeWord, inWords } from "./source-words.ts";
import type { ToolInfo } from "../../api/tools.ts";

/* Long on purpose: everything that a value can refer to, from every place of a graph. */

/** Something that a value can refer to: an input, a step's result, or a field inside one. */
export interface Source {
  /** The path that names it, in references and in expressions. */
  readonly path: string;
  /** The last part of the path. */
  readonly name: string;
  readonly label: string;
  /** The labels from the top down to this one. */
  readonly trail: readonly string[];
  readonly schema: SchemaOrNull;
  readonly root: SchemaOrNull;
  readonly sample: unknown;
  /** False when it need not be there: an optional member, or an item of a list. */
  readonly sure: boolean;
  readonly children: () => readonly Source[];
  /** What came beside the value: status, headers and time of a response. */
  readonly aside?: Source;
}

/** Everything that can be referred to from one place of a workflow. */
export interface Scope {
  readonly sources: readonly Source[];
  /** What is wrong with an expression here; empty when nothing is. */
  readonly check: (
    expression: string,
    wanted?: string,
  ) => { readonly problem: string; readonly type: string };
  /** A reference in words; empty when it names nothing that is known. */
  readonly describe: (ref: string) => string;
  readonly sourceOf: (ref: string) => Source | null;
  /** What a value gives with the known samples; undefined when they do not say. */
  readonly preview: (value: Json | undefined) => Json | undefined;
}

/** Known values by step, from the last dry run or run; `inputs` for the inputs. */
export type Samples = ReadonlyMap<string, Json>;

/** Where a value stands: in a step, or in the outputs of the workflow; `body` names the map around it. */
export interface Standpoint {
  readonly node: string | null;
  readonly body: string | null;
}

/** The published workflows that steps run, by `subworkflowKey`. */
export type Subworkflows = ReadonlyMap<string, SubworkflowView>;
const NONE: Subworkflows = new Map();

const views = new WeakMap<ToolInfo, ToolView>();

function viewOf(tool: ToolInfo): ToolView {
  const known = views.get(tool);
  if (known !== undefined) return known;
  const view: ToolView = {
    name: tool.name,
    title: tool.title,
    inputSchema: tool.inputSchema,
    outputSchema: dataSchema(tool),
    effect: tool.readOnly ? "none" : tool.destructive ? "destructive" : tool.openWorld ? "external" : "write",
    idempotent: tool.idempotent,
    openWorld: tool.openWorld,
    scope: null,
    digest: "",
  };
  views.set(tool, view);
  return view;
}

/** What a tool puts into `data` of its answer. */
function dataSchema(tool: ToolInfo): JsonObject {
  const schema = tool.outputSchema ?? {};
  if (tool.server !== "") return schema;
  // Only a success promises the shape of `data`: it stands in the first branch.
  const { anyOf, $defs: defs } = schema;
  const data = objectAt(Array.isArray(anyOf) ? anyOf[0] : schema, "properties", "data");
  return defs === undefined ? data : { ...data, $defs: defs };
}

/** Opens the scope of a place. The whole document is read as the service reads it, so both agree on what is known. */
export function openScope(
  graph: Graph,
  tools: readonly ToolInfo[],
  place: Standpoint,
  samples: Samples,
  workflows: Subworkflows = NONE,
): Scope {
  // Reading a document of thousands of steps takes long, and most fields hold plain values.
  const opened = once(() => readScope(graph, catalogView(tools.map(viewOf), workflows), place, samples));
  const sourceOf = (ref: string) => sourceAt(opened().sources, asWritten(ref));
  return {
    get sources() {
      return opened().sources;
    },
    sourceOf,
    describe: (ref) => sourceOf(ref)?.trail.join(" › ") ?? inWords(ref, opened().titles),
    check: (expression, wanted) => checkExpression(opened().context, expression, wanted),
    preview: (value) => preview(value, opened().known),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function readScope(graph: Graph, view: ToolCatalogView, place: Standpoint, samples: Samples) {
  const { nodes, edges, inputs, outputs, policy, ui } = graph;
  const parsed = parseDocument({ nodes, edges, inputs, outputs, policy, ui });
  const shared = {
    document: parsed.document,
    view,
    workflowId: null,
    places: parsed.places,
    broken: parsed.broken,
    problems: [],
    hintsLeft: 0,
  };
  const outer = openContext(shared, "", parsed.document.nodes, parsed.document.edges);
  const context = place.body === null ? outer : (insideMap(outer, place.body) ?? outer);
  const index = place.node === null ? undefined : context.graph.indexOf.get(place.node);
  const when: When = index ?? "end";
  const known = place.body === null ? samples : withItem(graph, place.body, samples);
  const titles = new Map(allNodes(graph).map((node) => [node.id, titleOf(node)]));
  const sources = [
    ...(context.outer === null ? [] : itemSources(context, known)),
    ...inputSources(inlined(parsed.document.inputs), known.get("inputs")),
    ...stepSources(context, when, titles, known),
    ...RUN_SOURCES,
  ];
  return { sources, titles, context, known };
}

/** What a value gives with known samples; undefined when they do not say. */
export function preview(value: Json | undefined, samples: Samples): Json | undefined {
  const steps = Object.fromEntries(
    [...samples]
      .filter(([id]) => id !== "inputs" && id !== "item")
      .map(([id, outputs]) => [id, { outputs, status: "succeeded" }]),
  );
  const item = samples.get("item");
  try {
    return resolveValue(value ?? null, {
      inputs: objectAt(samples.get("inputs")),
      steps,
      ...(item !== undefined && { item, index: 0 }),
    });
  } catch {
    return undefined;
  }
}

/** The samples with the first item of a map's list, where no dry run has shown one. */
function withItem(graph: Graph, map: string, samples: Samples): Samples {
  if (samples.has("item")) return samples;
  const node = graph.nodes.find((item) => item.id === map);
  const list = preview(node?.map?.items, samples);
  return Array.isArray(list) && list.length > 0 ? new Map([...samples, ["item", list[0]]]) : samples;
}

/** Every step of a workflow, also inside maps. */
export function allNodes(graph: Graph): readonly DraftNode[] {
  return graph.nodes.flatMap((node) => [node, ...(node.map?.body?.nodes ?? [])]);
}

function insideMap(outer: GraphContext, mapId: string): GraphContext | null {
  const index = outer.graph.indexOf.get(mapId);
  const node: WorkflowNode | undefined = index === undefined ? undefined : outer.graph.nodes[index];
  if (index === undefined || node?.type !== "map") return null;
  const item = itemSchema(outer, node, index);
  return (
    bodyContext(outer, node, index) ??
    openContext(outer.shared, "", [], [], { context: outer, node: index, item })
  );
}

function inputSources(schema: SchemaOrNull, sample: unknown): readonly Source[] {
  return fieldsOf({
    path: "inputs",
    name: "inputs",
    label: "Inputs",
    trail: ["Inputs"],
    schema,
    root: schema,
    sample,
    sure: true,
  });
}

function itemSources(context: GraphContext, samples: Samples): readonly Source[] {
  const schema = context.outer?.item ?? null;
  const label = "This item";
  const whole = {
    path: "item",
    name: "item",
    label,
    trail: [label],
    schema,
    root: schema,
    sample: samples.get("item"),
    sure: true,
  };
  const count = { type: "integer" };
  return [
    { ...whole, children: () => fieldsOf(whole) },
    {
      path: "index",
      name: "index",
      label: "Position in the list",
      trail: ["Position in the list"],
      schema: count,
      root: count,
      sample: 0,
      sure: true,
      children: () => [],
    },
  ];
}

function stepSources(
  context: GraphContext,
  when: When,
  titles: ReadonlyMap<string, string>,
  samples: Samples,
): readonly Source[] {
  const own = context.order.toReversed().flatMap((node) => {
    const id = context.graph.nodes[node]?.id ?? "";
    const step = findStep(context, id, when);
    if (step === null || step.context !== context || node === when || !isCertain(step, true)) return [];
    if (when !== "end" && context.certainty === null) return [];
    return [stepSource(context, node, titles.get(id) ?? id, samples.get(id))];
  });
  if (context.outer === null) return own;
  return [...own, ...stepSources(context.outer.context, context.outer.node, titles, samples)];
}

function stepSource(context: GraphContext, index: number, title: string, sample: unknown): Source {
  const node = context.graph.nodes[index];
  const id = node?.id ?? "";
  const outputs = objectAt(stepSchema(context, index), "properties", "outputs");
  const whole = {
    path: pathText("steps", [id, "outputs"]),
    name: id,
    label: title,
    trail: [title],
    schema: schemaOrNull(outputs),
    root: schemaOrNull(outputs),
    sample,
    sure: true,
  };
  if (node?.type !== "tool") return { ...whole, children: () => fieldsOf(whole) };
  // The answer of a tool is wrapped in {ok, data}; people think of `data` as the result.
  const result = inside(whole, "data");
  const value = valueMember(node.tool, result.schema);
  if (value === "") return { ...result, children: () => fieldsOf(result) };
  // Of a response, people mean the body; its status, headers and time are seldom wanted.
  const details = { ...result, label: "Response", trail: [title, "Response"], name: "response" };
  const aside = {
    ...details,
    children: () => fieldsOf(details).filter((field) => field.name !== value),
  };
  const body = inside(result, value);
  return { ...body, aside, children: () => [...fieldsOf(body), aside] };
}

function inside(whole: Omit<Source, "children">, name: string): Omit<Source, "children"> {
  const schema = schemaOrNull(objectAt(whole.schema, "properties", name));
  return { ...whole, path: `${whole.path}.${name}`, schema, root: schema, sample: at(whole.sample, name) };
}

/** The JSON Pointer to what a tool's answer is asked for. */
export function resultPointer(tool: ToolInfo): string {
  const member = valueMember(tool.name, dataSchema(tool));
  return member === "" ? "/data" : `/data/${member}`;
}

/** The member of a connected tool's answer that holds what was asked for; empty when it is all of it. */
function valueMember(tool: string, data: SchemaOrNull): string {
  if (!tool.includes(":")) return "";
  const members = objectAt(data, "properties");
  return VALUE_MEMBERS.find((name) => Object.hasOwn(members, name)) ?? "";
}

function schemaOrNull(schema: JsonObject): SchemaOrNull {
  return Object.keys(schema).length === 0 ? null : { ...schema };
}

const MAX_FIELDS = 200;

function fieldsOf(parent: Omit<Source, "children">): readonly Source[] {
  const schema = deref(parent.schema, parent.root);
  const types = typesOf(schema);
  const list = types?.has("array") === true || Array.isArray(parent.sample);
  if (list) {
    const first = Array.isArray(parent.sample) ? parent.sample[0] : undefined;
    const items = objectAt(schema, "items");
    if (first === undefined && Object.keys(items).length === 0) return [];
    return [child(parent, "0", "First item", schemaOrNull(items), first, false)];
  }
  const described = properties(schema, parent.root, 0);
  const seen = isObject(parent.sample) ? Object.keys(parent.sample) : [];
  return [...new Set([...described.keys(), ...seen])].slice(0, MAX_FIELDS).map((name) => {
    const sure = schema === null || !mayLack(schema, name);
    return child(parent, name, words(name), described.get(name) ?? null, at(parent.sample, name), sure);
  });
}

function properties(schema: SchemaOrNull, root: SchemaOrNull, depth: number): Map<string, SchemaOrNull> {
  const found = new Map<string, SchemaOrNull>();
  if (schema === null || depth > 4) return found;
  for (const [name, property] of Object.entries(objectAt(schema, "properties")))
    found.set(name, isObject(property) ? { ...property } : null);
  for (const key of ["allOf", "anyOf", "oneOf"]) {
    const branches = schema[key];
    for (const branch of Array.isArray(branches) ? branches : [])
      for (const [name, property] of properties(deref(branch, root), root, depth + 1))
        if (!found.has(name)) found.set(name, property);
  }
  return found;
}

function child(
  parent: Omit<Source, "children">,
  name: string,
  label: string,
  schema: SchemaOrNull,
  sample: unknown,
  sure: boolean,
): Source {
  const made = {
    path: pathText(parent.path, [name]),
    name,
    label,
    trail: [...parent.trail, label],
    schema: schema === null ? null : deref(schema, parent.root),
    root: parent.root,
    sample,
    sure: parent.sure && sure,
  };
  return { ...made, children: () => fieldsOf(made) };
}

const TEXT: SchemaOrNull = { type: "string" };
const RUN_SOURCES: readonly Source[] = [
  ["id", "Id of the run"],
  ["startedAt", "Start of the run"],
].map(([name = "", label = ""]) => ({
  path: `run.${name}`,
  name,
  label,
  trail: [label],
  schema: TEXT,
  root: TEXT,
  sample: undefined,
  sure: true,
  children: () => [],
}));

/** The source at a path. */
export function sourceAt(sources: readonly Source[], path: string): Source | null {
  for (const source of sources) {
    if (source.path === path) return source;
    const aside = source.aside === undefined ? null : sourceAt([source.aside], path);
    if (aside !== null && !path.startsWith(source.path)) return aside;
    if (path.startsWith(source.path) && /^[.[]/.test(path.slice(source.path.length)))
      return sourceAt(source.children(), path);
  }
  return null;
}

function checkExpression(
  context: GraphContext,
  source: string,
  wanted?: string,
): { readonly problem: string; readonly type: string } {
  if (source.trim() === "") return { problem: "Write an expression.", type: "" };
  const compiled = compileExpression(source);
  if (!compiled.ok) return { problem: compiled.fault.message, type: "" };
  const verdict = typeOfExpression(context, compiled.expression);
  if (verdict.type === null) return { problem: verdict.message, type: "" };
  if (wanted !== undefined && verdict.type !== wanted && verdict.type !== "dyn")
    return {
      problem: `This gives ${expressionTypeWord(verdict.type)}; ${expressionTypeWord(wanted)} is needed.`,
      type: verdict.type,
    };
  return { problem: "", type: verdict.type };
}
