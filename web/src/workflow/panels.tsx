import { CircleAlert, CircleCheck, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { useDocument, useResource } from "../api/queries.ts";
import { duration, fullTime } from "../lib/format.ts";
import { at, bagAt, bagsAt, flagAt, listAt, numberAt, textAt, textsAt, type Bag } from "../lib/read.ts";
import { getJson } from "../api/rpc.ts";
import { toast } from "../shell/notices.ts";
import { RunRow } from "../pages/home.tsx";
import { Failure, Load } from "../shell/states.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { DataView } from "../ui/data-view.tsx";
import { Empty, Panel } from "../ui/page.tsx";
import { RowList } from "../ui/rows.tsx";
import { endPath, graphOf, titleOf, type Graph } from "./model.ts";
import { nodeOf, type Verdict } from "./use-verdict.ts";

/** Everything that is wrong, each with where and how to fix it. */
export function ProblemsTab({
  verdict,
  graph,
  onGo,
  onChange,
}: {
  readonly verdict: Verdict;
  readonly graph: Graph;
  readonly onGo: (node: string) => void;
  readonly onChange: (label: string, next: (graph: Graph) => Graph) => void;
}) {
  if (verdict.failed !== null) return <Failure error={verdict.failed} />;
  if (verdict.problems.length === 0) {
    return (
      <Empty icon={<CircleCheck />} title="No problems">
        The graph was checked as a whole: ids, ways, references, arguments, conditions, safety.
      </Empty>
    );
  }
  return (
    <Panel flush>
      <ul className="divide-y divide-line">
        {verdict.problems.map((problem) => {
          const node = nodeOf(graph, problem);
          const error = textAt(problem, "severity", "error") === "error";
          return (
            <li
              key={textAt(problem, "pointer") + textAt(problem, "code") + textAt(problem, "message")}
              className="flex gap-3 px-4 py-3 [&>svg]:mt-0.5 [&>svg]:size-4 [&>svg]:shrink-0"
            >
              {error ? <CircleAlert className="text-bad" /> : <TriangleAlert className="text-warn" />}
              <div className="min-w-0 flex-1">
                <p className="font-medium">{textAt(problem, "message")}</p>
                <p className="text-sm text-ink-2">{textAt(problem, "fix")}</p>
                {textAt(problem, "code") === "switch_no_default" && node !== "" ? (
                  <Button
                    size="sm"
                    className="mt-1.5"
                    onClick={() => onChange(`end ${node}`, (now) => endPath(now, node, "default"))}
                  >
                    Let the path end
                  </Button>
                ) : null}
                <details className="mt-0.5 text-xs text-ink-3">
                  <summary>Details</summary>
                  <span className="font-mono">
                    {textAt(problem, "code")} ·{" "}
                    {textAt(problem, "pointer") === "" ? "/" : textAt(problem, "pointer")}
                  </span>
                </details>
              </div>
              {node === "" ? null : (
                <button
                  type="button"
                  onClick={() => onGo(node)}
                  className="self-start text-sm text-accent-ink underline-offset-2 hover:underline"
                >
                  {titleOf(graph.nodes.find((item) => textAt(item, "id") === node) ?? {})}
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

/** What a run would do, in order, before it does anything. */
export function PlanTab({
  verdict,
  onGo,
}: {
  readonly verdict: Verdict;
  readonly onGo: (node: string) => void;
}) {
  const inner = bagAt(verdict.plan, "plan");
  const plan = Object.keys(inner).length > 0 ? inner : verdict.plan;
  if (plan === null)
    return <Empty title="No plan yet">The plan appears when the service can read the graph.</Empty>;
  const steps = bagsAt(plan, "steps");
  const worst = numberAt(plan, "worstCase", "ms");
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
      <Panel title="In this order" flush>
        <ol className="divide-y divide-line">
          {listAt(plan, "levels").map((level, index) => (
            <li key={index} className="flex gap-4 px-4 py-2.5">
              <span className="w-6 shrink-0 pt-0.5 text-sm text-ink-3 tabular-nums">{index + 1}</span>
              <ul className="min-w-0 flex-1 space-y-1.5">
                {(Array.isArray(level) ? level : []).map((id: unknown) => {
                  const step = steps.find((item) => textAt(item, "id") === id) ?? {};
                  return <PlanStep key={String(id)} id={String(id)} step={step} onGo={onGo} />;
                })}
              </ul>
            </li>
          ))}
        </ol>
        {steps.length === 0 ? <p className="p-6 text-center text-ink-2">There is no step to plan.</p> : null}
      </Panel>
      <Panel title="Before you run it">
        <dl className="space-y-2">
          <Fact label="Can be run">{flagAt(plan, "executable") ? "yes" : "no: fix the errors first"}</Fact>
          <Fact label="Longest time">{worst === null ? "not bounded" : duration(worst)}</Fact>
          <Fact label="At most in parallel">{String(numberAt(plan, "maxParallelSteps") ?? "–")}</Fact>
          <Fact label="Need a key">{textsAt(plan, "protectedSteps").join(", ") || "no step"}</Fact>
          <Fact label="Stop for a person">{String(listAt(plan, "approvals").length)}</Fact>
          <Fact label="Known only at run time">{`${numberAt(plan, "unresolvedValues") ?? 0} values`}</Fact>
          <Fact label="Inputs needed">{textsAt(plan, "requiredInputs").join(", ") || "none"}</Fact>
        </dl>
        {bagsAt(plan, "unconfirmable").map((step) => (
          <p
            key={textAt(step, "stepId")}
            className="mt-3 rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn"
          >
            <span className="font-mono">{textAt(step, "stepId")}</span> cannot be confirmed:{" "}
            {textAt(step, "reason")} {textAt(step, "nextAction")}
          </p>
        ))}
        <p className="mt-3 font-mono text-xs break-all text-ink-3">{textAt(plan, "planDigest")}</p>
      </Panel>
    </div>
  );
}

function PlanStep({
  id,
  step,
  onGo,
}: {
  readonly id: string;
  readonly step: Bag;
  readonly onGo: (node: string) => void;
}) {
  const effect = textAt(step, "effect", "none");
  return (
    <li className="flex flex-wrap items-center gap-2">
      <button
        type="button"
        onClick={() => onGo(id)}
        className="font-medium underline-offset-2 hover:underline"
      >
        {textAt(step, "title", id)}
      </button>
      <span className="font-mono text-xs text-ink-3">{textAt(step, "tool", textAt(step, "type"))}</span>
      {effect === "none" ? null : <Badge tone={effect === "destructive" ? "bad" : "warn"}>{effect}</Badge>}
      {textAt(step, "type") === "approval" ? <Badge tone="accent">waits for a person</Badge> : null}
      {flagAt(step, "conditional") ? <Badge>conditional</Badge> : null}
      {textAt(step, "scope") === "" ? null : <Badge>needs {textAt(step, "scope")}</Badge>}
    </li>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: string }) {
  return (
    <div className="flex justify-between gap-4">
      <dt className="text-ink-2">{label}</dt>
      <dd className="text-right font-medium">{children}</dd>
    </div>
  );
}

/** The runs of one workflow. */
export function RunsTab({ workflowId }: { readonly workflowId: string }) {
  const runs = useResource("svc://runs");
  return (
    <Panel flush>
      <Load query={runs}>
        {(data) => {
          const list = bagsAt(data, "runs").filter((run) => textAt(run, "workflowId") === workflowId);
          if (list.length === 0) return <Empty title="This workflow has not run" />;
          return (
            <RowList>
              {list.map((run) => (
                <RunRow key={textAt(run, "id")} run={run} />
              ))}
            </RowList>
          );
        }}
      </Load>
    </Panel>
  );
}

/** The published versions, which never change, and how the draft differs from each. */
export function VersionsTab({
  record,
  onRestore,
}: {
  readonly record: Bag;
  readonly onRestore: (graph: Graph) => void;
}) {
  const id = encodeURIComponent(textAt(record, "id"));
  const versions = useDocument(`/api/svc/workflows/${id}/versions`);
  const [from, setFrom] = useState("");
  const restore = async (version: number) => {
    try {
      const found = await getJson(`/api/svc/workflows/${id}/versions/${version}`);
      onRestore(graphOf(bagAt(found, "data", "version")));
      toast("good", `The draft is now version ${version} again`, "Undo brings back what it was.");
    } catch (error) {
      toast("bad", error instanceof Error ? error.message : "It was not restored");
    }
  };
  return (
    <Panel title="Published versions">
      <p className="mb-3 text-ink-2">
        Draft revision {numberAt(record, "revision") ?? 1}, changed {fullTime(textAt(record, "updatedAt"))}.
      </p>
      <Load query={versions}>
        {(data) => {
          const list = bagsAt(data, "data", "versions");
          if (list.length === 0)
            return (
              <p>Nothing is published yet. A published version never changes, and runs are pinned to it.</p>
            );
          return (
            <ul className="divide-y divide-line">
              {list.map((version) => (
                <li key={numberAt(version, "version")} className="flex flex-wrap items-center gap-3 py-2">
                  <span className="font-medium">Version {numberAt(version, "version")}</span>
                  <span className="min-w-0 flex-1 basis-52 truncate text-sm text-ink-2">
                    {fullTime(textAt(version, "publishedAt"))} ·{" "}
                    <span className="font-mono">{textAt(version, "digest")}</span>
                  </span>
                  <Button size="sm" onClick={() => setFrom(String(numberAt(version, "version") ?? ""))}>
                    Compare with the draft
                  </Button>
                  <Button size="sm" onClick={() => void restore(numberAt(version, "version") ?? 0)}>
                    Restore
                  </Button>
                </li>
              ))}
            </ul>
          );
        }}
      </Load>
      {from === "" ? null : <Difference path={`/api/svc/workflows/${id}/diff?from=${from}&to=draft`} />}
    </Panel>
  );
}

function Difference({ path }: { readonly path: string }) {
  const diff = useDocument(path);
  return (
    <div className="mt-4">
      <h3 className="mb-1 font-semibold">What the draft changes</h3>
      <Load query={diff}>{(data) => <DataView value={at(data, "data", "diff")} />}</Load>
    </div>
  );
}
