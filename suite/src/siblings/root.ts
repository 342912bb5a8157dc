import { canonicalJson, sha256Hex } from "../../../src/kernel/canonical-json.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { Refusal } from "../http.ts";
import type { SiblingContext, SiblingDefinition } from "../sibling.ts";

/** Which services there are and which of them the service hands work to. */
export const root: SiblingDefinition = {
  name: "root",
  routes: (context) => [
    {
      method: "GET",
      path: "/api/network/graph",
      isProtected: false,
      handle: () => ({ data: graph(context) }),
    },
  ],
  async work(packet, context) {
    if (packet.capability !== "graph")
      throw new Refusal(422, "unsupported", "The root publishes its graph only.");
    const data = graph(context);
    return { status: "completed", resultRef: `${context.url}/api/network/graph`, result: data };
  },
};

function graph(context: SiblingContext): JsonObject {
  const peers = { ...context.peers(), root: context.url };
  const nodes = Object.entries(peers)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, url]) => ({ id, url, kind: id === "svc" ? "service" : "sibling" }));
  const edges = nodes
    .filter(({ id }) => id !== "root")
    .map(({ id }) => ({ from: "root", to: id, kind: "lists" }));
  const handsOver = "svc" in peers ? nodes.filter(({ id }) => id !== "svc" && id !== "root") : [];
  const all = [...edges, ...handsOver.map(({ id }) => ({ from: "svc", to: id, kind: "hands over" }))];
  return {
    graphId: `graph_${sha256Hex(canonicalJson({ nodes, edges: all })).slice(0, 32)}`,
    nodes,
    edges: all,
  };
}
