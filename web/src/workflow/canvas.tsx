import {
  Background,
  Controls,
  MarkerType,
  MiniMap,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useNodesState,
  useReactFlow,
  type NodeHandle,
} from "@xyflow/react";
import { useEffect, useMemo, useRef, useState } from "react";
import { at, bagAt, textAt, type Bag } from "../lib/read.ts";
import { CanvasContext, STEP_MIME, type CanvasScope, type Mark } from "./canvas-context.ts";
import { Way, type WayEdge } from "./canvas-edge.tsx";
import { NOTE_SIZE, NoteCard, type NoteNode } from "./canvas-note.tsx";
import { Step, type StepNode } from "./canvas-step.tsx";
import { portOffset } from "./geometry.ts";
import { layoutOf, type Layout } from "./layout.ts";
import { portsOf, titleOf, typeOf, type Place, type Spot } from "./model.ts";
import { notesOf, type Note } from "./notes.ts";

interface Props {
  readonly nodes: readonly Bag[];
  readonly edges: readonly Bag[];
  readonly ui: Bag;
  readonly marks?: ReadonlyMap<string, Mark>;
  readonly passed?: ReadonlyMap<string, string>;
  readonly problems?: ReadonlyMap<string, number>;
  readonly selected?: readonly string[];
  readonly onSelect?: (ids: readonly string[]) => void;
  readonly onMenu?: (id: string, x: number, y: number) => void;
  readonly onOpenBody?: (id: string) => void;
  /** Given, the graph can be edited. */
  readonly edit?: CanvasEdits;
}

/** What editing on the canvas asks for. */
export interface CanvasEdits {
  readonly onMove: (spots: ReadonlyMap<string, Spot>) => void;
  readonly onConnect: (from: string, port: string, to: string) => void;
  readonly onDelete: (nodes: readonly string[], edges: readonly string[]) => void;
  readonly onAdd: (where: Place) => void;
  /** A tool or a kind of step was dropped on the canvas, or on an edge of it. */
  readonly onDropStep: (name: string, spot: Spot, edge: string) => void;
  readonly onNote: (note: Note) => void;
  readonly onNotesGone: (ids: readonly string[]) => void;
}

const NO_MARKS: ReadonlyMap<string, Mark> = new Map();
const NO_TEXTS: ReadonlyMap<string, string> = new Map();
const NO_COUNTS: ReadonlyMap<string, number> = new Map();
const NODE_TYPES = { step: Step, note: NoteCard };
type CanvasNode = StepNode | NoteNode;
const NOTE = "note:";
const EDGE_TYPES = { way: Way };
const MAX_MINIMAP = 800;
const none = () => undefined;

/** The graph as a picture; editable when callbacks for changes are given. Everything it does, the outline does too. */
export function Canvas(props: Props) {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  );
}

