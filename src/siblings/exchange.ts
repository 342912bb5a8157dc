import { setTimeout as delay } from "node:timers/promises";
import { sha256Hex } from "../kernel/canonical-json.ts";
import { answerOfStatus, effectOf, type CallEnd } from "../kernel/effects.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, parsedJson, type JsonObject } from "../kernel/json.ts";
import { siblingReason, type SiblingReason } from "./reason.ts";
import type { Clock, Fetcher, OutgoingRequest } from "../ports/platform.ts";
import type { SiblingSettings } from "../ports/settings.ts";

const MAX_TRIES = 3;
const PAUSES_MS = [100, 400];

/** One request to a sibling. */
export interface Exchange {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly body?: JsonObject;
  readonly traceparent: string;
  readonly idempotencyKey: string;
  readonly timeoutMs: number;
  /** Whether a try that failed before an answer came may be repeated. */
  readonly safe: boolean;
  /** What is asked for can leave something behind. */
  readonly changes: boolean;
  readonly signal?: AbortSignal;
}

/** What was seen of an exchange. None of it was written by the sibling. */
interface Observed {
  readonly evidence: JsonObject;
}

/** The data of a well-formed envelope, or what went wrong. */
export type Exchanged =
  | (Observed & { readonly kind: "answer"; readonly data: JsonObject })
  | (Observed & {
      readonly kind: "failure";
      readonly problem: Problem;
      readonly reason: string;
      /** The sibling did not answer at all, or with an error of its own. */
      readonly down: boolean;
      /** Why the sibling refused, in its own words made safe to show; null when it gave no reason. */
      readonly said: SiblingReason | null;
      /** What was asked for may have been done all the same. */
      readonly isDoubtful: boolean;
    });

/** Everything that can be wrong with an answer. */
export type Problem =
  | "not_configured"
  | "circuit_open"
  | "unknown_capability"
  | "timed_out"
  | "unreachable"
  | "blocked"
  | "too_large"
  | "redirected"
  | "refused"
  | "error_answer"
  | "invalid_json"
  | "not_an_envelope"
  | "not_ok"
  | "not_confirmed";

/** Sends one request through the guarded fetcher and reads the envelope. Redirects are not followed. */
export async function exchange(
  fetcher: Fetcher,
  clock: Clock,
  sibling: SiblingSettings,
  request: Exchange,
): Promise<Exchanged> {
  const begun = clock.now();
  let isDoubtful = false;
  for (let attempt = 1; ; attempt++) {
    let sent = false;
    // Each try tells of itself only: an answer to an earlier one is not evidence of this one.
    const seen: Record<string, string | number> = {
      url: request.url,
      method: request.method,
      observedAt: new Date(begun).toISOString(),
    };
    const left = request.timeoutMs - (clock.now() - begun);
    const onSent = (): void => {
      sent = true;
    };
    const result = await once(fetcher, { ...outgoing(sibling, request, left), onSent }, seen);
    seen["attempts"] = attempt;
    seen["durationMs"] = clock.now() - begun;
    if (result.kind === "failure") {
      const effect = effectOf({ changes: request.changes, sent, answer: result.answer });
      isDoubtful ||= effect === "unknown";
    }
    const again = result.kind === "failure" && request.safe && isTransient(result.problem);
    const pause = PAUSES_MS[attempt - 1] ?? 0;
    if (!again || attempt >= MAX_TRIES || clock.now() - begun + pause >= request.timeoutMs) {
      if (result.kind === "answer") return { ...result, evidence: seen };
      const reason = result.said === null ? {} : { siblingSaid: result.said };
      return { ...result, isDoubtful, evidence: { ...seen, problem: result.problem, ...reason } };
    }
    await delay(pause);
  }
}

function outgoing(sibling: SiblingSettings, request: Exchange, timeoutMs: number): OutgoingRequest {
  return {
    url: request.url,
    method: request.method,
    trust: "operator",
    timeoutMs: Math.max(1, timeoutMs),
    maxRedirects: 0,
    headers: {
      accept: "application/json",
      traceparent: request.traceparent,
      "idempotency-key": request.idempotencyKey,
      ...(request.body && { "content-type": "application/json" }),
      ...(sibling.key !== null && { authorization: `Bearer ${sibling.key}` }),
    },
    ...(request.body && { body: JSON.stringify(request.body) }),
    ...(request.signal && { signal: request.signal }),
  };
}

type Unobserved =
  | { readonly kind: "answer"; readonly data: JsonObject }
  | {
      readonly kind: "failure";
      readonly problem: Problem;
      readonly reason: string;
      readonly down: boolean;
      readonly said: SiblingReason | null;
      readonly answer: CallEnd["answer"];
    };

async function once(
  fetcher: Fetcher,
  request: OutgoingRequest,
  seen: Record<string, string | number>,
): Promise<Unobserved> {
  let answer;
  try {
    answer = await fetcher.fetch(request);
  } catch (error) {
    return transportFailure(error);
  }
  seen["httpStatus"] = answer.status;
  seen["bodyBytes"] = answer.body.byteLength;
  seen["bodyDigest"] = `sha256:${sha256Hex(answer.body)}`;
  const verdict = answerOfStatus(answer.status, false);
  if (answer.status >= 300 && answer.status < 400) {
    return failure("redirected", "The sibling redirected instead of answering.", false, verdict);
  }
  if (answer.status >= 500)
    return failure("error_answer", "The sibling answered with an error of its own.", true, verdict);
  const value = parsedJson(answer.text);
  if (answer.status === 401 || answer.status === 403) {
    return failure("refused", "The sibling refused our credential.", false, verdict, siblingReason(value));
  }
  if (answer.status >= 400) return refusal(`with status ${answer.status}`, siblingReason(value), verdict);
  if (value === undefined) return failure("invalid_json", "The sibling's answer is not JSON.", false, "none");
  if (!isJsonObject(value) || typeof value["ok"] !== "boolean" || !isJsonObject(value["data"])) {
    return failure(
      "not_an_envelope",
      "The sibling's answer is not an envelope of ok and data.",
      false,
      "none",
    );
  }
  if (!value["ok"]) return refusal("with ok: false", siblingReason(value), "refused");
  return { kind: "answer", data: value["data"] };
}

/** The sibling answered that it did not do it. Its reason is quoted as its own: it is not our text. */
function refusal(how: string, said: SiblingReason | null, answer: CallEnd["answer"]): Unobserved {
  const reason =
    said === null
      ? `The sibling refused the request ${how} and gave no reason.`
      : `The sibling refused the request ${how}. Its own words: "${said.message}"`;
  return failure("not_ok", reason, false, answer, said);
}

function transportFailure(error: unknown): Unobserved {
  const code = error instanceof AppError ? error.code : "unavailable";
  if (code === "timed_out") return failure("timed_out", "The sibling did not answer in time.", true, "none");
  if (code === "too_large") {
    return failure("too_large", "The sibling's answer is too large to read.", false, "none");
  }
  if (code === "blocked" || code === "invalid_input") {
    return failure("blocked", "The sibling's address may not be fetched.", false, "none");
  }
  return failure("unreachable", "The sibling could not be reached, or cut its answer off.", true, "none");
}

function failure(
  problem: Problem,
  reason: string,
  down: boolean,
  answer: CallEnd["answer"],
  said: SiblingReason | null = null,
): Unobserved {
  return { kind: "failure", problem, reason, down, said, answer };
}

/** A try that failed this way may go better at once. A time-out has used the time up already. */
function isTransient(problem: Problem): boolean {
  return problem === "unreachable" || problem === "error_answer";
}
