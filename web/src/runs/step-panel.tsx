import { Link } from "@tanstack/react-router";
import { SquarePen } from "lucide-react";
import { duration, fullTime } from "../lib/format.ts";
import { at, bagAt, bagsAt, isBag, numberAt, textAt, type Bag } from "../lib/read.ts";
import { stateOf } from "../pages/records.ts";
import { Settle } from "../pages/settle.tsx";
import { StateBadge } from "../ui/badge.tsx";
import { buttonClass } from "../ui/button.tsx";
import { DataView } from "../ui/data-view.tsx";
import { Panel } from "../ui/page.tsx";
import { stepId } from "./order.ts";
import { ResultView } from "./result-view.tsx";

interface Props {
  readonly run: Bag;
  readonly step: Bag;
  readonly title: string;
}

/** One step of a run: what it got, what it gave, each attempt, and the way to it in the editor. */
export function StepPanel({ run, step, title }: Props) {
  const attempts = bagsAt(step, "attempts");
  const error = at(step, "error");
  const top = stepId(step).split(/[[.]/)[0] ?? "";
  const workflowId = textAt(run, "workflowId");
  return (
    <Panel
      title={title}
      actions={
        <>
          <StateBadge state={stateOf(step)} />
          {workflowId === "" ? null : (
            <Link
              to="/workflows/$id"
              params={{ id: workflowId }}
              search={{ node: top }}
              className={buttonClass("ghost", "sm")}
            >
              <SquarePen /> Open in the editor
            </Link>
          )}
        </>
      }
    >
      {stateOf(step) === "outcome_unknown" ? (
        <Settle runId={textAt(run, "id")} stepId={stepId(step)} />
      ) : null}
      {isBag(error) ? <Problem error={error} /> : null}
      <section className="space-y-4">
        <div>
          <h3 className="mb-1 text-sm font-semibold text-ink-2">Result</h3>
          <ResultView value={at(step, "output")} name={title} />
        </div>
        <details>
          <summary className="text-sm font-semibold text-ink-2">What it worked with</summary>
          <div className="mt-1">
            <ResultView value={at(step, "input")} name={`${title} input`} />
          </div>
        </details>
        {attempts.length > 1 ? (
          <div>
            <h3 className="mb-1 text-sm font-semibold text-ink-2">{attempts.length} attempts</h3>
            <ol className="divide-y divide-line text-sm">
              {attempts.map((attempt) => (
                <li key={numberAt(attempt, "attempt")} className="flex flex-wrap items-center gap-2 py-1.5">
                  <span className="tabular-nums">{numberAt(attempt, "attempt")}.</span>
                  <StateBadge state={stateOf(attempt)} />
                  <span className="text-ink-2">{took(attempt)}</span>
                  <span className="min-w-0 flex-1 truncate text-ink-2">
                    {textAt(bagAt(attempt, "error"), "message")}
                  </span>
                </li>
              ))}
            </ol>
          </div>
        ) : null}
        <details>
          <summary className="text-sm text-ink-2">Details</summary>
          <div className="mt-1">
            <DataView
              value={Object.fromEntries(
                Object.entries({
                  step: stepId(step),
                  started: fullTime(textAt(step, "startedAt")),
                  finished: fullTime(textAt(step, "finishedAt")),
                  leftBy: textAt(step, "port"),
                  idempotencyKey: textAt(step, "idempotencyKey"),
                  error: isBag(error) ? error : "",
                }).filter(([, value]) => value !== ""),
              )}
            />
          </div>
        </details>
      </section>
    </Panel>
  );
}

/** Why something failed, in the words of the service. */
export function Problem({ error }: { readonly error: Bag }) {
  return (
    <div className="mb-4 rounded-lg bg-bad-soft px-3 py-2 text-bad">
      <p className="font-medium">{textAt(error, "message", "It failed without a message.")}</p>
      {textAt(error, "nextAction") === "" ? null : (
        <p className="mt-0.5 text-sm">{textAt(error, "nextAction")}</p>
      )}
    </div>
  );
}

/** How long something took; empty while it is under way. */
export function took(record: Bag): string {
  const begin = Date.parse(textAt(record, "startedAt"));
  const end = Date.parse(textAt(record, "finishedAt"));
  return Number.isNaN(begin) || Number.isNaN(end) ? "" : duration(end - begin);
}
