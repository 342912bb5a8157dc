import type { Edge } from "#workflows/schema.ts";
import { MarkerType, Position, type FitViewOptions, type NodeChange, type NodeHandle } from "@xyflow/react";
import type { Mark } from "./canvas-context.ts";
import type { WayEdge } from "./canvas-edge.tsx";
import { NOTE_SIZE, type NoteNode } from "./canvas-note.tsx";
import type { StepNode } from "./canvas-step.tsx";
import { buttonSpots, portOffset } from "./geometry.ts";
import { MAX_ARRANGED, type Layout } from "./layout.ts";
import { portsOf, titleOf, typeOf, type Spot, type DraftNode } from "../document/model.ts";
import type { Note } from "./notes.ts";

/** What stands on the canvas. */
export type CanvasNode = StepNode | NoteNode;

/** What the id of a note begins with on the canvas. */
export const NOTE = "note:";

/** Up to this many steps, their texts stay legible in the first view. */
const LEGIBLE = 12;

/** What is in view at first: the whole graph, or of a large one the chosen step or where it begins. */
export function firstView({ boxes }: Layout, chosen: string | undefined): FitViewOptions<CanvasNode> {
  if (boxes.size <= LEGIBLE) return { maxZoom: 1, minZoom: 0.85, padding: 0.06 };
  if (boxes.size <= MAX_ARRANGED) return { maxZoom: 1, minZoom: 0.4, padding: 0.16 };
  const [top] = [...boxes].toSorted(([, a], [, b]) => a.y - b.y || a.x - b.x);
  const id = chosen !== undefined && boxes.has(chosen) ? chosen : top?.[0];
  return { maxZoom: 0.8, minZoom: 0.4, ...(id !== undefined && { nodes: [{ id }] }) };
}

/** A note as React Flow holds it. */
export function toNote(note: Note): NoteNode {
  const { id, x, y } = note;
  return {
    id: NOTE + id,
    type: "note",
    position: { x, y },
    ...NOTE_SIZE,
    measured: NOTE_SIZE,
    zIndex: 0,
    ariaLabel: "Note",
    connectable: false,
    data: { note },
  };
}

/**
 * The positions to keep when something is moved: all of them, so that a graph that was arranged does not jump. Thousands
 * would make the document large; the rows of a large graph stay where they are anyway.
 */
export function keptSpots(
  layout: Layout,
  moved: ReadonlyMap<string, Spot> = new Map(),
): ReadonlyMap<string, Spot> {
  const isLarge = layout.boxes.size > MAX_ARRANGED;
  const before = isLarge ? [] : [...layout.boxes].map(([id, { x, y }]) => [id, { x, y }] as const);
  return new Map([...before, ...moved]);
}

/** What was moved and stays where it is now: dropped by the pointer, or moved by an arrow key. */
export function settledMoves(
  changes: readonly NodeChange<CanvasNode>[],
  nodeOf: (id: string) => CanvasNode | undefined,
): { readonly steps: ReadonlyMap<string, Spot>; readonly notes: readonly Note[] } {
  const steps = new Map<string, Spot>();
  const notes: Note[] = [];
  for (const change of changes) {
    if (change.type !== "position" || change.dragging !== false || change.position === undefined) continue;
    const spot = { x: Math.round(change.position.x), y: Math.round(change.position.y) };
    const node = nodeOf(change.id);
    if (node?.type === "step") steps.set(change.id, spot);
    else if (node?.type === "note") notes.push({ ...node.data.note, ...spot });
  }
  return { steps, notes };
}

/** Everything that the layout depends on, as one text. */
export function shapeOf(
  nodes: readonly DraftNode[],
  edges: readonly Edge[],
  marks: ReadonlyMap<string, Mark>,
): string {
  const steps = nodes.map((node) => {
    const id = node.id;
    const body = typeOf(node) === "map" ? JSON.stringify(node.map?.body).length : 0;
    return `${id} ${portsOf(node).join(",")} ${body} ${marks.has(id)}`;
  });
  const ways = edges.map((edge) => `${edge.id} ${edge.from} ${edge.port} ${edge.to}`);
  return `${steps.join("\n")}\n\n${ways.join("\n")}`;
}

/** The steps as React Flow holds them. */
export function toNodes(
  nodes: readonly DraftNode[],
  layout: Layout,
  chosen: ReadonlySet<string>,
  marks: ReadonlyMap<string, Mark>,
  problems: ReadonlyMap<string, number>,
): StepNode[] {
  return nodes.flatMap((node) => {
    const id = node.id;
    const box = layout.boxes.get(id);
    if (box === undefined) return [];
    const { x, y, width, height } = box;
    return [
      {
        id,
        type: "step" as const,
        position: { x, y },
        width,
        height,
        measured: { width, height },
        handles: handlesOf(node, width, height),
        selected: chosen.has(id),
        zIndex: 1,
        ariaLabel: `Step ${titleOf(node)}`,
        data: { node, mark: marks.get(id) ?? null, problems: problems.get(id) ?? 0, width },
      },
    ];
  });
}

/** Where the handles are, known beforehand: steps out of sight are never drawn to be measured. */
function handlesOf(node: DraftNode, width: number, height: number): NodeHandle[] {
  const size = { width: 12, height: 12 };
  return [
    { id: "in", type: "target", position: Position.Top, x: width / 2 - 6, y: -6, ...size },
    ...portsOf(node).map((port) => ({
      id: port,
      type: "source" as const,
      position: Position.Bottom,
      x: portOffset(node, port, width) - 6,
      y: height - 6,
      ...size,
    })),
  ];
}

/** The edges as React Flow holds them. */
export function toEdges(
  edges: readonly Edge[],
  layout: Layout,
  marks: ReadonlyMap<string, Mark>,
  passed: ReadonlyMap<string, string>,
  picked: ReadonlySet<string>,
): WayEdge[] {
  const spots = layout.boxes.size > MAX_ARRANGED ? [] : buttonSpots(edges.map(layout.way));
  return edges.flatMap((edge, index) => {
    const id = edge.id ?? `edge-${index}`;
    const [source, target] = [edge.from, edge.to];
    if (!layout.boxes.has(source) || !layout.boxes.has(target)) return [];
    const port = edge.port;
    return [
      {
        id,
        type: "way" as const,
        source,
        target,
        sourceHandle: port,
        targetHandle: "in",
        selected: picked.has(id),
        zIndex: 2,
        markerEnd: { type: MarkerType.ArrowClosed, width: 18, height: 18 },
        animated: marks.get(source)?.state === "running",
        data: {
          way: () => layout.way(edge),
          spot: spots[index],
          port,
          taken: marks.size === 0 ? null : passed.has(id),
        },
      },
    ];
  });
}
