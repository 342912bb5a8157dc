import { at, numberAt, textAt, type Bag } from "../lib/read.ts";
import type { Spot } from "./model.ts";

const WIDTH = 262;
const HEIGHT = 132;

/** Where each node stands: where it was put, or else by levels from the top down. */
export function layout(nodes: readonly Bag[], edges: readonly Bag[], ui: Bag): ReadonlyMap<string, Spot> {
  const spots = new Map<string, Spot>();
  const levels = levelsOf(nodes, edges);
  const rows = new Map<number, number>();
  for (const node of nodes) {
    const id = textAt(node, "id");
    const given = at(ui, "positions", id) ?? at(node, "position");
    const [x, y] = [numberAt(given, "x"), numberAt(given, "y")];
    if (x !== null && y !== null) {
      spots.set(id, { x, y });
      continue;
    }
    const level = levels.get(id) ?? 0;
    const row = rows.get(level) ?? 0;
    rows.set(level, row + 1);
    spots.set(id, { x: row * WIDTH, y: level * HEIGHT });
  }
  return spots;
}

/** The longest way to each node, counted in edges; a cycle is cut where it is met. */
export function levelsOf(nodes: readonly Bag[], edges: readonly Bag[]): ReadonlyMap<string, number> {
  const into = Map.groupBy(edges, (edge) => textAt(edge, "to", textAt(edge, "target")));
  const levels = new Map<string, number>();
  const visit = (id: string, path: ReadonlySet<string>): number => {
    const known = levels.get(id);
    if (known !== undefined) return known;
    if (path.has(id)) return 0;
    const deeper = new Set(path).add(id);
    const before = (into.get(id) ?? []).map(
      (edge) => visit(textAt(edge, "from", textAt(edge, "source")), deeper) + 1,
    );
    const level = Math.max(0, ...before);
    levels.set(id, level);
    return level;
  };
  for (const node of nodes) visit(textAt(node, "id"), new Set());
  return levels;
}
