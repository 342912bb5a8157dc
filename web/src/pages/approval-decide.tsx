import { type FormDocument, type FormValue, type FormStore, wireText } from "@workflow-ui/forms";
import { Form, useFormStore } from "@workflow-ui/forms-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Check, X } from "lucide-react";
import { useId, useState } from "react";
import { signDecision } from "../api/passkeys.ts";
import { queryClient } from "../api/queries.ts";
import { callTool, envelopeError, restAnswer, type ToolAnswer } from "../api/rpc.ts";
import { bagAt, flagAt, textAt, type Bag } from "../lib/read.ts";
import { toast, track } from "../shell/notices.ts";
import { Button } from "../ui/button.tsx";
import { stateOf } from "./records.ts";

type Choice = "approved" | "rejected";

interface DecideProps {
  readonly approval: Bag;
  readonly all: readonly Bag[];
}

function decidedText(choice: Choice, approval: Bag): string {
  if (choice === "rejected") return "Rejected.";
  return stateOf(approval) === "pending"
    ? "Your approval counts. Others are needed before the run goes on."
    : "Approved. The run goes on.";
}

interface Decided {
  readonly choice: Choice;
  readonly reason: string;
  readonly values: Bag | null;
}

/** Sends the decision, bound to what is shown; signed with a passkey where the step asks for one. */
async function send(
  approval: Bag,
  { choice, reason, values }: Decided,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const id = textAt(approval, "id");
  const shownDigest = textAt(approval, "shownDigest");
  if (flagAt(approval, "stepUp")) {
    const given = { ...(reason !== "" && { reason }), ...(values !== null && { values }) };
    const decision = { verdict: choice, shownDigest, ...given };
    const assertion = await signDecision(id, decision);
    return restAnswer(`/api/svc/approvals/${encodeURIComponent(id)}/decide`, {
      body: { ...decision, assertion },
      signal,
    });
  }
  const tool = choice === "approved" ? "approve_step" : "reject_step";
  const meta = {
    ...(shownDigest !== "" && { "svc/shownDigest": shownDigest }),
    ...(values !== null && { "svc/values": values }),
  };
  return callTool(tool, { id, ...(reason !== "" && { reason }) }, { meta, signal });
}

/** The decision of an approval that has a form. */
export function DecideWithForm({ approval, all, form }: DecideProps & { readonly form: FormDocument }) {
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

/** Approve or reject, with a reason. */
export function Decide({ approval, all, store }: DecideProps & { readonly store: FormStore | null }) {
  const id = useId();
  const navigate = useNavigate();
  const { inbox } = useSearch({ strict: false });
  const withPasskey = flagAt(approval, "stepUp");
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState<"" | Choice>("");
  const decide = async (choice: Choice) => {
    if (choice === "rejected" && reason.trim() === "")
      return setProblem("Say why: the run and its owner will see the reason.");
    setProblem("");
    const values: FormValue | undefined = store?.value;
    if (store !== null && choice === "approved") {
      const { findProblemsInWorker } = await import("@workflow-ui/forms/check");
      const found = await findProblemsInWorker(store.document, values);
      store.setProblems(found);
      if (found.length > 0) return setProblem("The answer has problems; they are marked in the form.");
    }
    setBusy(choice);
    const decision = {
      choice,
      reason: reason.trim(),
      values: store !== null && choice === "approved" ? JSON.parse(wireText(values)) : null,
    };
    try {
      const answer = await track(
        choice === "approved" ? "Approve" : "Reject",
        (signal) => send(approval, decision, signal),
        (got) => ({
          ok: got.ok,
          note: got.ok ? "Decided" : envelopeError(got.data, got.status).message,
        }),
      );
      if (!answer.ok) throw envelopeError(answer.data, answer.status);
      toast("good", decidedText(choice, bagAt(answer.data, "approval")));
      // At once, before anything is awaited: a person who has gone to another page is not pulled back.
      const next = all.find((item) => stateOf(item) === "pending" && item !== approval);
      const kept = inbox === undefined ? {} : { inbox };
      void navigate({
        to: "/approvals",
        search: next === undefined ? kept : { ...kept, id: textAt(next, "id") },
      });
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
      <div className="mt-3 flex flex-wrap gap-2 max-sm:[&>button]:grow">
        <Button
          look="primary"
          busy={busy === "approved"}
          disabled={busy !== ""}
          onClick={() => void decide("approved")}
        >
          <Check /> {withPasskey ? "Approve with passkey" : "Approve"}
        </Button>
        <Button
          look="danger"
          busy={busy === "rejected"}
          disabled={busy !== ""}
          onClick={() => void decide("rejected")}
        >
          <X /> {withPasskey ? "Reject with passkey" : "Reject"}
        </Button>
      </div>
    </div>
  );
}
