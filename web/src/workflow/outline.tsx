import { Plus, Trash2 } from "lucide-react";
import { useMemo } from "react";
import { cx } from "../lib/cx.ts";
import { textAt, type Bag } from "../lib/read.ts";
import { Badge } from "../ui/badge.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { KIND_ICONS } from "./kind-icons.ts";
import { levelsOf } from "./layout.ts";
import { connect, portsOf, removeNode, type Graph } from "./model.ts";

interface Props {
  readonly graph: Graph;
  readonly problems: ReadonlyMap<string, number>;
  readonly selected: string;
  readonly onSelect: (id: string) => void;
  readonly onChange: (label: string, next: (graph: Graph) => Graph) => void;
}

/** The same graph as a list: every step in order, with the ways out of it. Nothing needs a mouse. */
export function Outline({ graph, problems, selected, onSelect, onChange }: Props) {
  const ordered = useMemo(() => {
    const levels = levelsOf(graph.nodes, graph.edges);
    return graph.nodes.toSorted(
      (a, b) => (levels.get(textAt(a, "id")) ?? 0) - (levels.get(textAt(b, "id")) ?? 0),
    );
  }, [graph]);
  if (ordered.length === 0)
    return <p className="p-8 text-center text-ink-2">No steps yet. Add the first one.</p>;
  return (
    <ol className="divide-y divide-line">
      {ordered.map((node) => (
        <StepRow
          key={textAt(node, "id")}
          node={node}
          graph={graph}
          problems={problems}
          chosen={selected === textAt(node, "id")}
          onSelect={onSelect}
          onChange={onChange}
        />
      ))}
    </ol>
  );
}

interface RowProps extends Omit<Props, "selected"> {
  readonly node: Bag;
  readonly chosen: boolean;
}

function StepRow({ node, graph, problems, chosen, onSelect, onChange }: RowProps) {
  const id = textAt(node, "id");
  const kind = textAt(node, "type", "tool");
  const Icon = KIND_ICONS[kind] ?? KIND_ICONS["tool"];
  const out = graph.edges.filter((edge) => textAt(edge, "from") === id);
  const others = graph.nodes.map((other) => textAt(other, "id")).filter((other) => other !== id);
  const count = problems.get(id) ?? 0;
  const editEdge = (edge: Bag, change: Bag) =>
    onChange(`edge ${textAt(edge, "id")}`, (now) => ({
      ...now,
      edges: now.edges.map((item) => (item === edge ? { ...item, ...change } : item)),
    }));
  return (
    <li className={cx("px-4 py-3", chosen && "bg-accent-soft")}>
      <div className="flex items-center gap-2.5">
        <button
          type="button"
          aria-pressed={chosen}
          onClick={() => onSelect(id)}
          className="flex min-w-0 flex-1 items-center gap-2.5 rounded-md text-left"
        >
          {Icon === undefined ? null : <Icon aria-hidden className="size-4 shrink-0 text-ink-3" />}
          <span className="min-w-0">
            <span className="block truncate font-medium">{textAt(node, "title", id)}</span>
            <span className="block truncate font-mono text-xs text-ink-3">
              {kind === "tool" ? textAt(node, "tool") : kind}
            </span>
          </span>
        </button>
        {count > 0 ? <Badge tone="bad">{count === 1 ? "1 problem" : `${count} problems`}</Badge> : null}
        <IconButton
          label={`Remove step ${id}`}
          onClick={() => onChange(`remove ${id}`, (now) => removeNode(now, id))}
        >
          <Trash2 />
        </IconButton>
      </div>
      <ul className="mt-2 space-y-1.5 pl-6.5">
        {out.map((edge, index) => (
          <li key={textAt(edge, "id", String(index))} className="flex flex-wrap items-center gap-1.5 text-sm">
            <span className="text-ink-2">On</span>
            <select
              aria-label={`Port of ${id} for way ${index + 1}`}
              value={textAt(edge, "port", "success")}
              onChange={(event) => editEdge(edge, { port: event.target.value })}
              className="field-control min-h-7! w-32 py-0! text-sm"
            >
              {[...new Set([textAt(edge, "port", "success"), ...portsOf(node)])].map((port) => (
                <option key={port}>{port}</option>
              ))}
            </select>
            <span className="text-ink-2">go to</span>
            <select
              aria-label={`Target of ${id} for way ${index + 1}`}
              value={textAt(edge, "to")}
              onChange={(event) => editEdge(edge, { to: event.target.value })}
              className="field-control min-h-7! w-44 py-0! text-sm"
            >
              {[...new Set([textAt(edge, "to"), ...others])].map((other) => (
                <option key={other}>{other}</option>
              ))}
            </select>
            <IconButton
              label={`Remove way ${index + 1} of ${id}`}
              onClick={() =>
                onChange(`cut ${id}`, (now) => ({ ...now, edges: now.edges.filter((item) => item !== edge) }))
              }
            >
              <Trash2 />
            </IconButton>
          </li>
        ))}
        {others.length === 0 ? null : (
          <li>
            <Button
              size="sm"
              look="ghost"
              onClick={() => onChange(`connect ${id}`, (now) => connect(now, id, free(now, id, others)))}
            >
              <Plus /> Way to another step
            </Button>
          </li>
        )}
      </ul>
    </li>
  );
}

/** The first step this one does not lead to yet. */
function free(graph: Graph, id: string, others: readonly string[]): string {
  const taken = new Set(
    graph.edges.filter((edge) => textAt(edge, "from") === id).map((edge) => textAt(edge, "to")),
  );
  return others.find((other) => !taken.has(other)) ?? others[0] ?? "";
}
