import { isJsonRecord, type Json } from "#kernel/json.ts";
import { pathText } from "#kernel/paths.ts";
import type { Edge } from "#workflows/schema.ts";
import { asWritten } from "#workflows/values.ts";
import { EMPTY_GRAPH, freeId, replaceNode, type DraftNode, type Graph } from "../document/model.ts";

/** True when the body of a map is a graph and not one tool call. */
export function hasGraphBody(node: DraftNode): boolean {
  return node.map?.body?.nodes !== undefined;
}

/** The one step of a body that only chooses fields of each item. */
export function fieldsStep(node: DraftNode): DraftNode | null {
  const { nodes = [], outputs } = node.map?.body ?? {};
  const [only] = nodes;
  const isResult = only !== undefined && taggedRef(outputs) === pathText("steps", [only.id, "outputs"]);
  return nodes.length === 1 && only?.type === "transform" && isResult ? only : null;
}

/** The reference that a value is, as it is written; empty when it is something else. */
export function taggedRef(value: Json | undefined): string {
  return isJsonRecord(value) && typeof value["$ref"] === "string" ? asWritten(value["$ref"]) : "";
}

/** The body of a map as a graph of its own; one tool call becomes a graph with one step. */
export function bodyGraph(graph: Graph, mapId: string): Graph | null {
  const node = graph.nodes.find((item) => item.id === mapId && item.type === "map");
  if (node === undefined) return null;
  const { nodes, edges = [], outputs, tool = "", result: _, ...rest } = node.map?.body ?? {};
  const ui = graph.ui.bodies?.[mapId] ?? {};
  if (nodes !== undefined)
    return { ...EMPTY_GRAPH, nodes, edges, outputs: isJsonRecord(outputs) ? outputs : {}, ui };
  if (tool === "") return { ...EMPTY_GRAPH, ui };
  return { ...EMPTY_GRAPH, nodes: [{ id: callId(tool), type: "tool", tool, ...rest }], ui };
}

/** The id that a map's call gets as a step. */
function callId(tool: string): string {
  return freeId({ nodes: [] }, tool.split(":").pop() ?? tool);
}

/** The graph with the body of one of its maps replaced. */
export function withBody(graph: Graph, mapId: string, body: Graph): Graph {
  const node = graph.nodes.find((item) => item.id === mapId);
  if (node === undefined) return graph;
  const outputs = bodyOutputs(node, body);
  const inner = { nodes: body.nodes, edges: body.edges, ...(outputs !== undefined && { outputs }) };
  const next = { ...node, map: { ...node.map, body: inner } };
  const bodies = { ...graph.ui.bodies, [mapId]: body.ui };
  return { ...replaceNode(graph, mapId, next), ui: { ...graph.ui, bodies } };
}

/** What one item gives: the last step, as long as nothing else was chosen. Older bodies that say nothing stay so. */
function bodyOutputs(node: DraftNode, next: Graph): Json | undefined {
  const { nodes = [], edges = [], outputs, tool = "", result } = node.map?.body ?? {};
  const now = lastStep(next.nodes, next.edges);
  if (result !== undefined && nodes.length === 0)
    return { $ref: asWritten(`$steps.${callId(tool)}.outputs#${result}`) };
  const before = lastStep(nodes, edges);
  const isDefault =
    nodes.length === 0 ? tool === "" : before !== null && valuePath(before) === taggedRef(outputs);
  return isDefault && now !== null && now.id !== before?.id ? { $ref: valuePath(now) } : outputs;
}

/** The only step after which nothing comes. */
export function lastStep(nodes: readonly DraftNode[], edges: readonly Edge[]): DraftNode | null {
  const last = nodes.filter(({ id }) => !edges.some((edge) => edge.from === id));
  return last.length === 1 ? (last[0] ?? null) : null;
}

/** Where the value of a step is, as far as its type tells; the answer of a connected tool has it deeper. */
export function valuePath({ id, type }: DraftNode): string {
  return pathText("steps", type === "tool" ? [id, "outputs", "data"] : [id, "outputs"]);
}
