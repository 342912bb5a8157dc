import type { Plan, PlannedStep } from "@workflow-ui/client";
import { useNeed } from "../api/rights.ts";
import { count, duration, words } from "../lib/format.ts";
import { cx } from "@workflow-ui/forms-react/ui/cx.ts";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Empty, Panel } from "../ui/page.tsx";
import { NODE_KINDS, titleOf, type Graph } from "./document/model.ts";
import { useGraphTools } from "./inspect/step-tools.ts";
import type { Verdict } from "./use-verdict.ts";

interface Props {
  readonly verdict: Verdict;
  readonly graph: Graph;
  readonly onGo: (node: string) => void;
  /** Beside the canvas, in one column. */
  readonly narrow?: boolean;
}

/** What a run would do, in order, before it does anything. */
export function PlanView({ verdict, graph, onGo, narrow = false }: Props) {
  const { plan } = verdict;
  const { tools } = useGraphTools(graph.nodes);
  if (verdict.isShownInPart)
    return (
      <Empty title="Sign in to see the plan">
        Guests see the steps, and not what they call or who decides.
      </Empty>
    );
  if (plan === null)
    return <Empty title="No plan yet">The plan appears when the service can read the graph.</Empty>;
  const { steps } = plan;
  const titles = new Map(graph.nodes.map((node) => [node.id, titleOf(node)]));
  const calleeOf = ({ tool, type }: PlannedStep): string =>
    tool === null
      ? (NODE_KINDS.find((kind) => kind.type === type)?.label ?? "")
      : (tools.find(({ name }) => name === tool)?.title ?? words(tool.split(":").pop() ?? tool));
  return (
    <div className={cx("grid items-start gap-4", !narrow && "lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]")}>
      {narrow ? <Before plan={plan} steps={steps} titles={titles} /> : null}
      <Panel title="In this order" flush>
        <ol className="divide-y divide-line">
          {plan.levels.map((level, index) => (
            <li key={index} className="flex gap-4 px-4 py-2.5">
              <span className="w-6 shrink-0 pt-0.5 text-sm text-ink-3 tabular-nums">{index + 1}</span>
              <ul className="min-w-0 flex-1 space-y-1.5">
                {steps
                  .filter(({ id }) => level.includes(id))
                  .map((step) => (
                    <PlanStep key={step.id} step={step} callee={calleeOf(step)} onGo={onGo} />
                  ))}
              </ul>
            </li>
          ))}
        </ol>
        {steps.length === 0 ? <p className="p-6 text-center text-ink-2">There is no step to plan.</p> : null}
      </Panel>
      {narrow ? null : <Before plan={plan} steps={steps} titles={titles} />}
    </div>
  );
}

const EFFECTS = { none: "reads", write: "writes", external: "sends", destructive: "deletes" } as const;

/** What to know before a run: what it changes, who decides, how long it takes, and what is not set up. */
function Before({
  plan,
  steps,
  titles,
}: {
  readonly plan: Plan;
  readonly steps: readonly PlannedStep[];
  readonly titles: ReadonlyMap<string, string>;
}) {
  const need = useNeed();
  const worst = plan.worstCase.ms;
  const named = (id: string) => titles.get(id) ?? id;
  const changes = (["write", "external", "destructive"] as const).flatMap((effect) => {
    const [n, verb] = [plan.effects[effect], EFFECTS[effect]];
    return n === 0 ? [] : [`${count(n, "call")} ${n === 1 ? verb : verb.slice(0, -1)}`];
  });
  const unbounded = plan.worstCase.unbounded.map(named);
  const down = steps.filter((step) => !["", "ready"].includes(step.connection?.reachable ?? ""));
  return (
    <Panel title="Before you run it">
      <dl className="space-y-2">
        <Fact label="Can be run">{plan.executable ? "yes" : "no: fix the errors first"}</Fact>
        <Fact label="Changes">{changes.join(", ") || "nothing"}</Fact>
        <Fact label="Longest time">
          {worst === null ? `not bounded (${unbounded.slice(0, 3).join(", ")})` : duration(worst)}
        </Fact>
        <Fact label="Steps at the same time">{`up to ${plan.maxParallelSteps}`}</Fact>
        <Fact label={need === "sign-in" ? "Need sign-in" : "Protected"}>
          {plan.protectedSteps.map(named).join(", ") || "no step"}
        </Fact>
        <Fact label="Filled in while it runs">
          {plan.unresolvedValues === 0 ? "nothing" : count(plan.unresolvedValues, "value")}
        </Fact>
        <Fact label="Inputs needed">{plan.requiredInputs.join(", ") || "none"}</Fact>
      </dl>
      <h3 className="mt-4 mb-1 font-medium">Who decides</h3>
      {plan.approvals.length === 0 ? (
        <p className="text-sm text-ink-2">No step waits for a person.</p>
      ) : (
        <ul className="space-y-1.5 text-sm">
          {plan.approvals.map((approval) => (
            <li key={approval.stepId}>
              <span className="font-medium">{named(approval.stepId)}</span>:{" "}
              {approval.approvers.join(", ") || everybody(approval)}
              {approval.stepUp ? " with a passkey" : ""},{" "}
              {approval.expiresInMs === null
                ? "without a time limit"
                : `within ${duration(approval.expiresInMs ?? 0)}`}
            </li>
          ))}
        </ul>
      )}
      {plan.unconfirmable.map((step) => (
        <Missing key={step.stepId} title={named(step.stepId)}>
          {step.reason} {step.nextAction}
        </Missing>
      ))}
      {down.map((step) => (
        <Missing key={step.id} title={named(step.id)}>
          The connection {step.connection?.name} could not be reached last. Check it under Connections.
        </Missing>
      ))}
      <details className="mt-3 text-xs text-ink-3">
        <summary>Details</summary>
        <span className="font-mono break-all">{plan.planDigest}</span>
      </details>
    </Panel>
  );
}

function Missing({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <p className="mt-3 rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn">
      <span className="font-medium">{title}</span>: {children}
    </p>
  );
}

function PlanStep({
  step,
  callee,
  onGo,
}: {
  readonly step: PlannedStep;
  /** The tool or the kind of step, as people know it. */
  readonly callee: string;
  readonly onGo: (node: string) => void;
}) {
  const { effect } = step;
  return (
    <li className="flex flex-wrap items-center gap-2">
      <button
        type="button"
        onClick={() => onGo(step.id)}
        className="min-h-6 font-medium underline-offset-2 hover:underline"
      >
        {step.title ?? step.id}
      </button>
      <span className="text-sm text-ink-3">{callee}</span>
      {effect === "none" ? null : (
        <Badge tone={effect === "destructive" ? "bad" : "warn"}>{EFFECTS[effect]}</Badge>
      )}
      {step.type === "approval" ? <Badge tone="accent">waits for a person</Badge> : null}
      {step.conditional ? <Badge>conditional</Badge> : null}
    </li>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: string }) {
  return (
    <div className="flex justify-between gap-4">
      <dt className="shrink-0 text-ink-2">{label}</dt>
      <dd className="min-w-0 text-right font-medium break-words">{children}</dd>
    </div>
  );
}

/** Who decides an approval that names nobody. */
function everybody(approval: Plan["approvals"][number]): string {
  return `every ${approval.stepUp ? "person" : "person and key"} with the right to approve`;
}
