import type {
  Approval,
  ApprovalEligibility,
  WhoDecides,
  ApprovalComment,
  InputOf,
} from "@workflow-ui/client";
import { Hand, MessageSquare, Undo2 } from "lucide-react";
import { useMutation } from "@tanstack/react-query";
import { lazy, Suspense, useState, type ReactNode } from "react";
import { passkeysWork, signDecision } from "../../api/passkeys.ts";
import { call, queryClient, useOperation } from "../../api/operations.ts";
import { session } from "../../api/session.ts";
import { useExternal } from "../../lib/external.ts";
import { ago, fullTime } from "../../lib/format.ts";
import { useSubmit } from "../../lib/use-submit.ts";
import { toast } from "../../shell/notices.ts";
import { namedAs } from "../../runs/decider.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { InputField, TextareaField } from "../../ui/fields.tsx";
import { ErrorText } from "../../ui/error-text.tsx";

// With its search it is a tenth of the page's code, and most decisions need no other person.
const ApproverList = lazy(() =>
  import("../../workflow/inspect/approvers-picker.tsx").then((module) => ({ default: module.ApproverList })),
);

const PERSON = ["person"] as const;
/** Keys are named by workflows only. */
const PEOPLE = ["person", "group", "role"] as const;

const NO_PERSON = "Choose the person who decides in your place.";
const NOBODY = "Name at least one person, group or role.";

type Action = "claim" | "release" | "delegate" | "comment" | "reassign";

async function act<N extends `${Action}_approval` | "request_approval_changes">(
  name: N,
  input: InputOf<N>,
  done: string,
): Promise<void> {
  await call(name, input);
  toast("good", done);
  await queryClient.invalidateQueries();
}

/** Who may decide an approval, who has, their comments, and what else a person can do with it. */
export function ApprovalPeople({ approval }: { readonly approval: Approval }) {
  const { id } = approval;
  const { data } = useOperation("get_approval", { id });
  const { person } = useExternal(session);
  if (data?.who === undefined || data.you === undefined) return null;
  const { who, you, comments = [] } = data;
  const pending = approval.status === "pending";
  const { stuck } = who;
  return (
    <section aria-label="People" className="mt-6 space-y-4 border-t border-line pt-4">
      {stuck === null ? null : <Banner tone="warn" title={stuck} />}
      <Deciders approval={approval} who={who} pending={pending} />
      {pending && person !== null ? (
        <div className="flex flex-wrap gap-2 empty:hidden">
          <Claim id={id} claimedBy={data.approval.claimedBy ?? ""} me={person.id} you={you} who={who} />
        </div>
      ) : null}
      <Comments id={id} comments={comments} pending={pending} />
      {pending && you.mayDecide && person !== null ? <Delegate id={id} /> : null}
      {pending && who.delegations.some((one) => one.from === person?.id) ? (
        <TakeBack id={id} email={person?.email ?? ""} />
      ) : null}
      {pending && you.mayReassign ? <Reassign id={id} open={stuck !== null} /> : null}
    </section>
  );
}

function Deciders({
  approval,
  who,
  pending,
}: {
  readonly approval: Approval;
  readonly who: WhoDecides;
  readonly pending: boolean;
}) {
  const { required, votes, assignees, claimedByName: claimed } = who;
  const { dueAt: due } = approval;
  return (
    <div>
      <h3 className="mb-1 text-sm font-semibold text-ink-2">{pending ? "Who decides" : "Who decided"}</h3>
      <ul className="space-y-1 text-sm">
        {required > 1 ? (
          <li>
            {votes.length} of {required} approvals. One rejection rejects.
          </li>
        ) : null}
        {due === null || !pending ? null : (
          <li title={fullTime(due)}>
            {Date.parse(due) < Date.now() ? `Overdue: it was due ${ago(due)}.` : `Due ${ago(due)}.`}
          </li>
        )}
        {claimed === null || !pending ? null : <li>{claimed} has claimed it.</li>}
        {votes.map((vote) => (
          <li key={vote.by}>
            {vote.name}
            {vote.inPlaceOf === null ? "" : ` (in place of ${vote.inPlaceOf.name})`} {VERDICTS[vote.verdict]}
            {vote.passkey ? " with a passkey" : ""} {ago(vote.at)}.
          </li>
        ))}
        {who.delegations.map((one) => (
          <li key={one.from}>
            {one.toName} decides in place of {one.fromName}.
          </li>
        ))}
        {pending && assignees.length === 0 ? <li>Everybody with the right to approve may decide.</li> : null}
        {assignees.map((one) => (
          <li key={one.entry} className={one.problem === null ? "" : "text-ink-3"}>
            {namedAs(one)}
            {one.problem === null ? " may decide." : ` cannot decide: ${one.problem}.`}
          </li>
        ))}
      </ul>
    </div>
  );
}

