import { defaultPort } from "#workflows/ports.ts";
import { isObject } from "#kernel/json.ts";
import { EMPTY_GRAPH, freeId, newEdge, place, typeOf, withNames, type Graph, type Spot } from "./model.ts";
import { parseJson } from "../../lib/parse-json.ts";

/*
 * Documents come from files, text fields, the clipboard and earlier versions of this page. What has another JSON type
 * than the editor reads is left out here, once, so that no part of the editor has to expect it.
 */

type Shape = "text" | "number" | "any" | "object" | { readonly [name: string]: Shape } | readonly [Shape];

const TEXTS = ["text"] as const;
const APPROVAL = { approvers: TEXTS, escalateTo: TEXTS, form: "object", required: "number" } as const;
const STEP = {
  id: "text",
  type: "text",
  title: "text",
  description: "text",
  if: "text",
  join: "text",
  retry: "object",
  timeoutMs: "number",
  redact: TEXTS,
  tool: "text",
  toolDigest: "text",
  with: "object",
  cases: [{ name: "text", when: "text" }],
  wait: "object",
  approval: APPROVAL,
  handoff: { target: "text", capability: "text", payload: "object" },
  subworkflow: { workflowId: "text", version: "number" },
} as const;
const EDGE = { id: "text", from: "text", to: "text", source: "text", target: "text", port: "text" } as const;
const BODY = {
  tool: "text",
  toolDigest: "text",
  with: "object",
  result: "text",
  nodes: [STEP],
  edges: [EDGE],
} as const;
const SPOTS = { "*": { x: "number", y: "number" } } as const;
const DOCUMENT: Shape = {
  nodes: [{ ...STEP, map: { maxItems: "number", concurrency: "number", body: BODY } }],
  edges: [EDGE],
  inputs: "object",
  outputs: "object",
  policy: "object",
  ui: { positions: SPOTS, notes: [{ id: "text", text: "text", x: "number", y: "number" }], bodies: "object" },
};

/** The graph of a document, and the pointers of what has another type than a workflow has there. */
export function readGraph(given: unknown): { readonly graph: Graph; readonly wrong: readonly string[] } {
  const wrong: string[] = [];
  const text = JSON.stringify(fitting(given, DOCUMENT, "", wrong) ?? {});
  const { nodes = [], edges = [], inputs, outputs, policy, ui }: Partial<Graph> = JSON.parse(text);
  const types = new Map(nodes.map((node) => [node.id, typeOf(node)]));
  const graph: Graph = {
    nodes: nodes.filter(({ id }) => id !== undefined),
    edges: edges.map(({ from, to, ...edge }: Partial<Graph["edges"][number]> & Ends) => {
      const [start, end] = [from ?? edge.source ?? "", to ?? edge.target ?? ""];
      const port = edge.port ?? defaultPort(types.get(start));
      return { id: edge.id ?? `${start}-${end}`, from: start, to: end, port };
    }),
    inputs: inputs === undefined || Object.keys(inputs).length === 0 ? EMPTY_GRAPH.inputs : inputs,
    outputs: outputs ?? {},
    policy: policy ?? {},
    ui: ui ?? {},
  };
  return { graph, wrong };
}

/** The graph of a workflow, a version, the document of a run, or of a document itself. */
export function graphOf(record: object | null | undefined): Graph {
  return readGraph(record && "document" in record && isObject(record.document) ? record.document : record)
    .graph;
}

/** Steps from a text put into the graph under ids that are free; null when the text holds none. */
export function pasteText(graph: Graph, text: string): { graph: Graph; ids: readonly string[] } | null {
  const given = readGraph(parseJson(text)).graph;
  if (given.nodes.length === 0) return null;
  const names = new Map<string, string>();
  for (const { id } of given.nodes) names.set(id, freeId(graph, id, new Set(names.values())));
  const made = withNames(given.nodes, names).map((node) => ({ ...node, id: names.get(node.id) ?? "" }));
  let edges = graph.edges;
  for (const edge of given.edges) {
    const from = names.get(edge.from);
    const to = names.get(edge.to);
    if (from !== undefined && to !== undefined) edges = [...edges, newEdge({ edges }, from, to, edge.port)];
  }
  const spots = new Map<string, Spot>();
  for (const [old, id] of names) {
    const spot = graph.ui.positions?.[old];
    if (spot !== undefined) spots.set(id, { x: spot.x + 40, y: spot.y + 40 });
  }
  const next = { ...graph, nodes: [...graph.nodes, ...made], edges };
  return { graph: spots.size > 0 ? place(next, spots) : next, ids: [...names.values()] };
}

/** How canvases of other programs name the ends of an edge. */
interface Ends {
  readonly source?: string;
  readonly target?: string;
}

/** A copy of what has the shape. */
function fitting(value: unknown, shape: Shape, pointer: string, wrong: string[]): unknown {
  if (shape === "any") return value;
  if (typeof shape === "string") {
    if (
      shape === "text"
        ? typeof value === "string"
        : shape === "number"
          ? typeof value === "number"
          : isObject(value)
    )
      return value;
  } else if (isShapes(shape)) {
    if (Array.isArray(value))
      return value.flatMap((item: unknown, index) => {
        const found = fitting(item, shape[0], `${pointer}/${index}`, wrong);
        return found === undefined ? [] : [found];
      });
  } else if (isObject(value)) {
    const entries = Object.entries(value).map(([name, member]) => {
      const inner = (Object.hasOwn(shape, name) ? shape[name] : shape["*"]) ?? "any";
      return [name, fitting(member, inner, `${pointer}/${name}`, wrong)];
    });
    return Object.fromEntries(entries);
  }
  wrong.push(pointer === "" ? "/" : pointer);
  return undefined;
}

function isShapes(shape: Exclude<Shape, string>): shape is readonly [Shape] {
  return Array.isArray(shape);
}
