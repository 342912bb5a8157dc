import type { JsonObject } from "../kernel/json.ts";
import { ERRORS } from "../kernel/errors.ts";

const codes = Object.keys(ERRORS);

const ProblemSchema: JsonObject = {
  type: "object",
  description: "One thing that is wrong with an input: where, what was expected, what was given.",
  required: ["pointer", "message"],
  properties: {
    pointer: { type: "string", description: "JSON Pointer into what was sent." },
    message: { type: "string" },
    expected: { type: "string" },
    given: { type: "string" },
    fix: { type: "string" },
    example: { description: "The smallest correct value here; where nothing may be, of what is around it." },
    takenBy: {
      type: "array",
      items: { type: "string" },
      description: "The tools that take a field that this one does not.",
    },
  },
};

const EFFECT: JsonObject = {
  type: "string",
  enum: ["unknown", "not_sent"],
  description: "Of a call of another service: it may have happened all the same, or nothing of it was sent.",
};

const ErrorSchema: JsonObject = {
  type: "object",
  description: "An error of the service's table.",
  required: ["code", "message"],
  properties: {
    code: { type: "string", enum: codes },
    message: { type: "string" },
    problems: { type: "array", items: { $ref: "#/components/schemas/Problem" } },
    nextAction: { type: "string", description: "What the caller can do about it." },
    retryAfterSeconds: { type: "number" },
    status: { type: "integer", description: "The HTTP status that another service answered with." },
    effect: EFFECT,
    details: { type: "object" },
  },
};

const DegradedSchema: JsonObject = {
  type: "object",
  description: "An action that did not happen because an adapter is missing or did not confirm.",
  required: ["status", "reason", "adapter", "confirmation", "nextAction"],
  properties: {
    status: { type: "string", const: "degraded" },
    reason: { type: "string" },
    adapter: { type: "string" },
    confirmation: { type: "object" },
    nextAction: { type: "string" },
    effect: EFFECT,
    evidence: { type: "object" },
  },
};

const ErrorEnvelopeSchema: JsonObject = {
  type: "object",
  required: ["ok", "data"],
  properties: {
    ok: { type: "boolean", const: false },
    data: {
      type: "object",
      required: ["error"],
      properties: { error: { $ref: "#/components/schemas/Error" } },
    },
  },
};

const JsonRpcRequestSchema: JsonObject = {
  type: "object",
  description: "A JSON-RPC 2.0 request; without `id` it is a notification and gets no body.",
  required: ["jsonrpc", "method"],
  properties: {
    jsonrpc: { type: "string", const: "2.0" },
    id: { type: ["string", "number", "null"] },
    method: { type: "string" },
    params: { type: "object" },
  },
};

const JsonRpcResponseSchema: JsonObject = {
  type: "object",
  description: "A JSON-RPC 2.0 response: `result`, or `error`.",
  required: ["jsonrpc", "id"],
  properties: {
    jsonrpc: { type: "string", const: "2.0" },
    id: { type: ["string", "number", "null"] },
    result: { type: "object" },
    error: {
      type: "object",
      required: ["code", "message"],
      properties: {
        code: { type: "integer", enum: [...new Set(Object.values(ERRORS).map(({ rpc }) => rpc))] },
        message: { type: "string" },
        data: { $ref: "#/components/schemas/Error" },
      },
    },
  },
};

/** The schemas that all operations share. */
export const SHARED_SCHEMAS: JsonObject = {
  ErrorEnvelope: ErrorEnvelopeSchema,
  Error: ErrorSchema,
  Problem: ProblemSchema,
  Degraded: DegradedSchema,
  JsonRpcRequest: JsonRpcRequestSchema,
  JsonRpcResponse: JsonRpcResponseSchema,
};
