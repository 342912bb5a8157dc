import type { Adapter } from "../adapter.ts";
import { idOf, names, partOf, urlUnder } from "../confirm.ts";

/** Publishes Markdown as HTML reports. */
export const docsAdapter: Adapter = {
  name: "docs",
  title: "Docs",
  purpose: "Publishes reports and keeps drafts.",
  timeoutMs: 10_000,
  transport: "openapi",
  calls: {},
  proofs: {
    report(result, { base, resultRef }) {
      const report = partOf(result, "report");
      const id = idOf(report?.["id"], "report");
      const url = urlUnder(base, resultRef);
      if (report === null || id === null) return "No report with an id is confirmed.";
      if (url === null || !names(url, id)) return "The reference is not the address of the report.";
      const { contentDigest } = report;
      return typeof contentDigest === "string" && /^sha256:[0-9a-f]{64}$/.test(contentDigest)
        ? null
        : "The report has no digest of its content.";
    },
  },
};
