import { reachable } from "../graph.ts";
import { problem, quoted, type WorkflowProblem } from "../problems.ts";
import { portsOf } from "../ports.ts";
import type { Edge, WorkflowNode } from "../schema.ts";
import { placeOf, type GraphContext } from "./context.ts";

/** Ids, edges, ports, cycles, reachability and switches of one graph. */
export function checkStructure(context: GraphContext): void {
  checkEdges(context);
  checkCycles(context);
  checkReachable(context);
  for (const node of context.graph.nodes) {
    if (node.type === "switch" && !context.shared.broken.has(node)) checkSwitch(context, node);
  }
}

function checkEdges(context: GraphContext): void {
  const { graph, shared } = context;
  const ids = new Set<string>();
  const ways = new Set<string>();
  const ports = new Map<WorkflowNode, ReadonlySet<string>>();
  graph.edges.forEach((edge, number) => {
    const place = placeOf(context, edge);
    const way = `${edge.from} ${edge.port} ${edge.to}`;
    if (ways.has(way)) {
      const text = `An edge from ${quoted(edge.from)} (${edge.port}) to ${quoted(edge.to)} exists already.`;
      shared.problems.push(problem("edge_duplicate", place, text));
    } else if (ids.has(edge.id)) {
      shared.problems.push(
        problem("edge_duplicate", `${place}/id`, `The edge id ${quoted(edge.id)} is taken.`),
      );
    }
    ways.add(way);
    ids.add(edge.id);
    shared.problems.push(...dangling(context, edge, number, place));
    const source = graph.nodes[graph.from[number] ?? -1];
    if (source === undefined || shared.broken.has(source)) return;
    const known = ports.get(source) ?? new Set(portsOf(source));
    ports.set(source, known);
    if (!known.has(edge.port)) {
      const text = `${quoted(edge.from)} is of type ${source.type} and has no port ${quoted(edge.port)}; it has ${[...known].join(", ")}.`;
      shared.problems.push(problem("port_unknown", `${place}/port`, text));
    }
  });
}

function dangling(
  context: GraphContext,
  edge: Edge,
  number: number,
  place: string,
): readonly WorkflowProblem[] {
  const { graph } = context;
  const ends = [
    ["from", edge.from, graph.from[number] ?? -1],
    ["to", edge.to, graph.to[number] ?? -1],
  ] as const;
  return ends
    .filter(([, , node]) => node < 0)
    .map(([end, id]) =>
      problem("edge_dangling", `${place}/${end}`, `There is no node ${quoted(id)} in this graph.`),
    );
}

function checkCycles(context: GraphContext): void {
  const { graph, cycles, shared } = context;
  for (const cycle of cycles) {
    const nodes = cycle.map((index) => graph.nodes[index]?.id ?? "");
    const shown = nodes.length > 12 ? [...nodes.slice(0, 11), "…", nodes.at(-1)] : nodes;
    const first = graph.nodes[cycle[0] ?? -1];
    const place = first === undefined ? context.pointer : placeOf(context, first);
    shared.problems.push(problem("cycle", place, `A cycle: ${shown.join(" → ")}.`));
  }
}

function checkReachable(context: GraphContext): void {
  const { graph, shared, order } = context;
  const acyclic = new Set(order);
  const cyclic = new Set(graph.nodes.keys().filter((index) => !acyclic.has(index)));
  const reached = reachable(graph, cyclic, (number) => {
    const source = graph.nodes[graph.from[number] ?? -1];
    return source !== undefined && canLeave(source, graph.edges[number]?.port ?? "");
  });
  graph.nodes.forEach((node, index) => {
    if (reached[index] === 1 || cyclic.has(index)) return;
    shared.problems.push(
      problem(
        "unreachable",
        placeOf(context, node),
        `${quoted(node.id)} can never run: nothing that can happen leads to it.`,
      ),
    );
  });
}

/** Ports that exist but can never be taken. */
function canLeave(node: WorkflowNode, port: string): boolean {
  if (node.if?.trim() === "false") return false;
  if (node.type === "approval" && port === "expired") return node.approval.expiresInMs !== undefined;
  if (node.type === "wait" && port === "expired") return node.wait.timeoutMs !== undefined;
  if (node.type === "switch" && port.startsWith("case:")) {
    return node.cases.find(({ name }) => `case:${name}` === port)?.when.trim() !== "false";
  }
  return true;
}

function checkSwitch(context: GraphContext, node: Extract<WorkflowNode, { type: "switch" }>): void {
  const { graph, shared } = context;
  const index = graph.indexOf.get(node.id) ?? -1;
  const wired = new Set((graph.out[index] ?? []).map((edge) => graph.edges[edge]?.port));
  const place = placeOf(context, node);
  if (!wired.has("default")) {
    shared.problems.push(
      problem(
        "switch_no_default",
        place,
        `${quoted(node.id)} has no edge for the case that no condition is true.`,
      ),
    );
  }
  const names = new Set<string>();
  node.cases.forEach(({ name }, number) => {
    const pointer = `${place}/cases/${number}`;
    if (names.has(name)) {
      shared.problems.push(
        problem("switch_case_duplicate", `${pointer}/name`, `The case ${quoted(name)} is there twice.`),
      );
    } else if (!wired.has(`case:${name}`)) {
      shared.problems.push(
        problem("switch_case_unwired", pointer, `The case ${quoted(name)} leads nowhere.`),
      );
    }
    names.add(name);
  });
}
