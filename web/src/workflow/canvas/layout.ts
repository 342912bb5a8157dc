import type { Edge } from "#workflows/schema.ts";
import { Graph as Sheet, layout as arrange } from "@dagrejs/dagre";
import { textAt } from "../../lib/read.ts";
import { portOffset, routeAround, sizeOf, type Box } from "./geometry.ts";
import { levelsOf } from "./levels.ts";
import type { Spot, DraftNode, DraftUi } from "../document/model.ts";

/** Where everything stands: boxes of steps by id, and ways of edges by id. */
export interface Layout {
  readonly boxes: ReadonlyMap<string, Box>;
  /** The way of an edge; worked out when it is asked for, so that edges out of sight cost nothing. */
  readonly way: (edge: Edge) => readonly Spot[];
}

/** Beyond this many steps, levels are set in rows without minimising crossings, in almost linear time. */
export const MAX_ARRANGED = 400;
const NODE_GAP = 44;
const LEVEL_GAP = 100;
/** Edges leave a step straight for this length: the buttons of its free ports stand there. */
const STUB = 38;

/** Lays a graph out: steps that have a position keep it, the others are arranged from the top down. */
export function layoutOf(
  nodes: readonly DraftNode[],
  edges: readonly Edge[],
  ui: DraftUi,
  stated: (id: string) => boolean,
): Layout {
  const sizes = new Map(nodes.map((node) => [node.id, sizeOf(node, stated(node.id))]));
  const given = new Map<string, Spot>();
  for (const node of nodes) {
    const spot = ui.positions?.[node.id];
    if (spot !== undefined) given.set(node.id, spot);
  }
  const known = edges.filter((edge) => sizes.has(edge.from) && sizes.has(edge.to));
  const made: Arranged =
    given.size === nodes.length
      ? { boxes: new Map(), ways: new Map() }
      : nodes.length <= MAX_ARRANGED
        ? arranged(nodes, known, sizes)
        : rows(nodes, known, sizes);
  const boxes = new Map<string, Box>();
  for (const [id, size] of sizes) {
    const spot = given.get(id) ?? made.boxes.get(id) ?? { x: 0, y: 0 };
    boxes.set(id, { ...size, x: spot.x, y: spot.y });
  }
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const auto = given.size === 0 && made.ways.size > 0;
  const levels = auto ? levelBands(boxes) : [];
  const all = [...boxes.values()];
  const way = (edge: Edge): readonly Spot[] => {
    const source = boxes.get(edge.from);
    const target = boxes.get(edge.to);
    const node = byId.get(edge.from);
    if (source === undefined || target === undefined || node === undefined) return [];
    const from = {
      x: source.x + portOffset(node, edge.port, source.width),
      y: source.y + source.height,
    };
    const to = { x: target.x + target.width / 2, y: target.y };
    const lanes = made.ways.get(edge.id);
    if (!auto || lanes === undefined || to.y < from.y) return routeAround(from, to, near(all, from, to));
    return throughBands(from, to, source, target, lanes, levels);
  };
  return { boxes, way };
}

/** The boxes that a way between two points could meet. */
function near(boxes: readonly Box[], from: Spot, to: Spot): readonly Box[] {
  const reach = 700;
  const [left, right] = [Math.min(from.x, to.x) - reach, Math.max(from.x, to.x) + reach];
  const [top, bottom] = [Math.min(from.y, to.y) - 40, Math.max(from.y, to.y) + 40];
  return boxes.filter(
    (box) => box.x < right && box.x + box.width > left && box.y < bottom && box.y + box.height > top,
  );
}

interface Band {
  readonly top: number;
  readonly bottom: number;
}

/** The rows of an arranged graph: nothing but gaps lies between them. */
function levelBands(boxes: ReadonlyMap<string, Box>): readonly Band[] {
  const tops = Map.groupBy(boxes.values(), (box) => box.y);
  return [...tops]
    .map(([top, row]) => ({ top, bottom: Math.max(...row.map((box) => box.y + box.height)) }))
    .toSorted((a, b) => a.top - b.top);
}

