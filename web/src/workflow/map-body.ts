import { bagAt, bagsAt, isBag, textAt, type Bag } from "../lib/read.ts";
import { EMPTY_GRAPH, freeId, replaceNode, type Graph } from "./model.ts";

/** True when the body of a map is a graph and not one tool call. */
export function hasGraphBody(node: Bag): boolean {
  return Array.isArray(bagAt(node, "map", "body")["nodes"]);
}

/** The body of a map as a graph of its own; one tool call becomes a graph with one step. */
export function bodyGraph(graph: Graph, mapId: string): Graph | null {
  const node = graph.nodes.find((item) => textAt(item, "id") === mapId && textAt(item, "type") === "map");
  if (node === undefined) return null;
  const body = bagAt(node, "map", "body");
  const ui = bagAt(graph.ui, "bodies", mapId);
  if (hasGraphBody(node)) {
    return {
      ...EMPTY_GRAPH,
      nodes: bagsAt(body, "nodes"),
      edges: bagsAt(body, "edges"),
      outputs: outputsOf(body),
      ui,
    };
  }
  const tool = textAt(body, "tool");
  if (tool === "") return { ...EMPTY_GRAPH, ui };
  const id = freeId({ nodes: [] }, tool.split(":").pop() ?? tool);
  const { tool: _, ...rest } = body;
  return { ...EMPTY_GRAPH, nodes: [{ id, type: "tool", tool, ...rest }], ui };
}

function outputsOf(body: Bag): Bag {
  const outputs = body["outputs"];
  return isBag(outputs) ? outputs : {};
}

/** The graph with the body of one of its maps written anew. */
export function withBody(graph: Graph, mapId: string, body: Graph): Graph {
  const node = graph.nodes.find((item) => textAt(item, "id") === mapId);
  if (node === undefined) return graph;
  const before = bagAt(node, "map", "body");
  const outputs = before["outputs"];
  const next: Bag = {
    ...node,
    map: {
      ...bagAt(node, "map"),
      body: { nodes: body.nodes, edges: body.edges, ...(outputs !== undefined && { outputs }) },
    },
  };
  const bodies = { ...bagAt(graph.ui, "bodies"), [mapId]: body.ui };
  return { ...replaceNode(graph, mapId, next), ui: { ...graph.ui, bodies } };
}
