import type { Adapter, SentRequest, Verdict } from "../adapter.ts";
import { countOf, names, textOf, urlUnder } from "../confirm.ts";
import type { JsonObject } from "../../kernel/json.ts";

function confirmTrace(data: JsonObject, { base, payload }: SentRequest): Verdict {
  const url = urlUnder(base, data["url"]);
  const { traceId } = payload;
  if (typeof traceId !== "string" || data["traceId"] !== traceId) {
    return { problem: "The answer is about another trace." };
  }
  if (url === null || !names(url, traceId)) return { problem: "No address of the trace is confirmed." };
  if (countOf(data["spanCount"]) === null)
    return { problem: "The answer does not say how many spans it holds." };
  return { resultRef: url.href, kind: "trace", data };
}

/** Stores and shows traces. */
export const traceAdapter: Adapter = {
  name: "trace",
  title: "Trace store",
  purpose: "Keeps the spans of handoffs and runs and shows them as traces.",
  timeoutMs: 5_000,
  calls: {
    record: {
      method: "POST",
      path: () => "/api/traces",
      safe: true,
      confirm: confirmTrace,
    },
    show: {
      method: "GET",
      path: (payload) => `/api/traces/${encodeURIComponent(textOf(payload, "traceId"))}`,
      safe: true,
      confirm: confirmTrace,
    },
  },
};
