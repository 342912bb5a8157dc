import {
  Background,
  Controls,
  Handle,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useNodesState,
  type Edge,
  type Node,
  type NodeProps,
} from "@xyflow/react";
import { Columns3 } from "lucide-react";
import { useEffect, useMemo } from "react";
import { cx } from "../lib/cx.ts";
import { textAt, type Bag } from "../lib/read.ts";
import { StateBadge } from "../ui/badge.tsx";
import { KIND_ICONS } from "./kind-icons.ts";
import { layout } from "./layout.ts";
import type { Spot } from "./model.ts";

type StepNode = Node<
  {
    readonly title: string;
    readonly kind: string;
    readonly detail: string;
    readonly state: string;
    readonly problems: number;
  },
  "step"
>;

interface Props {
  readonly nodes: readonly Bag[];
  readonly edges: readonly Bag[];
  readonly ui: Bag;
  readonly states?: ReadonlyMap<string, string>;
  readonly problems?: ReadonlyMap<string, number>;
  readonly selected?: string;
  readonly onSelect?: (id: string) => void;
  /** Given, the graph can be edited. */
  readonly onMove?: (spots: ReadonlyMap<string, Spot>) => void;
  readonly onConnect?: (from: string, to: string) => void;
  readonly onDelete?: (nodes: readonly string[], edges: readonly string[]) => void;
}

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
  states,
  problems,
  selected = "",
  onSelect,
  onMove,
  onConnect,
  onDelete,
}: Props) {
  const drawn = useMemo(
    () => toNodes(nodes, edges, ui, selected, states, problems),
    [nodes, edges, ui, selected, states, problems],
  );
  const [live, setLive, onNodesChange] = useNodesState<StepNode>(drawn);
  useEffect(() => setLive(drawn), [drawn, setLive]);
  const lines = useMemo(() => toEdges(edges, states), [edges, states]);
  const editable = onMove !== undefined;
  return (
    <ReactFlow
      nodes={live}
      edges={lines}
      nodeTypes={NODE_TYPES}
      onNodesChange={(changes) => {
        onNodesChange(changes);
        const picked = changes.find((change) => change.type === "select" && change.selected);
        if (picked !== undefined && picked.type === "select") onSelect?.(picked.id);
      }}
      onNodeDragStop={(_event, _node, moved) =>
        onMove?.(
          new Map(
            moved.map((node) => [
              node.id,
              { x: Math.round(node.position.x), y: Math.round(node.position.y) },
            ]),
          ),
        )
      }
      onConnect={(connection) => onConnect?.(connection.source, connection.target)}
      onDelete={({ nodes: gone, edges: cut }) =>
        onDelete?.(
          gone.map((node) => node.id),
          cut.map((edge) => edge.id),
        )
      }
      nodesDraggable={editable}
      nodesConnectable={editable}
      deleteKeyCode={editable ? ["Delete", "Backspace"] : null}
      fitView
      fitViewOptions={{ maxZoom: 1, padding: 0.18 }}
      minZoom={0.2}
      proOptions={{ hideAttribution: true }}
      aria-label="Workflow graph"
    >
      <Background gap={20} size={1} />
      <Controls showInteractive={false} />
    </ReactFlow>
  );
}

function Step({ data, selected }: NodeProps<StepNode>) {
  const Icon = KIND_ICONS[data.kind] ?? Columns3;
  return (
    <div
      className={cx(
        "w-56 rounded-xl border bg-surface px-3 py-2.5 shadow-card",
        selected ? "border-accent ring-2 ring-accent/30" : data.problems > 0 ? "border-bad" : "border-line",
      )}
    >
      <Handle type="target" position={Position.Top} />
      <div className="flex items-center gap-2">
        <span
          className={cx(
            "grid size-7 shrink-0 place-items-center rounded-lg",
            data.kind === "approval" ? "bg-warn-soft text-warn" : "bg-accent-soft text-accent-ink",
          )}
        >
          <Icon aria-hidden className="size-4" />
        </span>
        <span className="min-w-0 flex-1">
          <span className="block truncate text-sm font-semibold">{data.title}</span>
          <span className="block truncate font-mono text-2xs text-ink-3">{data.detail}</span>
        </span>
        {data.problems > 0 ? (
          <span
            className="grid size-5 place-items-center rounded-full bg-bad-soft text-2xs font-semibold text-bad"
            title={`${data.problems} problems`}
          >
            {data.problems}
          </span>
        ) : null}
      </div>
      {data.state === "" ? null : (
        <div className="mt-2">
          <StateBadge state={data.state} />
        </div>
      )}
      <Handle type="source" position={Position.Bottom} />
    </div>
  );
}

const NODE_TYPES = { step: Step };

function toNodes(
  nodes: readonly Bag[],
  edges: readonly Bag[],
  ui: Bag,
  selected: string,
  states?: ReadonlyMap<string, string>,
  problems?: ReadonlyMap<string, number>,
): StepNode[] {
  const spots = layout(nodes, edges, ui);
  return nodes.map((node) => {
    const id = textAt(node, "id");
    const kind = textAt(node, "type", "tool");
    return {
      id,
      type: "step",
      position: spots.get(id) ?? { x: 0, y: 0 },
      selected: id === selected,
      ariaLabel: `Step ${textAt(node, "title", id)}, ${kind}`,
      data: {
        title: textAt(node, "title", id),
        kind,
        detail: kind === "tool" ? textAt(node, "tool") : kind,
        state: states?.get(id) ?? "",
        problems: problems?.get(id) ?? 0,
      },
    };
  });
}

function toEdges(edges: readonly Bag[], states?: ReadonlyMap<string, string>): Edge[] {
  return edges.map((edge, index) => {
    const from = textAt(edge, "from", textAt(edge, "source"));
    const port = textAt(edge, "port");
    return {
      id: textAt(edge, "id", `edge-${index}`),
      source: from,
      target: textAt(edge, "to", textAt(edge, "target")),
      animated: states?.get(from) === "running",
      ...(port !== "" && port !== "success" && { label: port }),
    };
  });
}
