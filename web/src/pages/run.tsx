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
import { lazy, Suspense, useState } from "react";
import { streamState } from "../api/events.ts";
import { queryClient, useDocument, useToolData } from "../api/queries.ts";
import { rest, toolData } from "../api/rpc.ts";
import { useExternal } from "../lib/external.ts";
import { ago, duration, fullTime } from "../lib/format.ts";
import { at, bagAt, bagsAt, flagAt, isBag, numberAt, textAt, type Bag } from "../lib/read.ts";
import { toast, track } from "../shell/notices.ts";
import { Load } from "../shell/states.tsx";
import { StateBadge } from "../ui/badge.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { DataView, isRedacted } from "../ui/data-view.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Empty, Page, Panel, Skeleton } from "../ui/page.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { graphOf, type Graph } from "../workflow/model.ts";
import { CompareRuns } from "../runs/compare.tsx";
import { ENDED, Outcome, resultText } from "../runs/outcome.tsx";
import { inOrder, stepId } from "../runs/order.ts";
import { ResultView } from "../runs/result-view.tsx";
import { Problem, StepPanel } from "../runs/step-panel.tsx";
import { Timeline } from "../runs/timeline.tsx";
import { namerOf } from "../runs/titles.ts";
import { stateOf } from "./records.ts";
import { actOnRun } from "./settle.tsx";

const Canvas = lazy(() => import("../workflow/canvas.tsx").then((module) => ({ default: module.Canvas })));

/** One run as a record: where it stands, step by step, as it happens. */
export function RunPage() {
  const { id = "" } = useParams({ strict: false });
  const [moving, setMoving] = useState(true);
  // The event stream says when something changed; without it the page asks.
  const live = useExternal(streamState) === "open";
  const run = useToolData("get_workflow_run", { id }, moving ? { refetchMs: live ? 10_000 : 2_000 } : {});
  const ran = useDocument(`/api/svc/runs/${encodeURIComponent(id)}/document`);
  const inner = at(run.data, "run");
  const record: Bag = isBag(inner) ? inner : (run.data ?? {});
  const state = stateOf(record);
  const ended = ENDED.has(state);
  if (moving === ended && run.data !== undefined) setMoving(!ended);
  const dry = textAt(record, "kind") === "dry_run";
  const name = textAt(ran.data, ["data", "name"], dry ? "Dry run" : "Run");
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
      lead={run.data === undefined ? undefined : summaryOf(record, ran.data)}
      actions={
        run.data === undefined ? undefined : (
          <Actions
            id={id}
            record={record}
            state={state}
            ended={ended}
            nameOf={namerOf(graphOf(bagAt(ran.data, "data")))}
          />
        )
      }
    >
      <Load query={run}>
        {/* The names of the steps are in the document: until it is here, a person would read their ids. */}
        {() =>
          ran.isPending ? (
            <Skeleton lines={4} />
          ) : (
            <RunBody record={record} graph={graphOf(bagAt(ran.data, "data"))} />
          )
        }
      </Load>
    </Page>
  );
}

/** Which version ran, when, and for how long, in one sentence. */
function summaryOf(record: Bag, ran: unknown): string {
  const version = numberAt(record, "workflowVersion");
  const what = version === null ? "Draft" : `Version ${version}`;
  const since = ran === undefined || flagAt(ran, "data", "isCurrent") ? "" : ", changed since";
  const kind = textAt(record, "kind") === "dry_run" ? "Dry run · " : "";
  const removed = textAt(record, "detailsRemovedAt");
  const kept = removed === "" ? "" : ` · Values and steps were removed ${fullTime(removed)}, see Retention`;
  return `${kind}${what}${since}${kept}`;
}

