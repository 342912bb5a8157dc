import type { JsonObject } from "../kernel/json.ts";
import { allows, type Caller } from "../ports/caller.ts";
import type { EventRecord } from "../ports/records.ts";

/** True when the caller may see everything that every event of this type says; of its own runs it may see more. */
export function seesAll(caller: Caller, type: string): boolean {
  if (allows(caller, "read-private")) return true;
  return type.startsWith("svc.handoff.") && allows(caller, "handoff");
}

/** The run that an event is about; null when it is about something else. */
export function runOf({
  type,
  subject,
  data,
}: Pick<EventRecord, "type" | "subject" | "data">): string | null {
  const { runId } = data;
  if (typeof runId === "string") return runId;
  return /^svc\.(?:run|step|approval)\./.test(type) ? subject : null;
}

/** A CloudEvents 1.0 event with everything it says, or only its public part; null when it has none. */
export function cloudEvent(event: EventRecord, source: string, view: "all" | "public"): JsonObject | null {
  const data = view === "all" ? event.data : event.publicData;
  if (data === null) return null;
  return {
    specversion: "1.0",
    id: event.id,
    source,
    type: event.type,
    subject: event.subject,
    time: event.time,
    datacontenttype: "application/json",
    // Extension attributes: where the event stands in the outbox, and the trace of the change.
    sequence: String(event.sequence).padStart(16, "0"),
    ...(event.traceparent !== null && { traceparent: event.traceparent }),
    data,
  };
}

/** True when one of the patterns names the type: `svc.run.failed`, `svc.run.*` or `*`. */
export function matchesType(patterns: readonly string[], type: string): boolean {
  return patterns.some(
    (pattern) =>
      pattern === "*" ||
      pattern === type ||
      (pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1))),
  );
}
