import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Caller } from "../ports/caller.ts";
import type { Services } from "../ports/services.ts";
import { spansOf, type Span } from "../tracing/spans.ts";
import { sightOf } from "./sight.ts";

const MAX_RUNS = 50;

/** The runs of one trace as a tree of spans, as far as the caller may see them. */
export async function traceView(services: Services, traceId: string, caller: Caller): Promise<JsonObject> {
  const sight = sightOf(caller);
  const { runs } = services.store.read;
  const found = await runs.ofTrace(traceId, MAX_RUNS);
  const visible = found.filter((run) => sight !== "public" || run.visibility === "public");
  if (visible.length === 0)
    throw new AppError("not_found", "There is no trace with this id that you may see.");
  const spans: Span[] = [];
  for (const run of visible) {
    spans.push(...spansOf(run, await runs.steps(run.id), await runs.attempts(run.id)));
  }
  return {
    traceId,
    runs: visible.map(({ id, state }) => ({ id, status: state })),
    spans: spans.map((span) => (sight === "public" ? { ...span, attributes: {} } : { ...span })),
  };
}
