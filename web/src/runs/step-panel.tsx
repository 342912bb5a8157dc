import type { RunDetail, Step, Approval, Attempt, Failure, Settlement, Json } from "@workflow-ui/client";
import { Link } from "@tanstack/react-router";
import { SquarePen, Stamp } from "lucide-react";
import { isJsonRecord } from "#kernel/json.ts";
import { SCOPE_WORDS, SCOPES } from "#model/scopes.ts";
import { ATTEMPT_STATES } from "#model/states.ts";
import { useCallerNames } from "../api/names.ts";
import { useOperation } from "../api/operations.ts";
import { fullTime, took, words } from "../lib/format.ts";
import { textAt } from "../lib/read.ts";
import { theirMessage } from "../lib/their-message.ts";
import { Settle } from "../pages/runs/settle.tsx";
import { StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { DataView, plainText, present } from "../ui/data-view.tsx";
import { Panel } from "../ui/page.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { mayDecide } from "./decider.tsx";
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
          search={editorPlace(step.id)}
          className={buttonClass("ghost", "sm")}
        >
          <SquarePen /> Open in editor
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

/** How a person settled the step: who, when and why. */
function Settled({ settled }: { readonly settled: Settlement }) {
  const { outcome, by, at, reason } = settled;
  const name = useCallerNames()(by);
  return (
    <p className="mb-4 rounded-lg bg-sunken px-3 py-2 text-sm text-ink-2" role="note">
      {outcome === "succeeded" ? "Settled as done" : "Settled as not done"}
      {name === "" ? "" : ` by ${name}`}, {fullTime(at)}
      {reason === null ? ". No reason was given." : `: ${reason}`}
    </p>
  );
}

function StepRecord({ run, step, title }: Props) {
  const { error } = step;
  const attempts = attemptsOf(step);
  const approval = run.approvals?.find((item) => item.id === waitedFor(step));
  return (
    <>
      {step.status === "outcome_unknown" ? <Settle runId={run.id} stepId={step.id} /> : null}
      {step.settled === undefined ? null : <Settled settled={step.settled} />}
      {error ? <Problem run={run} error={error} stepId={step.id} /> : null}
      <section className="space-y-4">
        <div>
          <h3 className="mb-1 text-sm font-semibold text-ink-2">Result</h3>
          {approval === undefined ? (
            <ResultView value={step.output} name={title} />
          ) : (
            <Waiting approval={approval} title={title} />
          )}
        </div>
        <details>
          <summary className="text-sm font-semibold text-ink-2">Input</summary>
          <div className="mt-1">
            <ResultView value={step.input} name={`${title} input`} />
          </div>
        </details>
        {step.attempt > 1 ? (
          <div>
            <h3 className="mb-1 text-sm font-semibold text-ink-2">{step.attempt} attempts</h3>
            <ol className="divide-y divide-line text-sm">
              {attempts.map((attempt) => (
                <li key={attempt.attempt} className="flex flex-wrap items-center gap-2 py-1.5">
                  <span className="tabular-nums">{attempt.attempt}.</span>
                  <StateBadge state={attempt.status} />
                  <span className="text-ink-2">{took(attempt)}</span>
                  <span className="min-w-0 flex-1 break-words text-ink-2">
                    {attempt.error === null
                      ? ""
                      : [attempt.error.message, upstreamText(attempt.error)].join(" ")}
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

/** Every attempt; only failed ones are recorded, the last one is the step itself. */
function attemptsOf(step: Step): readonly Attempt[] {
  const { attempts = [], attempt, status, startedAt, finishedAt } = step;
  if (attempts.some((one) => one.attempt === attempt) || startedAt === null) return attempts;
  const state = ATTEMPT_STATES.find((one) => one === status);
  return state === undefined
    ? attempts
    : [...attempts, { attempt, status: state, spanId: "", error: null, startedAt, finishedAt }];
}

/** The approval that a step waits for; its id is no result that a person reads. */
function waitedFor({ status, output }: Step): Json | undefined {
  return status === "waiting" && isJsonRecord(output) ? output["approvalId"] : undefined;
}

function Waiting({ approval, title }: { readonly approval: Approval; readonly title: string }) {
  return (
    <p className="flex flex-wrap items-center gap-3">
      <span dir="auto">Waiting for approval: {plainText(approval.title, title)}</span>
      <DecideLink approvalId={approval.id} />
    </p>
  );
}

/** Leads to an approval: to decide it for those who may, to look at it for the others. */
export function DecideLink({ approvalId }: { readonly approvalId: string }) {
  const { data } = useOperation("get_approval", { id: approvalId });
  if (data === undefined) return null;
  const isMine = data.you?.mayDecide === true;
  return (
    <>
      {isMine ? null : <span className="text-ink-2">{mayDecide(data.who)}</span>}
      <Link
        to="/approvals"
        search={{ id: approvalId }}
        className={buttonClass(isMine ? "primary" : "secondary", "sm")}
      >
        <Stamp /> {isMine ? "Decide" : "Show approval"}
      </Link>
    </>
  );
}

/** Where a step of a run is in the editor, with the focus in the field at a pointer into its arguments. */
function editorPlace(stepId: string, pointer = "") {
  const [, top = stepId, inner] = /^([^[.]+)(?:\[\d+\])?(?:\.(.+))?$/.exec(stepId) ?? [];
  return {
    ...(inner === undefined ? { node: top } : { in: top, node: inner }),
    ...(pointer !== "" && { field: pointer }),
  };
}

/** What the connected server itself wrote about an error; the service keeps it apart from its own words. */
function upstreamText({ upstream }: Failure): string {
  return theirMessage(upstream?.text ?? "");
}

/** What the run may not do, in the words of the roles; empty where it failed for another reason. */
function rightsText({ code, details }: Failure): string {
  const scope = SCOPES.find((one) => one === textAt(details, "scope"));
  return code !== "forbidden" || scope === undefined || textAt(details, "actsFor") === ""
    ? ""
    : `The run acts for who started or retried it, who may not ${SCOPE_WORDS[scope]}.`;
}

/** Why something failed: in the words of the service and of the server that it called, with the way to the field. */
export function Problem({
  run,
  error,
  stepId,
  title,
}: {
  readonly run: RunDetail;
  readonly error: Failure;
  readonly stepId: string;
  /** The step that failed, where it is not the one that is shown. */
  readonly title?: string;
}) {
  const { workflowId } = run;
  const theirs = upstreamText(error);
  const rights = rightsText(error);
  const problems = error.problems ?? [];
  const edit = (pointer: string, text: string) =>
    workflowId === null ? null : (
      <Link
        to="/workflows/$id"
        params={{ id: workflowId }}
        search={editorPlace(stepId, pointer)}
        className="inline-flex min-h-6 items-center underline underline-offset-2"
      >
        {text}
      </Link>
    );
  return (
    <div className="mb-4 rounded-lg bg-bad-soft px-3 py-2 text-bad">
      <p className="font-medium">
        {title === undefined ? "" : `${title}: `}
        {rights === "" ? (error.message ?? "It failed without a message.") : rights}
      </p>
      {theirs === "" ? null : (
        <blockquote dir="auto" className="my-1 border-l-2 border-current pl-2 break-words">
          {theirs}
        </blockquote>
      )}
      {problems.length === 0 ? null : (
        <ul className="mt-1 list-disc pl-5 text-sm">
          {problems.map(({ pointer, message }) => (
            <li key={pointer + message}>
              {fieldWords(pointer)}: {message} {edit(pointer, "Open in editor")}
            </li>
          ))}
        </ul>
      )}
      {error.nextAction === undefined ? null : (
        <p className="mt-0.5 text-sm">
          {rights === "" ? error.nextAction : "Ask a person who may to retry it."}
        </p>
      )}
      {title === undefined || problems.length > 0 ? null : (
        <p className="mt-0.5 text-sm">{edit("", "Open the step in the editor")}</p>
      )}
    </div>
  );
}

/** A pointer into arguments as a form names the field; the body of a request is what a form shows, not a field. */
function fieldWords(pointer: string): string {
  const parts = pointer.split("/").slice(1);
  const shown = parts[0] === "body" && parts.length > 1 ? parts.slice(1) : parts;
  return shown.map((part) => (/^\d+$/.test(part) ? `item ${Number(part) + 1}` : words(part))).join(" › ");
}
