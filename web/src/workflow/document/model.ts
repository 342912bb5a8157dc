import { defaultPort } from "#workflows/ports.ts";
import { HIDDEN_OPERATION } from "#workflows/not-shown.ts";
import type {
  ApprovalNode,
  Edge,
  HandoffNode,
  MapNode,
  MapToolBody,
  NodeType,
  Policy,
  SubworkflowNode,
  SwitchNode,
  ToolNode,
  TransformNode,
  Ui,
  WaitNode,
} from "#workflows/schema.ts";
import type { Json, JsonObject } from "#kernel/json.ts";
import type { Given } from "#model/common.ts";
import type { Note } from "../canvas/notes.ts";
import { pathText } from "#kernel/paths.ts";

/* Long on purpose: every change of a graph, so that steps, edges and places change together. */

type Parts<T> = Given<Partial<Omit<T, "id" | "type" | "map" | "approval" | "handoff" | "subworkflow">>>;

/** A step while it is edited: the parts of every type of step, and what its type needs may still be missing. */
export interface DraftNode extends Parts<ToolNode>, Parts<SwitchNode>, Parts<TransformNode>, Parts<WaitNode> {
  readonly id: string;
  readonly type: string;
  readonly approval?: Omit<Partial<ApprovalNode["approval"]>, "approvers" | "escalateTo"> & {
    readonly approvers?: readonly string[];
    readonly escalateTo?: readonly string[];
  };
  readonly handoff?: Given<Partial<HandoffNode["handoff"]>>;
  readonly subworkflow?: Given<Partial<SubworkflowNode["subworkflow"]>>;
  readonly map?: Given<Partial<Omit<MapNode["map"], "body">>> & { readonly body?: DraftBody };
}

/** What a map does with each item: one call, or a graph of its own. */
export interface DraftBody extends Parts<MapToolBody> {
  readonly nodes?: readonly DraftNode[];
  readonly edges?: readonly Edge[];
  readonly outputs?: Json;
}

/** Where a canvas draws things, and its notes; of the bodies of maps too. */
export interface DraftUi extends Given<Ui> {
  readonly notes?: readonly Note[];
  readonly bodies?: Readonly<Record<string, DraftUi>>;
}

/** A workflow as it is edited: the parts of a `suite.workflow.v1` document. */
export interface Graph {
  readonly nodes: readonly DraftNode[];
  readonly edges: readonly Edge[];
  readonly inputs: JsonObject;
  readonly outputs: JsonObject;
  readonly policy: Given<Policy>;
  readonly ui: DraftUi;
}

/** Members to write; those given as undefined are taken out. */
export type Change<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** A copy of a part of a draft with some members written. */
export function changed<T extends object>(part: T, change: Change<T>): T {
  const copy: T = JSON.parse(JSON.stringify({ ...part, ...change }));
  return copy;
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
  readonly start: Omit<DraftNode, "id" | "type">;
}

/** How many items a new map takes at most. */
export const DEFAULT_MAP_ITEMS = 1_000;

/** A map's body that chooses fields of each item. */
export function fieldsBody(): DraftBody {
  return {
    nodes: [{ id: "fields", type: "transform", title: "Fields", value: {} }],
    edges: [],
    outputs: { $ref: "steps.fields.outputs" },
  };
}