function Actions({
  id,
  record,
  state,
  ended,
  nameOf,
}: {
  readonly id: string;
  readonly record: Bag;
  readonly state: string;
  readonly ended: boolean;
  readonly nameOf: (id: string) => string;
}) {
  const navigate = useNavigate();
  const [asking, setAsking] = useState<"" | "cancel" | "compare">("");
  const workflowId = textAt(record, "workflowId");
  const whole = textAt(record, "detailsRemovedAt") === "";
  const cancel = async () => {
    setAsking("");
    try {
      await track("Cancel run", (signal) => toolData("cancel_workflow_run", { id }, { signal }));
      toast("info", "The run was asked to stop");
      await queryClient.invalidateQueries();
    } catch (error) {
      toast("bad", error instanceof Error ? error.message : "It was not cancelled");
    }
  };
  const again = async () => {
    try {
      const started = await track("Run workflow", (signal) =>
        rest(`/api/svc/workflows/${encodeURIComponent(workflowId)}/runs`, {
          signal,
          body: {
            inputs: bagAt(record, "inputs"),
            version: numberAt(record, "workflowVersion") ?? "draft",
            idempotencyKey: crypto.randomUUID(),
          },
        }),
      );
      toast("good", "A new run was started with the same inputs");
      void navigate({ to: "/runs/$id", params: { id: textAt(started, ["data", "run", "id"]) }, search: {} });
    } catch (error) {
      toast("bad", "The run was not started", error instanceof Error ? error.message : "");
    }
  };
  return (
    <>
      <StateBadge state={state} />
      <Link to="/provenance" search={{ by: "runId", value: id }} className={buttonClass("secondary", "sm")}>
        <ShieldCheck /> Provenance
      </Link>
      {ended && textAt(record, "kind") !== "dry_run" ? (
        <Link to="/receipt" search={{ run: id }} className={buttonClass("secondary", "sm")}>
          <ReceiptText /> Receipt
        </Link>
      ) : null}
      {ended && whole && workflowId !== "" ? (
        <Button size="sm" onClick={() => setAsking("compare")}>
          Compare
        </Button>
      ) : null}
      {whole && (state === "failed" || state === "timed_out") ? (
        <Button
          size="sm"
          onClick={() =>
            void actOnRun(
              "Retry run",
              `/api/svc/runs/${id}/retry`,
              {},
              "A new attempt began in this run; what had succeeded stays",
            )
          }
        >
          <RotateCcw /> Retry from where it stopped
        </Button>
      ) : null}
      {ended &&
      whole &&
      workflowId !== "" &&
      isBag(at(record, "inputs")) &&
      !isRedacted(at(record, "inputs")) ? (
        <Button size="sm" onClick={() => void again()}>
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
            <Button look="danger" onClick={() => void cancel()}>
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

function RunBody({ record, graph }: { readonly record: Bag; readonly graph: Graph }) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [view, setView] = useState<"timeline" | "graph">("timeline");
  const steps = bagsAt(record, "steps");
  const nameOf = namerOf(graph);
  const chosen = steps.find((step) => stepId(step) === search.step);
  const choose = (id: string | undefined) =>
    void navigate({ to: ".", replace: true, search: (before) => ({ ...before, step: id }) });
  const pending = bagsAt(record, "approvals").filter((item) => stateOf(item) === "pending");
  const doubtful = steps.find((step) => stateOf(step) === "outcome_unknown");
  const marks = new Map(steps.map((step) => [stepId(step), { state: stateOf(step) }]));
  const error = at(record, "error");
  const tops = inOrder(steps);
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1.2fr)_minmax(0,1fr)]">
      <div className="min-w-0 space-y-4">
        <Panel>
          <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
            <Fact
              label="Started"
              value={textAt(record, "startedAt") === "" ? "not yet" : ago(textAt(record, "startedAt"))}
              title={fullTime(textAt(record, "startedAt"))}
            />
            <Fact {...timeOf(record)} />
            <Fact
              label="Steps"
              value={`${tops.filter(({ step }) => stateOf(step) === "succeeded").length} of ${Math.max(graph.nodes.length, tops.length)} done`}
            />
            <Fact label="Result" value={resultText(record)} />
          </dl>
          {pending.map((approval) => (
            <Notice
              key={textAt(approval, "id")}
              text={`Waiting for approval: ${textAt(approval, "title", nameOf(textAt(approval, "stepId")))}`}
            >
              <Link
                to="/approvals"
                search={{ id: textAt(approval, "id") }}
                className={buttonClass("primary", "sm")}
              >
                <Stamp /> Decide
              </Link>
            </Notice>
          ))}
          {doubtful === undefined || doubtful === chosen ? null : (
            <Notice
              text={`It is not known whether “${nameOf(stepId(doubtful))}” happened. Say what became of it.`}
            >
              <Button size="sm" look="primary" onClick={() => choose(stepId(doubtful))}>
                <CircleHelp /> Settle it
              </Button>
            </Notice>
          )}
          <Unconfirmed record={record} nameOf={nameOf} />
          {isBag(error) && textAt(error, "code") !== "retried" ? (
            <div className="mt-4 [&>div]:mb-0">
              <Problem error={error} />
            </div>
          ) : null}
          {textAt(error, "code") === "retried" ? (
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
            key={stepId(chosen)}
            run={record}
            step={chosen}
            title={nameOf(stepId(chosen))}
            onClose={() => choose(undefined)}
          />
        )}
        <Panel title="Result">
          <Outcome record={record} graph={graph} />
        </Panel>
        <Panel title="Inputs">
          <ResultView value={at(record, "inputs")} name="inputs" />
        </Panel>
        <details className="panel px-4 py-2">
          <summary className="text-sm text-ink-2">Details</summary>
          <DataView
            value={{
              run: textAt(record, "id"),
              startedBy: textAt(record, "startedBy", "unknown"),
              created: textAt(record, "createdAt"),
              trace: textAt(record, "traceId"),
              document: textAt(record, "documentDigest"),
            }}
          />
        </details>
      </div>
    </div>
  );
}

/** The steps that another service had to confirm and did not. */
function Unconfirmed({ record, nameOf }: { readonly record: Bag; readonly nameOf: (id: string) => string }) {
  const steps = bagsAt(record, "unconfirmedSteps");
  if (steps.length === 0) return null;
  return (
    <div className="mt-4 rounded-lg bg-warn-soft px-3 py-2 text-warn" role="note">
      <p className="font-medium">
        {steps.every((step) => flagAt(step, "sent"))
          ? `${steps.length === 1 ? "1 step was" : `${steps.length} steps were`} sent to another service and not confirmed`
          : `${steps.length === 1 ? "1 step is" : `${steps.length} steps are`} not confirmed`}
      </p>
      <ul className="mt-1 list-disc pl-5 text-sm">
        {steps.map((step) => (
          <li key={textAt(step, "stepId")}>
            {nameOf(textAt(step, "stepId"))}: {textAt(step, "reason")}
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
function timeOf(record: Bag): { readonly label: string; readonly value: string } {
  const begin = Date.parse(textAt(record, "startedAt"));
  const end = Date.parse(textAt(record, "finishedAt"));
  if (!Number.isNaN(end)) return { label: "Took", value: Number.isNaN(begin) ? "–" : duration(end - begin) };
  const waits = bagsAt(record, "steps").filter((step) => stateOf(step) === "waiting");
  if (stateOf(record) === "waiting" && waits.length > 0) {
    return {
      label: "Waiting",
      value: since(Math.min(...waits.map((step) => Date.parse(textAt(step, "startedAt"))))),
    };
  }
  return { label: "Running", value: since(begin) };
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
