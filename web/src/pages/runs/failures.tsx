import type { FailureGroup, Run } from "@workflow-ui/client";
import { Link } from "@tanstack/react-router";
import { Wrench } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useOperation } from "../../api/operations.ts";
import { useWhyNot } from "../../api/rights.ts";
import { ago, count, words } from "../../lib/format.ts";
import { namerOf } from "../../runs/titles.ts";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button, buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { Panel } from "../../ui/page.tsx";
import { Row, RowList } from "../../ui/rows.tsx";
import { graphOf } from "../../workflow/document/read-graph.ts";

const RepairDialog = lazy(() => import("./repair.tsx").then((module) => ({ default: module.RepairDialog })));

/** A cause of failed runs, as the address of the list names it. */
export interface Cause {
  readonly workflow: string | undefined;
  readonly step: string | undefined;
  readonly code: string;
}

/** Whether a run failed for a cause. */
export function failedFor({ code, step, workflow }: Cause, { error, status, workflowId }: Run): boolean {
  const at = error?.["step"];
  return (
    (error?.code ?? status) === code &&
    (typeof at === "string" ? at : undefined) === step &&
    (workflowId ?? undefined) === workflow
  );
}

const MOST_SHOWN = 10;

/** Why runs failed, the most frequent cause first; the chosen one with what repairs all of its runs. */
export function Failures({
  workflow,
  chosen,
}: {
  readonly workflow: string | undefined;
  readonly chosen: Cause | null;
}) {
  const { data } = useOperation("list_run_failures", workflow === undefined ? {} : { workflowId: workflow });
  const groups = data?.groups ?? [];
  const group = groups.find(
    ({ code, stepId }) => chosen?.code === code && (stepId ?? undefined) === chosen.step,
  );
  const shown = chosen === null ? groups.slice(0, MOST_SHOWN) : group === undefined ? [] : [group];
  if (shown.length === 0) return null;
  return (
    <Panel
      title={chosen === null ? "Why runs failed" : "These runs failed for the same cause"}
      flush
      className="mb-4"
      actions={
        chosen === null ? undefined : (
          <Link to="/runs" search={{ state: "failed" }} className={buttonClass("secondary", "sm")}>
            All causes
          </Link>
        )
      }
    >
      <RowList>
        {shown.map((one) => (
          <CauseRow key={`${one.workflowId} ${one.stepId} ${one.code}`} group={one} />
        ))}
      </RowList>
    </Panel>
  );
}

function CauseRow({ group }: { readonly group: FailureGroup }) {
  const { workflowId, stepId, code, message, count: runs, newestAt, runIds } = group;
  const [newest = ""] = runIds;
  const [isOpen, setOpen] = useState(false);
  const mayRepair = useWhyNot()("repair_runs") === "";
  const ran = useOperation("get_run_document", { id: newest }).data;
  const record = useOperation("get_run", { id: newest }, { enabled: isOpen }).data?.run;
  const nameOf = namerOf(graphOf(ran));
  const sub = [
    ran?.name ?? "",
    stepId === null ? "" : `at “${nameOf(stepId)}”`,
    `last ${ago(newestAt)}`,
  ].filter((part) => part !== "");
  return (
    <>
      <Row
        link={{
          to: "/runs",
          search: { state: "failed", workflow: workflowId ?? undefined, step: stepId ?? undefined, code },
        }}
        title={message ?? words(code)}
        sub={sub.join(" · ")}
        end={<Badge>{count(runs, "run")}</Badge>}
        actions={
          mayRepair && workflowId !== null ? (
            <Button size="sm" onClick={() => setOpen(true)}>
              <Wrench /> {runs === 1 ? "Repair this run" : `Repair these ${runs} runs`}
            </Button>
          ) : undefined
        }
      />
      {isOpen && record !== undefined && workflowId !== null ? (
        <Suspense>
          <RepairDialog
            record={record}
            nameOf={nameOf}
            cause={{ workflowId, stepId, code, count: runs }}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      ) : null}
    </>
  );
}
