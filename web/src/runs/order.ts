import type { RunDetail, Step } from "@workflow-ui/client";
import type { Graph } from "../workflow/document/model.ts";

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

/**
 * Steps in the order in which they were executed: by when they began, and those that began in the same millisecond as the
 * graph leads to them. Steps that have not been reached come last. Items of a map stand under the map.
 */
export function inOrder(steps: readonly Step[], graph?: Pick<Graph, "nodes" | "edges">): readonly RunStep[] {
  const tops = steps.filter((step) => !/[[.]/.test(step.id));
  const known = new Set(tops.map(({ id }) => id));
  const waiting = (graph?.nodes ?? []).filter(({ id }) => !known.has(id)).map(({ id }) => unreached(id));
  const rank = graph === undefined ? new Map<string, number>() : ranks(graph);
  const rankOf = (step: Step) => rank.get(step.id) ?? 0;
  const inner = Map.groupBy(
    steps.filter((step) => /[[.]/.test(step.id)),
    (step) => step.id.split("[")[0] ?? "",
  );
  return [...tops, ...waiting]
    .map((step) => ({ id: step.id, step, items: itemsOf(inner.get(step.id) ?? []) }))
    .toSorted(
      (a, b) => begin(a.step) - begin(b.step) || rankOf(a.step) - rankOf(b.step) || end(a.step) - end(b.step),
    );
}

/** A step of the graph that the run has not come to. */
function unreached(id: string): Step {
  return { id, status: "pending", attempt: 0, startedAt: null, finishedAt: null };
}

/** How many steps lead to each step, at most. */
function ranks({ nodes, edges }: Pick<Graph, "nodes" | "edges">): ReadonlyMap<string, number> {
  const rank = new Map(nodes.map(({ id }) => [id, 0]));
  // A graph has no circle; in a draft that has one the number of rounds ends it.
  for (let round = 0, moved = true; moved && round < nodes.length; round++) {
    moved = false;
    for (const { from, to } of edges) {
      const after = (rank.get(from) ?? 0) + 1;
      if (after <= (rank.get(to) ?? after)) continue;
      rank.set(to, after);
      moved = true;
    }
  }
  return rank;
}

/** The run with the times of its last start: a step that ran again after "Retry" began when the retry did. */
export function sinceRetry(run: RunDetail): RunDetail {
  const { startedAt } = run;
  if (startedAt === null) return run;
  return {
    ...run,
    steps: run.steps.map((step) =>
      step.startedAt !== null &&
      step.startedAt < startedAt &&
      (step.finishedAt === null || step.finishedAt > startedAt)
        ? { ...step, startedAt }
        : step,
    ),
  };
}

/** A step that a repair has put back has the time of its attempt before, and is not reached yet. */
function begin({ startedAt, status }: Step): number {
  return startedAt === null || status === "pending" ? Number.MAX_SAFE_INTEGER : Date.parse(startedAt);
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
