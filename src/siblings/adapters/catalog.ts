import type { Adapter } from "../adapter.ts";
import { idOf, names, partOf, urlUnder } from "../confirm.ts";

/** Lists artifacts for others to find. */
export const catalogAdapter: Adapter = {
  name: "catalog",
  title: "Catalog",
  purpose: "Keeps entries of artifacts for others to find.",
  timeoutMs: 8_000,
  proofs: {
    register(result, { base, resultRef }) {
      const entry = partOf(result, "entry");
      const id = idOf(entry?.["id"], "entry");
      if (entry === null || id === null || id !== resultRef)
        return "The reference is not the id of an entry.";
      const url = urlUnder(base, entry["url"]);
      if (url === null || !names(url, id)) return "The entry has no address in the catalog.";
      return entry["title"] === "" || typeof entry["title"] !== "string" ? "The entry has no title." : null;
    },
  },
};
