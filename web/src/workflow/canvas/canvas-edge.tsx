import { BaseEdge, EdgeLabelRenderer, type Edge, type EdgeProps } from "@xyflow/react";
import { Plus, X } from "lucide-react";
import { memo, useState } from "react";
import { cx } from "@workflow-ui/forms-react/ui/cx.ts";
import { useCanvas } from "./canvas-context.ts";
import { middleOf, pathThrough } from "./geometry.ts";
import { portLabel, titleOf, type Spot } from "../document/model.ts";

/** An edge as React Flow holds it; `way` gives where it runs, `spot` where its button stands in a graph that is not large. */
export type WayEdge = Edge<
  {
    readonly way: () => readonly Spot[];
    readonly spot: Spot | undefined;
    readonly port: string;
    readonly taken: boolean | null;
  },
  "way"
>;

/** One edge: its line with an arrowhead, what passed it, and a button that puts a step into it. */
export const Way = memo(function Way({
  id,
  data,
  source,
  target,
  sourceX,
  sourceY,
  targetX,
  targetY,
  selected,
  markerEnd,
}: EdgeProps<WayEdge>) {
  const { editable, isFar, passed, onAdd, onCut, nodeOf } = useCanvas();
  const [over, setOver] = useState(false);
  const known = data?.way() ?? [];
  const [first, last] = [known[0], known.at(-1)];
  const stands =
    first !== undefined &&
    last !== undefined &&
    Math.abs(first.x - sourceX) < 6 &&
    Math.abs(first.y - sourceY) < 12 &&
    Math.abs(last.x - targetX) < 6 &&
    Math.abs(last.y - targetY) < 12;
  // While a step is dragged its edges follow it, without buttons; the way around others is found when it is dropped.
  const points = stands
    ? [{ x: sourceX, y: sourceY }, ...known.slice(1, -1), { x: targetX, y: targetY }]
    : [
        { x: sourceX, y: sourceY },
        { x: targetX, y: targetY },
      ];
  const path = pathThrough(points);
  const middle = (stands ? data?.spot : undefined) ?? middleOf(points);
  const text = passed.get(id) ?? "";
  const [from, to] = [nodeOf(source), nodeOf(target)];
  const label = `${from === undefined ? source : titleOf(from)}, ${portLabel(data?.port ?? "")}, to ${to === undefined ? target : titleOf(to)}`;
  return (
    <>
      <BaseEdge
        path={path}
        {...(markerEnd !== undefined && !isFar && { markerEnd })}
        interactionWidth={isFar ? 0 : 24}
        className={cx(
          data?.taken === true && "!stroke-good",
          data?.taken === false && "opacity-40",
          selected === true && "!stroke-accent",
        )}
        onPointerEnter={() => setOver(true)}
        onPointerLeave={() => setOver(false)}
      />
      {isFar ? null : (
        <EdgeLabelRenderer>
          <div
            className="nodrag nopan pointer-events-auto absolute z-10 flex items-center gap-1"
            style={{ transform: `translate(-50%, -50%) translate(${middle.x}px, ${middle.y}px)` }}
            onPointerEnter={() => setOver(true)}
            onPointerLeave={() => setOver(false)}
            data-edge={{ id }.id}
          >
            {text === "" ? null : (
              <span className="rounded-full bg-good-soft px-1.5 text-2xs text-good">{text}</span>
            )}
            {editable && stands ? (
              <button
                type="button"
                aria-label={`Add a step between ${label}`}
                title="Add a step here"
                onClick={() => onAdd({ kind: "edge", edge: id })}
                className={cx(
                  "grid size-6 place-items-center rounded-md border border-line-strong bg-surface text-ink-2 hover:bg-accent hover:text-on-accent",
                  !over && selected !== true && "opacity-60",
                )}
              >
                <Plus aria-hidden className="size-3.5" />
              </button>
            ) : null}
            {editable && stands && (selected === true || over) ? (
              <button
                type="button"
                aria-label={`Remove the connection ${label}`}
                title="Remove the connection"
                onClick={() => onCut(id)}
                className="grid size-6 place-items-center rounded-md border border-line-strong bg-surface text-bad hover:bg-bad-soft"
              >
                <X aria-hidden className="size-3.5" />
              </button>
            ) : null}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
});
