import { statusOf } from "../model/status.ts";
import { NotDone, type Envelope } from "../kernel/envelope.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";

/** A run that was made for one call, and has ended. */
interface CallRun {
  readonly id: string;
  readonly state: string;
  readonly outputs: unknown;
  readonly error: { readonly code?: unknown; readonly message?: unknown } | null;
  readonly approval: { readonly state: string; readonly reason: Json } | null;
}

/** What the call answers: its result; or that a person refused it; or how it failed. */
export function callEnd({ id, state, outputs, error, approval }: CallRun): Envelope {
  const result = isJsonObject(outputs) ? (outputs["result"] ?? null) : null;
  if (isJsonObject(result) && typeof result["ok"] === "boolean" && isJsonObject(result["data"]))
    return { ok: result["ok"], data: result["data"] };
  if (approval !== null && approval.state !== "approved" && approval.state !== "pending")
    return new NotDone({
      ...statusOf(approval),
      reason: `The call was not made: its approval is ${approval.state}.`,
      note: approval.reason,
      runId: id,
    });
  return new NotDone({ error: errorOf(error, state), runId: id });
}

function errorOf(error: CallRun["error"], state: string): JsonObject {
  if (typeof error?.code !== "string") return { code: "unavailable", message: `The run is ${state}.` };
  return { code: error.code, message: typeof error.message === "string" ? error.message : error.code };
}
