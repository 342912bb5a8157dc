import type { InputOf, OutputOf, RunDetail } from "@workflow-ui/client";
import { Wrench } from "lucide-react";
import { useState } from "react";
import { isJsonRecord } from "#kernel/json.ts";
import { call, useOperation } from "../../api/operations.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { useAction } from "../../lib/use-action.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { InputField, SelectField, TextareaField } from "../../ui/fields.tsx";

type Repair = InputOf<"repair_run">;
type Action = Repair["action"];
type Report = OutputOf<"preview_repair">["report"];

const ACTIONS: readonly { readonly value: Action; readonly label: string }[] = [
  { value: "change_input", label: "Change the input of a step" },
  { value: "supply_output", label: "Supply the output of a step" },
  { value: "skip", label: "Skip a step" },
  { value: "rerun", label: "Run a step and what follows again" },
  { value: "continue", label: "Continue on the newest version" },
];

const OUTCOMES: Readonly<Record<Report["steps"][number]["outcome"], string>> = {
  kept: "result stays",
  computed: "new result, nothing is run",
  runs: "runs",
  may_run: "runs, unless its input stays the same",
  asked: "approval is asked again",
  removed: "not in this version",
};

/** The button and the dialog that change something so that a failed run goes on; a retry without a change is a button. */
export function RepairRun({
  record,
  nameOf,
}: {
  readonly record: RunDetail;
  readonly nameOf: (id: string) => string;
}) {
  const [isOpen, setOpen] = useState(false);
  const isFailed = record.status === "failed" || record.status === "timed_out";
  if (!isFailed || record.kind !== "run" || record.detailsRemovedAt !== undefined) return null;
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)}>
        <Wrench /> Repair
      </Button>
      {isOpen ? <RepairDialog record={record} nameOf={nameOf} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function RepairDialog({
  record,
  nameOf,
  onClose,
}: {
  readonly record: RunDetail;
  readonly nameOf: (id: string) => string;
  readonly onClose: () => void;
}) {
  const { id } = record;
  const explanation = useOperation("explain_run", { id });
  const failed = record.steps.find(({ status }) => status === "failed")?.id ?? record.steps[0]?.id ?? "";
  const [action, setAction] = useState<Action>("change_input");
  const [stepId, setStepId] = useState(failed);
  const [reason, setReason] = useState("");
  const [edited, setEdited] = useState<string | null>(null);
  const [report, setReport] = useState<Report | null>(null);
  const isAboutStep = action !== "continue";
  const hasValue = action === "change_input" || action === "supply_output";
  const step = record.steps.find((one) => one.id === stepId);
  const known = (action === "change_input" ? step?.input : step?.output) ?? {};
  const text = edited ?? JSON.stringify(known, null, 2);
  const value = parseJson(text);
  const isValid = !hasValue || (action === "change_input" ? isJsonRecord(value) : value !== undefined);
  const needsReason = hasValue || action === "skip";
  const wanted = (): Repair => ({
    id,
    action,
    ...(isAboutStep && { stepId }),
    ...(action === "change_input" && isJsonRecord(value) && { input: value }),
    ...(action === "supply_output" && value !== undefined && { output: value }),
    ...(reason.trim() !== "" && { reason: reason.trim() }),
  });
  const preview = useAction({
    title: "Preview repair",
    failed: "The repair cannot be made",
    run: (_, signal) => call("preview_repair", wanted(), { signal }),
    done: ({ report: found }) => setReport(found),
  });
  const repair = useAction({
    title: "Repair run",
    failed: "The run was not repaired",
    run: (reportDigest: string, signal) => call("repair_run", { ...wanted(), reportDigest }, { signal }),
    done: () => {
      onClose();
      return "The run goes on";
    },
  });
  const change = (work: () => void): void => {
    work();
    setReport(null);
  };
  const isReady = isValid && (!needsReason || reason.trim() !== "");
  return (
    <Dialog
      open
      onClose={onClose}
      title="Repair this run"
      description="Results whose input stays the same are kept. Approvals that covered something else are asked again."
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          {report === null ? (
            <Button look="primary" disabled={!isReady} onClick={() => preview.mutate()}>
              Preview
            </Button>
          ) : (
            <Button look="primary" onClick={() => repair.mutate(report.digest)}>
              Repair
            </Button>
          )}
        </>
      }
    >
      <div className="space-y-3">
        <p className="text-sm text-ink-2">{explanation.data?.explanation.sentences.join(" ")}</p>
        <SelectField
          label="What to do"
          value={action}
          options={ACTIONS}
          onChoose={(next) =>
            change(() => {
              setAction(next);
              setEdited(null);
            })
          }
        />
        {isAboutStep ? (
          <SelectField
            label="Step"
            value={stepId}
            options={record.steps.map(({ id }) => ({ value: id, label: nameOf(id) }))}
            onChoose={(next) =>
              change(() => {
                setStepId(next);
                setEdited(null);
              })
            }
          />
        ) : null}
        {hasValue ? (
          <TextareaField
            label={action === "change_input" ? "Input (JSON)" : "Output (JSON)"}
            look="resize-y font-mono text-sm"
            value={text}
            rows={6}
            spellCheck={false}
            aria-invalid={!isValid}
            onText={(text) => change(() => setEdited(text))}
          />
        ) : null}
        <InputField
          label={`Reason${needsReason ? "" : " (optional)"}`}
          value={reason}
          maxLength={1000}
          onText={(given) => change(() => setReason(given))}
        />
        {report === null ? null : <ReportView report={report} nameOf={nameOf} />}
      </div>
    </Dialog>
  );
}

function ReportView({
  report,
  nameOf,
}: {
  readonly report: Report;
  readonly nameOf: (id: string) => string;
}) {
  const repeated = report.steps.filter(({ isRepeated }) => isRepeated).length;
  return (
    <section aria-label="What this repair does">
      {repeated > 0 ? (
        <p className="rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn">
          {repeated === 1 ? "1 effect happens again." : `${repeated} effects happen again.`}
        </p>
      ) : null}
      <ul className="mt-2 divide-y divide-line text-sm">
        {report.steps.map(({ stepId, outcome, isRepeated }) => (
          <li key={stepId} className="flex justify-between gap-4 py-1">
            <span>{nameOf(stepId)}</span>
            <span className="text-ink-2">
              {OUTCOMES[outcome]}
              {isRepeated ? " (again)" : ""}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