/** The kinds of steps. */
export const NODE_KINDS: readonly NodeKind[] = [
  { type: "tool", label: "Tool", about: "Call a tool", start: { tool: "", with: {} } },
  {
    type: "approval",
    label: "Approval",
    about: "Ask a person to approve or reject",
    start: { approval: { title: "May this go on?" } },
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
    start: { map: { items: [], maxItems: DEFAULT_MAP_ITEMS, body: fieldsBody() } },
  },
  {
    type: "transform",
    label: "Transform",
    about: "Build a value from others",
    start: { value: {} },
  },
  {
    type: "wait",
    label: "Wait",
    about: "Pause for a time, a signal or an event",
    start: { wait: { ms: 60_000 } },
  },
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
export function typeOf(node: DraftNode): NodeType {
  return NODE_KINDS.find((kind) => kind.type === node.type)?.type ?? "tool";
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
  const taken = new Set(graph.nodes.map((node) => node.id));
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
export function addNode(graph: Graph, node: DraftNode, where: Place): Graph {
  if (where.kind === "before") return insertBefore(graph, node, where.step);
  const { id } = node;
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
  const split = graph.edges.find((edge) => edge.id === where.edge);
  if (split === undefined) return added;
  const from = split.from;
  const edges = graph.edges.filter((edge) => edge !== split);
  const first = newEdge({ edges }, from, id, split.port);
  const second = newEdge({ edges: [...edges, first] }, id, split.to, defaultPort(typeOf(node)));
  const index = graph.edges.indexOf(split);
  const joined = { ...added, edges: [...edges.slice(0, index), first, second, ...edges.slice(index)] };
  return placedBetween(joined, id, from, split.to);
}

/** Puts a step before another: whatever led to that one leads to the new step, and only its default port on. */
export function insertBefore(graph: Graph, node: DraftNode, target: string): Graph {
  const id = node.id;
  const edges = graph.edges.map((edge) => (edge.to === target ? { ...edge, to: id } : edge));
  const added = { ...graph, nodes: [...graph.nodes, node], edges };
  const joined = connect(added, id, target, defaultPort(typeOf(node)));
  return placedBetween(joined, id, "", target);
}

/** With positions of its own, a graph gets the new step where the next one was; that one and all below make room. */
function placedBetween(graph: Graph, id: string, from: string, to: string): Graph {
  const { positions = {} } = graph.ui;
  const below = positions[to];
  if (below === undefined) return graph;
  if (below.y <= (positions[from]?.y ?? Number.NEGATIVE_INFINITY)) return placedBelow(graph, id, from);
  const lower = new Map<string, Spot>([[id, below]]);
  for (const [step, { x, y }] of Object.entries(positions))
    if (y >= below.y) lower.set(step, { x, y: y + STEP_DOWN });
  return place(graph, lower);
}

/** Ends a path: a step that does nothing follows the port. */
export function endPath(graph: Graph, from: string, port: string): Graph {
  const node = { id: freeId(graph, "end"), type: "transform", title: "End", value: {} };
  return addNode(graph, node, { kind: "after", from, port });
}

/** Where the next step goes when no port was chosen: after the chosen step, or after the last one. */
export function nextPlace(graph: Graph, selected: string): Place {
  const node = graph.nodes.find((item) => item.id === selected) ?? graph.nodes.at(-1);
  if (node === undefined) return { kind: "alone" };
  const id = node.id;
  const used = new Set(graph.edges.filter((edge) => edge.from === id).map((edge) => edge.port));
  const free = portsOf(node).find((port) => !used.has(port) && port !== "error");
  return { kind: "after", from: id, port: free ?? defaultPort(typeOf(node)) };
}

const STEP_DOWN = 150;

/** With positions of its own, a graph gets the new step under the one before it, where there is room. */
function placedBelow(graph: Graph, id: string, from: string): Graph {
  const { positions = {} } = graph.ui;
  const above = positions[from];
  // Where only some steps have a position, the layout finds one for the others.
  if (above === undefined) return graph;
  const [x, y] = [above.x, above.y + STEP_DOWN];
  const taken = Object.values(positions);
  let shift = 0;
  const isTaken = () =>
    taken.some((spot) => Math.abs(spot.x - (x + shift)) < 250 && Math.abs(spot.y - y) < 110);
  while (isTaken() && shift < 20_000) shift += 270;
  return place(graph, new Map([[id, { x: x + shift, y }]]));
}

/** Connects a port of a step with another step, unless they are connected so already. */
export function connect(graph: Graph, from: string, to: string, port?: string): Graph {
  const source = graph.nodes.find((node) => node.id === from);
  if (source === undefined || from === to) return graph;
  const by = port ?? defaultPort(typeOf(source));
  const known = graph.edges.some((edge) => edge.from === from && edge.to === to && edge.port === by);
  return known ? graph : { ...graph, edges: [...graph.edges, newEdge(graph, from, to, by)] };
}

/** Removes steps with their edges; a step in the middle of a line leaves the line closed. */
export function removeNodes(graph: Graph, ids: readonly string[]): Graph {
  return ids.reduce(removeNode, graph);
}

/** Removes one step. */
export function removeNode(graph: Graph, id: string): Graph {
  const into = graph.edges.filter((edge) => edge.to === id);
  const out = graph.edges.filter((edge) => edge.from === id);
  const edges = graph.edges.filter((edge) => edge.to !== id && edge.from !== id);
  const positions = Object.fromEntries(
    Object.entries(graph.ui.positions ?? {}).filter(([name]) => name !== id),
  );
  const left: Graph = {
    ...graph,
    nodes: graph.nodes.filter((node) => node.id !== id),
    edges,
    ui: { ...graph.ui, positions },
  };
  const [before] = into;
  const [after] = out;
  if (into.length !== 1 || out.length !== 1 || before === undefined || after === undefined) return left;
  return connect(left, before.from, after.to, before.port);
}

/** Removes edges by id. */
export function removeEdges(graph: Graph, ids: readonly string[]): Graph {
  return { ...graph, edges: graph.edges.filter((edge) => !ids.includes(edge.id)) };
}

/** Replaces a step; edges, positions and references follow when its id changes. */
export function replaceNode(graph: Graph, id: string, node: DraftNode): Graph {
  const next = node.id;
  const nodes = graph.nodes.map((item) => (item.id === id ? node : item));
  const kept = { ...graph, nodes, edges: withPorts(graph, id, node) };
  if (next === id) return kept;
  const renamed = (name: string) => (name === id ? next : name);
  const names = new Map([[id, next]]);
  const positions = Object.fromEntries(
    Object.entries(graph.ui.positions ?? {}).map(([name, spot]) => [renamed(name), spot]),
  );
  return {
    ...kept,
    nodes: withNames(nodes, names),
    edges: kept.edges.map((edge) => ({
      ...edge,
      from: renamed(edge.from),
      to: renamed(edge.to),
    })),
    outputs: withNames(graph.outputs, names),
    ui: { ...graph.ui, positions },
  };
}

/** The edges with a case's new name where a switch renamed it in place. */
function withPorts(graph: Graph, id: string, node: DraftNode): readonly Edge[] {
  const before = graph.nodes.find((item) => item.id === id);
  if (before === undefined || typeOf(node) !== "switch") return graph.edges;
  const old = (before.cases ?? []).map((item) => item.name);
  const now = (node.cases ?? []).map((item) => item.name);
  if (old.length !== now.length) return graph.edges;
  return graph.edges.map((edge) => {
    const index = old.findIndex((name) => `case:${name}` === edge.port);
    const name = now[index];
    if (edge.from !== id || name === undefined || name === old[index]) return edge;
    return { ...edge, port: `case:${name}` };
  });
}

/** Keeps where steps stand on the canvas. */
export function place(graph: Graph, spots: ReadonlyMap<string, Spot>): Graph {
  const positions = { ...graph.ui.positions, ...Object.fromEntries(spots) };
  return { ...graph, ui: { ...graph.ui, positions } };
}

/** Forgets all positions, so that the layout decides. */
export function tidy(graph: Graph): Graph {
  const { positions: _, ...ui } = graph.ui;
  return { ...graph, ui };
}

/** The ports a step can be left by. */
export function portsOf(node: DraftNode): readonly string[] {
  const type = typeOf(node);
  if (type === "approval") return ["approved", "rejected", "changes", "expired", "error"];
  if (type === "switch")
    return [...(node.cases ?? []).map((item) => `case:${item.name}`), "default", "error"];
  const { signal, event } = (type === "wait" && node.wait) || {};
  if (signal !== undefined || event !== undefined) return ["success", "expired", "error"];
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
export function titleOf(node: DraftNode): string {
  return node.title ?? node.id;
}

/** What people call the step of an id. */
export function titleOfId(graph: Graph, id: string): string {
  const node = graph.nodes.find((item) => item.id === id);
  return node === undefined ? id : titleOf(node);
}

/** What a step does, in a few words under its title. */
export function detailOf(node: DraftNode): string {
  const type = typeOf(node);
  if (type === "tool") return calleeOf(node.tool) || "no tool chosen";
  return NODE_KINDS.find((kind) => kind.type === type)?.label ?? type;
}

/** The name of what a step calls; guests do not see operations of connections. */
export function calleeOf(tool = ""): string {
  return tool === HIDDEN_OPERATION ? "not shown to guests" : tool;
}

/** A short text with steps and the edges between them, for the clipboard. */
export function copyText(graph: Graph, ids: readonly string[]): string {
  const chosen = new Set(ids);
  return JSON.stringify(
    {
      schemaVersion: "suite.workflow.v1",
      nodes: graph.nodes.filter((node) => chosen.has(node.id)),
      edges: graph.edges.filter((edge) => chosen.has(edge.from) && chosen.has(edge.to)),
    },
    null,
    2,
  );
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

/** A copy with other step ids wherever references and expressions name them. */
export function withNames<T>(value: T, names: ReadonlyMap<string, string>): T {
  const copy: T = JSON.parse(JSON.stringify(value), (key, item: unknown) =>
    typeof item === "string" && ["$ref", "$expr", "if", "when"].includes(key) ? renamedIn(item, names) : item,
  );
  return copy;
}

/** An edge with an id that none has yet. */
export function newEdge(graph: Pick<Graph, "edges">, from: string, to: string, port: string): Edge {
  const taken = new Set(graph.edges.map((item) => item.id));
  let id = `${from}-${to}`;
  for (let n = 2; taken.has(id); n++) id = `${from}-${to}-${n}`;
  return { id, from, to, port };
}
