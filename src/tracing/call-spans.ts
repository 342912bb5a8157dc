import { AppError } from "../kernel/errors.ts";
import { childOf, type Trace } from "../kernel/trace.ts";
import { contextWith } from "../ports/call-context.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { Clock, Span, SpanExporter } from "../ports/platform.ts";

/** What a span says of a call. */
interface Call {
  readonly name: string;
  readonly attributes: Span["attributes"];
}

/** How a call ended: `code` says why when it is not `ok`. */
interface End {
  readonly status: Span["status"];
  readonly code: string;
}

/** Sends the span of a call that has just ended. */
export function sendSpan(
  { spans, clock }: { readonly spans?: SpanExporter; readonly clock: Clock },
  trace: Trace,
  kind: NonNullable<Span["kind"]>,
  { name, attributes }: Call,
  { status, code }: End,
  elapsedMs: number,
): void {
  const endedAt = clock.now();
  const { traceId, spanId, parentSpanId } = trace;
  const times = {
    startedAt: new Date(endedAt - elapsedMs).toISOString(),
    finishedAt: new Date(endedAt).toISOString(),
  };
  const failed = code === "ok" ? {} : { "error.type": code };
  spans?.export([
    { traceId, spanId, parentSpanId, kind, name, ...times, status, attributes: { ...attributes, ...failed } },
  ]);
}

/** Makes an outgoing call in a span of its own below the caller's, which its `traceparent` names. */
export async function inClientSpan<T extends { readonly ok: boolean; readonly outcome: string }>(
  context: CallContext,
  call: Call,
  work: (context: CallContext) => Promise<T>,
): Promise<T> {
  const { services } = context;
  if (services.spans === undefined) return work(context);
  const trace = childOf(context.trace);
  const begun = performance.now();
  let end: End = { status: "error", code: "internal" };
  try {
    const result = await work(contextWith(context, { trace }));
    end = { status: result.ok ? "ok" : "error", code: result.outcome };
    return result;
  } catch (error) {
    if (error instanceof AppError) end = { status: "error", code: error.code };
    throw error;
  } finally {
    sendSpan(services, trace, "client", call, end, performance.now() - begun);
  }
}
