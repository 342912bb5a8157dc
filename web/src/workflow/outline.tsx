import type { Edge } from "#workflows/schema.ts";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { Plus, Trash2 } from "lucide-react";
import { memo, useLayoutEffect, useMemo, useRef, useState } from "react";
import { cx } from "@workflow-ui/forms-react/ui/cx.ts";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button, IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import { KIND_ICONS } from "./canvas/kind-icons.ts";
import { ordered } from "./canvas/levels.ts";
import {
  connect,
  detailOf,
  portLabel,
  portsOf,
  removeEdges,
  removeNode,
  titleOf,
  typeOf,
  type Graph,
  type Place,
  type DraftNode,
} from "./document/model.ts";
import { Select } from "../ui/fields.tsx";

interface Props {
  readonly graph: Graph;
  readonly problems: ReadonlyMap<string, number>;
  readonly selected: string;
  readonly onSelect: (id: string) => void;
  readonly onChange: (label: string, next: (graph: Graph) => Graph) => void;
  readonly onAdd: (where: Place) => void;
}

/** The same graph as a list: every step in order, with the ways out of it. Nothing needs a mouse. */
export function Outline({ graph, problems, selected, onSelect, onChange, onAdd }: Props) {
  const steps = useMemo(() => ordered(graph.nodes, graph.edges), [graph.nodes, graph.edges]);
  const out = useMemo(() => Map.groupBy(graph.edges, (edge) => edge.from), [graph.edges]);
  const titles = useMemo(() => new Map(graph.nodes.map((node) => [node.id, titleOf(node)])), [graph.nodes]);
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const rows = useWindowVirtualizer({
    count: steps.length,
    estimateSize: () => 132,
    overscan: 6,
    scrollMargin: top,
    getItemKey: (index) => steps[index]?.id ?? index,
  });
  if (steps.length === 0)
    return <p className="p-8 text-center text-ink-2">No steps yet. Add the first one.</p>;
  return (
    <div
      ref={list}
      role="list"
      aria-label="Steps"
      className="relative"
      style={{ height: rows.getTotalSize() }}
    >
      {rows.getVirtualItems().map((row) => {
        const node = steps[row.index];
        if (node === undefined) return null;
        const id = node.id;
        return (
          <div
            key={row.key}
            ref={rows.measureElement}
            data-index={row.index}
            role="listitem"
            aria-setsize={steps.length}
            aria-posinset={row.index + 1}
            className={cx(
              "absolute inset-x-0 border-b border-line px-4 py-3",
              selected === id && "bg-accent-soft",
            )}
            style={{ transform: `translateY(${row.start - top}px)` }}
          >
            <StepRow
              node={node}
              out={out.get(id) ?? NONE}
              count={problems.get(id) ?? 0}
              chosen={selected === id}
              titles={titles}
              onSelect={onSelect}
              onChange={onChange}
              onAdd={onAdd}
            />
          </div>
        );
      })}
    </div>
  );
}

const NONE: readonly Edge[] = [];

interface RowProps extends Pick<Props, "onSelect" | "onChange" | "onAdd"> {
  readonly node: DraftNode;
  readonly out: readonly Edge[];
  readonly count: number;
  readonly chosen: boolean;
  readonly titles: ReadonlyMap<string, string>;
}

