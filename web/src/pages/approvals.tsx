import { compileForm, type FormDocument, type FormValue, type FormStore, wireText } from "@workflow-ui/forms";
import { uiHints } from "@workflow-ui/forms/hints";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Check, KeyRound, Stamp, X } from "lucide-react";
import { useId, useMemo, useState } from "react";
import { queryClient, useDocument, useToolData, useTools } from "../api/queries.ts";
import { callTool, envelopeError, getJson } from "../api/rpc.ts";
import { askForKey, session } from "../api/session.ts";
import { Form, useFormStore } from "@workflow-ui/forms-react";
import { useExternal } from "../lib/external.ts";
import { ago, fullTime } from "../lib/format.ts";
import { at, bagAt, bagsAt, isBag, textAt, textsAt, type Bag } from "../lib/read.ts";
import { toast, track } from "../shell/notices.ts";
import { Load } from "../shell/states.tsx";
import { StateBadge } from "../ui/badge.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { DataView, isRedacted } from "../ui/data-view.tsx";
import { Empty, Page, Panel } from "../ui/page.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { consequencesOf } from "../runs/consequences.ts";
import { DeciderName, ForDeciders } from "../runs/decider.tsx";
import { ResultView } from "../runs/result-view.tsx";
import { ShownChanges } from "../runs/shown-changes.tsx";
import { graphOf } from "../workflow/model.ts";
import { ApprovalPeople, RequestChanges } from "./approval-actions.tsx";
import { stateOf } from "./records.ts";

const INBOXES = [
  { value: "mine", label: "Mine" },
  { value: "groups", label: "My groups" },
  { value: "all", label: "Everybody" },
] as const;

/** The approvals of an inbox, with the one that the address names, which may be of another inbox. */
function useInbox(inbox: string, id: string | undefined): UseQueryResult<Bag> {
  const { generation } = useExternal(session);
  return useQuery({
    queryKey: ["document", "approvals", inbox, id, generation],
    queryFn: async ({ signal }) => {
      const data = bagAt(await getJson(`/api/svc/approvals?limit=100&inbox=${inbox}`, signal), "data");
      const list = bagsAt(data, "approvals");
      if (id === undefined || list.some((item) => textAt(item, "id") === id)) return data;
      const one = await getJson(`/api/svc/approvals/${encodeURIComponent(id)}`, signal).catch(() => null);
      return one === null ? data : { ...data, approvals: [bagAt(one, "data", "approval"), ...list] };
    },
    refetchInterval: 30_000,
  });
}

function decidedText(tool: "approve_step" | "reject_step", approval: Bag): string {
  if (tool === "reject_step") return "Rejected.";
  return stateOf(approval) === "pending"
    ? "Your approval counts. Others are needed before the run goes on."
    : "Approved. The run goes on.";
}

/** The decisions that runs wait for: what is asked, what would follow, and who said what. */
export function ApprovalsPage() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const { person } = useExternal(session);
  const inbox = INBOXES.find(({ value }) => value === search.inbox)?.value ?? "all";
  const approvals = useInbox(inbox, search.id);
  const [show, setShow] = useState<"pending" | "all">("pending");
  return (
    <Page
      title="Approvals"
      lead="Runs that wait for a person. A decision is bound to exactly what is shown."
      actions={
        <>
          {person === null ? null : (
            <Segmented
              label="Whose approvals"
              value={inbox}
              onChange={(value) => void navigate({ to: "/approvals", search: { inbox: value } })}
              options={INBOXES}
            />
          )}
          <Segmented
            label="Which approvals"
            value={show}
            onChange={setShow}
            options={[
              { value: "pending", label: "Waiting" },
              { value: "all", label: "All" },
            ]}
          />
        </>
      }
    >
      <Load query={approvals}>
        {(data) => {
          const all = bagsAt(data, "approvals");
          const list = all.filter(
            (item) => show === "all" || stateOf(item) === "pending" || textAt(item, "id") === search.id,
          );
          const chosen = all.find((item) => textAt(item, "id") === search.id) ?? list[0];
          if (list.length === 0) {
            return (
              <Panel>
                <Empty
                  icon={<Stamp />}
                  title="Nothing waits for a decision"
                  action={
                    <Link to="/templates" className={buttonClass()}>
                      Try a template with an approval
                    </Link>
                  }
                >
                  When a run needs a person, its question appears here with everything that it concerns.
                </Empty>
              </Panel>
            );
          }
          return (
            <div className="grid items-start gap-4 lg:grid-cols-[20rem_minmax(0,1fr)]">
              <Panel
                title={`${list.length} ${list.length === 1 ? "approval" : "approvals"}`}
                flush
                // On a phone the question comes first, the list of the others after it.
                className="max-lg:order-last"
              >
                <ul className="divide-y divide-line">
                  {list.map((item) => (
                    <li key={textAt(item, "id")}>
                      <Link
                        to="/approvals"
                        search={{ ...search, id: textAt(item, "id") }}
                        aria-current={item === chosen ? "true" : undefined}
                        className="block px-4 py-2.5 hover:bg-hover focus-visible:-outline-offset-2 aria-[current]:bg-accent-soft"
                      >
                        <span className="flex items-center gap-2">
                          <span className="min-w-0 flex-1 truncate font-medium">
                            {textAt(item, "title", "Approval")}
                          </span>
                          <StateBadge state={stateOf(item)} />
                        </span>
                        <span className="block text-sm text-ink-2">
                          asked {ago(textAt(item, "createdAt"))}
                        </span>
                      </Link>
                    </li>
                  ))}
                </ul>
              </Panel>
              {chosen === undefined ? null : (
                <Decision key={textAt(chosen, "id")} approval={chosen} all={all} />
              )}
            </div>
          );
        }}
      </Load>
    </Page>
  );
}

