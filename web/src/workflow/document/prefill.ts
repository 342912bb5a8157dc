import type { Json } from "#kernel/json.ts";
import { openScope, type Samples, type Scope, type Source, type Standpoint } from "../inspect/scope.ts";
import { bodyGraph, lastStep, valuePath, withBody } from "../inspect/map-body.ts";
import { suggestions } from "../inspect/suggest.ts";
import type { ToolInfo } from "../../api/tools.ts";
import { replaceNode, titleOf, type DraftNode, type Graph } from "./model.ts";

/*
 * A new step begins with what follows from its place. Everything written here is an ordinary value that
 * the person sees and can change.
 */

/** The graph with a step that was just added filled in. */
export function prefilled(
  graph: Graph,
  tools: readonly ToolInfo[],
  place: Standpoint,
  samples: Samples,
): Graph {
  const part = place.body === null ? graph : bodyGraph(graph, place.body);
  const node = part?.nodes.find(({ id }) => id === place.node);
  if (part === null || node === undefined) return graph;
  const scope = openScope(graph, tools, place, samples);
  const filled = filledIn(node, scope);
  const next = filled === node ? part : replaceNode(part, node.id, filled);
  if (place.body === null) return next;
  const whole = next === part ? graph : withBody(graph, place.body, next);
  return withResult(whole, tools, place.body, samples);
}

/** The graph with the body of a map replaced; where that moves the result to another step, to the value of that step. */
export function withBodyAndResult(
  graph: Graph,
  map: string,
  body: Graph,
  tools: readonly ToolInfo[],
  samples: Samples,
): Graph {
  const next = withBody(graph, map, body);
  const resultIn = ({ nodes }: Graph) =>
    JSON.stringify(nodes.find(({ id }) => id === map)?.map?.body?.outputs);
  return resultIn(next) === resultIn(graph) ? next : withResult(next, tools, map, samples);
}

function filledIn(node: DraftNode, scope: Scope): DraftNode {
  const { map, tool = "", with: given = {}, approval } = node;
  if (node.type === "map" && Array.isArray(map?.items) && map.items.length === 0) {
    const [list] = suggestions(scope.sources, { type: "array" });
    return list === undefined ? node : { ...node, map: { ...map, items: { $ref: list.path } } };
  }
  if (tool === "save_artifact" && Object.keys(given).length === 0) {
    const last = resultBefore(scope);
    const content: Json = last === undefined ? {} : { $ref: last.path };
    const title = last === undefined ? "Result" : `Result of ${last.label}`;
    return { ...node, with: { artifact: { title, content } } };
  }
  const hasInputs = scope.sources.some(({ path }) => /^inputs\b/.test(path));
  if (node.type === "approval" && approval !== undefined && approval.show === undefined && hasInputs) {
    // Who decides about what a person sent in sees it.
    return { ...node, approval: { ...approval, show: { $ref: "inputs" } } };
  }
  return node;
}

/** The whole result of the nearest step that gives something; a decision or a choice of path is seldom kept. */
function resultBefore(scope: Scope): Source | undefined {
  return scope.sources.find(
    ({ path, children }) =>
      path === "item" ||
      (path.startsWith("steps.") && !children().some(({ name }) => name === "verdict" || name === "case")),
  );
}

/** Once the schema of a body's last step is known, its value is what an item gives. */
function withResult(graph: Graph, tools: readonly ToolInfo[], map: string, samples: Samples): Graph {
  const index = graph.nodes.findIndex(({ id }) => id === map);
  const node = graph.nodes[index];
  const { nodes = [], edges = [], outputs } = node?.map?.body ?? {};
  const last = lastStep(nodes, edges);
  if (node === undefined || last === null) return graph;
  if (JSON.stringify(outputs) !== JSON.stringify({ $ref: valuePath(last) })) return graph;
  const scope = openScope(graph, tools, { node: null, body: map }, samples);
  const source = scope.sources.find(({ name, trail }) => name === last.id && trail[0] === titleOf(last));
  if (source === undefined || source.path === valuePath(last)) return graph;
  const body = { ...node.map?.body, outputs: { $ref: source.path } };
  return replaceNode(graph, map, { ...node, map: { ...node.map, body } });
}
