import { isObject } from "#kernel/json.ts";
import { CircleCheck, CircleDashed, CircleX } from "lucide-react";
import type { ReactNode } from "react";
import type { Verdict } from "#provenance/proof.ts";
import {
  endOf,
  predicateOf,
  type EntryVerdicts,
  type ReceiptEntry,
  type ReceiptVerdicts,
  type RunReceipt,
} from "#provenance/receipt.ts";
import { useCallerNames } from "../api/names.ts";
import { useOperation } from "../api/operations.ts";
import { count, fullTime, words } from "../lib/format.ts";
import { numberAt, textAt } from "../lib/read.ts";
import { namerOf, stepTitle } from "../runs/titles.ts";
import { StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Banner } from "../ui/banner.tsx";
import { DataView } from "../ui/data-view.tsx";
import { Panel } from "../ui/page.tsx";
import { graphOf } from "../workflow/document/read-graph.ts";
import type { Checked } from "./check.ts";

const SHOWN = 200;
const SIGNED = "The person who decided signed what was shown, and the decision, with a passkey.";

/** What the check of a file found, with what is proven and what is not. */
export function ReceiptView({ checked }: { readonly checked: Checked }) {
  if (checked.kind === "refused") {
    return (
      <Panel flush>
        <Banner tone="bad" title="This file proves nothing">
          {checked.reason}
        </Banner>
      </Panel>
    );
  }
  if (checked.kind === "proof") {
    const { record } = checked.proof;
    const verdicts = { ...checked.verdicts };
    return (
      <>
        <Outcome
          reasons={reasonsIn([["this record", verdicts]])}
          good="The record in this proof is unchanged"
        />
        <Panel title={`${words(record.kind)} ${record.subjectId}`}>
          <VerdictList verdicts={verdicts} />
        </Panel>
        <Limits
          proven={[
            `A service recorded this ${words(record.kind).toLowerCase()} at ${fullTime(record.createdAt)}.`,
            ...(verdicts.assertion?.verdict === "pass" ? [SIGNED] : []),
          ]}
          withPasskey={verdicts.assertion?.verdict === "pass"}
          isContentChecked={false}
        />
      </>
    );
  }
  return <OfRun receipt={checked.receipt} verdicts={checked.verdicts} />;
}

