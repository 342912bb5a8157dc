import type { ApprovalRecord } from "../ports/records.ts";

/*
 * What a message says. Nothing of the approval's content goes into it, its title included: mail and webhooks travel
 * outside of this service. The link opens the page, which shows the rest to those who may see it.
 */

/** What happened, by the name of the event. */
const KINDS: Readonly<Record<string, string>> = {
  requested: "An approval waits for your decision",
  reminder: "Reminder: an approval still waits for your decision",
  overdue: "An approval is overdue",
  escalated: "An approval was escalated to you",
  delegated: "An approval was delegated to you",
  reassigned: "An approval was assigned to you",
};

/** The kinds of events that people are notified of. */
export const NOTIFIED: ReadonlySet<string> = new Set(Object.keys(KINDS));

/** One approval in a message. */
export interface Item {
  readonly kind: string;
  readonly approval: Pick<ApprovalRecord, "id" | "dueAt" | "expiresAt">;
}

/** The page of an approval. Opening it decides nothing. */
export function linkOf(baseUrl: string, approvalId: string): string {
  return `${baseUrl}/approvals?id=${encodeURIComponent(approvalId)}`;
}

/** The subject and the text of a mail about one or several approvals. */
export function mailText(
  items: readonly Item[],
  name: string,
  baseUrl: string,
  unsubscribeUrl: string,
): { readonly subject: string; readonly text: string } {
  const [first] = items;
  const subject =
    items.length === 1
      ? (KINDS[first?.kind ?? ""] ?? "An approval waits")
      : `${items.length} approvals wait for your decision`;
  const lines = items.map(({ kind, approval }) =>
    [
      `${KINDS[kind] ?? "An approval waits"}:`,
      linkOf(baseUrl, approval.id),
      ...(approval.dueAt === null ? [] : [`Due ${approval.dueAt}.`]),
      ...(approval.expiresAt === null ? [] : [`It expires ${approval.expiresAt}.`]),
    ].join("\n"),
  );
  const text = [
    `Hello ${name},`,
    ...lines,
    "Sign in to see what is asked and to decide. Opening the link decides nothing.",
    `Stop these mails: ${unsubscribeUrl}`,
  ].join("\n\n");
  return { subject, text: `${text}\n` };
}
