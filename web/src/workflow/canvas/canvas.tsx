import type { Edge } from "#workflows/schema.ts";
import {
  Background,
  Controls,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  useNodesState,
  useReactFlow,
  useStore,
  type Connection,
  type EdgeChange,
  type NodeChange,
  type NodeMouseHandler,
  type OnConnectEnd,
} from "@xyflow/react";
import { useCallback, useEffect, useMemo, useRef, useState, type MouseEvent as ReactMouseEvent } from "react";
import {
  CanvasContext,
  draggedStep,
  STEP_MIME,
  type DraggedStep,
  type CanvasScope,
  type Mark,
} from "./canvas-context.ts";
import { Way, type WayEdge } from "./canvas-edge.tsx";
import {
  keptSpots,
  firstView,
  NOTE,
  settledMoves,
  shapeOf,
  toEdges,
  toNodes,
  toNote,
  type CanvasNode,
} from "./canvas-model.ts";
import { NoteCard } from "./canvas-note.tsx";
import { Step } from "./canvas-step.tsx";
import { layoutOf, MAX_ARRANGED, type Layout } from "./layout.ts";
import type { Place, Spot, DraftNode, DraftUi } from "../document/model.ts";
import { notesOf, type Note } from "./notes.ts";
import { useLongPress } from "./use-long-press.ts";
import { useRefit } from "./use-refit.ts";

interface Props {
  readonly nodes: readonly DraftNode[];
  readonly edges: readonly Edge[];
  readonly ui: DraftUi;
  readonly marks?: ReadonlyMap<string, Mark>;
  readonly passed?: ReadonlyMap<string, string>;
  readonly problems?: ReadonlyMap<string, number>;
  readonly selected?: readonly string[];
  readonly onSelect?: (ids: readonly string[]) => void;
  readonly onMenu?: (id: string, x: number, y: number) => void;
  readonly onOpenBody?: (id: string) => void;
  /** Given, the graph can be edited. */
  readonly edit?: CanvasEdits;
  /** Dragging a step chooses it as well; not where what is chosen covers the canvas. */
  readonly pickOnDrag?: boolean;
}

/** Where something was dropped, and where the steps stand that were there before. */
interface Dropped {
  readonly spot: Spot;
  readonly others: ReadonlyMap<string, Spot>;
}

/** What editing on the canvas asks for. */
export interface CanvasEdits {
  readonly onMove: (spots: ReadonlyMap<string, Spot>) => void;
  readonly onConnect: (from: string, port: string, to: string) => void;
  readonly onDelete: (nodes: readonly string[], edges: readonly string[]) => void;
  readonly onAdd: (where: Place) => void;
  /** A tool or a kind of step was dropped on the canvas, or on an edge of it. */
  readonly onDropStep: (step: DraggedStep, where: Dropped, edge: string) => void;
  readonly onNote: (note: Note) => void;
  readonly onNotesGone: (ids: readonly string[]) => void;
}