function Flow({
  nodes,
  edges,
  ui,
  marks = NO_MARKS,
  passed = NO_TEXTS,
  problems = NO_COUNTS,
  selected = [],
  onSelect,
  onMenu,
  onOpenBody,
  edit,
}: Props) {
  const flow = useReactFlow<CanvasNode, WayEdge>();
  const positions = at(ui, "positions");
  const shape = shapeOf(nodes, edges, marks);
  // Typing into a step changes its node but not the picture, so the layout follows the shape alone.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  const layout = useMemo(() => layoutOf(nodes, edges, ui, (id) => marks.has(id)), [shape, positions]);
  const chosen = useMemo(() => new Set(selected), [selected]);
  const drawn = useMemo<CanvasNode[]>(
    () => [...toNodes(nodes, layout, chosen, marks, problems), ...notesOf({ ui }).map(toNote)],
    [nodes, layout, chosen, marks, problems, ui],
  );
  const [live, setLive, onNodesChange] = useNodesState<CanvasNode>(drawn);
  useEffect(() => setLive(drawn), [drawn, setLive]);
  const [edgePicked, setEdgePicked] = useState<ReadonlySet<string>>(new Set());
  const lines = useMemo(
    () => toEdges(edges, layout, marks, passed, edgePicked),
    [edges, layout, marks, passed, edgePicked],
  );
  const byId = useMemo(() => new Map(nodes.map((node) => [textAt(node, "id"), node])), [nodes]);
  const scope = useMemo<CanvasScope>(
    () => ({
      editable: edit !== undefined,
      used: new Set(edges.map((edge) => `${textAt(edge, "from")} ${textAt(edge, "port", "success")}`)),
      passed,
      onAdd: edit?.onAdd ?? none,
      onCut: (id) => edit?.onDelete([], [id]),
      onMenu: onMenu ?? none,
      onOpenBody: onOpenBody ?? none,
      onNote: edit?.onNote ?? none,
      onNoteGone: (id) => edit?.onNotesGone([id]),
      nodeOf: (id) => byId.get(id),
    }),
    [edit, edges, passed, onMenu, onOpenBody, byId],
  );
  const editable = edit !== undefined;
  const dropped = (moved: readonly CanvasNode[]) => {
    const steps = moved.filter((node) => node.type === "step");
    if (steps.length > 0) edit?.onMove(allSpots(layout, steps));
    for (const node of moved)
      if (node.type === "note")
        edit?.onNote({ ...node.data.note, x: Math.round(node.position.x), y: Math.round(node.position.y) });
  };
  const removed = (gone: readonly string[], cut: readonly string[]) => {
    const notes = gone.filter((id) => id.startsWith(NOTE));
    if (notes.length > 0) edit?.onNotesGone(notes.map((id) => id.slice(NOTE.length)));
    if (gone.length > notes.length || cut.length > 0)
      edit?.onDelete(
        gone.filter((id) => !id.startsWith(NOTE)),
        cut,
      );
  };
  useFollow(selected, layout, flow);
  return (
    <CanvasContext value={scope}>
      <ReactFlow
        nodes={live}
        edges={lines}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onNodesChange={(changes) => {
          onNodesChange(changes);
          const picks = changes.filter((change) => change.type === "select" && !change.id.startsWith(NOTE));
          if (picks.length === 0) return;
          const next = new Set(chosen);
          for (const change of picks) {
            if (change.type !== "select") continue;
            if (change.selected) next.add(change.id);
            else next.delete(change.id);
          }
          onSelect?.([...next]);
        }}
        onEdgesChange={(changes) => {
          const picks = changes.filter((change) => change.type === "select");
          if (picks.length === 0) return;
          setEdgePicked((before) => {
            const next = new Set(before);
            for (const change of picks) {
              if (change.selected) next.add(change.id);
              else next.delete(change.id);
            }
            return next;
          });
        }}
        onNodeDragStop={(_event, _node, moved) => dropped(moved)}
        onSelectionDragStop={(_event, moved) => dropped(moved)}
        onConnect={({ source, sourceHandle, target }) =>
          edit?.onConnect(source, sourceHandle ?? "success", target)
        }
        onConnectEnd={(event, state) => {
          // Dropped on nothing: the step that should follow is asked for.
          if (state.isValid === true || state.fromHandle?.type !== "source" || state.toNode !== null) return;
          if (event.target instanceof Element && event.target.closest(".react-flow__pane") !== null)
            edit?.onAdd({
              kind: "after",
              from: state.fromHandle.nodeId,
              port: state.fromHandle.id ?? "success",
            });
        }}
        onDelete={({ nodes: gone, edges: cut }) =>
          removed(
            gone.map((node) => node.id),
            cut.map((edge) => edge.id),
          )
        }
        onNodeContextMenu={(event, node) => {
          if (onMenu === undefined || node.type === "note") return;
          event.preventDefault();
          onMenu(node.id, event.clientX, event.clientY);
        }}
        onPaneContextMenu={(event) => {
          if (onMenu === undefined) return;
          event.preventDefault();
          onMenu("", event.clientX, event.clientY);
        }}
        onDragOver={(event) => {
          if (editable && event.dataTransfer.types.includes(STEP_MIME)) event.preventDefault();
        }}
        onDrop={(event) => {
          const name = event.dataTransfer.getData(STEP_MIME);
          if (name === "") return;
          event.preventDefault();
          const spot = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
          edit?.onDropStep(name, spot, edgeUnder(event.target));
        }}
        nodesDraggable={editable}
        nodesConnectable={editable}
        edgesFocusable={editable}
        deleteKeyCode={editable ? ["Delete", "Backspace"] : null}
        selectionKeyCode="Shift"
        multiSelectionKeyCode={["Control", "Meta"]}
        zIndexMode="manual"
        onlyRenderVisibleElements
        fitView
        fitViewOptions={{ maxZoom: 1, minZoom: 0.4, padding: 0.16 }}
        minZoom={0.1}
        proOptions={{ hideAttribution: true }}
        aria-label="Workflow graph"
      >
        <Background gap={20} size={1} />
        <Controls showInteractive={false} />
        {nodes.length > 6 && nodes.length <= MAX_MINIMAP ? (
          <MiniMap pannable zoomable ariaLabel="Overview of the workflow" className="max-sm:hidden" />
        ) : null}
      </ReactFlow>
    </CanvasContext>
  );
}

