import type { Trigger } from "@workflow-ui/client";
import { Plus, Zap } from "lucide-react";
import { useState } from "react";
import { useOperation } from "../../api/operations.ts";
import { ago } from "../../lib/format.ts";
import { Load } from "../../shell/states.tsx";
import { StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Empty, Panel } from "../../ui/page.tsx";
import { ButtonUnless } from "../../ui/button-for.tsx";
import { Row, RowList } from "../../ui/rows.tsx";
import { useWhyNot } from "../../api/rights.ts";
import { triggerName, triggerWords } from "./settings.ts";
import { TriggerActions } from "./trigger-actions.tsx";
import { NewTrigger } from "./trigger-form.tsx";

/** Opens the dialog for a new trigger; disabled with the reason for those who may not. */
export function NewTriggerButton({ workflowId }: { readonly workflowId?: string }) {
  const refusal = useWhyNot()("create_trigger");
  const [open, setOpen] = useState(false);
  return (
    <>
      <ButtonUnless reason={refusal} look="primary" onClick={() => setOpen(true)}>
        <Plus /> New trigger
      </ButtonUnless>
      {open ? (
        <NewTrigger {...(workflowId !== undefined && { workflowId })} onClose={() => setOpen(false)} />
      ) : null}
    </>
  );
}

/** The triggers of one workflow. */
export function TriggersTab({ workflowId }: { readonly workflowId: string }) {
  const answer = useOperation("list_triggers", { workflowId, limit: 100 });
  return (
    <Panel title="Triggers" flush actions={<NewTriggerButton workflowId={workflowId} />}>
      <Load query={answer}>{({ triggers }) => <TriggerList triggers={triggers} />}</Load>
    </Panel>
  );
}

/** Triggers with their state and what can be done with them. */
export function TriggerList({
  triggers,
  ofSeveral = false,
}: {
  readonly triggers: readonly Trigger[];
  /** The triggers belong to several workflows, which are named. */
  readonly ofSeveral?: boolean;
}) {
  const refusal = useWhyNot()("create_trigger");
  if (triggers.length === 0)
    return (
      <Empty icon={<Zap />} title="No triggers">
        {refusal === "" ? "A trigger starts a workflow by itself." : refusal}
      </Empty>
    );
  return (
    <RowList>
      {triggers.map((trigger) => (
        <Row
          key={trigger.id}
          link={{ to: "/triggers/$id", params: { id: trigger.id } }}
          title={triggerName(trigger)}
          sub={[
            ofSeveral ? (trigger.workflowName ?? trigger.workflowId) : "",
            trigger.name === undefined ? "" : triggerWords(trigger),
            trigger.kind === "webhook" ? (trigger.address ?? "") : "",
            trigger.nextAt === null ? "" : `next ${ago(trigger.nextAt)}`,
            trigger.lastRunId === null ? "never started" : "",
            trigger.pauseNote ?? "",
          ]
            .filter((part) => part !== "")
            .join(" · ")}
          end={<StateBadge state={trigger.paused ? "paused" : "active"} />}
          actions={refusal === "" ? <TriggerActions trigger={trigger} /> : undefined}
        />
      ))}
    </RowList>
  );
}
