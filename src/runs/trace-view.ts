import { statusOf } from "../model/status.ts";
import { AppError } from "../kernel/errors.ts";
import type { SpanView, TraceView } from "../model/runs.ts";
import type { Caller } from "../ports/caller.ts";
import type { Services } from "../ports/services.ts";
import { spansOf } from "../tracing/spans.ts";
import { accessLevelOf } from "../approvals/access-level.ts";

const MAX_RUNS = 50;

/** The runs of one trace as a tree of spans, as far as the caller may see them. */
export async function traceView(services: Services, traceId: string, caller: Caller): Promise<TraceView> {
  const { runs } = services.store.read;
  const found = await runs.ofTrace(traceId, MAX_RUNS);
  const visible = found.filter((run) => accessLevelOf(caller, run) !== null);
  if (visible.length === 0)
    throw new AppError("not_found", "There is no trace with this id that you may see.");
  const spans: SpanView[] = [];
  for (const run of visible) {
    const ofRun = spansOf(run, await runs.steps(run.id), await runs.attempts(run.id));
    const isPublic = accessLevelOf(caller, run) === "public";
    spans.push(...(isPublic ? ofRun.map((span) => ({ ...span, attributes: {} })) : ofRun));
  }
  return {
    traceId,
    runs: visible.map((run) => ({ id: run.id, ...statusOf(run) })),
    spans,
  };
}
