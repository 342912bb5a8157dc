import type { RunDetail, JsonObject, RunDocument } from "@workflow-ui/client";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import {
  ArrowLeft,
  CircleHelp,
  CircleStop,
  Play,
  ReceiptText,
  RotateCcw,
  ShieldCheck,
  Stamp,
} from "lucide-react";
import { isJsonRecord } from "#kernel/json.ts";
import { runHasEnded } from "#model/states.ts";
import { lazy, Suspense, useState } from "react";
import { streamState } from "../../api/events.ts";
import { call, useOperation } from "../../api/operations.ts";
import { useExternal } from "../../lib/external.ts";
import { ago, duration, fullTime, took } from "../../lib/format.ts";
import { Load } from "../../shell/states.tsx";
import { StateBadge } from "../../ui/badge.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { DataView, isRedacted, plainText } from "../../ui/data-view.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Empty, Page, Panel, Skeleton } from "../../ui/page.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import type { Graph } from "../../workflow/document/model.ts";
import { graphOf } from "../../workflow/document/read-graph.ts";
import { CompareRuns } from "../../runs/compare.tsx";
import { Outcome, resultText } from "../../runs/outcome.tsx";
import { inOrder } from "../../runs/order.ts";
import { ResultView } from "../../runs/result-view.tsx";
import { Problem, StepPanel } from "../../runs/step-panel.tsx";
import { Timeline } from "../../runs/timeline.tsx";
import { namerOf } from "../../runs/titles.ts";
import { useAction } from "../../lib/use-action.ts";

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
  const record = run.data?.run;
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
      lead={record === undefined ? undefined : summaryOf(record, ran.data)}
      actions={
        record === undefined ? undefined : <Actions record={record} ended={ended} nameOf={namerOf(graph)} />
      }
    >
      <Load query={run}>
        {/* The names of the steps are in the document: until it is here, a person would read their ids. */}
        {({ run: shown }) =>
          ran.isPending ? <Skeleton lines={4} /> : <RunBody record={shown} graph={graph} />
        }
      </Load>
    </Page>
  );
}

/** Which version ran, when, and for how long, in one sentence. */
function summaryOf(record: RunDetail, ran: RunDocument | undefined): string {
  const version = record.workflowVersion;
  const what = version === null ? "Draft" : `Version ${version}`;
  const since = ran === undefined || ran.isCurrent ? "" : ", changed since";
  const kind = record.kind === "dry_run" ? "Dry run · " : "";
  const removed = record.detailsRemovedAt;
  const kept =
    removed === undefined ? "" : ` · Values and steps were removed ${fullTime(removed)}, see Retention`;
  return `${kind}${what}${since}${kept}`;
}

function Actions({
  record,
  ended,
  nameOf,
}: {
  readonly record: RunDetail;
  readonly ended: boolean;
  readonly nameOf: (id: string) => string;
}) {
  const navigate = useNavigate();
  const [asking, setAsking] = useState<"" | "cancel" | "compare">("");
  const { id, workflowId, status: state, inputs } = record;
  const whole = record.detailsRemovedAt === undefined;
  const cancel = useAction({
    title: "Cancel run",
    failed: "It was not cancelled",
    run: (_, signal) => call("cancel_workflow_run", { id }, { signal }),
    done: () => "The run was asked to stop",
  });
  const retry = useAction({
    title: "Retry run",
    failed: "It was not retried",
    run: (_, signal) => call("retry_run", { id }, { signal }),
    done: () => "A new attempt began in this run; what had succeeded stays",
  });
  const again = useAction({
    title: "Run workflow",
    failed: "The run was not started",
    run: (input: { readonly id: string; readonly inputs: JsonObject }, signal) => {
      const version = record.workflowVersion ?? "draft";
      return call("start_run", { ...input, version, idempotencyKey: crypto.randomUUID() }, { signal });
    },
    done: ({ run }) => {
      void navigate({ to: "/runs/$id", params: { id: run.id }, search: {} });
      return "A new run was started with the same inputs";
    },
  });
  return (
    <>
      <StateBadge state={state} />
      <Link to="/provenance" search={{ by: "runId", value: id }} className={buttonClass("secondary", "sm")}>
        <ShieldCheck /> Provenance
      </Link>
      {ended && record.kind !== "dry_run" ? (
        <Link to="/receipt" search={{ run: id }} className={buttonClass("secondary", "sm")}>
          <ReceiptText /> Receipt
        </Link>
      ) : null}
      {ended && whole && workflowId !== null ? (
        <Button size="sm" onClick={() => setAsking("compare")}>
          Compare
        </Button>
      ) : null}
      {whole && (state === "failed" || state === "timed_out") ? (
        <Button size="sm" onClick={() => retry.mutate()}>
          <RotateCcw /> Retry from where it stopped
        </Button>
      ) : null}
      {ended && whole && workflowId !== null && isJsonRecord(inputs) && !isRedacted(inputs) ? (
        <Button size="sm" onClick={() => again.mutate({ id: workflowId, inputs })}>
          <Play /> New run
        </Button>
      ) : null}
      {ended ? null : (
        <Button size="sm" look="danger" onClick={() => setAsking("cancel")}>
          <CircleStop /> Cancel
        </Button>
      )}
      <Dialog
        open={asking === "cancel"}
        onClose={() => setAsking("")}
        title="Cancel this run?"
        description="Steps that have not begun never will. What has already happened is not undone."
        footer={
          <>
            <Button onClick={() => setAsking("")}>Keep it running</Button>
            <Button
              look="danger"
              onClick={() => {
                setAsking("");
                cancel.mutate();
              }}
            >
              Cancel the run
            </Button>
          </>
        }
      >
        <p>Approvals that it waits for are withdrawn.</p>
      </Dialog>
      {asking === "compare" ? (
        <CompareRuns run={record} nameOf={nameOf} onClose={() => setAsking("")} />
      ) : null}
    </>
  );
}

