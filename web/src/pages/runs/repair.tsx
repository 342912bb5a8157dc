import type { FailureGroup, InputOf, OutputOf, RunDetail } from "@workflow-ui/client";
import { useCallback, useMemo, useState } from "react";
import { isJsonRecord } from "#kernel/json.ts";
import { call, useOperation } from "../../api/operations.ts";
import { count } from "../../lib/format.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { useAction } from "../../lib/use-action.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { inOrder } from "../../runs/order.ts";
import { stepTitle } from "../../runs/titles.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { InputField, SelectField, TextareaField } from "../../ui/fields.tsx";
import { StepInput, useStepSchema } from "./step-input.tsx";

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

const RETRY = { value: "retry", label: "Retry what failed" } as const;

const OUTCOMES: Readonly<Record<Report["steps"][number]["outcome"], string>> = {
  kept: "result stays",
  computed: "new result, nothing is run",
  runs: "runs",
  may_run: "runs, unless its input stays the same",
  asked: "approval is asked again",
  removed: "not in this version",
};

const STAYS: ReadonlySet<string> = new Set(["kept", "computed"]);

/** What a repair would do with one run, or with all runs of a cause. */
interface Preview {
  readonly digest: string;
  readonly reports: readonly Report[];
  /** Why other runs cannot be repaired like this. */
  readonly refused: readonly string[];
}

/** The dialog for one run, or for all runs that failed for the cause of this one. */
export function RepairDialog({
  record,
  nameOf,
  cause,
  onClose,
}: {
  readonly record: RunDetail;
  readonly nameOf: (id: string) => string;
  readonly cause?: Pick<FailureGroup, "stepId" | "code" | "count"> & { readonly workflowId: string };
  readonly onClose: () => void;
}) {
  const { id } = record;
  const explanation = useOperation("explain_run", { id }, { enabled: cause === undefined });
  const ofCause =
    cause === undefined ? null : { workflowId: cause.workflowId, failedStep: cause.stepId, code: cause.code };
  const steps = inOrder(record.steps).flatMap(({ step, items }) => [
    step,
    ...items.flatMap((item) => item.steps),
  ]);
  const failed = record.steps.find(({ status }) => status === "failed")?.id ?? record.steps[0]?.id ?? "";
  const [action, setAction] = useState<Action>(cause === undefined ? "change_input" : "retry");
  const [stepId, setStepId] = useState(failed);
  const [reason, setReason] = useState("");
  const [edited, setEdited] = useState<string | null>(null);
  const [shown, setShown] = useState<Preview | null>(null);
  const isAboutStep = action !== "continue" && action !== "retry";
  const hasValue = action === "change_input" || action === "supply_output";
  const step = record.steps.find((one) => one.id === stepId);
  const known = useMemo(() => (action === "change_input" ? step?.input : step?.output) ?? {}, [action, step]);
  const schema = useStepSchema(id, stepId);
  const text = edited ?? JSON.stringify(known, null, 2);
  const value = parseJson(text);
  const isValid = !hasValue || (action === "change_input" ? isJsonRecord(value) : value !== undefined);
  const needsReason = hasValue || action === "skip";
  const wanted = (): Omit<Repair, "id"> => ({
    action,
    ...(isAboutStep && { stepId }),
    ...(action === "change_input" && isJsonRecord(value) && { input: value }),
    ...(action === "supply_output" && value !== undefined && { output: value }),
    ...(reason.trim() !== "" && { reason: reason.trim() }),
  });
  const preview = useAction({
    title: "Preview repair",
    failed: "The repair cannot be made",
    run: async (_, signal): Promise<Preview> => {
      if (ofCause !== null) {
        const input = { ...ofCause, ...wanted(), preview: true };
        const { digest, results } = await call("repair_runs", input, { signal });
        const reports = results.flatMap(({ report }) => (report === null ? [] : [report]));
        const refused = results.flatMap(({ error }) => (error === null ? [] : [error.message]));
        return { digest: digest ?? "", reports, refused };
      }
      const { report } = await call("preview_repair", { id, ...wanted() }, { signal });
      return { digest: report.digest, reports: [report], refused: [] };
    },
    done: setShown,
  });
  const repair = useAction({
    title: cause === undefined ? "Repair run" : "Repair runs",
    failed: "Nothing was repaired",
    run: async (reportDigest: string, signal) => {
      if (ofCause === null) {
        await call("repair_run", { id, ...wanted(), reportDigest }, { signal });
        return "The run goes on";
      }
      const input = { ...ofCause, ...wanted(), reportDigest };
      const { results, isMore } = await call("repair_runs", input, { signal });
      const done = results.filter(({ error }) => error === null).length;
      return `${count(done, "run")} of ${results.length} ${done === 1 ? "goes" : "go"} on${isMore ? "; there are more of this cause" : ""}`;
    },
    done: (text) => {
      onClose();
      return text;
    },
  });
  const ofEach = cause === undefined ? undefined : "The same for every run; shown is that of the newest.";
  const change = (work: () => void): void => {
    work();
    setShown(null);
  };
  const setText = useCallback((next: string) => {
    setEdited(next);
    setShown(null);
  }, []);
  const isReady = isValid && (!needsReason || reason.trim() !== "");
  const asJson = (
    <TextareaField
      label={action === "change_input" ? "Input (JSON)" : "Output (JSON)"}
      hint={ofEach}
      look="resize-y font-mono text-sm"
      value={text}
      rows={6}
      spellCheck={false}
      aria-invalid={!isValid}
      onText={setText}
    />
  );
  return (
    <Dialog
      open
      onClose={onClose}
      title={cause === undefined ? "Repair this run" : `Repair ${count(cause.count, "run")}`}
      description="Results whose input stays the same are kept. Approvals that covered something else are asked again."
      className="sm:w-[min(44rem,calc(100vw-2rem))]"
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          {shown === null ? (
            <Button
              look="primary"
              disabled={!isReady}
              busy={preview.isPending}
              onClick={() => preview.mutate()}
            >
              Preview
            </Button>
          ) : (
            <Button
              look="primary"
              disabled={shown.reports.length === 0}
              busy={repair.isPending}
              onClick={() => repair.mutate(shown.digest)}
            >
              {cause === undefined ? "Repair" : `Repair ${count(shown.reports.length, "run")}`}
            </Button>
          )}
        </>
      }
    >
      <div className="space-y-3">
        {cause === undefined ? (
          <p className="text-sm text-ink-2">{explanation.data?.explanation.sentences.join(" ")}</p>
        ) : null}
        <SelectField
          label="What to do"
          value={action}
          options={cause === undefined ? ACTIONS : [RETRY, ...ACTIONS]}
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
            options={steps.map(({ id }) => ({ value: id, label: stepTitle(id, nameOf) }))}
            onChoose={(next) =>
              change(() => {
                setStepId(next);
                setEdited(null);
              })
            }
          />
        ) : null}
        {action === "change_input" && isJsonRecord(known) && schema === undefined ? (
          <p>Loading…</p>
        ) : action === "change_input" && isJsonRecord(known) && schema ? (
          <section aria-label="Input" className="rounded-lg border border-line p-3">
            {ofEach === undefined ? null : <p className="mb-2 text-sm text-ink-2">{ofEach}</p>}
            <StepInput key={stepId} schema={schema} value={known} onChange={setText} otherwise={asJson} />
          </section>
        ) : hasValue ? (
          asJson
        ) : null}
        <InputField
          label={`Reason${needsReason ? "" : " (optional)"}`}
          value={reason}
          maxLength={1000}
          onText={(given) => change(() => setReason(given))}
        />
        {shown === null ? null : <PreviewView {...shown} order={steps.map(({ id }) => id)} nameOf={nameOf} />}
      </div>
    </Dialog>
  );
}

