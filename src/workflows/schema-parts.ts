import { Type, type TUnsafe } from "typebox";
import type { Json, JsonObject } from "../kernel/json.ts";

/* What the schemas of all kinds of nodes are made of. */

/** What a document may not exceed. Checked by the parser, so that everything after it works on bounded input. */
export const LIMITS = {
  nodes: 5_000,
  edges: 20_000,
  depth: 48,
  /** JSON values of all kinds in the whole document. */
  values: 400_000,
  expressionLength: 2_000,
  /** Expressions and conditions in the whole document: each is parsed and type-checked. */
  expressions: 8_000,
  mapItems: 10_000,
  mapConcurrency: 64,
  attempts: 20,
  /** A year: nothing waits longer without being renewed by a person. */
  durationMs: 366 * 24 * 3_600_000,
  stepTimeoutMs: 24 * 3_600_000,
} as const;

/** How a node's id is written. */
export const NODE_ID = "^[A-Za-z_][A-Za-z0-9_-]{0,62}$";

/** No members besides those that are named. */
export const closed = { additionalProperties: false };

/** Any JSON; objects of the form `{"$ref"}`, `{"$expr"}` and `{"$literal"}` inside it are tagged values. */
export function value(description: string): TUnsafe<Json> {
  return Type.Unsafe<Json>({ description });
}

/** Named values, each as `value`. */
export function values(description: string): TUnsafe<JsonObject> {
  return Type.Unsafe<JsonObject>({ type: "object", description });
}

/** A JSON Schema. */
export function jsonSchema(description: string): TUnsafe<JsonObject> {
  return Type.Unsafe<JsonObject>({ type: "object", description });
}

/** A CEL expression. */
export function expression(description: string): TUnsafe<string> {
  return Type.Unsafe<string>({
    type: "string",
    minLength: 1,
    maxLength: LIMITS.expressionLength,
    description,
  });
}

/** A duration. */
export function milliseconds(description: string, minimum = 1, maximum: number = LIMITS.durationMs) {
  return Type.Integer({ minimum, maximum, description });
}

/** How a failed step is tried again. */
export const RetrySchema = Type.Object(
  {
    maxAttempts: Type.Integer({
      minimum: 1,
      maximum: LIMITS.attempts,
      description: "Tries in all, the first included.",
    }),
    backoffMs: Type.Optional(milliseconds("Wait before the second try (default 1000).", 0)),
    factor: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 10,
        description: "Growth of the wait from try to try (default 2).",
      }),
    ),
    maxBackoffMs: Type.Optional(milliseconds("Longest wait between two attempts (default 60000).", 0)),
    jitter: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: "Share of the wait that is random (default 0.2)." }),
    ),
  },
  closed,
);

/** What every node has. */
export const base = {
  id: Type.String({ pattern: NODE_ID, description: "Unique in its graph; references use it." }),
  title: Type.Optional(Type.String({ maxLength: 200, description: "What people call this step." })),
  description: Type.Optional(Type.String({ maxLength: 4_000, description: "What the step is for." })),
  if: Type.Optional(expression("CEL that must be true, or the step is skipped.")),
  join: Type.Optional(
    Type.Enum(["all", "any"], {
      description: "Run when all incoming edges that can still fire have fired (default), or at the first.",
    }),
  ),
  retry: Type.Optional(RetrySchema),
  timeoutMs: Type.Optional(milliseconds("Longest time of one try.", 1, LIMITS.stepTimeoutMs)),
  redact: Type.Optional(
    Type.Array(Type.String({ pattern: "^(/[^/]*)*$", maxLength: 500 }), {
      maxItems: 100,
      description: "JSON Pointers into the step's record ({input, output}) that public views never show.",
    }),
  ),
};
