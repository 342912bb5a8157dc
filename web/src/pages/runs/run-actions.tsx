import type { RunDetail, JsonObject } from "@workflow-ui/client";
import { Link, useNavigate } from "@tanstack/react-router";
import { CircleStop, Play, ReceiptText, RotateCcw, ShieldCheck, Wrench } from "lucide-react";
import { isJsonRecord } from "#kernel/json.ts";
import { lazy, Suspense, useState } from "react";
import { call } from "../../api/operations.ts";
import { useWhyNot } from "../../api/rights.ts";
import { useAction } from "../../lib/use-action.ts";
import { CompareRuns } from "../../runs/compare.tsx";
import { StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button, buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { isRedacted } from "../../ui/data-view.tsx";
import { Confirm } from "../../ui/confirm.tsx";

const RepairDialog = lazy(() => import("./repair.tsx").then((module) => ({ default: module.RepairDialog })));

/** What can be done with a run, as far as this person may. */
export function RunActions({
  record,
  ended,
  nameOf,
}: {
  readonly record: RunDetail;
  readonly ended: boolean;
  readonly nameOf: (id: string) => string;
}) {
  const navigate = useNavigate();
  const [asking, setAsking] = useState<"" | "cancel" | "compare" | "repair">("");
  const whyNot = useWhyNot();
  const { id, workflowId, status: state, inputs } = record;
  const whole = record.detailsRemovedAt === undefined;
  const isFailed = whole && (state === "failed" || state === "timed_out");
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
      {isFailed && whyNot("retry_run") === "" ? (
        <Button size="sm" onClick={() => retry.mutate()}>
          <RotateCcw /> Retry from where it stopped
        </Button>
      ) : null}
      {isFailed && record.kind === "run" && whyNot("repair_run") === "" ? (
        <Button size="sm" onClick={() => setAsking("repair")}>
          <Wrench /> Repair
        </Button>
      ) : null}
      {ended &&
      whole &&
      workflowId !== null &&
      isJsonRecord(inputs) &&
      !isRedacted(inputs) &&
      whyNot("start_run") === "" ? (
        <Button size="sm" onClick={() => again.mutate({ id: workflowId, inputs })}>
          <Play /> Run again with the same inputs
        </Button>
      ) : null}
      {ended || whyNot("cancel_workflow_run") !== "" ? null : (
        <Button size="sm" look="danger" onClick={() => setAsking("cancel")}>
          <CircleStop /> Cancel
        </Button>
      )}
      <Confirm
        open={asking === "cancel"}
        onClose={() => setAsking("")}
        title="Cancel this run?"
        description="Steps that have not begun never will. What has already happened is not undone."
        keep="Keep it running"
        act="Cancel the run"
        onAct={() => {
          setAsking("");
          cancel.mutate();
        }}
      >
        <p>Approvals that it waits for are withdrawn.</p>
      </Confirm>
      {asking === "repair" ? (
        <Suspense>
          <RepairDialog record={record} nameOf={nameOf} onClose={() => setAsking("")} />
        </Suspense>
      ) : null}
      {asking === "compare" ? (
        <CompareRuns run={record} nameOf={nameOf} onClose={() => setAsking("")} />
      ) : null}
    </>
  );
}
