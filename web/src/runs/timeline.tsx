import type { Step } from "@workflow-ui/client";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { cx } from "@workflow-ui/forms-react/ui/cx.ts";
import { count, took } from "../lib/format.ts";
import { Badge, StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import type { Graph } from "../workflow/document/model.ts";
import { Elapsed } from "./elapsed.tsx";
import { inOrder, itemState, type RunItem, type RunStep } from "./order.ts";

interface Props {
  readonly steps: readonly Step[];
  readonly graph: Graph;
  /** The run has ended: what was not reached never will be. */
  readonly ended: boolean;
  readonly titleOf: (id: string) => string;
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

const SHOWN_ITEMS = 50;

/** The steps in the order in which they began, each with a bar for when and how long. */
export function Timeline({ steps, graph, ended, titleOf, chosen, onChoose }: Props) {
  const times = steps
    .flatMap((step) => [step.startedAt, step.finishedAt])
    .filter((time) => time !== null)
    .map((time) => Date.parse(time));
  const first = Math.min(...times);
  const span = Math.max(1, Math.max(...times) - first);
  const bar = (step: Step) => <Bar step={step} first={first} span={span} />;
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
          {item.items.length === 0 ? null : (
            <Items item={item} titleOf={titleOf} chosen={chosen} bar={bar} onChoose={onChoose} />
          )}
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
  const left = ((begin - first) / span) * 100;
  const width = Math.max(1.5, ((end - begin) / span) * 100);
  return (
    <span aria-hidden className="col-span-2 block h-1 overflow-hidden rounded-full bg-hover">
      <span
        className={cx("block h-full rounded-full", step.status === "failed" ? "bg-bad" : "bg-accent")}
        style={{ marginLeft: `${Math.min(98.5, left)}%`, width: `${Math.min(100 - left, width)}%` }}
      />
    </span>
  );
}

function Items({
  item,
  titleOf,
  chosen,
  bar,
  onChoose,
}: {
  readonly item: RunStep;
  readonly titleOf: (id: string) => string;
  readonly chosen: string;
  readonly bar: (step: Step) => React.ReactNode;
  readonly onChoose: (id: string) => void;
}) {
  const [open, setOpen] = useState(false);
  const [more, setMore] = useState(SHOWN_ITEMS);
  const bad = item.items.filter((entry) => itemState(entry) === "failed").length;
  const done = item.items.filter((entry) => itemState(entry) === "succeeded").length;
  return (
    <div className="pb-1 pl-4">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex items-center gap-1.5 rounded-md px-1 py-1 text-sm text-ink-2 hover:text-ink"
      >
        <ChevronRight aria-hidden className={cx("size-3.5", open && "rotate-90")} />
        {count(item.items.length, "item")}: {done} done{bad > 0 ? `, ${bad} failed` : ""}
      </button>
      {open ? (
        <ol className="border-l-2 border-line pl-2">
          {item.items.slice(0, more).map((entry) => (
            <li key={entry.index}>
              <ItemLines entry={entry} titleOf={titleOf} chosen={chosen} bar={bar} onChoose={onChoose} />
            </li>
          ))}
          {item.items.length > more ? (
            <li>
              <button
                type="button"
                onClick={() => setMore(more + 200)}
                className="px-4 py-1.5 text-sm text-accent-ink hover:underline"
              >
                Show more
              </button>
            </li>
          ) : null}
        </ol>
      ) : null}
    </div>
  );
}

function ItemLines({
  entry,
  titleOf,
  chosen,
  bar,
  onChoose,
}: {
  readonly entry: RunItem;
  readonly titleOf: (id: string) => string;
  readonly chosen: string;
  readonly bar: (step: Step) => React.ReactNode;
  readonly onChoose: (id: string) => void;
}) {
  return entry.steps.map((step) => {
    const inner = step.id.split(".").slice(1).join(".");
    const title = inner === "" ? `Item ${entry.index + 1}` : `Item ${entry.index + 1}: ${titleOf(inner)}`;
    return (
      <StepLine
        key={step.id}
        step={step}
        title={title}
        chosen={chosen === step.id}
        bar={bar(step)}
        onChoose={onChoose}
      />
    );
  });
}