/** What happens with each step; of several runs, in how many. */
function PreviewView({
  reports,
  refused,
  order,
  nameOf,
}: Preview & { readonly order: readonly string[]; readonly nameOf: (id: string) => string }) {
  const found = Map.groupBy(
    reports.flatMap((report) => report.steps),
    ({ stepId }) => stepId,
  );
  // Steps that only the newer version has come last.
  const rank = (id: string): number => (order.includes(id) ? order.indexOf(id) : order.length);
  const steps = [...found]
    // Of what is inside a map, what happens again matters.
    .filter(([id, outcomes]) => !id.includes("[") || outcomes.some(({ outcome }) => !STAYS.has(outcome)))
    .toSorted(([a], [b]) => rank(a) - rank(b));
  const repeated = reports.flatMap((report) => report.steps).filter(({ isRepeated }) => isRepeated).length;
  const reasons = Map.groupBy(refused, (reason) => reason);
  return (
    <section aria-label="What this repair does" ref={(shown) => shown?.scrollIntoView({ block: "nearest" })}>
      {repeated > 0 ? (
        <p className="rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn">
          {repeated === 1 ? "1 effect happens again." : `${repeated} effects happen again.`}
        </p>
      ) : null}
      {[...reasons].map(([reason, { length }]) => (
        <p key={reason} className="mt-2 text-sm text-bad">
          {count(length, "run")} cannot be repaired: {reason}
        </p>
      ))}
      <ul className="mt-2 divide-y divide-line text-sm">
        {steps.map(([stepId, outcomes]) => (
          <li key={stepId} className="flex justify-between gap-4 py-1">
            <span>{stepTitle(stepId, nameOf)}</span>
            <span className="text-right text-ink-2">{outcomesOf(outcomes, reports.length)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function outcomesOf(steps: Report["steps"], runs: number): string {
  const kinds = Map.groupBy(
    steps,
    ({ outcome, isRepeated }) => `${OUTCOMES[outcome]}${isRepeated ? " (again)" : ""}`,
  );
  return [...kinds].map(([text, { length }]) => (length === runs ? text : `${text}: ${length}`)).join(", ");
}