/** The id of the edge that something was dropped on; empty when it was none. */
function edgeUnder(target: EventTarget): string {
  if (!(target instanceof Element)) return "";
  const label = target.closest<HTMLElement>("[data-edge]");
  if (label !== null) return label.dataset["edge"] ?? "";
  return target.closest(".react-flow__edge")?.getAttribute("data-id") ?? "";
}

function toNote(note: Note): NoteNode {
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

/** Brings a step that was chosen elsewhere into view. */
function useFollow(
  selected: readonly string[],
  layout: Layout,
  flow: ReturnType<typeof useReactFlow<CanvasNode, WayEdge>>,
): void {
  const [only] = selected;
  const target = selected.length === 1 ? (only ?? "") : "";
  const latest = useRef(layout);
  useEffect(() => {
    latest.current = layout;
  }, [layout]);
  useEffect(() => {
    const box = latest.current.boxes.get(target);
    if (box === undefined) return;
    const view = document.querySelector(".react-flow")?.getBoundingClientRect();
    if (view === undefined) return;
    const { x, y, zoom } = flow.getViewport();
    const [left, top] = [box.x * zoom + x, box.y * zoom + y];
    const seen =
      left > 0 &&
      top > 0 &&
      left + box.width * zoom < view.width &&
      top + box.height * zoom < view.height - 30;
    if (!seen)
      void flow.setCenter(box.x + box.width / 2, box.y + box.height / 2, { zoom: Math.max(zoom, 0.6) });
  }, [target, flow]);
}

/** All positions, so that a graph that was arranged does not jump when one step is moved. */
function allSpots(layout: Layout, moved: readonly StepNode[]): ReadonlyMap<string, Spot> {
  const spots = new Map([...layout.boxes].map(([id, { x, y }]) => [id, { x, y }]));
  for (const { id, position } of moved)
    spots.set(id, { x: Math.round(position.x), y: Math.round(position.y) });
  return spots;
}

/** Everything that the layout depends on, as one text. */
function shapeOf(nodes: readonly Bag[], edges: readonly Bag[], marks: ReadonlyMap<string, Mark>): string {
  const steps = nodes.map((node) => {
    const id = textAt(node, "id");
    const body = typeOf(node) === "map" ? JSON.stringify(bagAt(node, "map", "body")).length : 0;
    return `${id} ${portsOf(node).join(",")} ${body} ${marks.has(id)}`;
  });
  const ways = edges.map(
    (edge) => `${textAt(edge, "id")} ${textAt(edge, "from")} ${textAt(edge, "port")} ${textAt(edge, "to")}`,
  );
  return `${steps.join("\n")}\n\n${ways.join("\n")}`;
}

function toNodes(
  nodes: readonly Bag[],
  layout: Layout,
  chosen: ReadonlySet<string>,
  marks: ReadonlyMap<string, Mark>,
  problems: ReadonlyMap<string, number>,
): StepNode[] {
  return nodes.flatMap((node) => {
    const id = textAt(node, "id");
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

/** Where the handles are, told beforehand: steps out of sight are never drawn to be measured. */
function handlesOf(node: Bag, width: number, height: number): NodeHandle[] {
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

function toEdges(
  edges: readonly Bag[],
  layout: Layout,
  marks: ReadonlyMap<string, Mark>,
  passed: ReadonlyMap<string, string>,
  picked: ReadonlySet<string>,
): WayEdge[] {
  return edges.flatMap((edge, index) => {
    const id = textAt(edge, "id", `edge-${index}`);
    const [source, target] = [textAt(edge, "from"), textAt(edge, "to")];
    if (!layout.boxes.has(source) || !layout.boxes.has(target)) return [];
    const port = textAt(edge, "port", "success");
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
        data: { way: () => layout.way(edge), port, taken: marks.size === 0 ? null : passed.has(id) },
      },
    ];
  });
}
