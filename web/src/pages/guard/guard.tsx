import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { OperationError, type Guard, type GuardedCall, type InputOf } from "@workflow-ui/client";
import { ShieldCheck, ShieldQuestion } from "lucide-react";
import { useOperation } from "../../api/operations.ts";
import { ago, count, fullTime } from "../../lib/format.ts";
import { Load } from "../../shell/states.tsx";
import { Badge, StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { JsonBlock } from "../../ui/code-block.tsx";
import { Empty, Page, Panel } from "../../ui/page.tsx";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { GuardControls } from "./guard-controls.tsx";
import { GuardRules } from "./guard-rules.tsx";

const OUTCOMES = [
  { value: "ask", label: "Asked" },
  { value: "deny", label: "Refused" },
  { value: "dry-run", label: "Dry run" },
  { value: "bypass", label: "Bypassed" },
  { value: "allow", label: "Made" },
] as const;

type Outcome = NonNullable<InputOf<"list_guard_decisions">["decision"]>;

/** What the guard decided about calls, and what it decides by. */
export function GuardPage() {
  const guard = useOperation("get_guard", {});
  const isForbidden = guard.error instanceof OperationError && guard.error.code === "forbidden";
  return (
    <Page
      title="Guard"
      lead="Decides about every call that changes something or leaves this service: agents ask a person before they write."
    >
      {isForbidden ? (
        <Panel>
          <Empty
            icon={<ShieldCheck />}
            title="Admins see and change the guard"
            action={
              <Link to="/approvals" className={buttonClass()}>
                Open approvals
              </Link>
            }
          >
            Calls that wait for a decision of yours are among your approvals.
          </Empty>
        </Panel>
      ) : (
        <Load query={guard}>{({ guard: found }) => <Loaded guard={found} />}</Load>
      )}
    </Page>
  );
}

function Loaded({ guard }: { readonly guard: Guard }) {
  const { tab = "calls" }: { readonly tab?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const { bypass, stopped } = guard;
  return (
    <>
      {bypass === null || Date.parse(bypass.until) < Date.now() ? null : (
        <div className="mb-4 overflow-clip rounded-xl">
          <Banner tone="warn" title={`Nothing is asked until ${fullTime(bypass.until)}`}>
            {bypass.reason}
            {bypass.caller === null ? "" : ` · only for ${bypass.caller}`}
          </Banner>
        </div>
      )}
      {stopped.length === 0 ? null : (
        <div className="mb-4 overflow-clip rounded-xl">
          <Banner tone="bad" title={`Stopped: ${stopped.join(", ")}`}>
            All their calls are refused.
          </Banner>
        </div>
      )}
      <Tabs
        label="Guard"
        value={tab}
        onChange={(id) => void navigate({ to: "/guard", search: { tab: id } })}
        items={[
          { id: "calls", label: "Calls", content: <Calls /> },
          { id: "rules", label: "Rules", content: <GuardRules guard={guard} /> },
          { id: "controls", label: "Limits and stops", content: <GuardControls guard={guard} /> },
        ]}
      />
    </>
  );
}

function Calls() {
  const { show, cursor }: { readonly show?: string; readonly cursor?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const decision: Outcome = OUTCOMES.find(({ value }) => value === show)?.value ?? "ask";
  const answer = useOperation("list_guard_decisions", { decision, ...(cursor !== undefined && { cursor }) });
  return (
    <div className="space-y-3">
      <Segmented
        label="Decision"
        value={decision}
        options={OUTCOMES}
        onChange={(value) => void navigate({ to: "/guard", search: { tab: "calls", show: value } })}
      />
      <Panel flush>
        <Load query={answer}>
          {({ decisions, nextCursor }) => (
            <>
              {decisions.length === 0 ? (
                <Empty icon={<ShieldQuestion />} title="No calls yet">
                  {decision === "allow"
                    ? "Calls over connections are listed here."
                    : "Calls with this decision are listed here."}
                </Empty>
              ) : (
                <ul className="divide-y divide-line">
                  {decisions.map((item) => (
                    <Call key={item.id} item={item} />
                  ))}
                </ul>
              )}
              {nextCursor === null ? null : (
                <p className="border-t border-line p-3">
                  <Link
                    to="/guard"
                    search={{ tab: "calls", show: decision, cursor: nextCursor }}
                    className={buttonClass()}
                  >
                    Older
                  </Link>
                </p>
              )}
            </>
          )}
        </Load>
      </Panel>
    </div>
  );
}

function Call({ item }: { readonly item: GuardedCall }) {
  const { at, by, tool, rule, approvalId, approvalState, runId } = item;
  const link = "inline-flex min-h-6 items-center underline decoration-line underline-offset-2";
  return (
    <li className="space-y-1 px-4 py-2.5">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <p className="min-w-0 flex-1 basis-64 break-words">
          <span className="font-medium">{by.name}</span> · <code className="break-all">{tool}</code>
        </p>
        {rule === null ? null : <Badge title="The rule that decided">{rule}</Badge>}
        {approvalState === null ? null : <StateBadge state={approvalState} />}
        <time dateTime={at} title={fullTime(at)} className="text-sm text-ink-2">
          {ago(at)}
        </time>
      </div>
      <div className="flex flex-wrap items-baseline gap-x-4 text-sm">
        {approvalId === null ? null : (
          <Link to="/approvals" search={{ id: approvalId }} className={link}>
            Approval
          </Link>
        )}
        {runId === null ? null : (
          <Link to="/runs/$id" params={{ id: runId }} className={link}>
            Run
          </Link>
        )}
        {item.arguments === null ? null : (
          <details className="w-full">
            <summary className="min-h-6 cursor-pointer">
              {count(Object.keys(item.arguments).length, "argument")}
            </summary>
            <JsonBlock value={item.arguments} label="arguments" />
          </details>
        )}
      </div>
    </li>
  );
}