function OfRun({ receipt, verdicts }: { readonly receipt: RunReceipt; readonly verdicts: ReceiptVerdicts }) {
  const end = endOf(receipt);
  const facts = end === null ? {} : predicateOf(end);
  const nameOf = namerOf(graphOf({ document: verdicts.document.verdict === "pass" ? receipt.document : {} }));
  // Without the workflow in the file there are only the ids of its steps.
  const named = (id: string) => (nameOf(id) === id ? words(id) : nameOf(id));
  const callerName = useCallerNames();
  // The file has ids, because a name in it would be unproven; the names are those that this person may know here.
  const calledBy = (id: string) => callerName(id) || id;
  const titles = receipt.entries.map((entry) => titleOf(entry, receipt, named, calledBy));
  const workflowId = textAt(facts, "workflowId");
  const { run } = useOperation("get_run", { id: receipt.runId }).data ?? {};
  const workflowName = run?.workflowId === workflowId ? run.workflowName : null;
  const reasons = [
    ...reasonsIn([["the receipt", { run: verdicts.run, document: verdicts.document }]]),
    ...reasonsIn(verdicts.entries.map((entry, nth) => [titles[nth] ?? "", { ...entry }])),
  ];
  const shownContent = receipt.entries.filter(({ content }) => content !== null).length;
  const isSigned = verdicts.entries.some(({ assertion }) => assertion?.verdict === "pass");
  const finished = textAt(facts, "finishedAt");
  const version = numberAt(facts, "workflowVersion");
  return (
    <>
      <Outcome reasons={reasons} good="This receipt is genuine and unchanged" />
      {reasons.length > 0 ? null : (
        <Panel title="What is proven">
          <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-5">
            <Fact label="Workflow">{workflowId === "" ? "not saved" : (workflowName ?? workflowId)}</Fact>
            <Fact label="The run ended as">
              <StateBadge state={textAt(facts, "state", "unknown")} />
            </Fact>
            <Fact label="Started">{fullTime(textAt(facts, "startedAt"))}</Fact>
            <Fact label="Ended">{finished === "" ? "–" : fullTime(finished)}</Fact>
            <Fact label="Ran">{version === null ? "a draft" : `version ${version}`}</Fact>
          </dl>
        </Panel>
      )}
      <Panel title={count(receipt.entries.length, "record")} flush>
        <ol className="divide-y divide-line">
          {receipt.entries.slice(0, SHOWN).map((entry, nth) => (
            <EntryRow
              key={entry.record.id}
              entry={entry}
              title={titles[nth] ?? ""}
              verdicts={verdicts.entries[nth]}
            />
          ))}
        </ol>
        {receipt.entries.length > SHOWN ? (
          <p className="px-4 py-2 text-sm text-ink-2">
            {receipt.entries.length - SHOWN} more were checked and are not listed.
          </p>
        ) : null}
      </Panel>
      {reasons.length > 0 ? null : (
        <Limits
          proven={[
            "The service signed that this run took place, when, and how it ended.",
            `Each of the ${count(receipt.entries.length, "record")} stands in its log, in this order, and was not changed since.`,
            ...(shownContent === 0
              ? []
              : [
                  `What ${count(shownContent, "record")} ${shownContent === 1 ? "shows" : "show"} is what was recorded then.`,
                ]),
            ...(verdicts.document.verdict === "pass"
              ? ["The workflow in the file is the one that ran."]
              : []),
            ...(isSigned ? [SIGNED] : []),
          ]}
          withPasskey={isSigned}
          isContentChecked={shownContent > 0}
        />
      )}
      <details className="panel px-4 py-2">
        <summary className="text-sm text-ink-2">Details</summary>
        <DataView
          value={{
            run: receipt.runId,
            log: receipt.origin,
            keys: receipt.keys.map(({ id }) => id),
            document: textAt(facts, "documentDigest"),
          }}
        />
      </details>
    </>
  );
}

