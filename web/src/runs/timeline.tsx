import type { MapItems, Step } from "@workflow-ui/client";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { cx } from "@workflow-ui/forms-react/ui/cx.ts";
import { usePages } from "../api/operations.ts";
import { count, took } from "../lib/format.ts";
import { ErrorText } from "../ui/error-text.tsx";
import { Badge, StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import type { Graph } from "../workflow/document/model.ts";
import { Elapsed, useNow } from "./elapsed.tsx";
import { inOrder, type RunItem, type RunStep } from "./order.ts";

interface Props {
  readonly runId: string;
  readonly steps: readonly Step[];
  readonly maps: readonly MapItems[];
  readonly graph: Graph;
  /** The run has ended: what was not reached never will be. */
  readonly ended: boolean;
  readonly titleOf: (id: string) => string;
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

/** The steps in the order in which they began, each with a bar for when and how long. */
export function Timeline({ runId, steps, maps, graph, ended, titleOf, chosen, onChoose }: Props) {
  const times = steps
    .flatMap((step) => [step.startedAt, step.finishedAt])
    .filter((time) => time !== null)
    .map((time) => Date.parse(time));
  const now = useNow(!ended);
  const first = Math.min(...times);
  const span = Math.max(1, (ended ? Math.max(...times) : Math.max(now, ...times)) - first);
  const bar = (step: Step) => <Bar step={step} first={first} span={span} />;
  const counts = new Map(maps.map((map) => [map.stepId, map]));
  return (
    <ol className="divide-y divide-line">
      {inOrder(steps, graph).map((item) => (
        <li key={item.id}>
          {item.step.status === "pending" ? (
            <p className="flex items-center gap-3 px-4 py-2 text-ink-2">
              <span dir="auto" className="min-w-0 flex-1 truncate">
                {titleOf(item.id)}
              </span>
              <Badge>{ended ? "not reached" : "not reached yet"}</Badge>
            </p>
          ) : (
            <StepLine
              step={item.step}
              title={titleOf(item.id)}
              chosen={chosen === item.id}
              bar={bar(item.step)}
              onChoose={onChoose}
            />
          )}
          <Items
            runId={runId}
            item={item}
            counts={counts.get(item.id)}
            lines={{ titleOf, chosen, bar, onChoose }}
          />
        </li>
      ))}
    </ol>
  );
}

function StepLine({
  step,
  title,
  chosen,
  bar,
  onChoose,
}: {
  readonly step: Step;
  readonly title: string;
  readonly chosen: boolean;
  readonly bar: React.ReactNode;
  readonly onChoose: (id: string) => void;
}) {
  return (
    <button
      type="button"
      aria-pressed={chosen}
      onClick={() => onChoose(step.id)}
      className={cx(
        "grid w-full grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1.5 px-4 py-2 text-left hover:bg-hover focus-visible:-outline-offset-2",
        chosen && "bg-accent-soft",
      )}
    >
      <span dir="auto" className="min-w-0 truncate font-medium">
        {title}
      </span>
      <span className="flex items-center gap-2">
        {step.attempt > 1 ? <span className="text-xs text-ink-2">attempt {step.attempt}</span> : null}
        <span className="text-xs text-ink-3 tabular-nums">
          {took(step) || <Elapsed since={step.startedAt} />}
        </span>
        <StateBadge state={step.status} />
      </span>
      {bar}
    </button>
  );
}

function Bar({ step, first, span }: { readonly step: Step; readonly first: number; readonly span: number }) {
  if (step.startedAt === null) return null;
  const begin = Date.parse(step.startedAt);
  const end = step.finishedAt === null ? first + span : Date.parse(step.finishedAt);
  const left = Math.min(98.5, ((begin - first) / span) * 100);
  const width = Math.max(1.5, ((end - begin) / span) * 100);
  return (
    <span aria-hidden className="col-span-2 block h-1 overflow-hidden rounded-full bg-hover">
      <span
        className={cx("block h-full rounded-full", step.status === "failed" ? "bg-bad" : "bg-accent")}
        style={{ marginLeft: `${left}%`, width: `${Math.min(100 - left, width)}%` }}
      />
    </span>
  );
}

interface Lines extends Pick<Props, "titleOf" | "chosen" | "onChoose"> {
  readonly bar: (step: Step) => React.ReactNode;
}

/** How far the items of a map are; open, the items: those that the run holds, or page by page when it has more. */
function Items({
  runId,
  item,
  counts,
  lines,
}: {
  readonly runId: string;
  readonly item: RunStep;
  readonly counts: MapItems | undefined;
  readonly lines: Lines;
}) {
  const [open, setOpen] = useState(false);
  if (counts === undefined) return null;
  const { items, succeeded, failed, shown } = counts;
  return (
    <div className="pb-1 pl-4">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex items-center gap-1.5 rounded-md px-1 py-1 text-sm text-ink-2 hover:text-ink"
      >
        <ChevronRight aria-hidden className={cx("size-3.5", open && "rotate-90")} />
        {count(items, "item")}: {succeeded} done{failed > 0 ? `, ${failed} failed` : ""}
      </button>
      {!open ? null : shown === items ? (
        <ItemList items={item.items} lines={lines} />
      ) : (
        <ItemPages runId={runId} item={item} total={items} lines={lines} />
      )}
    </div>
  );
}

/** The items of a long map, failed ones first. */
function ItemPages({
  runId,
  item,
  total,
  lines,
}: {
  readonly runId: string;
  readonly item: RunStep;
  readonly total: number;
  readonly lines: Lines;
}) {
  const pages = usePages("list_run_items", { id: runId, step: item.id }, ({ items }) => items);
  const items = pages.data ?? item.items;
  return (
    <>
      <ItemList items={items} lines={lines} />
      <ErrorText text={pages.error?.message} />
      {pages.more === null ? null : (
        <p className="px-4 py-1.5 text-sm text-ink-2">
          {items.length.toLocaleString("en")} of {count(total, "item")} are shown, failed ones first.{" "}
          <button
            type="button"
            onClick={pages.more}
            disabled={pages.isFetching}
            className="text-accent-ink hover:underline"
          >
            Show more
          </button>
        </p>
      )}
    </>
  );
}

function ItemList({ items, lines }: { readonly items: readonly RunItem[]; readonly lines: Lines }) {
  const { titleOf, chosen, bar, onChoose } = lines;
  const title = (index: number, id: string) => {
    const inner = id.split(".").slice(1).join(".");
    return inner === "" ? `Item ${index + 1}` : `Item ${index + 1}: ${titleOf(inner)}`;
  };
  return (
    <ol className="border-l-2 border-line pl-2">
      {items.map(({ index, steps }) => (
        <li key={index}>
          {steps.map((step) => (
            <StepLine
              key={step.id}
              step={step}
              title={title(index, step.id)}
              chosen={chosen === step.id}
              bar={bar(step)}
              onChoose={onChoose}
            />
          ))}
        </li>
      ))}
    </ol>
  );
}
