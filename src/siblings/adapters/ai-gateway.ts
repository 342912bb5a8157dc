import type { Adapter } from "../adapter.ts";
import { idOf } from "../confirm.ts";

/** Drafts text. What it writes is advice and must say so. */
export const aiGatewayAdapter: Adapter = {
  name: "ai_gateway",
  title: "AI gateway",
  purpose: "Drafts text from structured input; its output is advisory and labelled.",
  timeoutMs: 20_000,
  calls: {
    draft: {
      method: "POST",
      path: () => "/api/ai/drafts",
      safe: true,
      confirm(data) {
        const id = idOf(data["draftId"], "draft");
        if (id === null || typeof data["text"] !== "string")
          return { problem: "The draft has no id or no text." };
        if (data["advisory"] !== true || typeof data["producedBy"] !== "string") {
          return { problem: "The draft is not labelled as advisory with what produced it." };
        }
        return { resultRef: id, kind: "id", data };
      },
    },
  },
};