const NO_MARKS: ReadonlyMap<string, Mark> = new Map();
// Defaults are constants: a new one at each drawing would draw without end.
const NOT_PICKED: readonly string[] = [];
const NO_TEXTS: ReadonlyMap<string, string> = new Map();
const NO_COUNTS: ReadonlyMap<string, number> = new Map();
const NODE_TYPES = { step: Step, note: NoteCard };
const EDGE_TYPES = { way: Way };
const MAX_MINIMAP = 800;
const FAR = 0.35;
/** The pointer holds a step in the middle of its head. */
const GRIP = { x: 116, y: 27 } as const;
const DELETE_KEYS = ["Delete", "Backspace"];
const PICK_KEYS = ["Control", "Meta"];
const PRO = { hideAttribution: true };
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
  selected = NOT_PICKED,
  onSelect,
  onMenu,
  onOpenBody,
  edit,
  pickOnDrag = true,
}: Props) {
  const flow = useReactFlow<CanvasNode, WayEdge>();
  const isFar = useStore(({ transform }) => transform[2] < FAR);
  const positions = ui.positions;
  const shape = useMemo(() => shapeOf(nodes, edges, marks), [nodes, edges, marks]);
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
  const byId = useMemo(() => new Map(nodes.map((node) => [node.id, node])), [nodes]);
  const scope = useMemo<CanvasScope>(
    () => ({
      editable: edit !== undefined,
      isFar,
      entered: new Set(edges.map((edge) => edge.to)),
      used: new Set(edges.map((edge) => `${edge.from} ${edge.port}`)),
      passed,
      onAdd: edit?.onAdd ?? none,
      onCut: (id) => edit?.onDelete([], [id]),
      onMenu: onMenu ?? none,
      onOpenBody: onOpenBody ?? none,
      onNote: edit?.onNote ?? none,
      onNoteGone: (id) => edit?.onNotesGone([id]),
      nodeOf: (id) => byId.get(id),
    }),
    [edit, isFar, edges, passed, onMenu, onOpenBody, byId],
  );
  const editable = edit !== undefined;
  const held = useCallback(
    (target: Element, x: number, y: number) => {
      const step = target.closest(".react-flow__node")?.getAttribute("data-id") ?? "";
      if (!step.startsWith(NOTE)) onMenu?.(step, x, y);
    },
    [onMenu],
  );
  const press = useLongPress(onMenu === undefined ? undefined : held);
  // React Flow tells every step and edge of each callback that is new, so these stay the same while a step is dragged.
  const changed = useCallback(
    (changes: NodeChange<CanvasNode>[]) => {
      onNodesChange(changes);
      const picks = changes.filter((change) => change.type === "select" && !change.id.startsWith(NOTE));
      if (picks.length > 0) onSelect?.([...picked(chosen, picks)]);
      const { steps, notes } = settledMoves(changes, flow.getNode);
      if (steps.size > 0) edit?.onMove(keptSpots(layout, steps));
      for (const note of notes) edit?.onNote(note);
    },
    [onNodesChange, chosen, onSelect, edit, layout, flow],
  );
  const edgesChanged = useCallback((changes: EdgeChange<WayEdge>[]) => {
    const picks = changes.filter((change) => change.type === "select");
    if (picks.length > 0) setEdgePicked((before) => picked(before, picks));
  }, []);
  const nodeMenu = useCallback<NodeMouseHandler<CanvasNode>>(
    (event, node) => {
      if (onMenu === undefined || node.type === "note") return;
      event.preventDefault();
      onMenu(node.id, event.clientX, event.clientY);
    },
    [onMenu],
  );
  const paneMenu = useCallback(
    (event: MouseEvent | ReactMouseEvent) => {
      if (onMenu === undefined) return;
      event.preventDefault();
      onMenu("", event.clientX, event.clientY);
    },
    [onMenu],
  );
  const connected = useCallback(
    ({ source, sourceHandle, target }: Connection) =>
      edit?.onConnect(source, sourceHandle ?? "success", target),
    [edit],
  );
  const connectEnded = useCallback<OnConnectEnd>(
    (event, state) => {
      // Dropped on nothing: the step that should follow is asked for.
      if (state.isValid === true || state.fromHandle?.type !== "source" || state.toNode !== null) return;
      if (event.target instanceof Element && event.target.closest(".react-flow__pane") !== null)
        edit?.onAdd({
          kind: "after",
          from: state.fromHandle.nodeId,
          port: state.fromHandle.id ?? "success",
        });
    },
    [edit],
  );
  const removed = useCallback(
    ({ nodes: goneNodes, edges: cutEdges }: { nodes: CanvasNode[]; edges: WayEdge[] }) => {
      const [gone, cut] = [goneNodes.map(({ id }) => id), cutEdges.map(({ id }) => id)];
      const notes = gone.filter((id) => id.startsWith(NOTE));
      if (notes.length > 0) edit?.onNotesGone(notes.map((id) => id.slice(NOTE.length)));
      if (gone.length > notes.length || cut.length > 0)
        edit?.onDelete(
          gone.filter((id) => !id.startsWith(NOTE)),
          cut,
        );
    },
    [edit],
  );
  useFollow(selected, layout, flow);
  const [shown] = useState(() => firstView(layout, selected[0]));
  const fit = useRefit(flow, shown, marks.size);
  return (
    <CanvasContext value={scope}>
      <ReactFlow
        nodes={live}
        edges={lines}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onNodesChange={changed}
        onEdgesChange={edgesChanged}
        onConnect={connected}
        onConnectEnd={connectEnded}
        onDelete={removed}
        onNodeContextMenu={nodeMenu}
        onPaneContextMenu={paneMenu}
        onDragOver={(event) => {
          if (editable && event.dataTransfer.types.includes(STEP_MIME)) event.preventDefault();
        }}
        onDrop={(event) => {
          const step = draggedStep(event.dataTransfer);
          if (step === null) return;
          event.preventDefault();
          const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
          const spot = { x: Math.round(x - GRIP.x), y: Math.round(y - GRIP.y) };
          edit?.onDropStep(step, { spot, others: keptSpots(layout) }, edgeUnder(event.target));
        }}
        {...press}
        nodesDraggable={editable}
        selectNodesOnDrag={pickOnDrag}
        nodesConnectable={editable}
        edgesFocusable={editable}
        deleteKeyCode={editable ? DELETE_KEYS : null}
        selectionKeyCode="Shift"
        multiSelectionKeyCode={PICK_KEYS}
        zIndexMode="manual"
        onlyRenderVisibleElements
        fitView={shown.nodes === undefined}
        fitViewOptions={shown}
        onInit={(instance) => {
          // Steps that were never drawn have no measured size to fit to, so a large graph opens at a place.
          const box = layout.boxes.get(shown.nodes?.[0]?.id ?? "");
          if (box !== undefined)
            void instance.setCenter(box.x + box.width / 2, box.y + box.height / 2, { zoom: 0.8 });
          // A dialog opens after its content is drawn: until then there is no size to fit to.
          else requestAnimationFrame(() => void fit());
        }}
        // A long chain fits into view whole; thousands of steps at once would be too many to draw.
        minZoom={nodes.length > MAX_ARRANGED ? 0.2 : 0.01}
        proOptions={PRO}
        aria-label="Workflow graph"
      >
        {isFar ? null : <Background gap={20} size={1} />}
        <Controls showInteractive={false} />
        {nodes.length > 6 && nodes.length <= MAX_MINIMAP ? (
          <MiniMap pannable zoomable ariaLabel="Overview of the workflow" className="max-sm:hidden" />
        ) : null}
      </ReactFlow>
    </CanvasContext>
  );
}

/** What is picked after some were picked and some were not any more. */
function picked(
  before: ReadonlySet<string>,
  picks: readonly (NodeChange | EdgeChange)[],
): ReadonlySet<string> {
  const next = new Set(before);
  for (const change of picks) {
    if (change.type !== "select") continue;
    if (change.selected) next.add(change.id);
    else next.delete(change.id);
  }
  return next;
}

/** The id of the edge that something was dropped on; empty when it was none. */
function edgeUnder(target: EventTarget): string {
  if (!(target instanceof Element)) return "";
  const label = target.closest<HTMLElement>("[data-edge]");
  if (label !== null) return label.dataset["edge"] ?? "";
  return target.closest(".react-flow__edge")?.getAttribute("data-id") ?? "";
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