function RunBody({ record, graph }: { readonly record: RunDetail; readonly graph: Graph }) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [view, setView] = useState<"timeline" | "graph">("timeline");
  const steps = record.steps;
  const nameOf = namerOf(graph);
  const chosen = steps.find((step) => step.id === search.step);
  const choose = (id: string | undefined) =>
    void navigate({ to: ".", replace: true, search: (before) => ({ ...before, step: id }) });
  const pending = (record.approvals ?? []).filter((item) => item.status === "pending");
  const doubtful = steps.find((step) => step.status === "outcome_unknown");
  const marks = new Map(steps.map((step) => [step.id, { state: step.status }]));
  const error = record.error;
  const tops = inOrder(steps);
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1.2fr)_minmax(0,1fr)]">
      <div className="min-w-0 space-y-4">
        <Panel>
          <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
            <Fact
              label="Started"
              value={record.startedAt === null ? "not yet" : ago(record.startedAt)}
              title={fullTime(record.startedAt)}
            />
            <Fact {...timeOf(record)} />
            <Fact
              label="Steps"
              value={`${tops.filter(({ step }) => step.status === "succeeded").length} of ${Math.max(graph.nodes.length, tops.length)} done`}
            />
            <Fact label="Result" value={resultText(record)} />
          </dl>
          {pending.map((approval) => (
            <Notice
              key={approval.id}
              text={`Waiting for approval: ${plainText(approval.title, nameOf(approval.stepId))}`}
            >
              <Link to="/approvals" search={{ id: approval.id }} className={buttonClass("primary", "sm")}>
                <Stamp /> Decide
              </Link>
            </Notice>
          ))}
          {doubtful === undefined || doubtful === chosen ? null : (
            <Notice
              text={`It is not known whether “${nameOf(doubtful.id)}” happened. Say what became of it.`}
            >
              <Button size="sm" look="primary" onClick={() => choose(doubtful.id)}>
                <CircleHelp /> Settle it
              </Button>
            </Notice>
          )}
          <Unconfirmed record={record} nameOf={nameOf} />
          {error && error.code !== "retried" ? (
            <div className="mt-4 [&>div]:mb-0">
              <Problem error={error} />
            </div>
          ) : null}
          {error?.code === "retried" ? (
            <p className="mt-3 text-sm text-ink-2">This run was retried: what had succeeded stayed.</p>
          ) : null}
        </Panel>
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
          {steps.length === 0 ? (
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
            <Timeline steps={steps} titleOf={nameOf} chosen={search.step ?? ""} onChoose={choose} />
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
        <Panel title="Result">
          <Outcome record={record} graph={graph} />
        </Panel>
        <Panel title="Inputs">
          <ResultView value={record.inputs} name="inputs" />
        </Panel>
        <details className="panel px-4 py-2">
          <summary className="text-sm text-ink-2">Details</summary>
          <DataView
            value={{
              run: record.id,
              startedBy: record.startedBy ?? "unknown",
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
  return (
    <div className="mt-4 rounded-lg bg-warn-soft px-3 py-2 text-warn" role="note">
      <p className="font-medium">
        {steps.every((step) => step.sent)
          ? `${steps.length === 1 ? "1 step was" : `${steps.length} steps were`} sent to another service and not confirmed`
          : `${steps.length === 1 ? "1 step is" : `${steps.length} steps are`} not confirmed`}
      </p>
      <ul className="mt-1 list-disc pl-5 text-sm">
        {steps.map((step) => (
          <li key={step.stepId}>
            {nameOf(step.stepId)}: {step.reason}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Notice({ text, children }: { readonly text: string; readonly children: React.ReactNode }) {
  return (
    <div className="mt-4 flex flex-wrap items-center gap-3 rounded-lg bg-warn-soft px-3 py-2">
      <p dir="auto" className="min-w-0 flex-1 font-medium text-warn">
        {text}
      </p>
      {children}
    </div>
  );
}

/** How long the run took, or how long it has been running or waiting. */
function timeOf(record: RunDetail): { readonly label: string; readonly value: string } {
  if (record.finishedAt !== null) return { label: "Took", value: took(record) || "–" };
  const waits = record.steps.filter((step) => step.status === "waiting");
  if (record.status === "waiting" && waits.length > 0) {
    return {
      label: "Waiting",
      value: since(Math.min(...waits.map((step) => Date.parse(step.startedAt ?? "")))),
    };
  }
  return { label: "Running", value: since(Date.parse(record.startedAt ?? "")) };
}

function since(time: number): string {
  return Number.isNaN(time) ? "not yet" : `for ${duration(Math.max(0, Date.now() - time))}`;
}

function Fact({
  label,
  value,
  title,
}: {
  readonly label: string;
  readonly value: string;
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
