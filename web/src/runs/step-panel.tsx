import { Link } from "@tanstack/react-router";
import { SquarePen, Stamp } from "lucide-react";
import { duration, fullTime } from "../lib/format.ts";
import { at, bagAt, bagsAt, isBag, numberAt, textAt, type Bag } from "../lib/read.ts";
import { stateOf } from "../pages/records.ts";
import { Settle } from "../pages/settle.tsx";
import { StateBadge } from "../ui/badge.tsx";
import { buttonClass } from "../ui/button.tsx";
import { DataView } from "../ui/data-view.tsx";
import { Panel } from "../ui/page.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { stepId } from "./order.ts";
import { ResultView } from "./result-view.tsx";

interface Props {
  readonly run: Bag;
  readonly step: Bag;
  readonly title: string;
  readonly onClose: () => void;
}

/** One step of a run: what it got, what it gave, each attempt, and the way to it in the editor. */
export function StepPanel(props: Props) {
  const { run, step, title, onClose } = props;
  const workflowId = textAt(run, "workflowId");
  const head = (
    <>
      <StateBadge state={stateOf(step)} />
      {workflowId === "" ? null : (
        <Link
          to="/workflows/$id"
          params={{ id: workflowId }}
          search={{ node: stepId(step).split(/[[.]/)[0] ?? "" }}
          className={buttonClass("ghost", "sm")}
        >
          <SquarePen /> Open in the editor
        </Link>
      )}
    </>
  );
  const record = <StepRecord {...props} />;
  return (
    <Sheet
      from="80rem"
      title={title}
      onClose={onClose}
      inline={
        <Panel title={title} actions={head}>
          {record}
        </Panel>
      }
    >
      <p className="mb-3 flex flex-wrap items-center gap-2">{head}</p>
      {record}
    </Sheet>
  );
}

/** A person said what became of the step: who, when and why. */
function Settled({ settled }: { readonly settled: Bag }) {
  const by = textAt(settled, "by");
  if (by === "") return null;
  const reason = textAt(settled, "reason");
  return (
    <p className="mb-4 rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn" role="note">
      {textAt(settled, "outcome") === "succeeded" ? "Settled as done" : "Settled as not done"} by {by},{" "}
      {fullTime(textAt(settled, "at"))}
      {reason === "" ? ". No reason was given." : `: ${reason}`}
    </p>
  );
}

function StepRecord({ run, step, title }: Props) {
  const attempts = bagsAt(step, "attempts");
  const error = at(step, "error");
  const approval = bagsAt(run, "approvals").find((item) => textAt(item, "id") === waitedFor(step));
  return (
    <>
      {stateOf(step) === "outcome_unknown" ? (
        <Settle runId={textAt(run, "id")} stepId={stepId(step)} />
      ) : null}
      <Settled settled={bagAt(step, "settled")} />
      {isBag(error) ? <Problem error={error} /> : null}
      <section className="space-y-4">
        <div>
          <h3 className="mb-1 text-sm font-semibold text-ink-2">Result</h3>
          {approval === undefined ? (
            <ResultView value={at(step, "output")} name={title} />
          ) : (
            <Waiting approval={approval} />
          )}
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
    </>
  );
}

/** The approval that a step waits for; its id is no result that a person reads. */
function waitedFor(step: Bag): string {
  return stateOf(step) === "waiting" ? textAt(step, ["output", "approvalId"]) : "";
}

function Waiting({ approval }: { readonly approval: Bag }) {
  return (
    <p className="flex flex-wrap items-center gap-3">
      <span dir="auto">Not yet: {textAt(approval, "title", "somebody has to decide")}.</span>
      <Link
        to="/approvals"
        search={{ id: textAt(approval, "id") }}
        className={buttonClass("secondary", "sm")}
      >
        <Stamp /> Decide
      </Link>
    </p>
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
