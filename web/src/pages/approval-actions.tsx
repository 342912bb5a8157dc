import { Hand, MessageSquare, Undo2 } from "lucide-react";
import { useId, useState, type ReactNode } from "react";
import { passkeysWork, signDecision } from "../api/passkeys.ts";
import { queryClient, useDocument } from "../api/queries.ts";
import { rest } from "../api/rpc.ts";
import { session } from "../api/session.ts";
import { useExternal } from "../lib/external.ts";
import { ago, fullTime } from "../lib/format.ts";
import { at, bagAt, bagsAt, flagAt, numberAt, textAt, type Bag } from "../lib/read.ts";
import { useSubmit } from "../lib/use-submit.ts";
import { toast } from "../shell/notices.ts";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/text-field.tsx";
import { ApproverList } from "../workflow/approvers-picker.tsx";

const PERSON = ["person"] as const;
/** Keys are named by workflows only. */
const PEOPLE = ["person", "group", "role"] as const;

const NO_PERSON = "Choose the person who decides in your place.";
const NOBODY = "Name at least one person, group or role.";

const pathOf = (id: string): string => `/api/svc/approvals/${encodeURIComponent(id)}`;

async function act(id: string, action: string, body: object, done: string): Promise<void> {
  await rest(`${pathOf(id)}/${action}`, { body });
  toast("good", done);
  await queryClient.invalidateQueries();
}

/** Who may decide an approval, who has, what they said, and what else a person can do with it. */
export function ApprovalPeople({ approval }: { readonly approval: Bag }) {
  const id = textAt(approval, "id");
  const detail = useDocument(pathOf(id));
  const { person } = useExternal(session);
  const data = bagAt(detail.data, "data");
  const who = bagAt(data, "who");
  const you = bagAt(data, "you");
  if (detail.data === undefined || at(data, "who") === undefined) return null;
  const pending = textAt(approval, "status") === "pending";
  const stuck = textAt(who, "stuck");
  return (
    <section aria-label="People" className="mt-6 space-y-4 border-t border-line pt-4">
      {stuck === "" ? null : <Banner tone="warn" title={stuck} />}
      <Deciders approval={approval} who={who} pending={pending} />
      {pending && person !== null ? (
        <div className="flex flex-wrap gap-2 empty:hidden">
          <Claim
            id={id}
            claimedBy={textAt(data, ["approval", "claimedBy"])}
            me={person.id}
            you={you}
            who={who}
          />
        </div>
      ) : null}
      <Comments id={id} comments={bagsAt(data, "comments")} pending={pending} />
      {pending && at(you, "mayDecide") === true && person !== null ? <Delegate id={id} /> : null}
      {pending && bagsAt(who, "delegations").some((one) => textAt(one, "from") === person?.id) ? (
        <TakeBack id={id} email={person?.email ?? ""} />
      ) : null}
      {pending && at(you, "mayReassign") === true ? <Reassign id={id} open={stuck !== ""} /> : null}
    </section>
  );
}