function Decision({ approval, all }: { readonly approval: Bag; readonly all: readonly Bag[] }) {
  const schema = at(approval, "form") ?? at(approval, "formSchema");
  const form = useMemo(
    () =>
      isBag(schema)
        ? (compileForm(schema, { formId: textAt(approval, "id"), title: "Your answer", hints: uiHints })
            .form ?? null)
        : null,
    [schema, approval],
  );
  const state = stateOf(approval);
  const shown = at(approval, "shown");
  const { keyed } = useExternal(session);
  const hidden = shown === undefined || isRedacted(shown);
  return (
    <Panel title={textAt(approval, "title", "Approval")} actions={<StateBadge state={state} />}>
      <p className="mb-4 text-sm text-ink-2">
        <Sentence approval={approval} />
      </p>
      <h3 className="mb-1 text-sm font-semibold text-ink-2">What you decide on</h3>
      <div className="mb-5 rounded-lg border border-line bg-sunken px-3 py-1">
        {hidden ? (
          <p className="flex items-center gap-2 py-2 text-ink-2">
            <KeyRound aria-hidden className="size-4 shrink-0" /> Private. A key shows what is asked, and lets
            you decide.
          </p>
        ) : (
          <ResultView value={shown} name="what you decide on" />
        )}
      </div>
      {hidden ? null : <ShownChanges approval={approval} all={all} />}
      {state === "pending" ? <Consequences approval={approval} /> : null}
      {state !== "pending" ? null : hidden && !keyed ? (
        <Button look="primary" onClick={() => void askForKey("Deciding needs an API key.")}>
          <KeyRound /> Enter a key to decide
        </Button>
      ) : (
        <ForDeciders approvalId={textAt(approval, "id")}>
          {form === null ? (
            <Decide approval={approval} all={all} store={null} />
          ) : (
            <DecideWithForm approval={approval} all={all} form={form} />
          )}
        </ForDeciders>
      )}
      {state === "pending" && !hidden ? (
        <div className="mt-4">
          <RequestChanges approval={approval} />
        </div>
      ) : null}
      {hidden ? null : <ApprovalPeople approval={approval} />}
      <details className="mt-5 text-sm">
        <summary className="text-ink-2">Details</summary>
        <DataView
          value={Object.fromEntries(
            Object.entries({
              asked: textAt(approval, "createdAt"),
              expires: textAt(approval, "expiresAt"),
              mayDecide: textsAt(approval, "approvers").join(", "),
              run: textAt(approval, "runId"),
              step: textAt(approval, "stepId"),
              shownDigest: textAt(approval, "shownDigest"),
            }).filter(([, value]) => value !== ""),
          )}
        />
      </details>
    </Panel>
  );
}

/** Who asked, when, until when, and what was decided, as one sentence. */
function Sentence({ approval }: { readonly approval: Bag }) {
  const expires = textAt(approval, "expiresAt");
  const decided = textAt(approval, "decidedBy");
  const reason = textAt(approval, "reason");
  return (
    <>
      Asked {ago(textAt(approval, "createdAt"))} by{" "}
      <Link
        to="/runs/$id"
        params={{ id: textAt(approval, "runId") }}
        className="text-accent-ink underline underline-offset-2"
      >
        this run
      </Link>
      .
      {expires !== "" && decided === "" ? (
        <span title={fullTime(expires)}> It expires {ago(expires)}; then it counts as not approved.</span>
      ) : null}
      {decided === "" ? null : (
        <>
          {" "}
          Decided by <DeciderName approvalId={textAt(approval, "id")} id={decided} />{" "}
          {ago(textAt(approval, "decidedAt"))}.
        </>
      )}
      {reason === "" ? "" : ` Reason: ${reason}`}
    </>
  );
}

const CHOICES = {
  approved: "Approving does this",
  rejected: "Rejecting does this",
  changes: "Requesting changes does this",
  expired: "If nobody decides in time",
} as const;

