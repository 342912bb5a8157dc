import { textAt, type Bag } from "../lib/read.ts";
import { stateOf } from "../pages/records.ts";

/** A step of a run with the steps of its items, when it is a map. */
export interface RunStep {
  readonly id: string;
  readonly step: Bag;
  readonly items: readonly RunItem[];
}

/** What a map did with one item. */
export interface RunItem {
  readonly index: number;
  readonly steps: readonly Bag[];
}

/** The id of a step in a run. */
export function stepId(step: Bag): string {
  return textAt(step, "stepId", textAt(step, "id"));
}

/** Steps in the order in which they began; those that have not begun come last. Items of a map stand under the map. */
export function inOrder(steps: readonly Bag[]): readonly RunStep[] {
  const tops = steps.filter((step) => !/[[.]/.test(stepId(step)));
  const inner = Map.groupBy(
    steps.filter((step) => /[[.]/.test(stepId(step))),
    (step) => stepId(step).split("[")[0] ?? "",
  );
  return tops
    .map((step) => ({ id: stepId(step), step, items: itemsOf(inner.get(stepId(step)) ?? []) }))
    .toSorted((a, b) => begin(a.step) - begin(b.step) || end(a.step) - end(b.step));
}

function begin(step: Bag): number {
  const time = Date.parse(textAt(step, "startedAt"));
  return Number.isNaN(time) ? Number.MAX_SAFE_INTEGER : time;
}

function end(step: Bag): number {
  const time = Date.parse(textAt(step, "finishedAt"));
  return Number.isNaN(time) ? Number.MAX_SAFE_INTEGER : time;
}

function itemsOf(steps: readonly Bag[]): readonly RunItem[] {
  const groups = Map.groupBy(steps, (step) => Number(/\[(\d+)\]/.exec(stepId(step))?.[1] ?? 0));
  return [...groups]
    .map(([index, list]) => ({ index, steps: list.toSorted((a, b) => begin(a) - begin(b)) }))
    .toSorted((a, b) => a.index - b.index);
}

/** How an item of a map ended: by the worst of its steps. */
export function itemState({ steps }: RunItem): string {
  const states = steps.map(stateOf);
  for (const bad of ["failed", "timed_out", "outcome_unknown", "running", "waiting"])
    if (states.includes(bad)) return bad;
  return states.every((state) => state === "succeeded" || state === "skipped")
    ? "succeeded"
    : (states.at(-1) ?? "");
}