const StepRow = memo(function StepRow({
  node,
  out,
  count,
  chosen,
  titles,
  onSelect,
  onChange,
  onAdd,
}: RowProps) {
  const id = node.id;
  const title = titleOf(node);
  const Icon = KIND_ICONS[typeOf(node)];
  const used = new Set(out.map((edge) => edge.port));
  return (
    <>
      <div className="flex items-center gap-2.5">
        <button
          type="button"
          aria-pressed={chosen}
          onClick={() => onSelect(id)}
          className="flex min-w-0 flex-1 items-center gap-2.5 rounded-md text-left"
        >
          {Icon === undefined ? null : <Icon aria-hidden className="size-4 shrink-0 text-ink-3" />}
          <span className="min-w-0">
            <span dir="auto" className="block truncate font-medium">
              {title}
            </span>
            <span className={cx("block truncate text-xs text-ink-3", typeOf(node) === "tool" && "font-mono")}>
              {detailOf(node)}
            </span>
          </span>
        </button>
        {count > 0 ? <Badge tone="bad">{count === 1 ? "1 problem" : `${count} problems`}</Badge> : null}
        <IconButton
          label={`Remove step ${title}`}
          onClick={() => onChange(`remove ${id}`, (now) => removeNode(now, id))}
        >
          <Trash2 />
        </IconButton>
      </div>
      <ul className="mt-1.5 space-y-1 pl-6.5">
        {out.map((edge, index) => (
          <EdgeRow
            key={edge.id}
            node={node}
            edge={edge}
            number={index + 1}
            titles={titles}
            onChange={onChange}
          />
        ))}
        <li className="flex flex-wrap gap-1">
          {portsOf(node)
            .filter((port) => !used.has(port))
            .map((port) => (
              <Button
                key={port}
                size="sm"
                look="ghost"
                aria-label={`Add a step after ${title}: ${portLabel(port)}`}
                onClick={() => onAdd({ kind: "after", from: id, port })}
              >
                <Plus /> {portLabel(port)}
              </Button>
            ))}
          <Connect node={node} titles={titles} onChange={onChange} />
        </li>
      </ul>
    </>
  );
});

interface EdgeRowProps extends Pick<Props, "onChange"> {
  readonly node: DraftNode;
  readonly edge: Edge;
  readonly number: number;
  readonly titles: ReadonlyMap<string, string>;
}

function EdgeRow({ node, edge, number, titles, onChange }: EdgeRowProps) {
  const title = titleOf(node);
  const id = edge.id;
  const to = edge.to;
  const port = edge.port;
  const write = (change: Partial<Edge>) =>
    onChange(`edge ${id}`, (now) => ({
      ...now,
      edges: now.edges.map((item) => (item.id === id ? { ...item, ...change } : item)),
    }));
  return (
    <li className="flex flex-wrap items-center gap-1.5 text-sm">
      <Select
        aria-label={`Port ${number} of ${title}`}
        look="min-h-7! w-32! py-0! text-sm"
        value={port}
        options={[...new Set([port, ...portsOf(node)])].map((value) => ({ value, label: portLabel(value) }))}
        onChoose={(chosen) => write({ port: chosen })}
      />
      <span aria-hidden className="text-ink-3">
        →
      </span>
      <span className="min-w-0 truncate">{titles.get(to) ?? to}</span>
      <IconButton
        label={`Remove connection ${number} of ${title}`}
        onClick={() => onChange(`cut ${id}`, (now) => removeEdges(now, [id]))}
      >
        <Trash2 />
      </IconButton>
    </li>
  );
}

/** Chooses a step to lead to. The list of steps is made when it is asked for: with thousands it is long. */
function Connect({
  node,
  titles,
  onChange,
}: {
  readonly node: DraftNode;
  readonly titles: ReadonlyMap<string, string>;
  readonly onChange: Props["onChange"];
}) {
  const [open, setOpen] = useState(false);
  const id = node.id;
  if (titles.size < 2) return null;
  if (!open) {
    return (
      <Button
        size="sm"
        look="ghost"
        aria-label={`Connect ${titleOf(node)} with a step`}
        onClick={() => setOpen(true)}
      >
        Connect…
      </Button>
    );
  }
  return (
    <Select
      aria-label={`Step that follows ${titleOf(node)}`}
      look="min-h-7! w-44! py-0! text-sm"
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- it replaces the button that was just pressed
      autoFocus
      value=""
      options={[...titles].flatMap(([value, label]) => (value === id ? [] : [{ value, label }]))}
      onBlur={() => setOpen(false)}
      onChoose={(to) => {
        setOpen(false);
        onChange(`connect ${id}`, (now) => connect(now, id, to));
      }}
    >
      <option value="">Choose a step…</option>
    </Select>
  );
}
