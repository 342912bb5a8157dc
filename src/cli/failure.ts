import { EXIT_CODES, type ExitClass } from "./conventions.ts";
import type { Envelope } from "../kernel/envelope.ts";
import { isJsonObject, isObject, type JsonObject, plainJson } from "../kernel/json.ts";

/** What a failure says beyond its message. */
export interface FailureInfo {
  /** What to do next, in a sentence. */
  readonly next?: string | undefined;
  /** What is wrong, one line each. */
  readonly problems?: readonly string[];
  /** The answer that says so, for `--json`. */
  readonly envelope?: Envelope<unknown>;
}

/** Why a command did not do what was asked. Its message is for the person at the terminal. */
export class Failure extends Error {
  readonly exit: ExitClass;
  readonly info: FailureInfo;

  constructor(exit: ExitClass, message: string, info: FailureInfo = {}) {
    super(message);
    this.name = "Failure";
    this.exit = exit;
    this.info = info;
  }

  /** The exit status. */
  get status(): number {
    return EXIT_CODES[this.exit].code;
  }
}

const CLASS_OF_CODE: Readonly<Record<string, ExitClass>> = {
  parse_error: "usage",
  invalid_request: "usage",
  invalid_params: "usage",
  invalid_arguments: "usage",
  invalid_input: "usage",
  too_large: "usage",
  method_not_found: "missing",
  not_found: "missing",
  unauthorized: "refused",
  forbidden: "refused",
  blocked: "refused",
  conflict: "conflict",
  rate_limited: "unavailable",
  overloaded: "unavailable",
  storage_unavailable: "unavailable",
  unavailable: "unavailable",
  timed_out: "unavailable",
};

/** The class of exit statuses that an error code belongs to. */
export function exitOfCode(code: string): ExitClass {
  return Object.hasOwn(CLASS_OF_CODE, code) ? (CLASS_OF_CODE[code] ?? "failed") : "failed";
}

const LOGIN = "Log in with suitectl login, or set SUITE_API_KEY.";

/** The failure that an error body of the service describes. */
export function failureOf(error: JsonObject, envelope?: Envelope<unknown>, exit?: ExitClass): Failure {
  const code = typeof error["code"] === "string" ? error["code"] : "internal";
  const message =
    typeof error["message"] === "string" ? error["message"] : "The service answered with an error.";
  const wait = error["retryAfterSeconds"];
  const later = typeof wait === "number" ? `Try again in ${wait} s.` : undefined;
  const next = typeof error["nextAction"] === "string" ? error["nextAction"] : later;
  const problems = Array.isArray(error["problems"]) ? error["problems"].flatMap(problemLine) : [];
  return new Failure(exit ?? exitOfCode(code), message, {
    next: code === "unauthorized" ? LOGIN : next,
    problems,
    ...(envelope && { envelope }),
  });
}

/** The failure that an answer with `ok: false` describes. */
export function failureOfEnvelope(envelope: Envelope<unknown>): Failure {
  const { error, status, reason, nextAction } = isObject(envelope.data) ? envelope.data : {};
  const degraded = status === "degraded" ? "degraded" : undefined;
  if (isObject(error)) return failureOf(plainJson(error), envelope, degraded);
  const text = typeof reason === "string" ? reason : "The service did not do it.";
  const next = typeof nextAction === "string" ? nextAction : undefined;
  return new Failure(degraded ?? "failed", text, { next, envelope });
}

/** The failure that the text of a refused request describes; `otherwise` when it is no answer of the service. */
export function failureOfText(text: string, otherwise: string): Failure {
  try {
    const envelope: unknown = JSON.parse(text);
    if (isJsonObject(envelope) && isJsonObject(envelope["data"]))
      return failureOfEnvelope({ ok: false, data: envelope["data"] });
  } catch {
    // Not an answer of the service.
  }
  return new Failure("unavailable", otherwise);
}

function problemLine(problem: unknown): readonly string[] {
  if (!isObject(problem) || typeof problem["message"] !== "string") return [];
  const where =
    typeof problem["pointer"] === "string" && problem["pointer"] !== "" ? `${problem["pointer"]}: ` : "";
  const fix = typeof problem["fix"] === "string" ? ` ${problem["fix"]}` : "";
  return [`${where}${problem["message"]}${fix}`];
}
