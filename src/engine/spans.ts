import type { RunRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { spansOf } from "../tracing/spans.ts";

/** Sends the spans of a run that has ended; a failure is logged and changes nothing. */
export async function exportSpans(
  record: RunRecord,
  { store, log, spans }: Pick<Services, "store" | "log" | "spans">,
): Promise<void> {
  if (spans === undefined) return;
  try {
    const { runs } = store.read;
    spans.export(spansOf(record, await runs.steps(record.id), await runs.attempts(record.id)));
  } catch (error) {
    log.warn("the spans of a run were not exported", { runId: record.id }, error);
  }
}
