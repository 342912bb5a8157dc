import type { Json, JsonObject } from "./json.ts";

/** Every error a caller can meet: its JSON-RPC code and the HTTP status beside it. */
export const ERRORS = {
  parse_error: { rpc: -32700, http: 400 },
  invalid_request: { rpc: -32600, http: 400 },
  method_not_found: { rpc: -32601, http: 200 },
  invalid_params: { rpc: -32602, http: 200 },
  internal: { rpc: -32603, http: 500 },
  unauthorized: { rpc: -32001, http: 401 },
  forbidden: { rpc: -32003, http: 403 },
  rate_limited: { rpc: -32029, http: 429 },
  overloaded: { rpc: -32030, http: 503 },
  header_mismatch: { rpc: -32020, http: 400 },
  missing_capability: { rpc: -32021, http: 400 },
  unsupported_version: { rpc: -32022, http: 400 },
  /** The rest are outcomes of a tool: `ok: false` in the envelope, or the HTTP status on a REST path. */
  invalid_arguments: { rpc: -32602, http: 400 },
  not_found: { rpc: -32002, http: 404 },
  conflict: { rpc: -32009, http: 409 },
  invalid_input: { rpc: -32602, http: 400 },
  too_large: { rpc: -32600, http: 413 },
  method_not_allowed: { rpc: -32600, http: 405 },
  unsupported_media_type: { rpc: -32600, http: 415 },
  storage_unavailable: { rpc: -32030, http: 503 },
  unavailable: { rpc: -32030, http: 503 },
  blocked: { rpc: -32003, http: 403 },
  timed_out: { rpc: -32030, http: 504 },
  /** A call that is not idempotent was cut off after it was sent: its effect may have happened. */
  outcome_unknown: { rpc: -32031, http: 502 },
} as const;

/** A code of the error table. */
export type ErrorCode = keyof typeof ERRORS;

/** One thing that is wrong with an input: where, what was expected, what was given. */
export interface Problem {
  /** What kind of problem it is, where a table of codes exists. */
  readonly code?: string;
  readonly pointer: string;
  readonly message: string;
  readonly expected?: string;
  readonly given?: string;
  readonly fix?: string;
  /** The smallest correct value here; where nothing may be, of what is around it. */
  readonly example?: Json;
  /** The tools that take a field that this one does not. */
  readonly takenBy?: readonly string[];
}

/** What an error may carry beyond its message. All of it reaches the caller, so all of it is written by us. */
export interface ErrorDetails {
  readonly problems?: readonly Problem[];
  readonly nextAction?: string;
  readonly retryAfterSeconds?: number;
  /** The HTTP status that another service answered with. */
  readonly status?: number;
  /** Of a call of another service: its effect may have happened all the same, or nothing of it was sent. */
  readonly effect?: "unknown" | "not_sent";
  readonly details?: JsonObject;
  /** Kept for the log, never sent. */
  readonly cause?: unknown;
}

/** The only error type the domains throw. Its message is written by us and safe to show. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly info: ErrorDetails;

  constructor(code: ErrorCode, message: string, info: ErrorDetails = {}) {
    super(message, info.cause === undefined ? undefined : { cause: info.cause });
    this.name = "AppError";
    this.code = code;
    this.info = info;
  }
}

/** What is wrong with one member of an input that its schema cannot say. */
export function problemAt(member: string, expected: string): Problem {
  return {
    pointer: `/${member}`,
    message: `"${member}" must be ${expected}.`,
    expected,
    fix: `Give ${expected}.`,
  };
}

/** The refusal of an input for one of its members. */
export function invalidValue(member: string, expected: string): AppError {
  const problem = problemAt(member, expected);
  return new AppError("invalid_input", problem.message, { problems: [problem] });
}

/** The public form of an error: what `data.error` and JSON-RPC `error.data` hold. */
export function errorBody(error: AppError): JsonObject {
  const { problems, nextAction, retryAfterSeconds, status, effect, details } = error.info;
  return {
    code: error.code,
    message: error.message,
    ...(problems && { problems: problems.map((problem) => ({ ...problem })) }),
    ...(nextAction !== undefined && { nextAction }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(status !== undefined && { status }),
    ...(effect !== undefined && { effect }),
    ...(details && { details }),
  };
}
