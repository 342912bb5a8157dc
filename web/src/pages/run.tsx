import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ArrowLeft, CircleHelp, CircleStop, RotateCcw, ShieldCheck, Stamp } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { queryClient, useDocument, useToolData } from "../api/queries.ts";
import { toolData } from "../api/rpc.ts";
import { cx } from "../lib/cx.ts";
import { ago, duration, fullTime, shortId } from "../lib/format.ts";
import { at, bagAt, bagsAt, flagAt, isBag, numberAt, textAt, type Bag } from "../lib/read.ts";
import { toast, track } from "../shell/notices.ts";
import { Load } from "../shell/states.tsx";
import { StateBadge } from "../ui/badge.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { DataView } from "../ui/data-view.tsx";
import { Empty, Page, Panel } from "../ui/page.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { graphOf } from "../workflow/model.ts";
import { stateOf } from "./records.ts";
import { actOnRun, Settle } from "./settle.tsx";

const Canvas = lazy(() => import("../workflow/canvas.tsx").then((module) => ({ default: module.Canvas })));
const ENDED = new Set(["succeeded", "failed", "timed_out", "cancelled"]);

/** One run: where it stands, step by step, as it happens. */
export function RunPage() {
  const { id = "" } = useParams({ strict: false });
  const [moving, setMoving] = useState(true);
  const run = useToolData("get_workflow_run", { id }, moving ? { refetchMs: 2000 } : {});
  const record = runOf(run.data);
  const state = stateOf(record);
  const ran = useDocument(`/api/svc/runs/${encodeURIComponent(id)}/document`);
  const ended = ENDED.has(state);
  if (moving === ended && run.data !== undefined) setMoving(!ended);
  const cancel = () =>
    void track("Cancel run", (signal) => toolData("cancel_workflow_run", { id }, { signal })).then(
      () => {
        toast("info", "The run was asked to stop");
        return queryClient.invalidateQueries();
      },
      (error: unknown) => toast("bad", error instanceof Error ? error.message : "It was not cancelled"),
    );
  return (
    <Page
      title={textAt(ran.data, ["data", "name"], `Run ${shortId(id)}`)}
      back={
        <Link to="/runs" className="mb-2 inline-flex items-center gap-1 text-sm text-ink-2 hover:text-ink">
          <ArrowLeft aria-hidden className="size-4" /> Runs
        </Link>
      }
      lead={<span className="font-mono text-sm">{id}</span>}
      actions={
        run.data === undefined ? undefined : (
          <>
            <StateBadge state={state} />
            <Link
              to="/provenance"
              search={{ by: "runId", value: id }}
              className={buttonClass("secondary", "sm")}
            >
              <ShieldCheck /> Provenance
            </Link>
            {state === "failed" || state === "timed_out" ? (
              <Button size="sm" onClick={() => void actOnRun("Run again", `/api/svc/runs/${id}/retry`, {})}>
                <RotateCcw /> Run again
              </Button>
            ) : null}
            {ended ? null : (
              <Button size="sm" look="danger" onClick={cancel}>
                <CircleStop /> Cancel
              </Button>
            )}
          </>
        )
      }
    >
      <Load query={run}>{(data) => <RunBody data={data} record={record} />}</Load>
    </Page>
  );
}

/** The run itself, whether the answer holds it or is it. */
function runOf(data: Bag | undefined): Bag {
  const inner = at(data, "run");
  return isBag(inner) ? inner : (data ?? {});
}

function RunBody({ data, record }: { readonly data: Bag; readonly record: Bag }) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [view, setView] = useState<"timeline" | "graph">("timeline");
  const steps = bagsAt(record, "steps").length > 0 ? bagsAt(record, "steps") : bagsAt(data, "steps");
  const ran = useDocument(`/api/svc/runs/${encodeURIComponent(textAt(record, "id"))}/document`);
  const graph = graphOf(bagAt(ran.data, "data"));
  const isCurrent = flagAt(ran.data, "data", "isCurrent");
  const titles = new Map(
    graph.nodes.map((node) => [textAt(node, "id"), textAt(node, "title", textAt(node, "id"))]),
  );
  const chosen = steps.find((step) => stepId(step) === search.step);
  const choose = (id: string) =>
    void navigate({ to: ".", replace: true, search: (before) => ({ ...before, step: id }) });
  const pending = bagsAt(record, "approvals").find((item) => stateOf(item) === "pending");
  const doubtful = steps.find((step) => stateOf(step) === "outcome_unknown");
  const marks = new Map(steps.map((step) => [stepId(step), { state: stateOf(step) }]));
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1.2fr)_minmax(0,1fr)]">
      <div className="min-w-0 space-y-4">
        <Panel>
          <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-3 lg:grid-cols-5">
            <Fact
              label="Started"
              value={textAt(record, "startedAt") === "" ? "not yet" : ago(textAt(record, "startedAt"))}
              title={fullTime(textAt(record, "startedAt"))}
            />
            <Fact label="Took" value={took(record)} />
            <Fact
              label="Steps"
              value={`${steps.filter((step) => stateOf(step) === "succeeded").length} of ${steps.length} done`}
            />
            <Fact label="Result" value={resultText(record)} />
            <Fact
              label="Version"
              value={
                (numberAt(record, "workflowVersion") === null
                  ? "Draft"
                  : `Version ${numberAt(record, "workflowVersion")}`) +
                (ran.data === undefined || isCurrent ? "" : ", changed since")
              }
            />
          </dl>
          {pending === undefined ? null : (
            <div className="mt-4 flex flex-wrap items-center gap-3 rounded-lg bg-warn-soft px-3 py-2">
              <p className="min-w-0 flex-1 font-medium text-warn">
                Waits for a decision: {textAt(pending, "title", "an approval")}
              </p>
              <Link
                to="/approvals"
                search={{ id: textAt(pending, "id") }}
                className={buttonClass("primary", "sm")}
              >
                <Stamp /> Decide
              </Link>
            </div>
          )}
          {doubtful === undefined || doubtful === chosen ? null : (
            <div className="mt-4 flex flex-wrap items-center gap-3 rounded-lg bg-warn-soft px-3 py-2">
              <p className="min-w-0 flex-1 font-medium text-warn">
                It is not known whether {titles.get(stepId(doubtful)) ?? stepId(doubtful)} happened. Say what
                became of it.
              </p>
              <Button size="sm" look="primary" onClick={() => choose(stepId(doubtful))}>
                <CircleHelp /> Settle it
              </Button>
            </div>
          )}
          <Unconfirmed record={record} />
          {isBag(at(record, "error")) ? (
            <div className="mt-4 rounded-lg bg-bad-soft px-3 py-2 text-bad">
              {textAt(record, ["error", "message"], "The run failed.")}
            </div>
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
            <div className="flex h-96 flex-col [&>div]:min-h-0 [&>div]:flex-1">
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
            <Timeline steps={steps} titles={titles} chosen={search.step ?? ""} onChoose={choose} />
          )}
        </Panel>
      </div>
      <div className="min-w-0 space-y-4">
        {chosen === undefined ? null : (
          <Panel title={`Step ${stepId(chosen)}`} actions={<StateBadge state={stateOf(chosen)} />}>
            {stateOf(chosen) === "outcome_unknown" ? (
              <Settle runId={textAt(record, "id")} stepId={stepId(chosen)} />
            ) : null}
            <DataView value={chosen} />
          </Panel>
        )}
        <Panel title="Inputs">
          <DataView value={at(record, "inputs") ?? {}} />
        </Panel>
        <Panel title="Outputs">
          {at(record, "outputs") === null || at(record, "outputs") === undefined ? (
            <p className="text-ink-2">None yet.</p>
          ) : (
            <DataView value={at(record, "outputs")} />
          )}
        </Panel>
      </div>
    </div>
  );
}

