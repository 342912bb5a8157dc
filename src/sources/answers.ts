import type { JsonObject } from "../kernel/json.ts";

/* What a call of an HTTP operation answers. */

/** `data` of an answer: what came back, and how long it took. */
export function resultSchema(body: JsonObject | null): JsonObject {
  const { $schema, $defs, ...plain } = body ?? {};
  return {
    ...($schema !== undefined && { $schema }),
    ...($defs !== undefined && { $defs }),
    type: "object",
    required: ["status", "headers", "body", "elapsedMs", "problems"],
    properties: {
      status: { type: "integer" },
      headers: { type: "object", additionalProperties: { type: "string" } },
      body: plain,
      elapsedMs: { type: "number" },
      problems: { type: "array", items: { type: "object" } },
    },
  };
}

/** True for JSON and whatever is written in it. */
export function isJsonType(type: string): boolean {
  return /^[\w.+-]+\/(?:[\w.-]+\+)?json\b/i.test(type.trim());
}
