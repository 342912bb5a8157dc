import { defaultPort } from "#workflows/ports.ts";
import type { NodeType } from "#workflows/schema.ts";
import { pathText } from "#kernel/paths.ts";
import { at, bagAt, bagsAt, isBag, numberAt, textAt, type Bag } from "../lib/read.ts";

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

/** A kind of step as the picker offers it, and what a new one begins with. */
export interface NodeKind {
  readonly type: NodeType;
  readonly label: string;
  readonly about: string;
  readonly start: Bag;
}

/** The kinds of steps. */
export const NODE_KINDS: readonly NodeKind[] = [
  { type: "tool", label: "Tool", about: "Call a tool", start: { tool: "", with: {} } },
  {
    type: "approval",
    label: "Approval",
    about: "Ask a person to approve or reject",
    start: { approval: { title: "" } },
  },
  {
    type: "switch",
    label: "Switch",
    about: "Choose a path by conditions",
    start: { cases: [{ name: "yes", when: "" }] },
  },
  {
    type: "map",
    label: "Map",
    about: "Do the same for each item of a list",
    start: { map: { items: [], maxItems: 100, body: { tool: "", with: {} } } },
  },
  {
    type: "transform",
    label: "Transform",
    about: "Build a value from others",
    start: { value: {} },
  },
  { type: "wait", label: "Wait", about: "Pause for a time", start: { wait: { ms: 60_000 } } },
  {
    type: "handoff",
    label: "Handoff",
    about: "Send work to another service",
    start: { handoff: { target: "sandbox", capability: "execute" } },
  },
  {
    type: "subworkflow",
    label: "Subworkflow",
    about: "Run another workflow and wait for it",
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
    edges: edgesOf(source),
    inputs: Object.keys(inputs).length > 0 ? inputs : EMPTY_GRAPH.inputs,
    outputs: bagAt(source, "outputs"),
    policy: bagAt(source, "policy"),
    ui: bagAt(source, "ui"),
  };
}

function edgesOf(source: unknown): readonly Bag[] {
  return bagsAt(source, "edges").map((edge) => ({
    ...edge,
    from: textAt(edge, "from", textAt(edge, "source")),
    to: textAt(edge, "to", textAt(edge, "target")),
  }));
}

/** An id that no node has yet. */
export function freeId(
  graph: Pick<Graph, "nodes">,
  base: string,
  more: ReadonlySet<string> = new Set(),
): string {
  const stem =
    base
      .replaceAll(/[^A-Za-z0-9_]+/g, "_")
      .replace(/^[^A-Za-z_]+/, "")
      .slice(0, 50) || "step";
  const taken = new Set(graph.nodes.map((node) => textAt(node, "id")));
  for (let n = 1; ; n++) {
    const id = n === 1 ? stem : `${stem}_${n}`;
    if (!taken.has(id) && !more.has(id)) return id;
  }
}

/** Where a new step goes: after a port of a step, before a step, into an edge, or on its own. */
export type Place =
  | { readonly kind: "before"; readonly step: string }
  | { readonly kind: "after"; readonly from: string; readonly port: string }
  | { readonly kind: "edge"; readonly edge: string }
  | {
      readonly kind: "alone";
      readonly spot?: Spot;
      /** Where the other steps stand, so that a graph that was arranged does not jump. */
      readonly others?: ReadonlyMap<string, Spot>;
    };

/** Adds a step. What followed the port it is put after follows the new step. */
export function addNode(graph: Graph, node: Bag, where: Place): Graph {
  if (where.kind === "before") return insertBefore(graph, node, where.step);
  const id = textAt(node, "id");
  const added = { ...graph, nodes: [...graph.nodes, node] };
  if (where.kind === "alone") {
    return where.spot === undefined
      ? added
      : place(added, new Map([...(where.others ?? []), [id, where.spot]]));
  }
  if (where.kind === "after") {
    const next = { ...added, edges: [...graph.edges, newEdge(graph, where.from, id, where.port)] };
    return placedBelow(next, id, where.from);
  }
  const split = graph.edges.find((edge) => textAt(edge, "id") === where.edge);
  if (split === undefined) return added;
  const from = textAt(split, "from");
  const edges = graph.edges.filter((edge) => edge !== split);
  const first = newEdge({ edges }, from, id, textAt(split, "port", "success"));
  const second = newEdge({ edges: [...edges, first] }, id, textAt(split, "to"), defaultPort(typeOf(node)));
  const index = graph.edges.indexOf(split);
  const joined = { ...added, edges: [...edges.slice(0, index), first, second, ...edges.slice(index)] };
  return placedBetween(joined, id, from, textAt(split, "to"));
}

