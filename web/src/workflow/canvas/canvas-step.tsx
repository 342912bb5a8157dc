import { Handle, Position, type Node, type NodeProps } from "@xyflow/react";
import { Columns3, Plus } from "lucide-react";
import { memo } from "react";
import { cx } from "@workflow-ui/forms-react/ui/cx.ts";
import { StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { useCanvas, type Mark } from "./canvas-context.ts";
import { bodySteps, portOffset } from "./geometry.ts";
import { KIND_ICONS } from "./kind-icons.ts";
import { detailOf, portLabel, portsOf, titleOf, typeOf, type DraftNode } from "../document/model.ts";

/** A step as React Flow holds it. */
export type StepNode = Node<
  { readonly node: DraftNode; readonly mark: Mark | null; readonly problems: number; readonly width: number },
  "step"
>;

/** One step on the canvas: what it is, how it stands, and a handle for each of its ports. */
export const Step = memo(function Step({ data, selected }: NodeProps<StepNode>) {
  const { editable, isFar, used, entered, onAdd } = useCanvas();
  const { node, mark, problems, width } = data;
  const id = node.id;
  if (isFar) return <FarStep data={data} isChosen={selected} />;
  const type = typeOf(node);
  const Icon = KIND_ICONS[type] ?? Columns3;
  return (
    <div
      className={cx(
        "group relative flex h-full flex-col rounded-xl border bg-surface shadow-card",
        selected ? "border-accent ring-2 ring-accent/30" : problems > 0 ? "border-bad" : "border-line",
      )}
    >
      <Handle
        id="in"
        type="target"
        position={Position.Top}
        isConnectable={editable}
        className="canvas-handle"
      />
      {editable && !entered.has(id) ? (
        <AddButton
          label={`Add a step before ${titleOf(node)}`}
          title="Add a step before this"
          onAdd={() => onAdd({ kind: "before", step: id })}
          className={cx("bottom-full left-1/2 mb-2.5", !selected && SHOWN_NEAR)}
        />
      ) : null}
      <div className="flex min-h-[54px] items-center gap-2 px-3 pt-1">
        <span className="grid size-7 shrink-0 place-items-center rounded-lg bg-accent-soft text-accent-ink">
          <Icon aria-hidden className="size-4" />
        </span>
        <span className="min-w-0 flex-1">
          <span dir="auto" className="block truncate text-sm font-semibold">
            {titleOf(node)}
          </span>
          <span className={cx("block truncate text-xs text-ink-3", typeOf(node) === "tool" && "font-mono")}>
            {detailOf(node)}
          </span>
        </span>
        {problems > 0 ? (
          <span
            className="grid size-5 place-items-center rounded-full bg-bad-soft text-2xs font-semibold text-bad"
            title={problems === 1 ? "1 problem" : `${problems} problems`}
          >
            {problems}
          </span>
        ) : null}
      </div>
      {type === "map" ? <Body node={node} /> : null}
      {mark === null ? null : (
        <div className="flex h-6 items-center gap-1.5 px-3">
          <StateBadge state={mark.state} />
          <span className="truncate text-2xs text-ink-2">{mark.note}</span>
        </div>
      )}
      <span className="flex-1" />
      <div className="relative h-6">
        {portsOf(node).map((port) => {
          const left = portOffset(node, port, width);
          const free = !used.has(`${id} ${port}`);
          const minor = port === "error" || port === "expired";
          return (
            <span key={port}>
              <span
                className={cx(
                  "absolute bottom-1.5 max-w-20 -translate-x-1/2 truncate text-2xs",
                  minor && free ? "text-ink-3" : "text-ink-2",
                )}
                style={{ left }}
              >
                {portLabel(port)}
              </span>
              <Handle
                id={port}
                type="source"
                position={Position.Bottom}
                isConnectable={editable}
                title={`Connect “${portLabel(port)}”`}
                className={cx("canvas-handle", minor && free && "canvas-handle-minor")}
                style={{ left }}
              />
              {editable && free ? (
                <AddButton
                  label={`Add a step after ${titleOf(node)}: ${portLabel(port)}`}
                  title={`Add a step: ${portLabel(port)}`}
                  onAdd={() => onAdd({ kind: "after", from: id, port })}
                  className={cx("top-full mt-2.5", minor && !selected && SHOWN_NEAR)}
                  left={left}
                />
              ) : null}
            </span>
          );
        })}
      </div>
    </div>
  );
});

/** Buttons that few need are there when the pointer or the focus is. */
const SHOWN_NEAR =
  "opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 focus-visible:opacity-100";

function AddButton({
  label,
  title,
  onAdd,
  className,
  left,
}: {
  readonly label: string;
  readonly title: string;
  readonly onAdd: () => void;
  readonly className: string;
  readonly left?: number;
}) {
  return (
    <button
      type="button"
      aria-label={label}
      title={title}
      onClick={(event) => {
        event.stopPropagation();
        onAdd();
      }}
      className={cx(
        "nodrag nopan absolute z-10 grid size-6 -translate-x-1/2 place-items-center rounded-md border border-line-strong bg-surface text-ink-2 hover:bg-accent hover:text-on-accent",
        className,
      )}
      style={left === undefined ? undefined : { left }}
    >
      <Plus aria-hidden className="size-3.5" />
    </button>
  );
}

/** A step seen from far away: hundreds of these can be in view at once. */
function FarStep({ data, isChosen }: { readonly data: StepNode["data"]; readonly isChosen: boolean }) {
  const { node, problems, width } = data;
  const id = node.id;
  return (
    <div
      dir="auto"
      className={cx(
        "relative h-full truncate rounded-xl border-4 bg-surface px-2 text-3xl font-semibold",
        isChosen ? "border-accent" : problems > 0 ? "border-bad" : "border-line-strong",
      )}
    >
      {titleOf(node)}
      {/* React Flow looks for the ends of edges in the page; handles that can be dragged would cost more. */}
      <i
        className="target absolute top-0 left-1/2"
        data-handleid="in"
        data-nodeid={id}
        data-handlepos="top"
      />
      {portsOf(node).map((port) => (
        <i
          key={port}
          className="source absolute bottom-0"
          data-handleid={port}
          data-nodeid={id}
          data-handlepos="bottom"
          style={{ left: portOffset(node, port, width) }}
        />
      ))}
    </div>
  );
}

function Body({ node }: { readonly node: DraftNode }) {
  const { onOpenBody } = useCanvas();
  const steps = bodySteps(node);
  return (
    <button
      type="button"
      onClick={(event) => {
        event.stopPropagation();
        onOpenBody(node.id);
      }}
      className="nodrag mx-2 mb-1 rounded-lg border border-dashed border-line-strong px-2 py-0.5 text-left text-2xs hover:bg-hover"
    >
      <span className="sr-only">{`Open the steps inside ${titleOf(node)}: `}</span>
      {steps.length === 0 ? (
        <span className="block h-[22px] leading-[22px] text-ink-3">No step inside yet</span>
      ) : (
        steps.slice(0, 5).map((step, index) => (
          <span key={step.id} className="block h-[22px] truncate leading-[22px] text-ink-2">
            {index === 4 && steps.length > 5 ? `and ${steps.length - 4} more` : titleOf(step)}
          </span>
        ))
      )}
    </button>
  );
}
