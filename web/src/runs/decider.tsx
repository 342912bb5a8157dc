import type { Approval } from "@workflow-ui/client";
import { Link } from "@tanstack/react-router";
import { Fingerprint, UserX } from "lucide-react";
import type { ReactNode } from "react";
import { localhostPage, passkeysWork } from "../api/passkeys.ts";
import { useOperation } from "../api/operations.ts";

/** Shows the decision to those who may decide, and to the others why they may not. */
export function ForDeciders({
  approvalId,
  children,
}: {
  readonly approvalId: string;
  readonly children: ReactNode;
}) {
  const you = useOperation("get_approval", { id: approvalId }).data?.you;
  if (you?.mayDecide !== false) return children;
  return (
    <p className="flex items-start gap-2 rounded-lg border border-line bg-sunken px-3 py-2 text-ink-2">
      <UserX aria-hidden className="mt-0.5 size-4 shrink-0" />
      {you.reason ?? "It is decided already."}
    </p>
  );
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
