import type { RunDetail, Step, Approval, Failure, Settlement, Json } from "@workflow-ui/client";
import { Link } from "@tanstack/react-router";
import { SquarePen, Stamp } from "lucide-react";
import { fullTime, took } from "../lib/format.ts";
import { Settle } from "../pages/runs/settle.tsx";
import { StateBadge } from "../ui/badge.tsx";
import { buttonClass } from "../ui/button.tsx";
import { DataView, plainText, present } from "../ui/data-view.tsx";
import { Panel } from "../ui/page.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { isJsonRecord } from "#kernel/json.ts";
import { ResultView } from "./result-view.tsx";

interface Props {
  readonly run: RunDetail;
  readonly step: Step;
  readonly title: string;
  readonly onClose: () => void;
}

/** One step of a run: what it got, what it gave, each attempt, and the way to it in the editor. */
export function StepPanel(props: Props) {
  const { run, step, title, onClose } = props;
  const { workflowId } = run;
  const head = (
    <>
      <StateBadge state={step.status} />
      {workflowId === null ? null : (
        <Link
          to="/workflows/$id"
          params={{ id: workflowId }}
          search={{ node: step.id.split(/[[.]/)[0] ?? "" }}
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
function Settled({ settled }: { readonly settled: Settlement }) {
  const { outcome, by, at, reason } = settled;
  return (
    <p className="mb-4 rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn" role="note">
      {outcome === "succeeded" ? "Settled as done" : "Settled as not done"} by {by}, {fullTime(at)}
      {reason === null ? ". No reason was given." : `: ${reason}`}
    </p>
  );
}

function StepRecord({ run, step, title }: Props) {
  const { attempts = [], error } = step;
  const approval = run.approvals?.find((item) => item.id === waitedFor(step));
  return (
    <>
      {step.status === "outcome_unknown" ? <Settle runId={run.id} stepId={step.id} /> : null}
      {step.settled === undefined ? null : <Settled settled={step.settled} />}
      {error ? <Problem error={error} /> : null}
      <section className="space-y-4">
        <div>
          <h3 className="mb-1 text-sm font-semibold text-ink-2">Result</h3>
          {approval === undefined ? (
            <ResultView value={step.output} name={title} />
          ) : (
            <Waiting approval={approval} />
          )}
        </div>
        <details>
          <summary className="text-sm font-semibold text-ink-2">What it worked with</summary>
          <div className="mt-1">
            <ResultView value={step.input} name={`${title} input`} />
          </div>
        </details>
        {attempts.length > 1 ? (
          <div>
            <h3 className="mb-1 text-sm font-semibold text-ink-2">{attempts.length} attempts</h3>
            <ol className="divide-y divide-line text-sm">
              {attempts.map((attempt) => (
                <li key={attempt.attempt} className="flex flex-wrap items-center gap-2 py-1.5">
                  <span className="tabular-nums">{attempt.attempt}.</span>
                  <StateBadge state={attempt.status} />
                  <span className="text-ink-2">{took(attempt)}</span>
                  <span className="min-w-0 flex-1 truncate text-ink-2">{attempt.error?.message}</span>
                </li>
              ))}
            </ol>
          </div>
        ) : null}
        <details>
          <summary className="text-sm text-ink-2">Details</summary>
          <div className="mt-1">
            <DataView
              value={present({
                step: step.id,
                started: fullTime(step.startedAt),
                finished: fullTime(step.finishedAt),
                leftBy: step.port,
                idempotencyKey: step.idempotencyKey,
                error,
              })}
            />
          </div>
        </details>
      </section>
    </>
  );
}

/** The approval that a step waits for; its id is no result that a person reads. */
function waitedFor({ status, output }: Step): Json | undefined {
  return status === "waiting" && isJsonRecord(output) ? output["approvalId"] : undefined;
}

function Waiting({ approval }: { readonly approval: Approval }) {
  return (
    <p className="flex flex-wrap items-center gap-3">
      <span dir="auto">Not yet: {plainText(approval.title, "somebody has to decide")}.</span>
      <Link to="/approvals" search={{ id: approval.id }} className={buttonClass("secondary", "sm")}>
        <Stamp /> Decide
      </Link>
    </p>
  );
}

/** Why something failed, in the words of the service. */
export function Problem({ error }: { readonly error: Failure }) {
  return (
    <div className="mb-4 rounded-lg bg-bad-soft px-3 py-2 text-bad">
      <p className="font-medium">{error.message ?? "It failed without a message."}</p>
      {error.nextAction === undefined ? null : <p className="mt-0.5 text-sm">{error.nextAction}</p>}
    </div>
  );
}