/** Puts a step before another: whatever led to that one leads to the new step, and only its default port on. */
export function insertBefore(graph: Graph, node: Bag, target: string): Graph {
  const id = textAt(node, "id");
  const edges = graph.edges.map((edge) => (textAt(edge, "to") === target ? { ...edge, to: id } : edge));
  const added = { ...graph, nodes: [...graph.nodes, node], edges };
  const joined = connect(added, id, target, defaultPort(typeOf(node)));
  return placedBetween(joined, id, "", target);
}

/** With positions of its own, a graph gets the new step where the next one was; that one and all below make room. */
function placedBetween(graph: Graph, id: string, from: string, to: string): Graph {
  const positions = bagAt(graph.ui, "positions");
  const [x, y] = [numberAt(positions, to, "x"), numberAt(positions, to, "y")];
  if (x === null || y === null) return graph;
  if (y <= (numberAt(positions, from, "y") ?? Number.NEGATIVE_INFINITY)) return placedBelow(graph, id, from);
  const lower = new Map<string, Spot>([[id, { x, y }]]);
  for (const [step, spot] of Object.entries(positions)) {
    const [left, top] = [numberAt(spot, "x"), numberAt(spot, "y")];
    if (left !== null && top !== null && top >= y) lower.set(step, { x: left, y: top + STEP_DOWN });
  }
  return place(graph, lower);
}

/** Ends a path: a step that does nothing follows the port. */
export function endPath(graph: Graph, from: string, port: string): Graph {
  const node = { id: freeId(graph, "end"), type: "transform", title: "End", value: {} };
  return addNode(graph, node, { kind: "after", from, port });
}

/** Where the next step goes when no port was chosen: after the chosen step, or after the last one. */
export function nextPlace(graph: Graph, selected: string): Place {
  const node = graph.nodes.find((item) => textAt(item, "id") === selected) ?? graph.nodes.at(-1);
  if (node === undefined) return { kind: "alone" };
  const id = textAt(node, "id");
  const used = new Set(
    graph.edges.filter((edge) => textAt(edge, "from") === id).map((edge) => textAt(edge, "port", "success")),
  );
  const free = portsOf(node).find((port) => !used.has(port) && port !== "error");
  return { kind: "after", from: id, port: free ?? defaultPort(typeOf(node)) };
}

function isPlaced(graph: Graph): boolean {
  return Object.keys(bagAt(graph.ui, "positions")).length > 0;
}

const STEP_DOWN = 150;

/** With positions of its own, a graph gets the new step under the one before it, where there is room. */
function placedBelow(graph: Graph, id: string, from: string): Graph {
  if (!isPlaced(graph)) return graph;
  const positions = bagAt(graph.ui, "positions");
  const above = at(positions, from);
  // Where only some steps have a position, the layout finds one for the others.
  if (above === undefined) return graph;
  const [x, y] = [numberAt(above, "x") ?? 0, (numberAt(above, "y") ?? 0) + STEP_DOWN];
  const taken = Object.values(positions);
  let shift = 0;
  const isTaken = () =>
    taken.some(
      (spot) =>
        Math.abs((numberAt(spot, "x") ?? 0) - (x + shift)) < 250 &&
        Math.abs((numberAt(spot, "y") ?? 0) - y) < 110,
    );
  while (isTaken() && shift < 20_000) shift += 270;
  return place(graph, new Map([[id, { x: x + shift, y }]]));
}

/** Connects a port of a step with another step, unless they are connected so already. */
export function connect(graph: Graph, from: string, to: string, port?: string): Graph {
  const source = graph.nodes.find((node) => textAt(node, "id") === from);
  if (source === undefined || from === to) return graph;
  const by = port ?? defaultPort(typeOf(source));
  const known = graph.edges.some(
    (edge) =>
      textAt(edge, "from") === from && textAt(edge, "to") === to && textAt(edge, "port", "success") === by,
  );
  return known ? graph : { ...graph, edges: [...graph.edges, newEdge(graph, from, to, by)] };
}

