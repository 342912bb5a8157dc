import type { Edge, WorkflowNode } from "./schema.ts";

/** Nodes and edges by number, so that every analysis is a walk over arrays. */
export interface FlowGraph {
  readonly nodes: readonly WorkflowNode[];
  readonly edges: readonly Edge[];
  readonly indexOf: ReadonlyMap<string, number>;
  /** Numbers of the edges (with both ends known) that leave and enter each node. */
  readonly out: readonly (readonly number[])[];
  readonly in: readonly (readonly number[])[];
  /** Number of the node at each end of each edge; -1 when there is none. */
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** Builds the graph; edges with an unknown end are left out of `out` and `in`. */
export function buildGraph(nodes: readonly WorkflowNode[], edges: readonly Edge[]): FlowGraph {
  const indexOf = new Map(nodes.map((node, index) => [node.id, index]));
  const out: number[][] = nodes.map(() => []);
  const incoming: number[][] = nodes.map(() => []);
  const from = new Int32Array(edges.length).fill(-1);
  const to = new Int32Array(edges.length).fill(-1);
  edges.forEach((edge, number) => {
    const source = indexOf.get(edge.from) ?? -1;
    const target = indexOf.get(edge.to) ?? -1;
    from[number] = source;
    to[number] = target;
    if (source < 0 || target < 0) return;
    out[source]?.push(number);
    incoming[target]?.push(number);
  });
  return { nodes, edges, indexOf, out, in: incoming, from, to };
}

/** The numbers of the nodes in an order in which every edge points forward; nodes on or behind a cycle are left out. */
export function topologicalOrder(graph: FlowGraph): readonly number[] {
  const open = Int32Array.from(graph.in, (edges) => edges.length);
  const order: number[] = [];
  graph.nodes.forEach((_, index) => {
    if (open[index] === 0) order.push(index);
  });
  for (let at = 0; at < order.length; at++) {
    for (const edge of graph.out[order[at] ?? -1] ?? []) {
      const target = graph.to[edge] ?? -1;
      const left = (open[target] ?? 0) - 1;
      open[target] = left;
      if (left === 0) order.push(target);
    }
  }
  return order;
}

/** One cycle of each knot of cycles, as the nodes it passes, the first repeated at the end. */
export function findCycles(graph: FlowGraph): readonly (readonly number[])[] {
  return knots(graph).map((knot) => cycleIn(graph, knot));
}

/** Strongly connected components that hold a cycle (Tarjan, without recursion). */
function knots(graph: FlowGraph): readonly ReadonlySet<number>[] {
  const count = graph.nodes.length;
  const seen = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const onStack = new Uint8Array(count);
  const stack: number[] = [];
  const found: Set<number>[] = [];
  let clock = 0;
  const open = (node: number): { node: number; next: number } => {
    seen[node] = clock;
    low[node] = clock++;
    onStack[node] = 1;
    stack.push(node);
    return { node, next: 0 };
  };
  for (let root = 0; root < count; root++) {
    if (seen[root] !== -1) continue;
    const calls = [open(root)];
    for (let call = calls.at(-1); call !== undefined; call = calls.at(-1)) {
      const { node } = call;
      const edge = graph.out[node]?.[call.next++];
      if (edge !== undefined) {
        const target = graph.to[edge] ?? -1;
        if (seen[target] === -1) calls.push(open(target));
        else if (onStack[target] === 1) low[node] = Math.min(low[node] ?? 0, seen[target] ?? 0);
        continue;
      }
      calls.pop();
      const parent = calls.at(-1);
      if (parent !== undefined) low[parent.node] = Math.min(low[parent.node] ?? 0, low[node] ?? 0);
      if (low[node] !== seen[node]) continue;
      const knot = new Set<number>();
      for (let member = -1; member !== node;) {
        member = stack.pop() ?? node;
        onStack[member] = 0;
        knot.add(member);
      }
      if (knot.size > 1 || isLoop(graph, node)) found.push(knot);
    }
  }
  return found;
}

function isLoop(graph: FlowGraph, node: number): boolean {
  return (graph.out[node] ?? []).some((edge) => graph.to[edge] === node);
}

/** The shortest cycle through the first node of a knot. */
function cycleIn(graph: FlowGraph, knot: ReadonlySet<number>): readonly number[] {
  const start = Math.min(...[...knot].slice(0, 1_000));
  const before = new Map<number, number>();
  const queue = [start];
  for (const node of queue) {
    for (const edge of graph.out[node] ?? []) {
      const target = graph.to[edge] ?? -1;
      if (target === start) {
        const path = [start];
        for (let at = node; at !== start; at = before.get(at) ?? start) path.unshift(at);
        return [start, ...path];
      }
      if (!knot.has(target) || before.has(target)) continue;
      before.set(target, node);
      queue.push(target);
    }
  }
  return [start, start];
}

/** The longest way, in edges, from a first node to each node. Nodes left out of the order are at level 0. */
export function levelsOf(graph: FlowGraph, order: readonly number[]): Int32Array {
  const levels = new Int32Array(graph.nodes.length);
  for (const node of order) {
    for (const edge of graph.out[node] ?? []) {
      const target = graph.to[edge] ?? -1;
      levels[target] = Math.max(levels[target] ?? 0, (levels[node] ?? 0) + 1);
    }
  }
  return levels;
}

/** Which nodes a first node leads to over edges that can fire. Members of a cycle count as reached. */
export function reachable(
  graph: FlowGraph,
  cyclic: ReadonlySet<number>,
  canFire: (edge: number) => boolean,
): Uint8Array {
  const reached = new Uint8Array(graph.nodes.length);
  const queue: number[] = [];
  graph.nodes.forEach((_, index) => {
    if ((graph.in[index] ?? []).length > 0 && !cyclic.has(index)) return;
    reached[index] = 1;
    queue.push(index);
  });
  for (const node of queue) {
    for (const edge of graph.out[node] ?? []) {
      const target = graph.to[edge] ?? -1;
      if (reached[target] === 1 || !canFire(edge)) continue;
      reached[target] = 1;
      queue.push(target);
    }
  }
  return reached;
}
