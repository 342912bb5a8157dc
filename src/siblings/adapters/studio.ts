import type { JsonObject } from "../../kernel/json.ts";
import type { Adapter, Verdict } from "../adapter.ts";
import { idOf, names, partOf, textOf, urlUnder } from "../confirm.ts";

function confirmDesign(data: JsonObject, base: URL, wanted: string | null): Verdict {
  const design = partOf(data, "design");
  const id = idOf(design?.["id"], "design");
  if (design === null || id === null) return { problem: "No design with an id is confirmed." };
  if (wanted !== null && id !== wanted) return { problem: "The answer is about another design." };
  const url = urlUnder(base, data["url"]);
  if (url === null || !names(url, id)) return { problem: "The design has no address in the studio." };
  if (!Array.isArray(design["sections"])) return { problem: "The design has no sections." };
  return { resultRef: url.href, kind: "artifact", data: design };
}

/** Makes designs out of prompts and templates. */
export const studioAdapter: Adapter = {
  name: "studio",
  title: "Design studio",
  purpose: "Makes and keeps designs that can be previewed and imported.",
  timeoutMs: 10_000,
  calls: {
    preview: {
      method: "POST",
      path: () => "/api/studio/designs",
      safe: true,
      confirm: (data, { base }) => confirmDesign(data, base, null),
    },
    import: {
      method: "GET",
      path: (payload) => `/api/studio/designs/${encodeURIComponent(textOf(payload, "designId"))}`,
      safe: true,
      confirm: (data, { base, payload }) => confirmDesign(data, base, textOf(payload, "designId")),
    },
  },
};
