import type { Step } from "@workflow-ui/client";

/** A step of a run with the steps of its items, when it is a map. */
export interface RunStep {
  readonly id: string;
  readonly step: Step;
  readonly items: readonly RunItem[];
}

/** What a map did with one item. */
export interface RunItem {
  readonly index: number;
  readonly steps: readonly Step[];
}

/** Steps in the order in which they began; those that have not begun come last. Items of a map stand under the map. */
export function inOrder(steps: readonly Step[]): readonly RunStep[] {
  const tops = steps.filter((step) => !/[[.]/.test(step.id));
  const inner = Map.groupBy(
    steps.filter((step) => /[[.]/.test(step.id)),
    (step) => step.id.split("[")[0] ?? "",
  );
  return tops
    .map((step) => ({ id: step.id, step, items: itemsOf(inner.get(step.id) ?? []) }))
    .toSorted((a, b) => begin(a.step) - begin(b.step) || end(a.step) - end(b.step));
}

function begin({ startedAt }: Step): number {
  return startedAt === null ? Number.MAX_SAFE_INTEGER : Date.parse(startedAt);
}

function end({ finishedAt }: Step): number {
  return finishedAt === null ? Number.MAX_SAFE_INTEGER : Date.parse(finishedAt);
}

function itemsOf(steps: readonly Step[]): readonly RunItem[] {
  const groups = Map.groupBy(steps, (step) => Number(/\[(\d+)\]/.exec(step.id)?.[1] ?? 0));
  return [...groups]
    .map(([index, list]) => ({ index, steps: list.toSorted((a, b) => begin(a) - begin(b)) }))
    .toSorted((a, b) => a.index - b.index);
}

/** How an item of a map ended: by the worst of its steps. */
export function itemState({ steps }: RunItem): string {
  const states = steps.map(({ status }) => status);
  for (const bad of ["failed", "outcome_unknown", "running", "waiting"] as const)
    if (states.includes(bad)) return bad;
  return states.every((state) => state === "succeeded" || state === "skipped")
    ? "succeeded"
    : (states.at(-1) ?? "");
}
