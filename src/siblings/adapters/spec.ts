import { digestOf } from "../../kernel/canonical-json.ts";
import type { Adapter } from "../adapter.ts";
import { idOf, names, urlUnder } from "../confirm.ts";

/** Validates JSON Schema, OpenAPI, AsyncAPI and Arazzo documents. */
export const specAdapter: Adapter = {
  name: "spec",
  title: "Spec validator",
  purpose: "Validates schemas and API descriptions.",
  timeoutMs: 8_000,
  calls: {
    validate: {
      method: "POST",
      path: () => "/api/v1/validate",
      safe: true,
      confirm(data, { base, payload }) {
        const id = idOf(data["validationId"], "validation");
        const url = urlUnder(base, data["url"]);
        if (id === null || url === null || !names(url, id)) {
          return { problem: "The validation has no id, or no address of the validator that names it." };
        }
        if (typeof data["valid"] !== "boolean" || !Array.isArray(data["errors"])) {
          return { problem: "The answer gives no verdict." };
        }
        if (data["documentDigest"] !== digestOf(payload["schema"] ?? payload["document"] ?? null)) {
          return { problem: "The verdict is about another document." };
        }
        return { resultRef: url.href, kind: "url", data };
      },
    },
  },
};
