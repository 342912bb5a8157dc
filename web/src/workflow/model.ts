import { defaultPort, type NodeType } from "#workflows/schema.ts";
import { bagAt, bagsAt, isBag, textAt, type Bag } from "../lib/read.ts";

/** A workflow as it is edited: the parts of a `suite.workflow.v1` document. */
export interface Graph {
  readonly nodes: readonly Bag[];
  readonly edges: readonly Bag[];
  readonly inputs: Bag;
  readonly outputs: Bag;
  readonly policy: Bag;
  readonly ui: Bag;
}

/** Where a node stands on the canvas. */
export interface Spot {
  readonly x: number;
  readonly y: number;
}

/** The kinds of steps, and what a new one of each begins with. */
export const NODE_KINDS: readonly {
  readonly type: NodeType;
  readonly label: string;
  readonly about: string;
  readonly start: Bag;
}[] = [
  {
    type: "tool",
    label: "Tool",
    about: "Calls a tool of this service or a synced one",
    start: { tool: "get_health", with: {} },
  },
  {
    type: "approval",
    label: "Approval",
    about: "Waits for a person's decision",
    start: { approval: { title: "Please decide" } },
  },
  {
    type: "switch",
    label: "Switch",
    about: "Goes one of several ways",
    start: { cases: [{ name: "yes", when: "true" }] },
  },
  { type: "transform", label: "Transform", about: "Makes new values from others", start: { value: {} } },
  { type: "wait", label: "Wait", about: "Pauses for a time", start: { wait: { ms: 60_000 } } },
  {
    type: "map",
    label: "Map",
    about: "Does a call for each item of a list",
    start: { map: { items: { $ref: "$inputs.items" }, maxItems: 50, body: { tool: "get_health" } } },
  },
  {
    type: "handoff",
    label: "Handoff",
    about: "Hands work to a sibling",
    start: { handoff: { target: "sandbox", capability: "execute" } },
  },
  {
    type: "subworkflow",
    label: "Subworkflow",
    about: "Runs another workflow",
    start: { subworkflow: { workflowId: "" } },
  },
];

/** The type of a node as the schema names it. */
export function typeOf(node: Bag): NodeType {
  return NODE_KINDS.find((kind) => kind.type === node["type"])?.type ?? "tool";
}

/** An empty graph. */
export const EMPTY_GRAPH: Graph = {
  nodes: [],
  edges: [],
  inputs: { type: "object", properties: {}, additionalProperties: false },
  outputs: {},
  policy: {},
  ui: {},
};

/** The graph of a workflow record or document, wherever it holds its parts. */
export function graphOf(record: unknown): Graph {
  const inner = bagAt(record, "document");
  const source = Object.keys(inner).length > 0 ? inner : isBag(record) ? record : {};
  const inputs = bagAt(source, "inputs");
  return {
    nodes: bagsAt(source, "nodes"),
    edges: bagsAt(source, "edges").map((edge) => ({
      ...edge,
      from: textAt(edge, "from", textAt(edge, "source")),
      to: textAt(edge, "to", textAt(edge, "target")),
    })),
    inputs: Object.keys(inputs).length > 0 ? inputs : EMPTY_GRAPH.inputs,
    outputs: bagAt(source, "outputs"),
    policy: bagAt(source, "policy"),
    ui: bagAt(source, "ui"),
  };
}

/** An id that no node has yet. */
export function freeId(graph: Graph, base: string): string {
  const stem = base.replaceAll(/[^A-Za-z0-9_-]+/g, "_").replace(/^[^A-Za-z_]+/, "") || "step";
  const taken = new Set(graph.nodes.map((node) => textAt(node, "id")));
  for (let n = 1; ; n++) {
    const id = n === 1 ? stem : `${stem}_${n}`;
    if (!taken.has(id)) return id;
  }
}

/** Adds a step, and an edge from another when one is given. */
export function addNode(graph: Graph, node: Bag, after: string): Graph {
  const id = textAt(node, "id");
  const from = graph.nodes.find((item) => textAt(item, "id") === after);
  const edges = from === undefined ? graph.edges : [...graph.edges, edge(graph, after, id, firstPort(from))];
  return { ...graph, nodes: [...graph.nodes, node], edges };
}

/** Connects two steps; the same connection is not made twice. */
export function connect(graph: Graph, from: string, to: string): Graph {
  const source = graph.nodes.find((item) => textAt(item, "id") === from);
  if (source === undefined || from === to) return graph;
  const port = firstPort(source);
  if (
    graph.edges.some(
      (item) =>
        textAt(item, "from") === from &&
        textAt(item, "to") === to &&
        textAt(item, "port", "success") === port,
    )
  )
    return graph;
  return { ...graph, edges: [...graph.edges, edge(graph, from, to, port)] };
}

/** Takes a step away with its edges. */
export function removeNode(graph: Graph, id: string): Graph {
  const { [id]: _gone, ...positions } = bagAt(graph.ui, "positions");
  return {
    ...graph,
    nodes: graph.nodes.filter((node) => textAt(node, "id") !== id),
    edges: graph.edges.filter((item) => textAt(item, "from") !== id && textAt(item, "to") !== id),
    ui: { ...graph.ui, positions },
  };
}

/** Writes a step anew; edges follow when its id changes. */
export function replaceNode(graph: Graph, id: string, node: Bag): Graph {
  const next = textAt(node, "id");
  const renamed = (name: string) => (name === id ? next : name);
  return {
    ...graph,
    nodes: graph.nodes.map((item) => (textAt(item, "id") === id ? node : item)),
    edges:
      next === id
        ? graph.edges
        : graph.edges.map((item) => ({
            ...item,
            from: renamed(textAt(item, "from")),
            to: renamed(textAt(item, "to")),
          })),
  };
}

/** Keeps where steps stand on the canvas. */
export function place(graph: Graph, spots: ReadonlyMap<string, Spot>): Graph {
  const positions = { ...bagAt(graph.ui, "positions"), ...Object.fromEntries(spots) };
  return { ...graph, ui: { ...graph.ui, positions } };
}

/** The ports a step can be left by. */
export function portsOf(node: Bag): readonly string[] {
  const type = typeOf(node);
  if (type === "approval") return ["approved", "rejected", "expired", "error"];
  if (type === "switch")
    return [...bagsAt(node, "cases").map((item) => `case:${textAt(item, "name")}`), "default", "error"];
  return ["success", "error"];
}

function firstPort(node: Bag): string {
  return defaultPort(typeOf(node));
}

function edge(graph: Graph, from: string, to: string, port: string): Bag {
  const taken = new Set(graph.edges.map((item) => textAt(item, "id")));
  let id = `${from}-${to}`;
  for (let n = 2; taken.has(id); n++) id = `${from}-${to}-${n}`;
  return { id, from, to, port };
}
