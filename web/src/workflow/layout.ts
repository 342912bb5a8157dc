import { Graph as Sheet, layout as arrange } from "@dagrejs/dagre";
import { at, numberAt, textAt, type Bag } from "../lib/read.ts";
import { portOffset, routeAround, sizeOf, type Box } from "./geometry.ts";
import { levelsOf } from "./levels.ts";
import type { Spot } from "./model.ts";

/** Where everything stands: boxes of steps by id, and ways of edges by id. */
export interface Layout {
  readonly boxes: ReadonlyMap<string, Box>;
  /** The way of an edge; worked out when it is asked for, so that edges out of sight cost nothing. */
  readonly way: (edge: Bag) => readonly Spot[];
}

/** Beyond this many steps, levels are set in rows without minimising crossings, in linear time. */
const MAX_ARRANGED = 400;
const NODE_GAP = 44;
const LEVEL_GAP = 100;
/** Edges leave a step straight for so long: the buttons of its free ports stand there. */
const STUB = 38;

/** Lays a graph out: steps that have a position keep it, the others are arranged from the top down. */
export function layoutOf(
  nodes: readonly Bag[],
  edges: readonly Bag[],
  ui: Bag,
  stated: (id: string) => boolean,
): Layout {
  const sizes = new Map(nodes.map((node) => [textAt(node, "id"), sizeOf(node, stated(textAt(node, "id")))]));
  const given = new Map<string, Spot>();
  for (const node of nodes) {
    const id = textAt(node, "id");
    const spot = at(ui, "positions", id) ?? at(node, "position");
    const [x, y] = [numberAt(spot, "x"), numberAt(spot, "y")];
    if (x !== null && y !== null) given.set(id, { x, y });
  }
  const known = edges.filter((edge) => sizes.has(textAt(edge, "from")) && sizes.has(textAt(edge, "to")));
  const made =
    given.size === nodes.length
      ? { boxes: new Map<string, Box>(), ways: new Map<string, readonly number[]>() }
      : nodes.length <= MAX_ARRANGED
        ? arranged(nodes, known, sizes)
        : { boxes: rows(nodes, known, sizes), ways: new Map<string, readonly number[]>() };
  const boxes = new Map<string, Box>();
  for (const [id, size] of sizes) {
    const spot = given.get(id) ?? made.boxes.get(id) ?? { x: 0, y: 0 };
    boxes.set(id, { ...size, x: spot.x, y: spot.y });
  }
  const byId = new Map(nodes.map((node) => [textAt(node, "id"), node]));
  const auto = given.size === 0 && made.ways.size > 0;
  const levels = auto ? levelBands(boxes) : [];
  const all = [...boxes.values()];
  const way = (edge: Bag): readonly Spot[] => {
    const source = boxes.get(textAt(edge, "from"));
    const target = boxes.get(textAt(edge, "to"));
    const node = byId.get(textAt(edge, "from"));
    if (source === undefined || target === undefined || node === undefined) return [];
    const from = {
      x: source.x + portOffset(node, textAt(edge, "port", "success"), source.width),
      y: source.y + source.height,
    };
    const to = { x: target.x + target.width / 2, y: target.y };
    const lanes = made.ways.get(textAt(edge, "id"));
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

/** Arranges with dagre, rows aligned at their tops; gives the boxes, and the lanes in which long edges pass rows. */
function arranged(
  nodes: readonly Bag[],
  edges: readonly Bag[],
  sizes: Sizes,
): { boxes: Map<string, Box>; ways: Map<string, readonly number[]> } {
  const sheet = new Sheet({ multigraph: true });
  sheet.setGraph({ rankdir: "TB", nodesep: NODE_GAP, ranksep: LEVEL_GAP, edgesep: 20 });
  for (const node of nodes) {
    const id = textAt(node, "id");
    sheet.setNode(id, { ...(sizes.get(id) ?? { width: 1, height: 1 }) });
  }
  edges.forEach((edge, index) => {
    sheet.setEdge(
      textAt(edge, "from"),
      textAt(edge, "to"),
      { width: 1, height: 1, labelpos: "c" },
      textAt(edge, "id", String(index)),
    );
  });
  arrange(sheet);
  const centres = new Map<string, Spot>();
  for (const id of sheet.nodes()) {
    const { x = 0, y = 0 } = sheet.node(id);
    centres.set(id, { x, y });
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
    const lanes = rowsBy.filter((row) => row > from + 1 && row < to - 1).map((row) => laneAt(points, row));
    ways.set(key.name ?? "", lanes);
  }
  return { boxes, ways };
}

function laneAt(points: readonly Spot[], y: number): number {
  const nearest = points.toSorted((a, b) => Math.abs(a.y - y) - Math.abs(b.y - y))[0];
  return Math.round(nearest?.x ?? 0);
}

/** Levels in rows, in linear time. */
function rows(nodes: readonly Bag[], edges: readonly Bag[], sizes: Sizes): Map<string, Box> {
  const levels = levelsOf(nodes, edges);
  const heights = new Map<number, number>();
  for (const node of nodes) {
    const id = textAt(node, "id");
    const level = levels.get(id) ?? 0;
    heights.set(level, Math.max(heights.get(level) ?? 0, sizes.get(id)?.height ?? 0));
  }
  const tops = new Map<number, number>();
  let top = 0;
  for (const level of [...heights.keys()].toSorted((a, b) => a - b)) {
    tops.set(level, top);
    top += (heights.get(level) ?? 0) + LEVEL_GAP;
  }
  const ends = new Map<number, number>();
  const boxes = new Map<string, Box>();
  for (const node of nodes) {
    const id = textAt(node, "id");
    const level = levels.get(id) ?? 0;
    const size = sizes.get(id) ?? { width: 1, height: 1 };
    const x = ends.get(level) ?? 0;
    ends.set(level, x + size.width + NODE_GAP);
    boxes.set(id, { ...size, x, y: tops.get(level) ?? 0 });
  }
  return boxes;
}
