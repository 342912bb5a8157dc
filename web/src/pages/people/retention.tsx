import type { FormStore } from "@workflow-ui/forms";
import { Form } from "@workflow-ui/forms-react";
import type { InputOf, RetentionPreview, RetentionRule, WorkflowSummary } from "@workflow-ui/client";
import { useMutation } from "@tanstack/react-query";
import { Eye, History, Trash2 } from "lucide-react";
import { useMemo } from "react";
import { useWorkflows } from "../../api/names.ts";
import { call, useOperation, refreshOperation } from "../../api/operations.ts";
import { storeOf } from "../../form-maker/schema-form.tsx";
import { count, fullTime } from "../../lib/format.ts";
import { toast } from "../../shell/notices.ts";
import { useMay } from "../../api/rights.ts";
import { Load, OnlyFor } from "../../shell/states.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Empty, Page, Panel } from "../../ui/page.tsx";
import { errorText } from "../../lib/error-text.ts";

type Rule = InputOf<"set_retention_rule">;

/** How long ended runs are kept: the rules, and a new one with what it would remove. */
export function RetentionPage() {
  const answer = useOperation("list_retention_rules", {}, { enabled: useMay("list_retention_rules") });
  return (
    <Page
      title="Retention"
      lead="How long ended runs are kept. Runs that wait or work are never removed, and neither is the signed record of a run: receipts and proofs stay valid."
    >
      <OnlyFor op="list_retention_rules">
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <Panel title="Rules" flush>
            <Load query={answer}>
              {({ rules }) =>
                rules.length === 0 ? (
                  <Empty icon={<History />} title="Every run is kept">
                    Without a rule the database grows with every run.
                  </Empty>
                ) : (
                  <ul className="divide-y divide-line">
                    {rules.map((rule) => (
                      <RuleRow key={rule.workflowId ?? ""} rule={rule} />
                    ))}
                  </ul>
                )
              }
            </Load>
          </Panel>
          <NewRule />
        </div>
      </OnlyFor>
    </Page>
  );
}

function RuleRow({ rule }: { readonly rule: RetentionRule }) {
  const remove = async () => {
    await call("remove_retention_rule", rule.workflowId === null ? {} : { workflowId: rule.workflowId });
    toast("good", "The rule is removed.", "What is there is kept from now on.");
    await refreshOperation("list_retention_rules");
  };
  return (
    <li className="flex flex-wrap items-start justify-between gap-3 p-4">
      <div className="min-w-0">
        <p className="font-medium break-words">
          {rule.workflowId === null ? "All workflows without a rule" : (rule.workflowName ?? rule.workflowId)}
        </p>
        <ul className="text-ink-2">
          {limitsOf(rule).map((limit) => (
            <li key={limit}>{limit}</li>
          ))}
        </ul>
        <p className="text-sm text-ink-3">Set {fullTime(rule.updatedAt)}</p>
      </div>
      <Button size="sm" onClick={() => void remove()}>
        <Trash2 /> Remove the rule
      </Button>
    </li>
  );
}

function limitsOf({ detailsDays, runsDays, runsKept }: RetentionRule): readonly string[] {
  return [
    detailsDays === null ? "" : `Values, steps and approvals for ${count(detailsDays, "day")}`,
    runsDays === null ? "" : `Runs for ${count(runsDays, "day")}`,
    runsKept === null ? "" : `At most ${count(runsKept, "run")} of a workflow`,
  ].filter((limit) => limit !== "");
}

function NewRule() {
  const workflows = useWorkflows();
  const store = useMemo(() => formFor(workflows.data?.items ?? []), [workflows.data]);
  const onError = (error: Error) => toast("bad", "The rule was not set", errorText(error));
  const preview = useMutation({
    mutationFn: async () => {
      const { workflowId = "", ...limits }: Rule = JSON.parse(JSON.stringify(store.value ?? {}));
      const rule: Rule = workflowId === "" ? limits : { workflowId, ...limits };
      return { rule, would: await call("preview_retention_rule", rule, { interactive: true }) };
    },
    onError,
  });
  const set = useMutation({
    mutationFn: (rule: Rule) => call("set_retention_rule", rule),
    onSuccess: () => {
      preview.reset();
      toast("good", "The rule is set.", "What is past its limits is being removed.");
      return refreshOperation("list_retention_rules");
    },
    onError,
  });
  const shown = preview.data;
  return (
    <Panel title="Set a rule">
      <Form
        key={store.document.formId}
        store={store}
        busy={preview.isPending || set.isPending}
        onSubmit={() => preview.mutate()}
        submitLabel={
          <>
            <Eye /> Show what it would remove
          </>
        }
      />
      {shown === undefined ? null : (
        <div className="mt-4 space-y-3">
          <Banner tone="warn" title={removes(shown.would)}>
            This cannot be undone. Signed records stay.
          </Banner>
          <Button look="danger" busy={set.isPending} onClick={() => set.mutate(shown.rule)}>
            Set the rule and remove them
          </Button>
        </div>
      )}
    </Panel>
  );
}

function removes({ details, runs, isComplete }: RetentionPreview): string {
  const atLeast = isComplete ? "" : "at least ";
  return `Now it would remove ${atLeast}${count(runs, "run")}, and the details of ${atLeast}${count(details, "run")}.`;
}

function formFor(workflows: readonly WorkflowSummary[]): FormStore {
  const days = (title: string, description: string) => ({
    type: "integer",
    title,
    description,
    minimum: 0,
    maximum: 36_500,
  });
  const schema = {
    type: "object",
    properties: {
      workflowId: {
        title: "Workflow",
        oneOf: [
          { const: "", title: "Every workflow without a rule of its own" },
          ...workflows.map((workflow) => ({
            const: workflow.id,
            title: workflow.name,
          })),
        ],
      },
      detailsDays: days(
        "Keep details for days",
        "Inputs, outputs, steps and approvals of a run are removed this many days after it ended.",
      ),
      runsDays: days("Keep runs for days", "A run is removed this many days after it ended."),
      runsKept: {
        type: "integer",
        title: "Keep at most",
        description: "The newest ended runs of a workflow that are kept.",
        minimum: 0,
        maximum: 10_000,
      },
    },
    anyOf: [{ required: ["detailsDays"] }, { required: ["runsDays"] }, { required: ["runsKept"] }],
  };
  return storeOf("Retention rule", schema, { workflowId: "" });
}
