import { digestOf } from "../../kernel/canonical-json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Adapter, SentRequest, DirectCall, Verdict } from "../adapter.ts";
import { idOf, names, pointsOf, urlUnder } from "../confirm.ts";

/** What all three answers share: an id, an address that names it, and the digest of the document they are about. */
function identified(data: JsonObject, { base, payload }: SentRequest, prefix: string): URL | string {
  const id = idOf(data["id"], prefix);
  const url = urlUnder(base, data["url"]);
  if (id === null || url === null || !names(url, id)) return "The answer has no id and address of its own.";
  return data["documentDigest"] === digestOf(payload["document"] ?? {})
    ? url
    : "The answer is about another document.";
}

function call(path: string, prefix: string, check: (data: JsonObject) => string | null): DirectCall {
  return {
    method: "POST",
    path: () => path,
    safe: true,
    confirm(data, asked): Verdict {
      const url = identified(data, asked, prefix);
      if (typeof url === "string") return { problem: url };
      const problem = check(data);
      return problem === null ? { resultRef: url.href, kind: "url", data } : { problem };
    },
  };
}

/** Previews, scores and exports layout documents. */
export const layoutAdapter: Adapter = {
  name: "layout",
  title: "Layout",
  purpose: "Previews, scores and exports layout documents.",
  timeoutMs: 10_000,
  calls: {
    preview: call("/api/layout/preview", "preview", (data) =>
      typeof data["html"] === "string" && data["html"] !== "" ? null : "The preview is empty.",
    ),
    score: call("/api/layout/score", "score", (data) =>
      pointsOf(data["score"]) === null || !Array.isArray(data["findings"])
        ? "The answer has no score."
        : null,
    ),
    export: call("/api/layout/export", "export", (data) =>
      typeof data["format"] === "string" && typeof data["content"] === "string" && data["content"] !== ""
        ? null
        : "The export is empty.",
    ),
  },
};
