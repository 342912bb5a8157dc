import type { Trigger } from "@workflow-ui/client";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ArrowLeft, ExternalLink } from "lucide-react";
import { useCallerNames } from "../../api/names.ts";
import { call, queryClient, useOperation } from "../../api/operations.ts";
import { count, fullTime } from "../../lib/format.ts";
import { useSubmit } from "../../lib/use-submit.ts";
import { toast } from "../../shell/notices.ts";
import { Load } from "../../shell/states.tsx";
import { StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button, buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { InputField } from "../../ui/fields.tsx";
import { useWhyNot } from "../../api/rights.ts";
import { triggerName, triggerWords } from "./settings.ts";
import { TriggerActions } from "./trigger-actions.tsx";
import { DateList } from "./trigger-form.tsx";
import { History } from "./trigger-history.tsx";
import { WebhookPanels } from "./webhook-panels.tsx";

/** One trigger: what it does, when, and everything that it did. */
export function TriggerPage() {
  const { id = "" } = useParams({ strict: false });
  const answer = useOperation("get_trigger", { id });
  const navigate = useNavigate();
  const refusal = useWhyNot()("create_trigger");
  const trigger = answer.data?.trigger;
  return (
    <Page
      title={trigger === undefined ? "Trigger" : triggerName(trigger)}
      back={
        <Link
          to="/triggers"
          className="mb-1 inline-flex min-h-6 items-center gap-1 text-sm text-ink-2 hover:text-ink"
        >
          <ArrowLeft aria-hidden className="size-4" /> Triggers
        </Link>
      }
      actions={
        trigger === undefined ? undefined : (
          <>
            <StateBadge state={trigger.paused ? "paused" : "active"} />
            {refusal === "" ? (
              <TriggerActions trigger={trigger} onRemoved={() => void navigate({ to: "/triggers" })} />
            ) : null}
          </>
        )
      }
    >
      <Load query={answer}>
        {({ trigger: shown, nextDates }) => (
          <div className="space-y-6">
            <About trigger={shown} />
            {shown.kind === "schedule" && !shown.paused ? (
              <Panel title="Next dates">
                <DateList dates={nextDates} timeZone={shown.timeZone ?? "UTC"} />
              </Panel>
            ) : null}
            {shown.kind === "webhook" ? <WebhookPanels trigger={shown} /> : null}
            {shown.kind === "form" ? <FormPanel trigger={shown} /> : null}
            <History trigger={shown} />
            {shown.kind === "schedule" && refusal === "" ? <Backfill id={shown.id} /> : null}
            {refusal === "" ? null : <p className="text-sm text-ink-2">{refusal}</p>}
          </div>
        )}
      </Load>
    </Page>
  );
}

function About({ trigger }: { readonly trigger: Trigger }) {
  const nameOf = useCallerNames();
  const facts: readonly (readonly [string, React.ReactNode])[] = [
    [
      "Workflow",
      <Link
        key="workflow"
        to="/workflows/$id"
        params={{ id: trigger.workflowId }}
        className="text-accent-ink underline"
      >
        {trigger.workflowName ?? trigger.workflowId}
      </Link>,
    ],
    ["Starts", triggerWords(trigger)],
    ["Filter", trigger.filter === undefined ? null : <code>{trigger.filter}</code>],
    ["Acts for", nameOf(trigger.actsFor) || trigger.actsFor],
    ["Created", fullTime(trigger.createdAt)],
    ["Closes", trigger.closesAt === undefined ? null : fullTime(trigger.closesAt)],
    [
      "Last run",
      trigger.lastRunId === null ? (
        "none"
      ) : (
        <Link
          key="run"
          to="/runs/$id"
          params={{ id: trigger.lastRunId }}
          className="text-accent-ink underline"
        >
          Open the run
        </Link>
      ),
    ],
  ];
  return (
    <Panel flush>
      {trigger.paused ? (
        <Banner tone="warn" title={`Paused since ${fullTime(trigger.pausedAt)}`}>
          {trigger.pauseNote}
        </Banner>
      ) : null}
      <dl className="grid gap-x-6 gap-y-1 p-4 sm:grid-cols-[8rem_minmax(0,1fr)]">
        {facts.map(([name, value]) =>
          value === null ? null : (
            <div key={name} className="contents">
              <dt className="text-ink-2">{name}</dt>
              <dd className="mb-1 wrap-anywhere">{value}</dd>
            </div>
          ),
        )}
      </dl>
    </Panel>
  );
}

/** The address of a form page, and the page as it looks on a phone. */
function FormPanel({ trigger }: { readonly trigger: Trigger }) {
  const path = `/f/${trigger.slug ?? ""}`;
  return (
    <Panel
      title="Form page"
      actions={
        <a href={path} target="_blank" rel="noreferrer" className={buttonClass("secondary", "sm")}>
          <ExternalLink /> Open the page
        </a>
      }
    >
      <CodeBlock text={trigger.address ?? path} label="address of the page" />
      <iframe
        title="Preview of the form page"
        src={path}
        sandbox=""
        className="mt-3 h-[28rem] w-[min(100%,24rem)] rounded-lg border border-line bg-white"
      />
    </Panel>
  );
}

/** Runs for dates of the past that have none. */
function Backfill({ id }: { readonly id: string }) {
  const form = useSubmit(async ({ from = "", until = "" }, element) => {
    const { queued } = await call("backfill_trigger", {
      id,
      from: new Date(from).toISOString(),
      until: new Date(until).toISOString(),
    });
    toast("good", `${count(queued.length, "run")} queued`);
    element.reset();
    await queryClient.invalidateQueries();
  });
  return (
    <Panel title="Backfill">
      <form onSubmit={form.onSubmit} className="flex flex-wrap items-end gap-3">
        <InputField label="From" name="from" type="datetime-local" required />
        <InputField label="Until" name="until" type="datetime-local" required />
        <Button type="submit" busy={form.busy}>
          Queue the missing runs
        </Button>
      </form>
      <ErrorText text={form.error === "" ? undefined : form.error} className="mt-2 text-sm text-bad" />
    </Panel>
  );
}
