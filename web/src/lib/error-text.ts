import { OperationError } from "@workflow-ui/client";

/** What went wrong and, where the service says so, what to do about it. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const next = error instanceof OperationError ? (error.nextAction ?? "") : "";
  return `${error.message} ${next}`.trim();
}

/** Whatever was thrown, as an error of an operation. */
export function asOperationError(error: unknown): OperationError {
  return error instanceof OperationError
    ? error
    : new OperationError(0, { code: "failed", message: errorText(error) });
}