/** Removes steps with their edges; a step in the middle of a line leaves the line closed. */
export function removeNodes(graph: Graph, ids: readonly string[]): Graph {
  return ids.reduce(removeNode, graph);
}

/** Removes one step. */
export function removeNode(graph: Graph, id: string): Graph {
  const into = graph.edges.filter((edge) => textAt(edge, "to") === id);
  const out = graph.edges.filter((edge) => textAt(edge, "from") === id);
  const edges = graph.edges.filter((edge) => textAt(edge, "to") !== id && textAt(edge, "from") !== id);
  const positions = Object.fromEntries(
    Object.entries(bagAt(graph.ui, "positions")).filter(([name]) => name !== id),
  );
  const left: Graph = {
    ...graph,
    nodes: graph.nodes.filter((node) => textAt(node, "id") !== id),
    edges,
    ui: { ...graph.ui, positions },
  };
  const [before] = into;
  const [after] = out;
  if (into.length !== 1 || out.length !== 1 || before === undefined || after === undefined) return left;
  return connect(left, textAt(before, "from"), textAt(after, "to"), textAt(before, "port", "success"));
}

/** Removes edges by id. */
export function removeEdges(graph: Graph, ids: readonly string[]): Graph {
  return { ...graph, edges: graph.edges.filter((edge) => !ids.includes(textAt(edge, "id"))) };
}

/** Writes a step anew; edges, positions and references follow when its id changes. */
export function replaceNode(graph: Graph, id: string, node: Bag): Graph {
  const next = textAt(node, "id");
  const nodes = graph.nodes.map((item) => (textAt(item, "id") === id ? node : item));
  const kept = { ...graph, nodes, edges: withPorts(graph, id, node) };
  if (next === id) return kept;
  const renamed = (name: string) => (name === id ? next : name);
  const follow = renaming(new Map([[id, next]]));
  const positions = Object.fromEntries(
    Object.entries(bagAt(graph.ui, "positions")).map(([name, spot]) => [renamed(name), spot]),
  );
  return {
    ...kept,
    nodes: nodes.map((item) => asBag(follow(item))),
    edges: kept.edges.map((edge) => ({
      ...edge,
      from: renamed(textAt(edge, "from")),
      to: renamed(textAt(edge, "to")),
    })),
    outputs: asBag(follow(graph.outputs)),
    ui: { ...graph.ui, positions },
  };
}

/** The edges with a case's new name where a switch renamed it in place. */
function withPorts(graph: Graph, id: string, node: Bag): readonly Bag[] {
  const before = graph.nodes.find((item) => textAt(item, "id") === id);
  if (before === undefined || typeOf(node) !== "switch") return graph.edges;
  const old = bagsAt(before, "cases").map((item) => textAt(item, "name"));
  const now = bagsAt(node, "cases").map((item) => textAt(item, "name"));
  if (old.length !== now.length) return graph.edges;
  return graph.edges.map((edge) => {
    const index = old.findIndex((name) => `case:${name}` === textAt(edge, "port"));
    const name = now[index];
    if (textAt(edge, "from") !== id || name === undefined || name === old[index]) return edge;
    return { ...edge, port: `case:${name}` };
  });
}

/** Keeps where steps stand on the canvas. */
export function place(graph: Graph, spots: ReadonlyMap<string, Spot>): Graph {
  const positions = { ...bagAt(graph.ui, "positions"), ...Object.fromEntries(spots) };
  return { ...graph, ui: { ...graph.ui, positions } };
}

/** Forgets all positions, so that the layout decides. */
export function tidy(graph: Graph): Graph {
  const { positions: _, ...ui } = graph.ui;
  return { ...graph, ui };
}

/** The ports a step can be left by. */
export function portsOf(node: Bag): readonly string[] {
  const type = typeOf(node);
  if (type === "approval") return ["approved", "rejected", "changes", "expired", "error"];
  if (type === "switch")
    return [...bagsAt(node, "cases").map((item) => `case:${textAt(item, "name")}`), "default", "error"];
  return ["success", "error"];
}

