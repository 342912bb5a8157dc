import type { RunDetail, RunDocument, Step } from "@workflow-ui/client";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ArrowLeft, CircleHelp } from "lucide-react";
import { runHasEnded } from "#model/states.ts";
import { lazy, Suspense, useState } from "react";
import { streamState } from "../../api/events.ts";
import { useCallerNames } from "../../api/names.ts";
import { useOperation } from "../../api/operations.ts";
import { useWhyNot } from "../../api/rights.ts";
import { useExternal } from "../../lib/external.ts";
import { cx } from "@workflow-ui/forms-react/ui/cx.ts";
import { ago, fullTime, took } from "../../lib/format.ts";
import { Load } from "../../shell/states.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { DataView, plainText } from "../../ui/data-view.tsx";
import { Empty, Page, Panel, Skeleton } from "../../ui/page.tsx";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import type { Graph } from "../../workflow/document/model.ts";
import { graphOf } from "../../workflow/document/read-graph.ts";
import { Outcome, resultText } from "../../runs/outcome.tsx";
import { Elapsed } from "../../runs/elapsed.tsx";
import { inOrder, sinceRetry } from "../../runs/order.ts";
import { ResultView } from "../../runs/result-view.tsx";
import { DecideLink, Problem, StepPanel } from "../../runs/step-panel.tsx";
import { Timeline } from "../../runs/timeline.tsx";
import { namerOf, stepTitle } from "../../runs/titles.ts";
import { RunActions } from "./run-actions.tsx";

const Canvas = lazy(() =>
  import("../../workflow/canvas/canvas.tsx").then((module) => ({ default: module.Canvas })),
);

/** One run as a record: where it stands, step by step, as it happens. */
export function RunPage() {
  const { id = "" } = useParams({ strict: false });
  const [moving, setMoving] = useState(true);
  // The event stream says when something changed; without it the page asks.
  const live = useExternal(streamState) === "open";
  const run = useOperation("get_run", { id }, { refetchInterval: !moving ? false : live ? 10_000 : 2_000 });
  const ran = useOperation("get_run_document", { id });
  const graph = graphOf(ran.data);
  const record = run.data === undefined ? undefined : sinceRetry(run.data.run);
  const ended = record !== undefined && runHasEnded(record.status);
  if (moving === ended && record !== undefined) setMoving(!ended);
  const name = ran.data?.name ?? (record?.kind === "dry_run" ? "Dry run" : "Run");
  return (
    <Page
      title={name}
      back={
        <Link
          to="/runs"
          className="mb-2 inline-flex min-h-6 items-center gap-1 text-sm text-ink-2 hover:text-ink"
        >
          <ArrowLeft aria-hidden className="size-4" /> Runs
        </Link>
      }
      lead={record === undefined ? undefined : <Summary record={record} ran={ran.data} />}
      actions={
        record === undefined ? undefined : (
          <RunActions record={record} ended={ended} nameOf={namerOf(graph)} />
        )
      }
    >
      <Load query={run}>
        {/* The names of the steps are in the document: until it is here, a person would read their ids. */}
        {({ run: shown }) =>
          ran.isPending ? <Skeleton lines={4} /> : <RunBody record={sinceRetry(shown)} graph={graph} />
        }
      </Load>
    </Page>
  );
}

/** Which version ran, who started it, and what is gone, in one line. */
function Summary({ record, ran }: { readonly record: RunDetail; readonly ran: RunDocument | undefined }) {
  const nameOf = useCallerNames();
  const { workflowId, workflowVersion: version, startedBy = "", detailsRemovedAt: removed } = record;
  const what = version === null ? "Draft" : `Version ${version}`;
  const by = nameOf(startedBy);
  return (
    <>
      {record.kind === "dry_run" ? "Dry run · " : ""}
      {workflowId === null ? (
        what
      ) : (
        <Link
          to="/workflows/$id"
          params={{ id: workflowId }}
          search={version === null ? {} : { tab: "versions" }}
          className="text-accent-ink underline underline-offset-2"
        >
          {what} of {ran?.name ?? "the workflow"}
        </Link>
      )}
      {ran === undefined || ran.isCurrent ? "" : ", changed since"}
      {by === "" ? "" : ` · started by ${by}`}
      {removed === undefined ? "" : ` · Values and steps were removed ${fullTime(removed)}, see Retention`}
    </>
  );
}