/** What happens after each choice. */
function Consequences({ approval }: { readonly approval: Bag }) {
  const ran = useDocument(`/api/svc/runs/${encodeURIComponent(textAt(approval, "runId"))}/document`);
  const tools = useTools();
  const run = useToolData("get_workflow_run", { id: textAt(approval, "runId") });
  const graph = graphOf(bagAt(ran.data, "data"));
  if (graph.nodes.length === 0 || tools.data === undefined) return null;
  const steps = bagsAt(run.data, "run", "steps").map((step) => [
    textAt(step, "stepId"),
    { outputs: at(step, "output") },
  ]);
  const known = { inputs: bagAt(run.data, "run", "inputs"), steps: Object.fromEntries(steps) };
  return (
    <dl className="mb-5 space-y-2 rounded-lg border border-line px-3 py-2">
      {consequencesOf(graph, textAt(approval, "stepId"), tools.data, known).map(({ choice, sentences }) =>
        (choice === "expired" && textAt(approval, "expiresAt") === "") ||
        (choice === "changes" && sentences.length === 0) ? null : (
          <div key={choice}>
            <dt className="text-sm font-semibold text-ink-2">{CHOICES[choice]}</dt>
            <dd>
              {sentences.length === 0 ? (
                choice === "approved" ? (
                  "The run goes on to its end. Nothing is sent or changed after this."
                ) : (
                  "The run ends here. Nothing is sent or changed."
                )
              ) : (
                <ul className="list-disc pl-5">
                  {sentences.map((sentence) => (
                    <li key={sentence} dir="auto">
                      {sentence}
                    </li>
                  ))}
                </ul>
              )}
            </dd>
          </div>
        ),
      )}
    </dl>
  );
}

interface DecideProps {
  readonly approval: Bag;
  readonly all: readonly Bag[];
}

function DecideWithForm({ approval, all, form }: DecideProps & { readonly form: FormDocument }) {
  const store = useFormStore(form);
  return (
    <>
      <h3 className="mb-2 text-sm font-semibold text-ink-2">Your answer</h3>
      <Form store={store} />
      <div className="mt-5">
        <Decide approval={approval} all={all} store={store} />
      </div>
    </>
  );
}

function Decide({ approval, all, store }: DecideProps & { readonly store: FormStore | null }) {
  const id = useId();
  const navigate = useNavigate();
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState<"" | "approve_step" | "reject_step">("");
  const decide = async (tool: "approve_step" | "reject_step") => {
    if (tool === "reject_step" && reason.trim() === "")
      return setProblem("Say why: the run and its owner will see the reason.");
    setProblem("");
    const values: FormValue | undefined = store?.value;
    if (store !== null && tool === "approve_step") {
      const { findProblemsInWorker } = await import("@workflow-ui/forms/check");
      const found = await findProblemsInWorker(store.document, values);
      store.setProblems(found);
      if (found.length > 0) return setProblem("The answer has problems; they are marked in the form.");
    }
    setBusy(tool);
    const args = { id: textAt(approval, "id"), ...(reason.trim() !== "" && { reason: reason.trim() }) };
    const digest = textAt(approval, "shownDigest");
    const meta = {
      ...(digest !== "" && { "svc/shownDigest": digest }),
      ...(store !== null && tool === "approve_step" && { "svc/values": JSON.parse(wireText(values)) }),
    };
    try {
      const answer = await track(
        tool === "approve_step" ? "Approve" : "Reject",
        (signal) => callTool(tool, args, { meta, signal }),
        (got) => ({
          ok: got.ok,
          note: got.ok ? "Decided" : envelopeError(got.data, got.status).message,
        }),
      );
      if (!answer.ok) throw envelopeError(answer.data, answer.status);
      toast("good", decidedText(tool, bagAt(answer.data, "approval")));
      // At once, before anything is awaited: a person who has gone to another page is not pulled back.
      const next = all.find((item) => stateOf(item) === "pending" && item !== approval);
      void navigate({ to: "/approvals", search: next === undefined ? {} : { id: textAt(next, "id") } });
      await queryClient.invalidateQueries();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : "It was not decided.");
    } finally {
      setBusy("");
    }
  };
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-medium">
        Reason <span className="font-normal text-ink-3">(needed to reject)</span>
      </label>
      <textarea
        id={id}
        rows={2}
        value={reason}
        aria-invalid={problem !== "" || undefined}
        aria-describedby={problem === "" ? undefined : `${id}-problem`}
        onChange={(event) => setReason(event.target.value)}
        className="field-control field-sizing-content min-h-16"
      />
      {problem === "" ? null : (
        <p id={`${id}-problem`} role="alert" className="mt-1 text-sm text-bad">
          {problem}
        </p>
      )}
      <div className="mt-3 flex gap-2">
        <Button
          look="primary"
          busy={busy === "approve_step"}
          disabled={busy !== ""}
          onClick={() => void decide("approve_step")}
        >
          <Check /> Approve
        </Button>
        <Button
          look="danger"
          busy={busy === "reject_step"}
          disabled={busy !== ""}
          onClick={() => void decide("reject_step")}
        >
          <X /> Reject
        </Button>
      </div>
    </div>
  );
}
