import { OperationError } from "@workflow-ui/client";

/** What went wrong and, where the service says so, what to do about it. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const next = error instanceof OperationError ? (error.nextAction ?? "") : "";
  return `${error.message} ${next}`.trim();
}
