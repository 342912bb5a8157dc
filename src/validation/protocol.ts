import type { ValueProblem } from "../forms/messages.ts";

/** What the pool asks a worker. JSON text crosses the threads: it is what the cache of compiled schemas is keyed by. */
export interface Job {
  readonly id: number;
  readonly schema: string;
  readonly value: string;
}

/** What came of a job, or that the worker is there. */
export type Outcome =
  | { readonly id: number; readonly kind: "ready" }
  | { readonly id: number; readonly kind: "checked"; readonly problems: ValueProblem[] }
  | { readonly id: number; readonly kind: "bad_schema" | "failed"; readonly message: string };

/** What a worker answers, with the processor time it has used since it began. */
export type Reply = Outcome & { readonly usedMs: number };

/** A job out of a thread's message. */
export function parseJob(message: unknown): Job | null {
  if (typeof message !== "object" || message === null) return null;
  if (!("id" in message) || !("schema" in message) || !("value" in message)) return null;
  const { id, schema, value } = message;
  return typeof id === "number" && typeof schema === "string" && typeof value === "string"
    ? { id, schema, value }
    : null;
}

/** True for what our own worker sends. */
export function isReply(message: unknown): message is Reply {
  return typeof message === "object" && message !== null && "id" in message && "kind" in message;
}
