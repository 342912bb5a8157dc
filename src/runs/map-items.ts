import { AppError } from "../kernel/errors.ts";
import type { MapItems } from "../model/runs.ts";
import { stepHasEnded, type StepState } from "../model/states.ts";
import type { StepRecord } from "../ports/records.ts";
import type { PageRequest } from "../ports/store.ts";

/*
 * The items of maps. A map can have thousands, so an answer about a run holds the first of them and the rest comes by
 * page. What needs attention is first: failed items, then those that are not done, then the others; each by index.
 */

/** Steps of items that one answer holds at most; a page holds at least one item. */
const MOST_STEPS = 200;

interface MapItem {
  readonly index: number;
  readonly status: StepState;
  readonly steps: readonly StepRecord[];
}

/** `m[3]` is item 3 of the map `m`, `m[3].a` a step of its body. */
const ITEM = /^([^[]+)\[(\d+)\]/;

/** While an item goes on, the worst state of its steps stands for it. */
const WORST_FIRST = [
  "failed",
  "outcome_unknown",
  "waiting",
  "backoff",
  "running",
  "ready",
  "pending",
] as const;

function stateOf(steps: readonly StepRecord[]): StepState {
  const item = steps.find(({ stepId }) => stepId.endsWith("]"));
  if (item !== undefined && stepHasEnded(item.state)) return item.state;
  const states = new Set(steps.map(({ state }) => state));
  return (
    WORST_FIRST.find((state) => states.has(state)) ?? (states.has("cancelled") ? "cancelled" : "succeeded")
  );
}

function rankOf(status: StepState): number {
  if (status === "failed" || status === "outcome_unknown") return 0;
  return stepHasEnded(status) ? 2 : 1;
}

/** The items of each map in the order of the pages. */
function itemsByMap(steps: readonly StepRecord[]): ReadonlyMap<string, readonly MapItem[]> {
  const maps = Map.groupBy(steps, ({ stepId }) => ITEM.exec(stepId)?.[1] ?? "");
  maps.delete("");
  return new Map([...maps].map(([map, inner]) => [map, inItems(inner)]));
}

function inItems(steps: readonly StepRecord[]): readonly MapItem[] {
  const begin = ({ startedAt }: StepRecord): string => startedAt ?? "~";
  return [...Map.groupBy(steps, ({ stepId }) => Number(ITEM.exec(stepId)?.[2]))]
    .map(([index, list]) => ({
      index,
      status: stateOf(list),
      steps: list.toSorted((a, b) => (begin(a) < begin(b) ? -1 : begin(a) > begin(b) ? 1 : 0)),
    }))
    .toSorted((a, b) => rankOf(a.status) - rankOf(b.status) || a.index - b.index);
}

/** The first of these items that together have no more steps than this. */
function within(items: readonly MapItem[], most: number): readonly MapItem[] {
  let left = most;
  const end = items.findIndex(({ steps }) => (left -= steps.length) < 0);
  return end === -1 ? items : items.slice(0, end);
}

/** The steps that an answer about a run holds, and how far each map is. */
export function firstSteps(
  steps: readonly StepRecord[],
  isWhole: boolean,
): { readonly steps: readonly StepRecord[]; readonly maps: MapItems[] } {
  const shown = new Set<StepRecord>();
  const byMap = itemsByMap(steps);
  const share = isWhole ? steps.length : Math.floor(MOST_STEPS / Math.max(1, byMap.size));
  const maps = [...byMap].map(([stepId, items]) => {
    const first = within(items, share);
    for (const item of first) for (const step of item.steps) shown.add(step);
    const count = (state: StepState): number => items.filter(({ status }) => status === state).length;
    const counts = { succeeded: count("succeeded"), failed: count("failed") };
    return { stepId, items: items.length, ...counts, shown: first.length };
  });
  return { steps: steps.filter((step) => shown.has(step) || !ITEM.test(step.stepId)), maps };
}

/** One page of the items of a map, or the one item that is named: `m`, or `m[3]`. */
export function itemPage(
  steps: readonly StepRecord[],
  step: string,
  { limit, cursor = "" }: PageRequest,
): { readonly items: readonly MapItem[]; readonly nextCursor: string | null } {
  const inStep = steps.filter(
    ({ stepId }) => stepId.startsWith(`${step}[`) || ITEM.exec(stepId)?.[0] === step,
  );
  const [rank = -1, after = -1] = positionIn(cursor);
  const left = inItems(inStep).filter(
    ({ index, status }) => rankOf(status) > rank || (rankOf(status) === rank && index > after),
  );
  const fitting = within(left.slice(0, limit), MOST_STEPS);
  const items = fitting.length === 0 ? left.slice(0, 1) : fitting;
  const last = items.at(-1);
  const isEnd = last === undefined || items.length === left.length;
  return { items, nextCursor: isEnd ? null : `${rankOf(last.status)}.${last.index}` };
}

function positionIn(cursor: string): readonly number[] {
  if (cursor === "") return [];
  if (/^[0-2]\.\d{1,9}$/.test(cursor)) return cursor.split(".").map(Number);
  throw new AppError("invalid_input", "The cursor is not one this service gave.", {
    nextAction: "Ask for the first page without a cursor.",
  });
}
