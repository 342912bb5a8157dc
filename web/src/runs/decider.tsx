import type { Approval, Assignee, WhoDecides } from "@workflow-ui/client";
import { Link } from "@tanstack/react-router";
import { Fingerprint, UserX } from "lucide-react";
import type { ReactNode } from "react";
import { localhostPage, passkeysWork } from "../api/passkeys.ts";
import { useOperation } from "../api/operations.ts";

/** Shows the decision to those who may decide, and to the others why they may not, and who may. */
export function ForDeciders({
  approvalId,
  children,
}: {
  readonly approvalId: string;
  readonly children: ReactNode;
}) {
  const { data } = useOperation("get_approval", { id: approvalId });
  if (data === undefined) return null;
  if (data.you?.mayDecide === true) return children;
  const reason = data.you?.reason ?? "You may not see what is asked, so you cannot decide it.";
  return (
    <p className="flex items-start gap-2 rounded-lg border border-line bg-sunken px-3 py-2 text-ink-2">
      <UserX aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span>
        {reason} {mayDecide(data.who)}
      </span>
    </p>
  );
}

/** Who can decide now, as one sentence. */
export function mayDecide(who: WhoDecides | undefined): string {
  if (who === undefined) return "";
  const able = who.assignees.filter(({ problem }) => problem === null).map(namedAs);
  if (who.assignees.length === 0) return "Everybody with the right to approve may decide.";
  const names = able.map((name, nth) =>
    nth === 0 ? name : name.replace(/^Every(?=body with| member of)/, "every"),
  );
  return names.length === 0 ? (who.stuck ?? "") : `${new Intl.ListFormat("en").format(names)} may decide.`;
}

/** Those that an entry names, as a person would say it. */
export function namedAs(assignee: Assignee): string {
  const [, kind, name = ""] = /^(role|group):(.*)$/.exec(assignee.entry) ?? [];
  if (kind === "role") return `Everybody with the role ${name}`;
  if (kind === "group") return `Every member of the group ${name}`;
  return assignee.name;
}

/** Says that a decision needs a passkey; without one it says how to get one instead of offering the decision. */
export function ForPasskeys({
  approval,
  children,
}: {
  readonly approval: Approval;
  readonly children: ReactNode;
}) {
  const you = useOperation("get_approval", { id: approval.id }).data?.you;
  if (!approval.stepUp) return children;
  const isMissing = you?.hasPasskey === false;
  const note = isMissing ? <AddFirst /> : passkeysWork() ? null : <NotHere />;
  return (
    <>
      <p className="mb-4 flex items-start gap-2 rounded-lg border border-line bg-sunken px-3 py-2">
        <Fingerprint aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-2" />
        <span className="min-w-0">
          {note ??
            "This decision needs your passkey. Your device asks for your fingerprint, face or PIN and signs what is shown here."}
        </span>
      </p>
      {note === null ? children : null}
    </>
  );
}

function AddFirst() {
  return (
    <>
      This decision needs a passkey, and you have none yet.{" "}
      <Link to="/account" className="text-accent-ink underline underline-offset-2">
        Add one to your account
      </Link>
      , then come back.
    </>
  );
}

function NotHere() {
  const page = localhostPage();
  return (
    <>
      This decision needs your passkey, and passkeys do not work at this address.{" "}
      {page === null ? (
        "Open the address that the service was set up with."
      ) : (
        <a href={page} className="text-accent-ink underline underline-offset-2">
          Open this page under localhost
        </a>
      )}
    </>
  );
}

/** Who decided, by name where it was a person. */
export function DeciderName({ approvalId, id }: { readonly approvalId: string; readonly id: string }) {
  const detail = useOperation("get_approval", { id: approvalId });
  return detail.data?.approval.decidedByName ?? id;
}
