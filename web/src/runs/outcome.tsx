import { at, bagsAt, flagAt, isBag, textAt, type Bag } from "../lib/read.ts";
import { stateOf } from "../pages/records.ts";
import { isRedacted } from "../ui/data-view.tsx";
import type { Graph } from "../workflow/model.ts";
import { inOrder, stepId } from "./order.ts";
import { ResultView } from "./result-view.tsx";
import { namerOf } from "./titles.ts";

/** States after which nothing happens in a run. */
export const ENDED: ReadonlySet<string> = new Set(["succeeded", "failed", "timed_out", "cancelled"]);

/** The result, or in words why there is none. */
export function Outcome({ record, graph }: { readonly record: Bag; readonly graph: Graph }) {
  const outputs = at(record, "outputs");
  if (isBag(outputs) && Object.keys(outputs).length > 0) return <ResultView value={outputs} name="result" />;
  const last =
    stateOf(record) === "succeeded" && Object.keys(graph.outputs).length === 0 ? lastStep(record) : null;
  if (last !== null) {
    return (
      <>
        <p className="mb-2 text-sm text-ink-2">
          This workflow names no outputs. The last step, “{namerOf(graph)(stepId(last))}”, gave this:
        </p>
        <ResultView value={at(last, "output")} name="result" />
      </>
    );
  }
  return (
    <p className="text-ink-2">
      {!ENDED.has(stateOf(record))
        ? stateOf(record) === "waiting"
          ? "Not yet: the run waits."
          : "Not yet: the run goes on."
        : stateOf(record) !== "succeeded"
          ? "The run ended before it had one."
          : Object.keys(graph.outputs).length === 0
            ? "This workflow names no outputs. What each step gave is shown when you choose the step in the list."
            : "The outputs of this workflow are empty this time."}
    </p>
  );
}

/** The step that ended last and gave something. */
function lastStep(record: Bag): Bag | null {
  const gave = inOrder(bagsAt(record, "steps"))
    .map(({ step }) => step)
    .filter(
      (step) => stateOf(step) === "succeeded" && isBag(at(step, "output")) && !isRedacted(at(step, "output")),
    );
  return (
    gave.toSorted((a, b) => textAt(a, "finishedAt").localeCompare(textAt(b, "finishedAt"))).at(-1) ?? null
  );
}

/** What the result is worth: confirmed by every service that had to, or not. */
export function resultText(record: Bag): string {
  if (!ENDED.has(stateOf(record))) return "not yet";
  if (textAt(record, "kind") === "dry_run") return "dry run";
  if (flagAt(record, "resultConfirmed")) return "confirmed";
  return stateOf(record) === "succeeded" ? "not confirmed" : "none";
}
