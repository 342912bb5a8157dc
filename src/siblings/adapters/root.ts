import { canonicalJson, sha256Hex } from "../../kernel/canonical-json.ts";
import { isObject } from "../../kernel/json.ts";
import type { Adapter } from "../adapter.ts";

/** The network's root: which services there are and how they are connected. */
export const rootAdapter: Adapter = {
  name: "root",
  title: "Network root",
  purpose: "Publishes the graph of the network's services.",
  timeoutMs: 5_000,
  calls: {
    graph: {
      method: "GET",
      path: () => "/api/network/graph",
      safe: true,
      confirm(data) {
        const { nodes, edges, graphId } = data;
        if (!Array.isArray(nodes) || nodes.length === 0 || !Array.isArray(edges)) {
          return { problem: "The graph has no nodes or no edges." };
        }
        const ids = new Set(nodes.map((node: unknown) => (isObject(node) ? node["id"] : undefined)));
        const dangling = edges.some(
          (edge: unknown) => !isObject(edge) || !ids.has(edge["from"]) || !ids.has(edge["to"]),
        );
        if (dangling) return { problem: "The graph has an edge to a node that is not in it." };
        // The id is a digest of the graph, so a graph that was altered on the way cannot carry it.
        const expected = `graph_${sha256Hex(canonicalJson({ nodes, edges })).slice(0, 32)}`;
        if (graphId !== expected) return { problem: "The graph's id is not the digest of the graph." };
        return { resultRef: expected, kind: "id", data };
      },
    },
  },
};
