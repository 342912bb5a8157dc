import type { Approval, JsonObject } from "@workflow-ui/client";
import { type FormDocument, type FormStore, wireText } from "@workflow-ui/forms";
import { Form, useFormStore } from "@workflow-ui/forms-react";
import { useMutation } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Check, X } from "lucide-react";
import { useId, useState } from "react";
import { signDecision } from "../../api/passkeys.ts";
import { call, queryClient } from "../../api/operations.ts";
import { toast, track } from "../../shell/notices.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { errorText } from "../../lib/error-text.ts";

type Choice = "approved" | "rejected";

interface DecideProps {
  readonly approval: Approval;
  readonly all: readonly Approval[];
}

function decidedText(choice: Choice, approval: Approval): string {
  if (choice === "rejected") return "Rejected.";
  return approval.status === "pending"
    ? "Your approval counts. Others are needed before the run goes on."
    : "Approved. The run goes on.";
}

interface Decided {
  readonly choice: Choice;
  readonly reason: string;
  readonly values: JsonObject | null;
}

/** Sends the decision, bound to what is shown; signed with a passkey where the step asks for one. */
async function send(
  approval: Approval,
  { choice, reason, values }: Decided,
  signal: AbortSignal,
): Promise<{ readonly approval: Approval }> {
  const { id, shownDigest } = approval;
  const because = reason === "" ? {} : { reason };
  if (approval.stepUp) {
    const given = { ...because, ...(values !== null && { values }) };
    const decision = { id, verdict: choice, shownDigest: shownDigest ?? "", ...given };
    const assertion = await signDecision(decision);
    return call("decide_approval", { ...decision, assertion }, { signal });
  }
  const tool = choice === "approved" ? "approve_step" : "reject_step";
  const meta = {
    ...(shownDigest !== undefined && { "svc/shownDigest": shownDigest }),
    ...(values !== null && { "svc/values": values }),
  };
  return call(tool, { id, ...because }, { meta, signal });
}

/** The decision of an approval that has a form. */
export function DecideWithForm({ approval, all, form }: DecideProps & { readonly form: FormDocument }) {
  const store = useFormStore(form);
  return (
    <>
      <h3 className="mb-2 text-sm font-semibold text-ink-2">Your answer</h3>
      <Form store={store} />
      <Decide approval={approval} all={all} store={store} />
    </>
  );
}

/** The answer in a form, when nothing is wrong with it. */
async function checkedValues(store: FormStore): Promise<JsonObject> {
  const values = store.value;
  const { findProblemsInWorker } = await import("@workflow-ui/forms/check");
  const found = await findProblemsInWorker(store.document, values);
  store.setProblems(found);
  if (found.length > 0) throw new Error("The answer has problems; they are marked in the form.");
  return JSON.parse(wireText(values));
}

/** Approve or reject, with a reason. */
export function Decide({ approval, all, store }: DecideProps & { readonly store: FormStore | null }) {
  const id = useId();
  const navigate = useNavigate();
  const { inbox } = useSearch({ strict: false });
  const withPasskey = approval.stepUp;
  const [reason, setReason] = useState("");
  const decide = useMutation({
    mutationFn: async (choice: Choice) => {
      if (choice === "rejected" && reason.trim() === "")
        throw new Error("Say why: the run and its owner will see the reason.");
      const values = store !== null && choice === "approved" ? await checkedValues(store) : null;
      return track(
        choice === "approved" ? "Approve" : "Reject",
        (signal) => send(approval, { choice, reason: reason.trim(), values }, signal),
        () => ({ ok: true, note: "Decided" }),
      );
    },
    onSuccess: async (answer, choice) => {
      const link = { href: `/runs/${approval.runId}`, text: "Open the run" };
      toast("good", decidedText(choice, answer.approval), undefined, link);
      // At once, before anything is awaited: a person who has gone to another page is not pulled back.
      const next = all.find((item) => item.status === "pending" && item !== approval);
      const kept = inbox === undefined ? {} : { inbox };
      void navigate({
        to: "/approvals",
        search: next === undefined ? kept : { ...kept, id: next.id },
      });
      await queryClient.invalidateQueries();
    },
  });
  const problem = decide.error === null ? "" : errorText(decide.error);
  const buttonFor = (choice: Choice) => ({
    busy: decide.isPending && decide.variables === choice,
    disabled: decide.isPending,
    onClick: () => decide.mutate(choice),
  });
  return (
    // In view however long the content above is; what it covers can be scrolled to.
    <div className="sticky bottom-0 z-10 -mx-4 mt-5 border-t border-line bg-surface px-4 pt-2 pb-3">
      <label htmlFor={id} className="mb-1 block font-medium">
        Reason <span className="font-normal text-ink-3">(needed to reject)</span>
      </label>
      <textarea
        id={id}
        rows={1}
        value={reason}
        aria-invalid={problem !== "" || undefined}
        aria-describedby={problem === "" ? undefined : `${id}-problem`}
        onChange={(event) => setReason(event.target.value)}
        className="field-control field-sizing-content max-h-40 min-h-9"
      />
      {problem === "" ? null : (
        <p id={`${id}-problem`} role="alert" className="mt-1 text-sm text-bad">
          {problem}
        </p>
      )}
      <div className="mt-2 flex flex-wrap gap-2 max-sm:[&>button]:grow">
        <Button look="primary" {...buttonFor("approved")}>
          <Check /> {withPasskey ? "Approve with passkey" : "Approve"}
        </Button>
        <Button look="danger" {...buttonFor("rejected")}>
          <X /> {withPasskey ? "Reject with passkey" : "Reject"}
        </Button>
      </div>
    </div>
  );
}