/** The step that a person chose; one of an item that the run does not hold is asked for. */
function useChosen({ id, steps }: RunDetail, stepId: string): Step | undefined {
  const own = steps.find((step) => step.id === stepId);
  const [item = ""] = /^[^[]+\[\d+\]/.exec(stepId) ?? [];
  const found = useOperation(
    "list_run_items",
    { id, step: item },
    { enabled: own === undefined && item !== "" },
  );
  return own ?? found.data?.items.flatMap((one) => one.steps).find((step) => step.id === stepId);
}

/** A longer input is folded: it would take more room than the result. */
const MOST_OPEN = 500;

function RunBody({ record, graph }: { readonly record: RunDetail; readonly graph: Graph }) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [view, setView] = useState<"timeline" | "graph">("timeline");
  const steps = record.steps;
  const nameOf = namerOf(graph);
  const chosen = useChosen(record, search.step ?? "");
  const choose = (id: string | undefined) =>
    void navigate({ to: ".", replace: true, search: (before) => ({ ...before, step: id }) });
  const pending = (record.approvals ?? []).filter((item) => item.status === "pending");
  const doubtful = steps.find((step) => step.status === "outcome_unknown");
  const marks = new Map(steps.map((step) => [step.id, { state: step.status }]));
  const error = record.error;
  const tops = inOrder(steps, graph);
  const ended = runHasEnded(record.status);
  const failedId = typeof error?.["step"] === "string" ? error["step"] : "";
  const whyNot = useWhyNot();
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1.2fr)_minmax(0,1fr)]">
      <div className="min-w-0 space-y-4">
        <Panel>
          <dl className="grid grid-cols-[repeat(auto-fit,minmax(7.25rem,1fr))] gap-x-4 gap-y-3">
            <Fact
              label={isRetry(record) ? "Retried" : "Started"}
              value={record.startedAt === null ? "not yet" : ago(record.startedAt)}
              title={fullTime(record.startedAt)}
            />
            <Fact {...timeOf(record)} />
            <Fact label="Steps" value={doneText(tops.map(({ step }) => step.status))} />
            <Fact
              label="Result"
              value={<span className={record.resultConfirmed ? "text-good" : ""}>{resultText(record)}</span>}
            />
          </dl>
          {pending
            // The panel of the chosen step leads to its approval.
            .filter(({ stepId }) => stepId !== chosen?.id)
            .map((approval) => (
              <Notice
                key={approval.id}
                text={`Waiting for approval: ${plainText(approval.title, nameOf(approval.stepId))}`}
              >
                <DecideLink approvalId={approval.id} />
              </Notice>
            ))}
          {doubtful === undefined || doubtful === chosen ? null : (
            <Notice
              text={`It is not known whether “${nameOf(doubtful.id)}” happened. ${whyNot("settle_step") || "Check the target and choose what happened."}`}
            >
              {whyNot("settle_step") === "" ? (
                <Button size="sm" look="primary" onClick={() => choose(doubtful.id)}>
                  <CircleHelp /> Settle it
                </Button>
              ) : null}
            </Notice>
          )}
          <Unconfirmed record={record} nameOf={nameOf} />
          <Repairs repairs={record.repairs ?? []} nameOf={nameOf} />
          {error && error.code !== "retried" ? (
            <div className="mt-4 [&>div]:mb-0">
              <Problem
                run={record}
                error={error}
                stepId={failedId}
                {...(failedId !== "" && { title: nameOf(failedId) })}
              />
              {whyNot("retry_run") === "" ? null : (
                <p className="mt-2 text-sm text-ink-2">{whyNot("retry_run")}</p>
              )}
            </div>
          ) : null}
          {error?.code === "retried" ? (
            <p className="mt-3 text-sm text-ink-2">This run was retried: what had succeeded stayed.</p>
          ) : null}
        </Panel>
        {ended ? (
          <Panel title="Result">
            <Outcome record={record} graph={graph} />
          </Panel>
        ) : null}
        <Panel
          title="Steps"
          flush
          actions={
            <Segmented
              label="Show steps as"
              value={view}
              onChange={setView}
              options={[
                { value: "timeline", label: "Timeline" },
                { value: "graph", label: "Graph" },
              ]}
            />
          }
        >
          {tops.length === 0 ? (
            <Empty title="No step has begun" />
          ) : view === "graph" ? (
            <div className="h-[28rem]">
              <Suspense>
                <Canvas
                  nodes={graph.nodes}
                  edges={graph.edges}
                  ui={graph.ui}
                  marks={marks}
                  selected={search.step === undefined ? [] : [search.step]}
                  onSelect={([first]) => {
                    if (first !== undefined) choose(first);
                  }}
                />
              </Suspense>
            </div>
          ) : (
            <Timeline
              runId={record.id}
              steps={steps}
              maps={record.maps ?? []}
              graph={graph}
              ended={ended}
              titleOf={nameOf}
              chosen={search.step ?? ""}
              onChoose={choose}
            />
          )}
        </Panel>
      </div>
      <div className="min-w-0 space-y-4">
        {chosen === undefined ? null : (
          <StepPanel
            key={chosen.id}
            run={record}
            step={chosen}
            title={nameOf(chosen.id)}
            onClose={() => choose(undefined)}
          />
        )}
        <details className="panel px-4 py-2" open={JSON.stringify(record.inputs ?? null).length < MOST_OPEN}>
          <summary className="text-base font-semibold">Input</summary>
          <div className="pt-2 pb-1">
            <ResultView value={record.inputs} name="inputs" />
          </div>
        </details>
        <details className="panel px-4 py-2">
          <summary className="text-sm text-ink-2">Details</summary>
          <DataView
            value={{
              run: record.id,
              created: record.createdAt,
              trace: record.traceId,
              document: record.documentDigest,
            }}
          />
        </details>
      </div>
    </div>
  );
}

