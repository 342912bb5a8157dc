import { compileForm, type FormDocument, type FormValue } from "#forms/index.ts";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Check, KeyRound, Stamp, X } from "lucide-react";
import { useId, useMemo, useState } from "react";
import { queryClient, useToolData } from "../api/queries.ts";
import { callTool, envelopeError } from "../api/rpc.ts";
import { askForKey, session } from "../api/session.ts";
import { Form, useFormStore } from "../forms/form.tsx";
import type { FormStore } from "../forms/form-store.ts";
import { wireText } from "../forms/logic.ts";
import { useExternal } from "../lib/external.ts";
import { ago, fullTime, shortId } from "../lib/format.ts";
import { at, bagsAt, isBag, textAt, textsAt, type Bag } from "../lib/read.ts";
import { toast, track } from "../shell/notices.ts";
import { Load } from "../shell/states.tsx";
import { StateBadge } from "../ui/badge.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { DataView, isRedacted } from "../ui/data-view.tsx";
import { Empty, Page, Panel } from "../ui/page.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { stateOf } from "./records.ts";

/** The decisions that runs wait for: what is asked, what would follow, and who said what. */
export function ApprovalsPage() {
  const approvals = useToolData("list_approvals", { limit: 100 }, { refetchMs: 30_000 });
  const search = useSearch({ strict: false });
  const [show, setShow] = useState<"pending" | "all">("pending");
  return (
    <Page
      title="Approvals"
      lead="A run that reaches a risky step stops here. Each decision is bound to exactly what is shown."
      actions={
        <Segmented
          label="Which approvals"
          value={show}
          onChange={setShow}
          options={[
            { value: "pending", label: "Waiting" },
            { value: "all", label: "All" },
          ]}
        />
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
              <Panel title={`${list.length} ${list.length === 1 ? "approval" : "approvals"}`} flush>
                <ul className="divide-y divide-line">
                  {list.map((item) => (
                    <li key={textAt(item, "id")}>
                      <Link
                        to="/approvals"
                        search={{ id: textAt(item, "id") }}
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
              {chosen === undefined ? null : <Decision key={textAt(chosen, "id")} approval={chosen} />}
            </div>
          );
        }}
      </Load>
    </Page>
  );
}

function Decision({ approval }: { readonly approval: Bag }) {
  const schema = at(approval, "form") ?? at(approval, "formSchema");
  const form = useMemo(
    () =>
      isBag(schema)
        ? (compileForm(schema, { formId: textAt(approval, "id"), title: "Your answer" }).form ?? null)
        : null,
    [schema, approval],
  );
  const state = stateOf(approval);
  const shown = at(approval, "shown");
  const { keyed } = useExternal(session);
  const hidden = shown === undefined || isRedacted(shown);
  return (
    <Panel title={textAt(approval, "title", "Approval")} actions={<StateBadge state={state} />}>
      <dl className="mb-4 grid gap-x-6 gap-y-1 text-sm sm:grid-cols-[auto_1fr]">
        <Fact label="Run">
          <Link
            to="/runs/$id"
            params={{ id: textAt(approval, "runId") }}
            className="font-mono text-accent-ink hover:underline"
          >
            {shortId(textAt(approval, "runId"))}
          </Link>
          {textAt(approval, "stepId") === "" ? "" : ` at step ${textAt(approval, "stepId")}`}
        </Fact>
        <Fact label="Asked">{fullTime(textAt(approval, "createdAt"))}</Fact>
        {textAt(approval, "expiresAt") === "" ? null : (
          <Fact label="Expires">{fullTime(textAt(approval, "expiresAt"))} (expiry never approves)</Fact>
        )}
        {textsAt(approval, "approvers").length === 0 ? null : (
          <Fact label="May decide">{textsAt(approval, "approvers").join(", ")}</Fact>
        )}
        {textAt(approval, "decidedBy") === "" ? null : (
          <Fact label="Decided">
            by {textAt(approval, "decidedBy")}, {fullTime(textAt(approval, "decidedAt"))}
          </Fact>
        )}
        {textAt(approval, "reason") === "" ? null : <Fact label="Reason">{textAt(approval, "reason")}</Fact>}
      </dl>
      <h3 className="mb-1 text-sm font-semibold text-ink-2">What you decide on</h3>
      <div className="mb-5 rounded-lg border border-line bg-sunken px-3 py-1">
        {hidden ? (
          <p className="flex items-center gap-2 py-2 text-ink-2">
            <KeyRound aria-hidden className="size-4 shrink-0" /> Private. A key shows what is asked, and lets
            you decide.
          </p>
        ) : (
          <DataView value={shown} />
        )}
      </div>
      {state !== "pending" ? null : hidden && !keyed ? (
        <Button look="primary" onClick={() => void askForKey("Deciding needs an API key.")}>
          <KeyRound /> Enter a key to decide
        </Button>
      ) : form === null ? (
        <Decide approval={approval} store={null} />
      ) : (
        <DecideWithForm approval={approval} form={form} />
      )}
    </Panel>
  );
}

function DecideWithForm({ approval, form }: { readonly approval: Bag; readonly form: FormDocument }) {
  const store = useFormStore(form);
  return (
    <>
      <h3 className="mb-2 text-sm font-semibold text-ink-2">Your answer</h3>
      <Form store={store} />
      <div className="mt-5">
        <Decide approval={approval} store={store} />
      </div>
    </>
  );
}

function Decide({ approval, store }: { readonly approval: Bag; readonly store: FormStore | null }) {
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
      const { findProblems } = await import("../forms/validate.ts");
      const found = findProblems(store.document, values);
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
      toast("good", tool === "approve_step" ? "Approved. The run goes on." : "Rejected.");
      await queryClient.invalidateQueries();
      void navigate({ to: "/approvals", search: {} });
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

function Fact({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  return (
    <>
      <dt className="text-ink-2">{label}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}
