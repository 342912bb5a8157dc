import type { JsonObject } from "../../kernel/json.ts";
import type { Adapter } from "../adapter.ts";
import { idOf, names, partOf, urlUnder } from "../confirm.ts";

/** Publishes Markdown as HTML reports. */
export const docsAdapter: Adapter = {
  name: "docs",
  title: "Docs",
  purpose: "Publishes reports and keeps drafts.",
  timeoutMs: 10_000,
  proofs: {
    report: (result, { base, resultRef }) => written(result, base, resultRef, "report"),
    draft: (result, { base, resultRef }) => written(result, base, resultRef, "draft"),
    social_post(result, { resultRef }) {
      const id = idOf(partOf(result, "job")?.["id"], "job");
      return id === null || id !== resultRef ? "The reference is not the id of a job in the answer." : null;
    },
  },
};

/** A report or draft is proved by its id, an address that names it, and the digest of its content. */
function written(result: JsonObject, base: URL, resultRef: string, kind: "report" | "draft"): string | null {
  const record = partOf(result, kind);
  const id = idOf(record?.["id"], kind);
  const url = urlUnder(base, resultRef);
  if (record === null || id === null) return `No ${kind} with an id is confirmed.`;
  if (url === null || !names(url, id)) return `The reference is not the address of the ${kind}.`;
  const { contentDigest } = record;
  return typeof contentDigest === "string" && /^sha256:[0-9a-f]{64}$/.test(contentDigest)
    ? null
    : `The ${kind} has no digest of its content.`;
}