/** A way that turns only in the gaps between rows and passes each row straight, in the lane kept free for it. */
function throughBands(
  from: Spot,
  to: Spot,
  source: Box,
  target: Box,
  lanes: readonly number[],
  bands: readonly Band[],
): readonly Spot[] {
  const own = bands.find((band) => band.top === source.y);
  const points: Spot[] = [from];
  points.push({ x: from.x, y: Math.max(from.y, own?.bottom ?? from.y) + STUB });
  const passed = bands.filter((band) => band.top > source.y && band.top < target.y);
  passed.forEach((band, index) => {
    const x = lanes[index] ?? lanes.at(-1) ?? from.x;
    points.push({ x, y: band.top }, { x, y: band.bottom + STUB });
  });
  return [...points, to];
}

type Sizes = ReadonlyMap<string, { readonly width: number; readonly height: number }>;

/** Boxes of steps, and the lanes in which edges pass the rows between their ends. */
interface Arranged {
  readonly boxes: ReadonlyMap<string, Box>;
  readonly ways: ReadonlyMap<string, readonly number[]>;
}

/** Arranges with dagre, rows aligned at their tops; gives the boxes, and the lanes in which long edges pass rows. */
function arranged(nodes: readonly DraftNode[], edges: readonly Edge[], sizes: Sizes): Arranged {
  const sheet = new Sheet({ multigraph: true });
  sheet.setGraph({ rankdir: "TB", nodesep: NODE_GAP, ranksep: LEVEL_GAP, edgesep: 20 });
  for (const node of nodes) {
    const id = node.id;
    sheet.setNode(id, { ...(sizes.get(id) ?? { width: 1, height: 1 }) });
  }
  edges.forEach((edge, index) => {
    sheet.setEdge(edge.from, edge.to, { width: 1, height: 1, labelpos: "c" }, edge.id ?? String(index));
  });
  arrange(sheet);
  const flip = isBetterMirrored(nodes, edges, (id) => sheet.node(id).x ?? 0);
  const across = (x: number) => (flip ? (sheet.graph().width ?? 0) - x : x);
  const centres = new Map<string, Spot>();
  for (const id of sheet.nodes()) {
    const { x = 0, y = 0 } = sheet.node(id);
    centres.set(id, { x: across(x), y });
  }
  const rowsBy = [...new Set([...centres.values()].map((spot) => Math.round(spot.y)))].toSorted(
    (a, b) => a - b,
  );
  const heights = rowsBy.map((row) =>
    Math.max(
      ...[...centres]
        .filter(([, spot]) => Math.round(spot.y) === row)
        .map(([id]) => sizes.get(id)?.height ?? 0),
    ),
  );
  const tops: number[] = [];
  heights.forEach((_, index) => {
    tops.push(index === 0 ? 0 : (tops[index - 1] ?? 0) + (heights[index - 1] ?? 0) + LEVEL_GAP);
  });
  const boxes = new Map<string, Box>();
  for (const [id, spot] of centres) {
    const size = sizes.get(id) ?? { width: 1, height: 1 };
    boxes.set(id, {
      ...size,
      x: Math.round(spot.x - size.width / 2),
      y: tops[rowsBy.indexOf(Math.round(spot.y))] ?? 0,
    });
  }
  const ways = new Map<string, readonly number[]>();
  for (const key of sheet.edges()) {
    const { points = [] } = sheet.edge(key);
    const from = centres.get(key.v)?.y ?? 0;
    const to = centres.get(key.w)?.y ?? 0;
    const lanes = rowsBy
      .filter((row) => row > from + 1 && row < to - 1)
      .map((row) => across(laneAt(points, row)));
    ways.set(key.name ?? "", lanes);
  }
  return { boxes, ways };
}

