import { randomHex } from "./ids.ts";

/** W3C trace context of one request or step. */
export interface Trace {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /** The span is sent to a collector by itself: what begins here is a span below it. */
  readonly isSent?: true;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

/** Continues the trace a caller sent in `traceparent`, or begins a new one. */
export function traceFrom(traceparent: string | undefined): Trace {
  const match = traceparent === undefined ? null : TRACEPARENT.exec(traceparent);
  const [, traceId, parent] = match ?? [];
  if (traceId === undefined || parent === undefined || /^0+$/.test(traceId) || /^0+$/.test(parent)) {
    return { traceId: newTraceId(), spanId: randomHex(8), parentSpanId: null };
  }
  return { traceId, spanId: randomHex(8), parentSpanId: parent };
}

/** Time in front, then 80 random bits: a store that keeps traces by their id writes the new ones side by side. */
function newTraceId(): string {
  return Date.now().toString(16).padStart(12, "0") + randomHex(10);
}

/** A child span in the same trace. */
export function childOf(trace: Trace): Trace {
  return { traceId: trace.traceId, spanId: randomHex(8), parentSpanId: trace.spanId };
}

/** The `traceparent` header that names this span as the parent. */
export function traceparentOf(trace: Pick<Trace, "traceId" | "spanId">): string {
  return `00-${trace.traceId}-${trace.spanId}-01`;
}
