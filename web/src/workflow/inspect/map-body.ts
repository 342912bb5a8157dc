import { isJsonRecord } from "#kernel/json.ts";
import { EMPTY_GRAPH, freeId, replaceNode, type DraftNode, type Graph } from "../document/model.ts";

/** True when the body of a map is a graph and not one tool call. */
export function hasGraphBody(node: DraftNode): boolean {
  return node.map?.body?.nodes !== undefined;
}

/** The body of a map as a graph of its own; one tool call becomes a graph with one step. */
export function bodyGraph(graph: Graph, mapId: string): Graph | null {
  const node = graph.nodes.find((item) => item.id === mapId && item.type === "map");
  if (node === undefined) return null;
  const { nodes, edges = [], outputs, tool = "", ...rest } = node.map?.body ?? {};
  const ui = graph.ui.bodies?.[mapId] ?? {};
  if (nodes !== undefined)
    return { ...EMPTY_GRAPH, nodes, edges, outputs: isJsonRecord(outputs) ? outputs : {}, ui };
  if (tool === "") return { ...EMPTY_GRAPH, ui };
  const id = freeId({ nodes: [] }, tool.split(":").pop() ?? tool);
  return { ...EMPTY_GRAPH, nodes: [{ id, type: "tool", tool, ...rest }], ui };
}

/** The graph with the body of one of its maps written anew. */
export function withBody(graph: Graph, mapId: string, body: Graph): Graph {
  const node = graph.nodes.find((item) => item.id === mapId);
  if (node === undefined) return graph;
  const { outputs } = node.map?.body ?? {};
  const inner = { nodes: body.nodes, edges: body.edges, ...(outputs !== undefined && { outputs }) };
  const next = { ...node, map: { ...node.map, body: inner } };
  const bodies = { ...graph.ui.bodies, [mapId]: body.ui };
  return { ...replaceNode(graph, mapId, next), ui: { ...graph.ui, bodies } };
}
