import type { Adapter } from "../adapter.ts";
import { countOf, idOf, names, partOf, urlUnder } from "../confirm.ts";

/** Opens pages in a browser and checks them. */
export const browsercheckAdapter: Adapter = {
  name: "browsercheck",
  title: "Browser check",
  purpose: "Opens a page in a real browser, audits it and keeps a screenshot as evidence.",
  timeoutMs: 40_000,
  proofs: {
    check(result, { base, resultRef }) {
      const check = partOf(result, "check");
      const id = idOf(check?.["id"], "check");
      const url = urlUnder(base, resultRef);
      if (check === null || id === null) return "No check with an id is confirmed.";
      if (url === null || !names(url, id)) return "The reference is not the address of the check.";
      const screenshot = urlUnder(base, check["screenshotUrl"]);
      const digest = check["screenshotDigest"];
      if (screenshot === null || typeof digest !== "string" || !/^sha256:[0-9a-f]{64}$/.test(digest)) {
        return "The check has no screenshot as evidence.";
      }
      if (typeof check["checkedUrl"] !== "string") return "The check does not say which page was opened.";
      return countOf(check["violations"]) === null ? "The check gives no count of violations." : null;
    },
    /** A service of this kind behind the name runs a workflow from the packet; its run is the result. */
    run(_result, { base, resultRef }) {
      const url = urlUnder(base, resultRef);
      const run = url?.pathname.split("/").findLast((part) => part !== "");
      return idOf(run, "run") === null ? "The reference is not the address of a run." : null;
    },
  },
};
