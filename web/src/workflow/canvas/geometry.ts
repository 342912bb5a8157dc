import { portsOf, typeOf, type Spot, type DraftNode } from "../document/model.ts";

/** A rectangle on the canvas. */
export interface Box extends Spot {
  readonly width: number;
  readonly height: number;
}

const WIDTH = 232;
const PORT_WIDTH = 76;
const HEAD = 54;
const PORTS = 24;
const STATE = 24;
const BODY_LINE = 22;
const MAX_BODY_LINES = 5;

/** The steps that a map shows inside its box. */
export function bodySteps(node: DraftNode): readonly DraftNode[] {
  const { nodes, tool = "", ...call } = (typeOf(node) === "map" && node.map?.body) || {};
  return nodes ?? (tool === "" ? [] : [{ id: tool, type: "tool", tool, with: call.with ?? {} }]);
}

/** How large a step is drawn: known before it is drawn, so that only visible steps need to be. */
export function sizeOf(
  node: DraftNode,
  hasState: boolean,
): { readonly width: number; readonly height: number } {
  const lines = Math.min(bodySteps(node).length, MAX_BODY_LINES);
  const body = typeOf(node) === "map" ? (lines === 0 ? 1 : lines) * BODY_LINE + 10 : 0;
  return {
    width: Math.max(WIDTH, portsOf(node).length * PORT_WIDTH),
    height: HEAD + PORTS + body + (hasState ? STATE : 0),
  };
}

/** How far a port is from the left side of its step. */
export function portOffset(node: DraftNode, port: string, width: number): number {
  const ports = portsOf(node);
  const index = Math.max(0, ports.indexOf(port));
  return (width * (index + 0.5)) / ports.length;
}

const GAP = 18;

/** The way of an edge around the steps that stand between its ends; the points run from the port to the target. */
export function routeAround(from: Spot, to: Spot, boxes: readonly Box[]): readonly Spot[] {
  if (to.y > from.y + 24) {
    const direct = [from, to];
    if (!crosses(direct, boxes)) return direct;
  }
  const start = { x: from.x, y: from.y + GAP };
  const end = { x: to.x, y: to.y - GAP };
  const lanes = [
    from.x,
    to.x,
    (from.x + to.x) / 2,
    ...boxes.flatMap((box) => [box.x - GAP, box.x + box.width + GAP]),
  ];
  const cost = (x: number) => Math.abs(x - from.x) + Math.abs(x - to.x);
  for (const x of lanes.toSorted((a, b) => cost(a) - cost(b))) {
    const way = [from, start, { x, y: start.y }, { x, y: end.y }, end, to];
    if (!way.slice(1).some((point, index) => hits(way[index] ?? point, point, boxes))) return way;
  }
  return [from, to];
}

/** True when a curve with vertical ends between two points touches a box. */
export function crosses(points: readonly Spot[], boxes: readonly Box[]): boolean {
  return points.slice(1).some((to, index) => {
    const from = points[index] ?? to;
    for (let n = 1; n < 24; n++) {
      const { x, y } = onCurve(from, to, n / 24);
      if (boxes.some((box) => inside(x, y, box))) return true;
    }
    return false;
  });
}

/** A point of the curve with vertical ends that {@link pathThrough} draws between two points. */
function onCurve(from: Spot, to: Spot, t: number): Spot {
  return {
    x: from.x + (to.x - from.x) * (3 * t * t - 2 * t * t * t),
    y: from.y * (1 - t) ** 3 + 1.5 * (from.y + to.y) * (1 - t) * t + to.y * t ** 3,
  };
}

function inside(x: number, y: number, box: Box): boolean {
  return x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height;
}

/** True when an upright or level line touches a box. */
function hits(a: Spot, b: Spot, boxes: readonly Box[]): boolean {
  const [left, right] = [Math.min(a.x, b.x), Math.max(a.x, b.x)];
  const [top, bottom] = [Math.min(a.y, b.y), Math.max(a.y, b.y)];
  return boxes.some(
    (box) => left < box.x + box.width && right > box.x && top < box.y + box.height && bottom > box.y,
  );
}

/** An SVG path through points: straight where a line is upright, a curve with upright ends elsewhere. */
export function pathThrough(points: readonly Spot[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  let before = first;
  let path = `M${first.x},${first.y}`;
  for (const point of rest) {
    const middle = (before.y + point.y) / 2;
    path +=
      before.x === point.x || before.y === point.y
        ? ` L${point.x},${point.y}`
        : ` C${before.x},${middle} ${point.x},${middle} ${point.x},${point.y}`;
    before = point;
  }
  return path;
}

/** The point in the middle of a way, for what is shown on it. */
export function middleOf(points: readonly Spot[]): Spot {
  const index = middleStretch(points);
  const from = points[index] ?? { x: 0, y: 0 };
  return onCurve(from, points[index + 1] ?? from, 0.5);
}

function middleStretch(points: readonly Spot[]): number {
  return Math.max(0, Math.floor((points.length - 1) / 2));
}

/** The least distance between the buttons of two edges, where their ways allow it: a finger meets one of them. */
const BUTTONS_APART = 60;
const SHARES = [0.5, 0.34, 0.66, 0.2, 0.8, 0.1, 0.9];

/** Where a button may stand on a way, the middle first. */
function placesOn(points: readonly Spot[]): readonly Spot[] {
  const middle = middleStretch(points);
  return points
    .slice(1)
    .map((to, index) => ({ from: points[index] ?? to, to, far: Math.abs(index - middle) }))
    .toSorted((a, b) => a.far - b.far)
    .flatMap(({ from, to }) => SHARES.map((share) => onCurve(from, to, share)));
}

/** Where the button of each way stands: in its middle, or along it where another one is too near. */
export function buttonSpots(ways: readonly (readonly Spot[])[]): readonly Spot[] {
  const spots: Spot[] = [];
  for (const way of ways) {
    let best = middleOf(way);
    let room = -1;
    for (const place of placesOn(way)) {
      const nearest = Math.min(...spots.map((other) => Math.hypot(other.x - place.x, other.y - place.y)));
      if (nearest <= room) continue;
      [best, room] = [place, nearest];
      if (nearest >= BUTTONS_APART) break;
    }
    spots.push(best);
  }
  return spots;
}
