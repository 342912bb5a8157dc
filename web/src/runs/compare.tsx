import type { Run, RunDetail, Step } from "@workflow-ui/client";
import { Fragment, useState } from "react";
import { useOperation } from "../api/operations.ts";
import { fullTime, took } from "../lib/format.ts";
import { StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { comparedResult } from "#workflows/compared-result.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Empty } from "../ui/page.tsx";
import { same } from "../workflow/document/merge.ts";
import { inOrder } from "./order.ts";
import { ResultView } from "./result-view.tsx";
import { Select } from "../ui/fields.tsx";
import { stepTitle } from "./titles.ts";

function versionWords(run: Run): string {
  const version = run.workflowVersion;
  return version === null ? "draft" : `version ${version}`;
}

/** Both results, when a person wants to see how they differ. */
function Difference({ now, before }: { readonly now: Step; readonly before: Step }) {
  return (
    <details>
      <summary className="text-ink-2">Both results</summary>
      <div className="mt-1 grid gap-3 sm:grid-cols-2">
        <div className="min-w-0">
          <p className="text-xs text-ink-2">This run</p>
          <ResultView value={now.output} name="this run" />
        </div>
        <div className="min-w-0">
          <p className="text-xs text-ink-2">Other run</p>
          <ResultView value={before.output} name="other run" />
        </div>
      </div>
    </details>
  );
}

/** Two runs of one workflow, step by step: state, time, and whether the result differs. */
export function CompareRuns({
  run,
  nameOf,
  onClose,
}: {
  readonly run: RunDetail;
  readonly nameOf: (id: string) => string;
  readonly onClose: () => void;
}) {
  const others = useOperation("list_runs", { workflowId: run.workflowId ?? "", limit: 50 });
  const list = (others.data?.runs ?? []).filter((item) => item.id !== run.id);
  const [picked, setPicked] = useState("");
  const id = picked === "" ? (list[0]?.id ?? "") : picked;
  const found = useOperation("get_run", { id }, { enabled: id !== "" });
  // Of a long map each run holds other items first: only its whole result can be compared.
  const long = new Set(
    [run, found.data?.run].flatMap((one) =>
      (one?.maps ?? []).filter(({ items, shown }) => items > shown).map(({ stepId }) => stepId),
    ),
  );
  const ordered = inOrder(run.steps).flatMap(({ step, items }) => [
    step,
    ...(long.has(step.id) ? [] : items.flatMap((item) => item.steps)),
  ]);
  const before = new Map(found.data?.run.steps.map((step) => [step.id, step]));
  const differsIn = (step: Step, match: Step): boolean =>
    step.status !== match.status || !same(comparedResult(step.output), comparedResult(match.output));
  // Of what is inside a map, only what differs is shown.
  const shown = ordered.filter((step) => {
    const match = before.get(step.id);
    return !step.id.includes("[") || match === undefined || differsIn(step, match);
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title="Compare with another run"
      className="sm:w-[min(52rem,calc(100vw-2rem))]"
    >
      {list.length === 0 ? (
        <Empty title="There is no other run of this workflow" />
      ) : (
        <>
          <Select
            aria-label="Run to compare with"
            look="mb-3"
            value={id}
            options={list.map((item) => ({
              value: item.id,
              label: `${fullTime(item.createdAt)}, ${versionWords(item)}, ${item.status.replaceAll("_", " ")}`,
            }))}
            onChoose={setPicked}
          />
          <div className="overflow-x-auto" tabIndex={0} role="group" aria-label="Steps of both runs">
            <table className="w-full text-left text-sm">
              <thead className="text-ink-2">
                <tr>
                  {["Step", "This run", "Other run", "Result"].map((name) => (
                    <th key={name} scope="col" className="px-2 py-1.5 font-medium">
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody className="divide-y divide-line">
                {shown.map((step) => {
                  const match = before.get(step.id);
                  const differs = match !== undefined && differsIn(step, match);
                  return (
                    <Fragment key={step.id}>
                      <tr>
                        <th scope="row" className="px-2 py-1.5 font-medium">
                          {stepTitle(step.id, nameOf)}
                        </th>
                        <td className="px-2 py-1.5">
                          <StateBadge state={step.status} /> {took(step)}
                        </td>
                        <td className="px-2 py-1.5">
                          {match === undefined ? (
                            "did not run"
                          ) : (
                            <>
                              <StateBadge state={match.status} /> {took(match)}
                            </>
                          )}
                        </td>
                        <td className="px-2 py-1.5">
                          {match === undefined ? "" : differs ? "differs" : "same"}
                        </td>
                      </tr>
                      {match === undefined || !differs ? null : (
                        <tr className="border-t-0!">
                          <td colSpan={4} className="px-2 pb-2">
                            <Difference now={step} before={match} />
                          </td>
                        </tr>
                      )}
                    </Fragment>
                  );
                })}
              </tbody>
            </table>
          </div>
        </>
      )}
    </Dialog>
  );
}
