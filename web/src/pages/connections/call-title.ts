import type { OperationError } from "@workflow-ui/client";

/** What a call came to that has no answer. "Not sent" only where the service says so: else the request may have left. */
export function titleOf({ code, effect }: Pick<OperationError, "code" | "effect">): string {
  if (effect === "not_sent") return "Not sent";
  return code === "unreachable" ? "Not sent or not answered" : "No answer that can be used";
}
