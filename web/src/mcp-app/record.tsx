import { isObject } from "#kernel/json.ts";
import type { ApprovalView } from "#model/approvals.ts";
import type { Plan as PlanView } from "#model/plans.ts";
import type { RunDetail } from "#model/runs.ts";
import { runHasEnded } from "#model/states.ts";
import {
  CircleCheck,
  CircleDashed,
  CircleMinus,
  CircleX,
  ExternalLink,
  Hourglass,
  LoaderCircle,
} from "lucide-react";
import type { ReactNode } from "react";
import { count } from "../lib/format.ts";
import { Badge, StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { DataView, plainText, present } from "../ui/data-view.tsx";
import type { Host } from "./bridge.ts";

/** What a tool of the endpoint for agents answers about a plan, a run or an approval: parts of their views. */
export interface Card {
  readonly name?: string;
  readonly link?: string;
  readonly plan?: Partial<Pick<PlanView, "executable" | "levels" | "effects" | "approvals">>;
  readonly problems?: readonly { readonly message: string }[];
  readonly run?: Pick<RunDetail, "id" | "status"> & {
    readonly outputs?: RunDetail["outputs"];
    readonly error?: RunDetail["error"];
    readonly steps?: readonly Pick<RunDetail["steps"][number], "id" | "status">[];
    readonly approvals?: readonly (Pick<ApprovalView, "id" | "title"> & { readonly link: string })[];
  };
  readonly approval?: Pick<ApprovalView, "id" | "status"> & {
    readonly title?: ApprovalView["title"];
    readonly shown?: unknown;
    readonly reason?: ApprovalView["reason"];
  };
}

/** True for what such a tool of this service answers; a host passes it on as it is. */
export function isCard(data: unknown): data is Card {
  if (!isObject(data)) return false;
  const { plan, run, approval, problems = [] } = data;
  return (
    [plan, run, approval].some(isObject) &&
    isPart(plan, []) &&
    isPart(run, ["id", "status"]) &&
    isPart(approval, ["id", "status"]) &&
    Array.isArray(problems)
  );
}

/** True for a part that is not there, or has these texts and lists where there are any. */
function isPart(part: unknown, texts: readonly string[]): boolean {
  if (part === undefined) return true;
  if (!isObject(part) || !texts.every((name) => typeof part[name] === "string")) return false;
  return ["levels", "steps"].every((name) => part[name] === undefined || Array.isArray(part[name]));
}

interface Props {
  readonly card: Card;
  readonly host: Host | null;
  /** Looks again; null where the host passes no calls on. */
  readonly refresh: ((run: string) => void) | null;
}

/** A plan, a run or an approval as a card. */
export function RecordCard({ card: { name, link, plan, problems, run, approval }, host, refresh }: Props) {
  const open = (address: string, label: string) => (
    <Button size="sm" onClick={() => void host?.open(address)} title={address}>
      <ExternalLink /> {label}
    </Button>
  );
  return (
    <main className="space-y-3 p-4">
      {plan === undefined ? null : <Plan name={name ?? "Plan"} plan={plan} problems={problems ?? []} />}
      {approval === undefined ? null : <Approval approval={approval} />}
      {run === undefined ? null : <Run run={run} open={open} />}
      <footer className="flex flex-wrap gap-2">
        {link === undefined
          ? null
          : open(link, approval?.status === "pending" ? "Decide in the browser" : "Open in the browser")}
        {run === undefined || refresh === null || runHasEnded(run.status) ? null : (
          <Button size="sm" onClick={() => refresh(run.id)}>
            Refresh
          </Button>
        )}
      </footer>
    </main>
  );
}

function Head({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <h1 dir="auto" className="flex flex-wrap items-center gap-2 text-lg font-semibold break-words">
      {title} {children}
    </h1>
  );
}

const EFFECTS = [
  ["write", "write", "warn"],
  ["external", "call to another service", "warn"],
  ["destructive", "destructive call", "bad"],
] as const;

function Plan({
  name,
  plan: { executable = false, levels = [], effects, approvals = [] },
  problems,
}: {
  readonly name: string;
  readonly plan: NonNullable<Card["plan"]>;
  readonly problems: NonNullable<Card["problems"]>;
}) {
  const changes = EFFECTS.map(([effect, ...look]) => [effects?.[effect] ?? 0, ...look] as const).filter(
    ([calls]) => calls > 0,
  );
  const asks = new Set(approvals.map(({ stepId }) => stepId));
  return (
    <section className="space-y-3">
      <Head title={name}>
        <Badge tone={executable ? "good" : "bad"}>{executable ? "can run" : "cannot run yet"}</Badge>
      </Head>
      <p className="flex flex-wrap gap-1.5">
        {changes.length === 0 ? <Badge>changes nothing</Badge> : null}
        {changes.map(([calls, word, tone]) => (
          <Badge key={word} tone={tone}>
            {count(calls, word)}
          </Badge>
        ))}
      </p>
      <Line>
        {levels.map((level) => (
          <Stop key={level.join()} icon={level.some((id) => asks.has(id)) ? <Hourglass /> : <CircleDashed />}>
            {level.join(", ")}
            {approvals
              .filter(({ stepId }) => level.includes(stepId))
              .map(({ stepId, title }) => (
                <span key={stepId} className="block text-sm text-ink-2">
                  A person decides: {title ?? stepId}
                </span>
              ))}
          </Stop>
        ))}
      </Line>
      {problems.map(({ message }) => (
        <p key={message} className="text-sm break-words text-bad">
          {message}
        </p>
      ))}
    </section>
  );
}

const ICONS: Readonly<Record<string, ReactNode>> = {
  succeeded: <CircleCheck className="text-good" />,
  failed: <CircleX className="text-bad" />,
  skipped: <CircleMinus />,
  cancelled: <CircleMinus />,
  running: <LoaderCircle className="text-info" />,
  waiting: <Hourglass className="text-warn" />,
};

function Run({
  run: { id, status, steps = [], approvals = [], outputs, error },
  open,
}: {
  readonly run: NonNullable<Card["run"]>;
  readonly open: (address: string, label: string) => ReactNode;
}) {
  return (
    <section className="space-y-3">
      <Head title="Run">
        <StateBadge state={status} />
        <span className="font-mono text-xs font-normal break-all text-ink-2">{id}</span>
      </Head>
      <Line>
        {steps.map((step) => (
          <Stop key={step.id} icon={ICONS[step.status] ?? <CircleDashed />}>
            {step.id} <span className="text-sm text-ink-2">{step.status.replaceAll("_", " ")}</span>
          </Stop>
        ))}
      </Line>
      {approvals.map((approval) => (
        <div
          key={approval.id}
          className="flex flex-wrap items-center justify-between gap-2 rounded-lg bg-warn-soft px-3 py-2"
        >
          <p className="min-w-0 break-words">
            Waits for a person: <strong>{plainText(approval.title, "Approval")}</strong>
          </p>
          {open(approval.link, "Decide in the browser")}
        </div>
      ))}
      {error == null ? null : <p className="break-words text-bad">{error.message}</p>}
      {isObject(outputs) ? (
        <div className="rounded-lg border border-line px-3 py-1">
          <DataView value={outputs} />
        </div>
      ) : null}
    </section>
  );
}

function Approval({ approval }: { readonly approval: NonNullable<Card["approval"]> }) {
  const { title, status, shown, reason } = approval;
  return (
    <section className="space-y-3">
      <Head title={plainText(title, "Approval")}>
        <StateBadge state={status} />
      </Head>
      {shown === undefined ? null : (
        <div className="rounded-lg border border-line px-3 py-1">
          <DataView value={isObject(shown) ? present(shown) : shown} />
        </div>
      )}
      {plainText(reason) === "" ? null : <p className="break-words text-ink-2">{plainText(reason)}</p>}
    </section>
  );
}

/** Steps in their order, on a line. */
function Line({ children }: { readonly children: ReactNode }) {
  return <ol className="ml-2 border-l border-line">{children}</ol>;
}

function Stop({ icon, children }: { readonly icon: ReactNode; readonly children: ReactNode }) {
  return (
    <li className="relative py-1 pl-5">
      <span
        aria-hidden
        className="absolute top-1.5 -left-2 grid size-4 place-items-center bg-surface text-ink-3 [&_svg]:size-4"
      >
        {icon}
      </span>
      <span className="min-w-0 break-words">{children}</span>
    </li>
  );
}