const VERDICTS = {
  approved: "approved",
  rejected: "rejected",
  changes_requested: "asked for changes",
} as const;

function Claim({
  id,
  claimedBy,
  me,
  you,
  who,
}: {
  readonly id: string;
  readonly claimedBy: string;
  readonly me: string;
  readonly you: ApprovalEligibility;
  readonly who: WhoDecides;
}) {
  const { mutate, isPending } = useMutation({
    mutationFn: (action: "claim" | "release") =>
      act(
        `${action}_approval`,
        { id },
        action === "claim"
          ? "Claimed. Others wait until you release it."
          : "Released. Others may decide again.",
      ),
    onError: (error) => toast("bad", error.message),
  });
  if (claimedBy === me || (claimedBy !== "" && you.mayReassign)) {
    return (
      <Button size="sm" busy={isPending} onClick={() => mutate("release")}>
        <Undo2 /> {claimedBy === me ? "Release" : "Release the claim"}
      </Button>
    );
  }
  if (claimedBy !== "" || !you.mayDecide || who.required > 1) return null;
  return (
    <Button size="sm" busy={isPending} onClick={() => mutate("claim")}>
      <Hand /> Claim
    </Button>
  );
}

function Comments({
  id,
  comments,
  pending,
}: {
  readonly id: string;
  readonly comments: readonly ApprovalComment[];
  readonly pending: boolean;
}) {
  const form = useSubmit(async ({ body = "" }, element) => {
    await act("comment_approval", { id, body }, "Comment saved.");
    element.reset();
  });
  if (comments.length === 0 && !pending) return null;
  return (
    <div>
      <h3 className="mb-1 text-sm font-semibold text-ink-2">Comments</h3>
      <ul className="space-y-2">
        {comments.map((one) => (
          <li key={one.id} className="rounded-lg bg-sunken px-3 py-2 text-sm">
            <span className="text-ink-2">
              {one.authorName}, {ago(one.createdAt)}
            </span>
            <p dir="auto" className="break-words whitespace-pre-wrap">
              {one.body}
            </p>
          </li>
        ))}
      </ul>
      {pending ? (
        <form onSubmit={form.onSubmit} className="mt-2 flex flex-wrap items-end gap-2">
          <div className="min-w-0 flex-1 basis-52">
            <InputField
              label="New comment"
              name="body"
              autoComplete="off"
              maxLength={4000}
              required
              problem={form.error === "" ? undefined : form.error}
            />
          </div>
          <Button type="submit" busy={form.busy}>
            <MessageSquare /> Comment
          </Button>
        </form>
      ) : null}
    </div>
  );
}

function More({
  label,
  open = false,
  children,
}: {
  readonly label: string;
  readonly open?: boolean;
  readonly children: ReactNode;
}) {
  const [wasOpened, setWasOpened] = useState(open);
  return (
    <details
      open={open}
      className="rounded-lg border border-line px-3 py-2"
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) setWasOpened(true);
      }}
    >
      <summary className="text-sm font-medium">{label}</summary>
      <div className="mt-3">{wasOpened && <Suspense fallback={null}>{children}</Suspense>}</div>
    </details>
  );
}