/** What the result is worth: confirmed by everybody who had to, or not. */
function resultText(record: Bag): string {
  if (!ENDED.has(stateOf(record))) return "not yet";
  if (textAt(record, "kind") === "dry_run") return "dry run";
  if (flagAt(record, "resultConfirmed")) return "confirmed";
  return stateOf(record) === "succeeded" ? "not confirmed" : "none";
}

/** The steps that another service had to confirm and did not. */
function Unconfirmed({ record }: { readonly record: Bag }) {
  const steps = bagsAt(record, "unconfirmedSteps");
  if (steps.length === 0) return null;
  return (
    <div className="mt-4 rounded-lg bg-warn-soft px-3 py-2 text-warn" role="note">
      <p className="font-medium">
        {steps.length === 1 ? "1 step is not confirmed" : `${steps.length} steps are not confirmed`} by the
        service that had to
      </p>
      <ul className="mt-1 list-disc pl-5 text-sm">
        {steps.map((step) => (
          <li key={textAt(step, "stepId")}>
            <span className="font-mono">{textAt(step, "stepId")}</span>: {textAt(step, "reason")}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Timeline({
  steps,
  titles,
  chosen,
  onChoose,
}: {
  readonly steps: readonly Bag[];
  readonly titles: ReadonlyMap<string, string>;
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}) {
  const times = steps
    .flatMap((step) => [Date.parse(textAt(step, "startedAt")), Date.parse(textAt(step, "finishedAt"))])
    .filter((time) => !Number.isNaN(time));
  const first = Math.min(...times);
  const span = Math.max(1, Math.max(...times) - first);
  return (
    <ol className="divide-y divide-line">
      {steps.map((step) => {
        const begin = Date.parse(textAt(step, "startedAt"));
        const end = Date.parse(textAt(step, "finishedAt"));
        const left = Number.isNaN(begin) ? 0 : ((begin - first) / span) * 100;
        const width = Number.isNaN(begin)
          ? 0
          : Math.max(1.5, (((Number.isNaN(end) ? first + span : end) - begin) / span) * 100);
        return (
          <li key={stepId(step)}>
            <button
              type="button"
              aria-pressed={stepId(step) === chosen}
              onClick={() => onChoose(stepId(step))}
              className={cx(
                "grid w-full grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1.5 px-4 py-2 text-left hover:bg-hover focus-visible:-outline-offset-2",
                stepId(step) === chosen && "bg-accent-soft",
              )}
            >
              <span className="min-w-0 truncate font-medium">{titles.get(stepId(step)) ?? stepId(step)}</span>
              <span className="flex items-center gap-2">
                <span className="text-xs text-ink-3 tabular-nums">
                  {Number.isNaN(begin) || Number.isNaN(end) ? "" : duration(end - begin)}
                </span>
                <StateBadge state={stateOf(step)} />
              </span>
              <span aria-hidden className="col-span-2 block h-1 overflow-hidden rounded-full bg-hover">
                <span
                  className="block h-full rounded-full bg-accent"
                  style={{ marginLeft: `${Math.min(98.5, left)}%`, width: `${Math.min(100 - left, width)}%` }}
                />
              </span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}

function stepId(step: Bag): string {
  return textAt(step, "stepId", textAt(step, "id"));
}

function took(record: Bag): string {
  const begin = Date.parse(textAt(record, "startedAt"));
  const end = Date.parse(textAt(record, "finishedAt"));
  return Number.isNaN(begin) ? "–" : duration((Number.isNaN(end) ? Date.now() : end) - begin);
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
