import type { Edge } from "#workflows/schema.ts";
import type { DraftNode } from "../document/model.ts";

/** The longest way to each node, counted in edges; nodes on a cycle come after all others. */
export function levelsOf(nodes: readonly DraftNode[], edges: readonly Edge[]): ReadonlyMap<string, number> {
  const open = new Map(nodes.map((node) => [node.id, 0]));
  const out = Map.groupBy(
    edges.filter((edge) => open.has(edge.from) && open.has(edge.to)),
    (edge) => edge.from,
  );
  for (const list of out.values()) for (const edge of list) open.set(edge.to, (open.get(edge.to) ?? 0) + 1);
  const levels = new Map<string, number>();
  const queue = [...open].filter(([, count]) => count === 0).map(([id]) => id);
  for (const id of queue) levels.set(id, 0);
  let deepest = 0;
  for (const id of queue) {
    const level = levels.get(id) ?? 0;
    deepest = Math.max(deepest, level);
    for (const edge of out.get(id) ?? []) {
      const to = edge.to;
      levels.set(to, Math.max(levels.get(to) ?? 0, level + 1));
      const left = (open.get(to) ?? 1) - 1;
      open.set(to, left);
      if (left === 0) queue.push(to);
    }
  }
  const reached = new Set(queue);
  for (const id of open.keys()) if (!reached.has(id)) levels.set(id, deepest + 1);
  return levels;
}

/** The steps in the order in which they can run; steps of one level in the order in which they stand. */
export function ordered(nodes: readonly DraftNode[], edges: readonly Edge[]): readonly DraftNode[] {
  const levels = levelsOf(nodes, edges);
  return nodes.toSorted((a, b) => (levels.get(a.id) ?? 0) - (levels.get(b.id) ?? 0));
}