function Deciders({
  approval,
  who,
  pending,
}: {
  readonly approval: Bag;
  readonly who: Bag;
  readonly pending: boolean;
}) {
  const required = numberAt(who, "required") ?? 1;
  const votes = bagsAt(who, "votes");
  const assignees = bagsAt(who, "assignees");
  const due = textAt(approval, "dueAt");
  const claimed = textAt(who, "claimedByName");
  return (
    <div>
      <h3 className="mb-1 text-sm font-semibold text-ink-2">{pending ? "Who decides" : "Who decided"}</h3>
      <ul className="space-y-1 text-sm">
        {required > 1 ? (
          <li>
            {votes.length} of {required} approvals. One rejection rejects.
          </li>
        ) : null}
        {due === "" || !pending ? null : (
          <li title={fullTime(due)}>
            {Date.parse(due) < Date.now() ? `Overdue: it was due ${ago(due)}.` : `Due ${ago(due)}.`}
          </li>
        )}
        {claimed === "" || !pending ? null : <li>{claimed} has claimed it.</li>}
        {votes.map((vote) => (
          <li key={textAt(vote, "by")}>
            {textAt(vote, "name")}
            {textAt(vote, ["inPlaceOf", "name"]) === ""
              ? ""
              : ` (in place of ${textAt(vote, ["inPlaceOf", "name"])})`}{" "}
            {VERDICTS[textAt(vote, "verdict")] ?? "decided"}
            {flagAt(vote, "passkey") ? " with a passkey" : ""} {ago(textAt(vote, "at"))}.
          </li>
        ))}
        {bagsAt(who, "delegations").map((one) => (
          <li key={textAt(one, "from")}>
            {textAt(one, "toName")} decides in place of {textAt(one, "fromName")}.
          </li>
        ))}
        {pending && assignees.length === 0 ? <li>Everybody with the right to approve may decide.</li> : null}
        {assignees.map((one) => (
          <li key={textAt(one, "entry")} className={textAt(one, "problem") === "" ? "" : "text-ink-3"}>
            {namedAs(one)}
            {textAt(one, "problem") === "" ? " may decide." : ` cannot decide: ${textAt(one, "problem")}.`}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Those that an entry names, as a person would say it. */
function namedAs(assignee: Bag): string {
  const [, kind, name = ""] = /^(role|group):(.*)$/.exec(textAt(assignee, "entry")) ?? [];
  if (kind === "role") return `Everybody with the role ${name}`;
  if (kind === "group") return `Every member of the group ${name}`;
  return textAt(assignee, "name");
}

const VERDICTS: Readonly<Record<string, string>> = {
  approved: "approved",
  rejected: "rejected",
  changes_requested: "asked for changes",
};

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
  readonly you: Bag;
  readonly who: Bag;
}) {
  const [busy, setBusy] = useState(false);
  const send = (action: "claim" | "release", done: string) => {
    setBusy(true);
    act(id, action, {}, done)
      .catch((error: unknown) => toast("bad", error instanceof Error ? error.message : "It did not work."))
      .finally(() => setBusy(false));
  };
  if (claimedBy === me || (claimedBy !== "" && at(you, "mayReassign") === true)) {
    return (
      <Button size="sm" busy={busy} onClick={() => send("release", "Released. Others may decide again.")}>
        <Undo2 /> {claimedBy === me ? "Release" : "Release the claim"}
      </Button>
    );
  }
  if (claimedBy !== "" || at(you, "mayDecide") !== true || (numberAt(who, "required") ?? 1) > 1) return null;
  return (
    <Button size="sm" busy={busy} onClick={() => send("claim", "Claimed. Others wait until you release it.")}>
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
  readonly comments: readonly Bag[];
  readonly pending: boolean;
}) {
  const form = useSubmit(async ({ body }, element) => {
    await act(id, "comment", { body }, "Comment saved.");
    element.reset();
  });
  if (comments.length === 0 && !pending) return null;
  return (
    <div>
      <h3 className="mb-1 text-sm font-semibold text-ink-2">Comments</h3>
      <ul className="space-y-2">
        {comments.map((one) => (
          <li key={textAt(one, "id")} className="rounded-lg bg-sunken px-3 py-2 text-sm">
            <span className="text-ink-2">
              {textAt(one, "authorName")}, {ago(textAt(one, "createdAt"))}
            </span>
            <p dir="auto" className="break-words whitespace-pre-wrap">
              {textAt(one, "body")}
            </p>
          </li>
        ))}
      </ul>
      {pending ? (
        <form onSubmit={form.onSubmit} className="mt-2 flex flex-wrap items-end gap-2">
          <div className="min-w-0 flex-1 basis-52">
            <TextField
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
  return (
    <details open={open} className="rounded-lg border border-line px-3 py-2">
      <summary className="text-sm font-medium">{label}</summary>
      <div className="mt-3">{children}</div>
    </details>
  );
}

function Delegate({ id }: { readonly id: string }) {
  const [chosen, setChosen] = useState<string>();
  const form = useSubmit(async () => {
    if (chosen === undefined) throw new Error(NO_PERSON);
    await act(id, "delegate", { to: chosen.replace(/^person:/, "") }, "Delegated.");
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
      {problem === "" ? null : (
        <p role="alert" className="mt-1 text-sm text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  );
}

/** Who let another person decide can take that back. */
function TakeBack({ id, email }: { readonly id: string; readonly email: string }) {
  const form = useSubmit(async () => act(id, "delegate", { to: email }, "You decide yourself again."));
  return (
    <form onSubmit={form.onSubmit}>
      <Button type="submit" size="sm" busy={form.busy}>
        <Undo2 /> Decide yourself again
      </Button>
      {form.error === "" ? null : (
        <p role="alert" className="mt-1 text-sm text-bad">
          {form.error}
        </p>
      )}
    </form>
  );
}

function Reassign({ id, open }: { readonly id: string; readonly open: boolean }) {
  const [approvers, setApprovers] = useState<readonly string[]>([]);
  const form = useSubmit(async ({ reason }) => {
    if (approvers.length === 0) throw new Error(NOBODY);
    await act(id, "reassign", { approvers, reason }, "Reassigned.");
  });
  const failed = approvers.length > 0 && form.error === NOBODY ? "" : form.error;
  return (
    <More label="Reassign" open={open}>
      <form onSubmit={form.onSubmit} className="space-y-3">
        <People
          legend="Who may decide"
          hint="They replace those who were named before."
          problem={form.problem("approvers") ?? (form.problem("reason") === undefined ? failed : "")}
        >
          <ApproverList
            value={approvers}
            kinds={PEOPLE}
            action="Name people, groups or roles"
            onChange={(entries) => setApprovers(entries ?? [])}
          />
        </People>
        <TextField
          label="Reason"
          name="reason"
          autoComplete="off"
          required
          problem={form.problem("reason")}
        />
        <Button type="submit" busy={form.busy}>
          Reassign
        </Button>
      </form>
    </More>
  );
}

/** Asks for changes, where the workflow has a way on for that. */
export function RequestChanges({ approval }: { readonly approval: Bag }) {
  const field = useId();
  const id = textAt(approval, "id");
  const detail = useDocument(pathOf(id));
  const withPasskey = flagAt(approval, "stepUp");
  const form = useSubmit(async ({ comment }) => {
    const shownDigest = textAt(approval, "shownDigest");
    const decision = { verdict: "changes_requested", shownDigest, reason: comment };
    const assertion = withPasskey ? await signDecision(id, decision) : undefined;
    await act(
      id,
      "request-changes",
      { comment, shownDigest, assertion },
      "Changes requested. The run goes on with your comment.",
    );
  });
  const you = bagAt(detail.data, "data", "you");
  if (at(you, "mayRequestChanges") !== true) return null;
  if (withPasskey && !(passkeysWork() && flagAt(you, "hasPasskey"))) return null;
  return (
    <More label="Request changes">
      <form onSubmit={form.onSubmit}>
        <label htmlFor={field} className="mb-1 block font-medium">
          What should change
        </label>
        <textarea
          id={field}
          name="comment"
          rows={2}
          required
          maxLength={4000}
          className="field-control field-sizing-content min-h-16"
        />
        {form.error === "" ? null : (
          <p role="alert" className="mt-1 text-sm text-bad">
            {form.error}
          </p>
        )}
        <Button type="submit" busy={form.busy} className="mt-3">
          {withPasskey ? "Request changes with passkey" : "Request changes"}
        </Button>
      </form>
    </More>
  );
}
