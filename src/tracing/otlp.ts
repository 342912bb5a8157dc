import { textOrJson, type Json, type JsonObject } from "../kernel/json.ts";
import { SERVICE } from "../kernel/service.ts";
import type { Fetcher, Log, Span, SpanExporter } from "../ports/platform.ts";
import { withoutTrailing } from "../kernel/text.ts";

const FLUSH_MS = 1_000;
const MAX_QUEUE = 10_000;
const MAX_BATCH = 500;
const TIMEOUT_MS = 5_000;

/**
 * OTLP over HTTP with JSON. Spans are telemetry: when the collector does not keep up they are dropped and counted,
 * and nothing else waits for them.
 */
export function createSpanExporter(endpoint: string, fetcher: Fetcher, log: Log): SpanExporter {
  const url = `${withoutTrailing(endpoint, "/")}/v1/traces`;
  let queue: Span[] = [];
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();

  const send = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.splice(0, MAX_BATCH);
      try {
        await fetcher.fetch({
          url,
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(otlpRequest(batch)),
          trust: "operator",
          timeoutMs: TIMEOUT_MS,
        });
      } catch (error) {
        dropped += batch.length;
        log.warn("spans dropped", { dropped }, error);
      }
    }
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    sending = sending.then(send);
    return sending;
  };
  return {
    export(spans) {
      if (queue.length + spans.length > MAX_QUEUE) {
        dropped += spans.length;
        return;
      }
      queue.push(...spans);
      timer ??= setTimeout(() => void flush(), FLUSH_MS);
      timer.unref();
    },
    async close() {
      await flush();
      queue = [];
    },
  };
}

const STATUS = { unset: 0, ok: 1, error: 2 } as const;
const KIND = { internal: 1, server: 2, client: 3 } as const;

/** The OTLP/JSON request that carries the spans. */
function otlpRequest(spans: readonly Span[]): JsonObject {
  return {
    resourceSpans: [
      {
        resource: {
          attributes: attributes({ "service.name": SERVICE.id, "service.version": SERVICE.build }),
        },
        scopeSpans: [{ scope: { name: "workflow-ui" }, spans: spans.map(otlpSpan) }],
      },
    ],
  };
}

function otlpSpan(span: Span): JsonObject {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId !== null && { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: KIND[span.kind ?? "internal"],
    startTimeUnixNano: nanoseconds(span.startedAt),
    endTimeUnixNano: nanoseconds(span.finishedAt ?? span.startedAt),
    attributes: attributes(span.attributes),
    status: { code: STATUS[span.status] },
  };
}

function nanoseconds(iso: string): string {
  return `${Date.parse(iso)}000000`;
}

function attributes(values: JsonObject): Json[] {
  return Object.entries(values)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => ({
      key,
      value: typeof value === "number" ? { intValue: String(value) } : { stringValue: textOrJson(value) },
    }));
}
