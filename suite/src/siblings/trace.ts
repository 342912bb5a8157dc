import type { JsonObject } from "../../../src/kernel/json.ts";
import { Refusal } from "../http.ts";
import { escapeHtml, objectsOf, page, subjectOf, textOf } from "../parts.ts";
import type { SiblingContext, SiblingDefinition } from "../sibling.ts";

const TRACE_ID = /^[0-9a-f]{32}$/;
const MAX_SPANS = 10_000;

/** Keeps spans by trace and shows them in order. */
export const trace: SiblingDefinition = {
  name: "trace",
  routes: (context) => [
    {
      method: "POST",
      path: "/api/traces",
      isProtected: true,
      handle: async ({ body }) => ({ data: await record(body, context) }),
    },
    {
      method: "GET",
      path: "/api/traces/*",
      isProtected: true,
      handle: async ({ params: [id = ""] }) => ({ data: view(id, await spansOf(id, context), context) }),
    },
    {
      method: "GET",
      path: "/traces/*",
      isProtected: false,
      handle: async ({ params: [id = ""] }) => ({
        type: "text/html; charset=utf-8",
        content: tracePage(id, await spansOf(id, context)),
      }),
    },
  ],
  async work(packet, context) {
    const subject = subjectOf(packet.payload ?? {});
    const data = await record({ traceId: packet.trace.traceId, ...subject }, context);
    return {
      status: "completed",
      resultRef: `${context.url}/traces/${textOf(data, "traceId")}`,
      result: data,
    };
  },
};

async function record(body: JsonObject, context: SiblingContext): Promise<JsonObject> {
  const traceId = textOf(body, "traceId");
  if (!TRACE_ID.test(traceId)) throw new Refusal(422, "invalid_input", "traceId is 32 hexadecimal digits.");
  const given = objectsOf(body["spans"]);
  if (given.some((span) => !/^[0-9a-f]{16}$/.test(textOf(span, "spanId")))) {
    throw new Refusal(422, "invalid_input", "Every span has a spanId of 16 hexadecimal digits.");
  }
  const stored = await context.results.get(traceId);
  const spans = new Map(objectsOf(stored?.["spans"]).map((span) => [textOf(span, "spanId"), span]));
  for (const span of given) spans.set(textOf(span, "spanId"), span);
  if (spans.size > MAX_SPANS) throw new Refusal(413, "too_large", "The trace has too many spans.");
  await context.results.put(traceId, { traceId, spans: [...spans.values()] });
  return view(traceId, [...spans.values()], context);
}

async function spansOf(id: string, context: SiblingContext): Promise<readonly JsonObject[]> {
  const stored = TRACE_ID.test(id) ? await context.results.get(id) : null;
  if (stored === null) throw new Refusal(404, "not_found", "There is no trace of this id.");
  return objectsOf(stored["spans"]).toSorted((a, b) =>
    textOf(a, "startedAt") < textOf(b, "startedAt") ? -1 : 1,
  );
}

function view(traceId: string, spans: readonly JsonObject[], context: SiblingContext): JsonObject {
  return { traceId, url: `${context.url}/traces/${traceId}`, spanCount: spans.length, spans };
}

function tracePage(id: string, spans: readonly JsonObject[]): string {
  const rows = spans.map((span) => {
    const cells = ["name", "spanId", "parentSpanId", "startedAt", "finishedAt", "status"];
    return `<tr>${cells.map((cell) => `<td>${escapeHtml(textOf(span, cell))}</td>`).join("")}</tr>`;
  });
  const head =
    "<tr><th>Name</th><th>Span</th><th>Parent</th><th>Started</th><th>Finished</th><th>Status</th></tr>";
  return page(`Trace ${id}`, `<h1>Trace ${escapeHtml(id)}</h1><table>${head}${rows.join("")}</table>`);
}