/** True when fewer edges of one step cross with left and right exchanged: dagre does not know the order of ports. */
function isBetterMirrored(
  nodes: readonly DraftNode[],
  edges: readonly Edge[],
  x: (id: string) => number,
): boolean {
  const leaving = Map.groupBy(edges, (edge) => edge.from);
  let [as, mirrored] = [0, 0];
  for (const node of nodes) {
    const own = leaving.get(node.id) ?? [];
    const ends = own.map((edge) => ({
      port: portOffset(node, edge.port, 1),
      to: x(edge.to),
    }));
    ends.forEach((one, n) => {
      for (const other of ends.slice(0, n)) {
        const turn = (one.port - other.port) * (one.to - other.to);
        if (turn < 0) as++;
        else if (turn > 0) mirrored++;
      }
    });
  }
  return mirrored < as;
}

function laneAt(points: readonly Spot[], y: number): number {
  const nearest = points.toSorted((a, b) => Math.abs(a.y - y) - Math.abs(b.y - y))[0];
  return Math.round(nearest?.x ?? 0);
}

/**
 * Levels in rows. Steps stand in the order of those that lead to them and above those that they lead to, so that edges
 * stay short: a long edge is drawn wherever it passes by.
 */
function rows(nodes: readonly DraftNode[], edges: readonly Edge[], sizes: Sizes): Arranged {
  const levels = levelsOf(nodes, edges);
  const level = (id: string) => levels.get(id) ?? 0;
  const ids = nodes.map((node) => node.id);
  const before = neighbours(edges, "to", "from");
  const after = neighbours(edges, "from", "to");
  const byLevel = [...Map.groupBy(ids, level)].toSorted(([a], [b]) => a - b).map(([, row]) => row);
  const place = new Map<string, number>();
  const sorted = byLevel.map((row) => {
    const wish = new Map(row.map((id) => [id, mean(before.get(id), place) ?? Number.MAX_SAFE_INTEGER]));
    const order = row.toSorted((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0));
    order.forEach((id, index) => place.set(id, index / order.length));
    return order;
  });
  const centres = new Map<string, number>();
  for (const row of sorted.toReversed()) {
    let end = 0;
    for (const id of row) {
      const half = (sizes.get(id)?.width ?? 1) / 2;
      const centre = Math.max(end + half, mean(after.get(id), centres) ?? 0);
      centres.set(id, centre);
      end = centre + half + NODE_GAP;
    }
  }
  const boxes = new Map<string, Box>();
  let top = 0;
  for (const row of sorted) {
    let height = 0;
    for (const id of row) {
      const size = sizes.get(id) ?? { width: 1, height: 1 };
      boxes.set(id, { ...size, x: Math.round((centres.get(id) ?? 0) - size.width / 2), y: top });
      height = Math.max(height, size.height);
    }
    top += height + LEVEL_GAP;
  }
  // Between two neighbouring rows there is nothing to go around.
  const near = edges.filter((edge) => level(edge.to) === level(edge.from) + 1);
  return { boxes, ways: new Map(near.map((edge) => [edge.id, []])) };
}

/** The other ends of the edges at each step. */
function neighbours(
  edges: readonly Edge[],
  at: "from" | "to",
  other: "from" | "to",
): ReadonlyMap<string, readonly string[]> {
  const grouped = Map.groupBy(edges, (edge) => textAt(edge, at));
  return new Map([...grouped].map(([id, list]) => [id, list.map((edge) => textAt(edge, other))]));
}

/** The mean of the numbers that are known; undefined when none is. */
function mean(ids: readonly string[] = [], known: ReadonlyMap<string, number>): number | undefined {
  const numbers = ids.flatMap((id) => known.get(id) ?? []);
  return numbers.length === 0 ? undefined : numbers.reduce((sum, next) => sum + next, 0) / numbers.length;
}
