import { UserX } from "lucide-react";
import type { ReactNode } from "react";
import { useDocument } from "../api/queries.ts";
import { at, bagAt, textAt } from "../lib/read.ts";

/** Shows the decision to those who may decide, and to the others why they may not. */
export function ForDeciders({
  approvalId,
  children,
}: {
  readonly approvalId: string;
  readonly children: ReactNode;
}) {
  const detail = useDocument(`/api/svc/approvals/${encodeURIComponent(approvalId)}`);
  const you = bagAt(detail.data, "data", "you");
  if (at(you, "mayDecide") !== false) return children;
  return (
    <p className="flex items-start gap-2 rounded-lg border border-line bg-sunken px-3 py-2 text-ink-2">
      <UserX aria-hidden className="mt-0.5 size-4 shrink-0" />
      {textAt(you, "reason", "It is decided already.")}
    </p>
  );
}

/** Who decided, by name where it was a person. */
export function DeciderName({ approvalId, id }: { readonly approvalId: string; readonly id: string }) {
  const detail = useDocument(`/api/svc/approvals/${encodeURIComponent(approvalId)}`);
  return textAt(detail.data, ["data", "approval", "decidedByName"], id);
}
