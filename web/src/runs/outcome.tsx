import { isObject } from "#kernel/json.ts";
import type { RunDetail, Step } from "@workflow-ui/client";
import { runHasEnded } from "#model/states.ts";
import { isRedacted } from "../ui/data-view.tsx";
import type { Graph } from "../workflow/document/model.ts";
import { inOrder } from "./order.ts";
import { ResultView } from "./result-view.tsx";
import { namerOf } from "./titles.ts";

/** The result, or in words why there is none. */
export function Outcome({ record, graph }: { readonly record: RunDetail; readonly graph: Graph }) {
  const outputs = record.outputs;
  if (isObject(outputs) && Object.keys(outputs).length > 0)
    return <ResultView value={outputs} name="result" />;
  const last =
    record.status === "succeeded" && Object.keys(graph.outputs).length === 0 ? lastStep(record) : null;
  if (last !== null) {
    return (
      <>
        <p className="mb-2 text-sm text-ink-2">From the last step, “{namerOf(graph)(last.id)}”</p>
        <ResultView value={last.output} name="result" />
      </>
    );
  }
  return (
    <p className="text-ink-2">
      {!runHasEnded(record.status)
        ? record.status === "waiting"
          ? "Not yet: the run is waiting."
          : "Not yet: the run is going on."
        : record.status !== "succeeded"
          ? "No result: the run ended before its last step."
          : Object.keys(graph.outputs).length === 0
            ? "The last step gave nothing. Choose a step to see what it gave."
            : "The outputs of this workflow are empty this time."}
    </p>
  );
}

/** The step that ended last and gave something. */
function lastStep(record: RunDetail): Step | null {
  const gave = inOrder(record.steps)
    .map(({ step }) => step)
    .filter(
      (step) => step.status === "succeeded" && (step.output ?? null) !== null && !isRedacted(step.output),
    );
  return gave.toSorted((a, b) => (a.finishedAt ?? "").localeCompare(b.finishedAt ?? "")).at(-1) ?? null;
}

/** What the result is worth: confirmed by every service that had to, or not. */
export function resultText(record: RunDetail): string {
  if (!runHasEnded(record.status)) return "not yet";
  if (record.kind === "dry_run") return "dry run";
  if (record.resultConfirmed) return "confirmed";
  return record.status === "succeeded" ? "not confirmed" : "none";
}