function Delegate({ id }: { readonly id: string }) {
  const [chosen, setChosen] = useState<string>();
  const form = useSubmit(async () => {
    if (chosen === undefined) throw new Error(NO_PERSON);
    await act("delegate_approval", { id, to: chosen.replace(/^person:/, "") }, "Delegated.");
  });
  return (
    <More label="Let another person decide">
      <form onSubmit={form.onSubmit} className="space-y-3">
        <People
          legend="Who decides in your place"
          hint="You can take it back until that person has decided."
          problem={chosen !== undefined && form.error === NO_PERSON ? "" : form.error}
        >
          <ApproverList
            value={chosen === undefined ? [] : [chosen]}
            kinds={PERSON}
            action="Choose a person"
            more="Choose another person"
            onChange={(entries) => setChosen(entries?.at(-1))}
          />
        </People>
        <Button type="submit" busy={form.busy}>
          Delegate
        </Button>
      </form>
    </More>
  );
}

/** A choice of people with what it means and what is wrong with it. */
function People({
  legend,
  hint,
  problem,
  children,
}: {
  readonly legend: string;
  readonly hint: string;
  readonly problem: string;
  readonly children: ReactNode;
}) {
  return (
    <fieldset>
      <legend className="mb-1 font-medium">{legend}</legend>
      {children}
      <p className="mt-1 text-sm text-ink-2">{hint}</p>
      <ErrorText text={problem} className="mt-1 text-sm text-bad" />
    </fieldset>
  );
}

/** Who let another person decide can take that back. */
function TakeBack({ id, email }: { readonly id: string; readonly email: string }) {
  const form = useSubmit(async () =>
    act("delegate_approval", { id, to: email }, "You decide yourself again."),
  );
  return (
    <form onSubmit={form.onSubmit}>
      <Button type="submit" size="sm" busy={form.busy}>
        <Undo2 /> Decide yourself again
      </Button>
      <ErrorText text={form.error} className="mt-1 text-sm text-bad" />
    </form>
  );
}

function Reassign({ id, open }: { readonly id: string; readonly open: boolean }) {
  const [approvers, setApprovers] = useState<readonly string[]>([]);
  const form = useSubmit(async ({ reason = "" }) => {
    if (approvers.length === 0) throw new Error(NOBODY);
    await act("reassign_approval", { id, approvers, reason }, "Reassigned.");
  });
  const failed = approvers.length > 0 && form.error === NOBODY ? "" : form.error;
  return (
    <More label="Reassign" open={open}>
      <form onSubmit={form.onSubmit} className="space-y-3">
        <People
          legend="Who may decide"
          hint="They replace those who were named before."
          problem={
            form.field("approvers").problem ?? (form.field("reason").problem === undefined ? failed : "")
          }
        >
          <ApproverList
            value={approvers}
            kinds={PEOPLE}
            action="Name people, groups or roles"
            onChange={(entries) => setApprovers(entries ?? [])}
          />
        </People>
        <InputField label="Reason" {...form.field("reason")} autoComplete="off" required />
        <Button type="submit" busy={form.busy}>
          Reassign
        </Button>
      </form>
    </More>
  );
}

/** Asks for changes, where the workflow has a way on for that. */
export function RequestChanges({ approval }: { readonly approval: Approval }) {
  const { id, stepUp: withPasskey, shownDigest = "" } = approval;
  const you = useOperation("get_approval", { id }).data?.you;
  const form = useSubmit(async ({ comment = "" }) => {
    const decision = { id, verdict: "changes_requested", shownDigest, reason: comment } as const;
    const assertion = withPasskey ? await signDecision(decision) : undefined;
    await act(
      "request_approval_changes",
      { id, comment, shownDigest, assertion },
      "Changes requested. The run goes on with your comment.",
    );
  });
  if (you?.mayRequestChanges !== true) return null;
  if (withPasskey && !(passkeysWork() && you.hasPasskey === true)) return null;
  return (
    <More label="Request changes">
      <form onSubmit={form.onSubmit}>
        <TextareaField
          label="What should change"
          name="comment"
          rows={2}
          required
          maxLength={4000}
          look="field-sizing-content min-h-16"
        />
        <ErrorText text={form.error} className="mt-1 text-sm text-bad" />
        <Button type="submit" busy={form.busy} className="mt-3">
          {withPasskey ? "Request changes with passkey" : "Request changes"}
        </Button>
      </form>
    </More>
  );
}
