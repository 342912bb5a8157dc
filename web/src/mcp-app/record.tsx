import { isObject } from "#kernel/json.ts";
import type { ApprovalView } from "#model/approvals.ts";
import type { Plan as PlanView } from "#model/plans.ts";
import type { RunDetail } from "#model/runs.ts";
import { Badge, StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { DataView, plainText } from "../ui/data-view.tsx";

/** What a tool of the endpoint for agents answers about a plan, a run or an approval: parts of their views. */
export interface Card {
  readonly name?: string;
  readonly link?: string;
  readonly plan?: Pick<PlanView, "levels" | "effects" | "approvals">;
  readonly run?: Pick<RunDetail, "id" | "status"> & {
    readonly outputs?: RunDetail["outputs"];
    readonly steps?: readonly Pick<RunDetail["steps"][number], "id" | "status">[];
    readonly approvals?: readonly (Pick<ApprovalView, "id" | "title"> & { readonly link: string })[];
  };
  readonly approval?: Pick<ApprovalView, "id" | "title" | "status"> & { readonly shown?: unknown };
}

/** True for what such a tool of this service answers; a host passes it on as it is. */
export function isCard(data: unknown): data is Card {
  return isObject(data) && ["plan", "run", "approval"].some((member) => isObject(data[member]));
}

/** A plan, a run or an approval as a card. */
export function RecordCard({ card: { name, link, plan, run, approval } }: { readonly card: Card }) {
  return (
    <div className="space-y-3 p-4">
      {plan === undefined ? null : <Plan name={name ?? "Plan"} plan={plan} />}
      {run === undefined ? null : <Run run={run} />}
      {approval === undefined ? null : (
        <section>
          <h1 className="font-medium">
            {plainText(approval.title, "Approval")} <StateBadge state={approval.status} />
          </h1>
          {approval.shown === undefined ? null : <DataView value={approval.shown} />}
        </section>
      )}
      {link === undefined ? null : (
        <p className="text-sm break-all text-ink-2">
          Open it: <a href={link}>{link}</a>
        </p>
      )}
    </div>
  );
}

function Plan({ name, plan }: { readonly name: string; readonly plan: NonNullable<Card["plan"]> }) {
  return (
    <section>
      <h1 className="font-medium">{name}</h1>
      <ol className="my-2 list-decimal pl-6">
        {plan.levels.map((level) => (
          <li key={level.join()}>{level.join(", ")}</li>
        ))}
      </ol>
      <DataView value={plan.effects} />
      {plan.approvals.length === 0 ? null : (
        <p className="mt-2">Waits for a person at {plan.approvals.map(({ title }) => title).join(", ")}.</p>
      )}
    </section>
  );
}

function Run({ run }: { readonly run: NonNullable<Card["run"]> }) {
  return (
    <section>
      <h1 className="font-medium">
        Run {run.id} <StateBadge state={run.status} />
      </h1>
      <ol className="my-2 space-y-1">
        {run.steps?.map(({ id, status }) => (
          <li key={id} className="flex items-center gap-2">
            <StateBadge state={status} /> {id}
          </li>
        ))}
      </ol>
      {run.approvals?.map((approval) => (
        <p key={approval.id}>
          <Badge tone="warn">Waiting for approval</Badge> {plainText(approval.title, "Approval")}:{" "}
          <a href={approval.link}>{approval.link}</a>
        </p>
      ))}
      {isObject(run.outputs) ? <DataView value={run.outputs} /> : null}
    </section>
  );
}