/** How many steps are done, of those that were not skipped. */
function doneText(states: readonly Step["status"][]): string {
  const skipped = states.filter((state) => state === "skipped").length;
  const done = states.filter((state) => state === "succeeded").length;
  return `${done} of ${states.length - skipped} done${skipped === 0 ? "" : `, ${skipped} skipped`}`;
}

const REPAIRED: Readonly<Record<NonNullable<RunDetail["repairs"]>[number]["action"], string>> = {
  retry: "retried it",
  change_input: "changed the input of",
  supply_output: "supplied the output of",
  skip: "skipped",
  rerun: "ran again from",
  continue: "continued it on version",
};

/** Who repaired the run, how and why. */
function Repairs({
  repairs,
  nameOf,
}: {
  readonly repairs: NonNullable<RunDetail["repairs"]>;
  readonly nameOf: (id: string) => string;
}) {
  const callerOf = useCallerNames();
  return repairs.map(({ action, stepId, version, by, at, reason }) => (
    <p key={at} className="mt-3 text-sm text-ink-2" title={fullTime(at)}>
      Repaired {ago(at)}: {callerOf(by) || "a key"} {REPAIRED[action]}{" "}
      {stepId === null ? version : `“${stepTitle(stepId, nameOf)}”`}
      {reason === null ? "" : `: “${reason}”`}
    </p>
  ));
}

/** The steps that another service had to confirm and did not. */
function Unconfirmed({
  record,
  nameOf,
}: {
  readonly record: RunDetail;
  readonly nameOf: (id: string) => string;
}) {
  const steps = record.unconfirmedSteps;
  if (steps.length === 0) return null;
  // The service names the first 100.
  const many = steps.length === 1 ? "1 step" : `${steps.length}${steps.length < 100 ? "" : " or more"} steps`;
  const shown = steps.slice(0, 5);
  return (
    <div
      className={cx(
        "mt-4 rounded-lg px-3 py-2",
        steps.some((step) => step.sent) ? "bg-warn-soft text-warn" : "bg-sunken text-ink-2",
      )}
      role="note"
    >
      <p className="font-medium">
        {steps.every((step) => step.sent)
          ? `${many} ${steps.length === 1 ? "was" : "were"} sent to another service and not confirmed`
          : `${many} ${steps.length === 1 ? "is" : "are"} not confirmed`}
      </p>
      <ul className="mt-1 list-disc pl-5 text-sm">
        {shown.map((step) => (
          <li key={step.stepId}>
            {nameOf(step.stepId)}: {step.reason}
          </li>
        ))}
        {shown.length < steps.length ? <li>and others</li> : null}
      </ul>
    </div>
  );
}

function Notice({ text, children }: { readonly text: string; readonly children: React.ReactNode }) {
  return (
    <div className="mt-4 flex flex-wrap items-center gap-3 rounded-lg bg-warn-soft px-3 py-2">
      <p dir="auto" className="min-w-0 flex-1 basis-64 font-medium text-warn">
        {text}
      </p>
      {children}
    </div>
  );
}

/** A retry resets the start of a run; steps that it kept are older. */
function isRetry({ startedAt, steps }: RunDetail): boolean {
  return startedAt !== null && steps.some((step) => step.startedAt !== null && step.startedAt < startedAt);
}

/** How long the run took, or how long it has been running or waiting, which goes on while a person looks. */
function timeOf(record: RunDetail): { readonly label: string; readonly value: React.ReactNode } {
  if (record.finishedAt !== null)
    return { label: isRetry(record) ? "Retry took" : "Took", value: took(record) || "–" };
  const [wait] = record.steps
    .filter((step) => step.status === "waiting" || step.status === "outcome_unknown")
    .flatMap(({ startedAt }) => (startedAt === null ? [] : [startedAt]))
    .toSorted();
  if (record.status === "waiting" && wait !== undefined)
    return { label: "Waiting for", value: <Elapsed since={wait} /> };
  return record.startedAt === null
    ? { label: "Running", value: "not yet" }
    : { label: "Running for", value: <Elapsed since={record.startedAt} /> };
}

function Fact({
  label,
  value,
  title,
}: {
  readonly label: string;
  readonly value: React.ReactNode;
  readonly title?: string;
}) {
  return (
    <div>
      <dt className="text-sm text-ink-2">{label}</dt>
      <dd className="font-medium" title={title}>
        {value}
      </dd>
    </div>
  );
}