function Outcome({ reasons, good }: { readonly reasons: readonly string[]; readonly good: string }) {
  return (
    <Panel flush>
      {reasons.length === 0 ? (
        <Banner tone="good" title={good}>
          Checked in this page, without asking any service.
        </Banner>
      ) : (
        <Banner tone="bad" title="Do not rely on this file: it was changed, or it is not genuine">
          <ul className="list-disc pl-5">
            {reasons.slice(0, 8).map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
            {reasons.length > 8 ? <li>and {reasons.length - 8} more</li> : null}
          </ul>
        </Banner>
      )}
    </Panel>
  );
}

/** The failed verdicts in words, each with what it is about. */
function reasonsIn(
  groups: readonly (readonly [about: string, verdicts: Readonly<Record<string, Verdict>>])[],
): readonly string[] {
  return groups.flatMap(([about, verdicts]) =>
    Object.values(verdicts)
      .filter(({ verdict }) => verdict === "fail")
      .map(({ detail }) => `${about.charAt(0).toUpperCase()}${about.slice(1)}: ${detail}`),
  );
}

function titleOf(
  entry: ReceiptEntry,
  { runId }: RunReceipt,
  nameOf: (id: string) => string,
  calledBy: (id: string) => string,
): string {
  const { record } = entry;
  if (record.kind === "run") return "End of the run";
  if (record.kind === "approval") {
    const [step, state, decider] = ["stepId", "state", "decidedBy"].map((name) =>
      textAt(predicateOf(entry), name),
    );
    const by = decider === undefined || decider === "" ? "" : ` by ${calledBy(decider)}`;
    return `${nameOf(step ?? "")}: ${(state ?? "").replaceAll("_", " ")}${by}`;
  }
  const step = record.subjectId.startsWith(`${runId}/`)
    ? record.subjectId.slice(runId.length + 1)
    : record.subjectId;
  return stepTitle(step, nameOf);
}

function EntryRow({
  entry,
  title,
  verdicts,
}: {
  readonly entry: ReceiptEntry;
  readonly title: string;
  readonly verdicts: EntryVerdicts | undefined;
}) {
  const isBad = Object.values({ ...verdicts }).some(({ verdict }) => verdict === "fail");
  const state = textAt(predicateOf(entry), "state");
  return (
    <li className="px-4 py-2">
      <details>
        <summary className="flex flex-wrap items-center gap-2.5 [&>svg]:size-4 [&>svg]:shrink-0">
          {isBad ? (
            <CircleX aria-hidden className="text-bad" />
          ) : (
            <CircleCheck aria-hidden className="text-good" />
          )}
          <span dir="auto" className="min-w-0 flex-1 basis-40 truncate font-medium">
            {title}
            <span className="sr-only">{isBad ? ": invalid" : ": valid"}</span>
          </span>
          {state === "" ? null : <StateBadge state={state} />}
          <time dateTime={entry.record.createdAt} className="text-sm text-ink-2">
            {fullTime(entry.record.createdAt)}
          </time>
        </summary>
        <div className="mt-2 space-y-3 pl-6">
          <VerdictList verdicts={{ ...verdicts }} />
          {entry.content === null ? null : (
            <div>
              <h3 className="mb-1 text-sm font-semibold text-ink-2">What was recorded</h3>
              <DataView value={shownOf(entry)} />
            </div>
          )}
        </div>
      </details>
    </li>
  );
}

/** The parts that a digest covers, with names: those of a step are a list, without ids that say nothing. */
function shownOf({ content }: ReceiptEntry): unknown {
  if (Array.isArray(content)) {
    const [, state, attempt, , input, output]: readonly unknown[] = content;
    return { state, attempt, input, output };
  }
  if (!isObject(content)) return content;
  return Object.fromEntries(
    Object.entries(content).filter(
      ([name, value]) => value !== null && !/^(id|runId|documentDigest)$/.test(name),
    ),
  );
}

const CHECKS: Readonly<Record<string, string>> = {
  digest: "Record",
  signature: "Signature",
  key: "Keys",
  inclusion: "Place in the log",
  anchor: "Witness outside",
  content: "Content",
  assertion: "Passkey",
};

/** Each check with its outcome and the reason. */
function VerdictList({ verdicts }: { readonly verdicts: Readonly<Record<string, Verdict>> }) {
  const icons = {
    pass: <CircleCheck aria-hidden className="text-good" />,
    fail: <CircleX aria-hidden className="text-bad" />,
    not_checked: <CircleDashed aria-hidden className="text-ink-3" />,
  };
  const outcomes = { pass: "valid", fail: "invalid", not_checked: "not checked" };
  return (
    <ul className="space-y-1.5 text-sm">
      {Object.entries(verdicts).map(([name, { verdict, detail }]) => (
        <li key={name} className="flex gap-2 [&>svg]:mt-0.5 [&>svg]:size-4 [&>svg]:shrink-0">
          {icons[verdict]}
          <span className="min-w-0 break-words">
            <span className="font-medium">
              {CHECKS[name] ?? words(name)}: {outcomes[verdict]}.
            </span>{" "}
            <span className="text-ink-2">{detail}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function Limits({
  proven,
  isContentChecked,
  withPasskey,
}: {
  readonly proven: readonly string[];
  readonly withPasskey: boolean;
  readonly isContentChecked: boolean;
}) {
  return (
    <div className="grid items-start gap-4 md:grid-cols-2">
      <Panel title="This proves">
        <List items={proven} />
      </Panel>
      <Panel title="This does not prove">
        <List
          items={[
            ...(isContentChecked
              ? ["That what the service recorded is true: it signs what it saw and received."]
              : ["What was in the run: the file shows no content."]),
            ...(withPasskey ? ["Whose passkey it was, beyond what the service says."] : []),
            "That the file holds every record of the run: one that was left out does not show.",
            "What the workflow and the people are called: the records hold their ids.",
            "The time, beyond the clock of the service: no witness outside has confirmed its log.",
            "Whose keys these are, until you compare them with those that the service publishes.",
          ]}
        />
      </Panel>
    </div>
  );
}

function List({ items }: { readonly items: readonly string[] }) {
  return (
    <ul className="list-disc space-y-1.5 pl-5">
      {items.map((item) => (
        <li key={item}>{item}</li>
      ))}
    </ul>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-ink-2">{label}</dt>
      <dd className="font-medium">{children}</dd>
    </div>
  );
}