const PORT_LABELS: Readonly<Record<string, string>> = {
  success: "then",
  error: "on error",
  approved: "approved",
  rejected: "rejected",
  changes: "changes",
  expired: "expired",
  default: "otherwise",
};

/** A port as people read it. */
export function portLabel(port: string): string {
  return PORT_LABELS[port] ?? port.replace(/^case:/, "");
}

/** What people call a step. */
export function titleOf(node: Bag): string {
  return textAt(node, "title", textAt(node, "id"));
}

/** What a step does, in a few words under its title. */
export function detailOf(node: Bag): string {
  const type = typeOf(node);
  if (type === "tool") return textAt(node, "tool") || "no tool chosen";
  return NODE_KINDS.find((kind) => kind.type === type)?.label ?? type;
}

/** A short text with steps and the edges between them, for the clipboard. */
export function copyText(graph: Graph, ids: readonly string[]): string {
  const chosen = new Set(ids);
  return JSON.stringify(
    {
      schemaVersion: "suite.workflow.v1",
      nodes: graph.nodes.filter((node) => chosen.has(textAt(node, "id"))),
      edges: graph.edges.filter((edge) => chosen.has(textAt(edge, "from")) && chosen.has(textAt(edge, "to"))),
    },
    null,
    2,
  );
}

/** Steps from a text put into the graph under ids that are free; null when the text holds none. */
export function pasteText(graph: Graph, text: string): { graph: Graph; ids: readonly string[] } | null {
  const given = parsed(text);
  const nodes = bagsAt(given, "nodes").filter((node) => textAt(node, "id") !== "");
  if (nodes.length === 0) return null;
  const names = new Map<string, string>();
  for (const node of nodes) {
    const id = textAt(node, "id");
    names.set(id, freeId(graph, id, new Set(names.values())));
  }
  const follow = renaming(names);
  const made = nodes.map((node) => ({ ...asBag(follow(node)), id: names.get(textAt(node, "id")) ?? "" }));
  let edges = graph.edges;
  for (const edge of edgesOf(given)) {
    const from = names.get(textAt(edge, "from"));
    const to = names.get(textAt(edge, "to"));
    if (from !== undefined && to !== undefined)
      edges = [...edges, newEdge({ edges }, from, to, textAt(edge, "port", "success"))];
  }
  const positions = bagAt(graph.ui, "positions");
  const spots = new Map<string, Spot>();
  for (const [old, id] of names) {
    const x = numberAt(positions, old, "x");
    const y = numberAt(positions, old, "y");
    if (x !== null && y !== null) spots.set(id, { x: x + 40, y: y + 40 });
  }
  const next = { ...graph, nodes: [...graph.nodes, ...made], edges };
  return { graph: spots.size > 0 ? place(next, spots) : next, ids: [...names.values()] };
}

/** A reference or an expression with another id for a step. */
export function withStepRenamed(text: string, from: string, to: string): string {
  return renamedIn(text, new Map([[from, to]]));
}

function renamedIn(text: string, names: ReadonlyMap<string, string>): string {
  return text.replaceAll(
    /(\$?steps)(?:\.([A-Za-z_][A-Za-z0-9_-]*)|\["([^"]+)"\])/g,
    (whole, root: string, dotted: string | undefined, quoted: string | undefined) => {
      const next = names.get(dotted ?? quoted ?? "");
      if (next === undefined) return whole;
      return root === "$steps" ? `${root}.${next}` : pathText(root, [next]);
    },
  );
}

/** A function that writes step ids anew wherever references and expressions name them. */
function renaming(names: ReadonlyMap<string, string>): (value: unknown) => unknown {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (!isBag(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        typeof item === "string" && ["$ref", "$expr", "if", "when"].includes(key)
          ? renamedIn(item, names)
          : walk(item),
      ]),
    );
  };
  return walk;
}

function asBag(value: unknown): Bag {
  return isBag(value) ? value : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function newEdge(graph: Pick<Graph, "edges">, from: string, to: string, port: string): Bag {
  const taken = new Set(graph.edges.map((item) => textAt(item, "id")));
  let id = `${from}-${to}`;
  for (let n = 2; taken.has(id); n++) id = `${from}-${to}-${n}`;
  return { id, from, to, port };
}
