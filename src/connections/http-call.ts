import { setTimeout as delay } from "node:timers/promises";
import { answerOfStatus, beforeSending, doubtAction, effectOf, withEffect } from "../kernel/effects.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonRecord, type JsonObject } from "../kernel/json.ts";
import { traceparentOf } from "../kernel/trace.ts";
import type { FetchedResponse } from "../ports/platform.ts";
import type { DriverCall, DriverResult } from "./driver.ts";
import { isSuccess, readAnswer, theirWords } from "./http-answer.ts";
import { retryAfterSeconds } from "./refusal.ts";
import { RequestCredential } from "./request-credential.ts";
import { withoutSecrets } from "./secrets.ts";
import { baseOf, buildMessage, templateOf, type HttpMessage } from "./http-message.ts";

/** The most that is read of an answer. */
const MAX_ANSWER_BYTES = 10 * 1024 * 1024;
const MAX_REDIRECTS = 3;
const PAUSES_MS = [100, 400];
const LONGEST_RETRY_AFTER_S = 2;
const TRANSIENT = new Set([429, 502, 503, 504]);
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"]);

/** Sends the request of an HTTP operation and reads its answer. Throws AppError when there is none. */
export async function callHttp(call: DriverCall): Promise<DriverResult> {
  const { record, connection, context } = call;
  const message = await beforeSending(() => {
    const template = templateOf(record.definition);
    const args = withContentType(call.args, template.contentTypes);
    return buildMessage(template, args, baseOf(template, connection.baseUrl));
  });
  const key = keyHeader(call, message);
  const begun = performance.now();
  const credential = new RequestCredential(connection.credential, context);
  const changes = record.effect !== "read";
  const isRepeatable = !changes || record.idempotent || Object.keys(key).length > 0;
  const sending = new Sending(changes, isRepeatable);
  const answer = cleaned(await sent(call, message, key, begun, credential, sending), credential.secrets);
  const elapsedMs = Math.round((performance.now() - begun) * 10) / 10;
  const responses = isJsonRecord(record.definition["responses"]) ? record.definition["responses"] : {};
  const id = `${record.connection}:${record.name}`;
  const view = await readAnswer(answer, { id, responses, elapsedMs }, context);
  const { status } = answer;
  const isDone = isSuccess(responses, status);
  if (isDone) return { ok: true, data: view, outcome: "ok", httpStatus: status };
  const wanted = retryAfterSeconds(answer.headers["retry-after"]);
  const isDoubtful = sending.isDoubtful || sending.ended(answerOfStatus(status, isDone));
  const isUnknown = isDoubtful && !isRepeatable;
  const doubt = isUnknown ? " Whether its effect happened is not known." : "";
  const error = {
    code: isUnknown ? "outcome_unknown" : codeOf(status),
    message: `${connection.title} answered ${status}${reasonOf(status)}.${doubt}`,
    status,
    ...(isDoubtful && { effect: "unknown", nextAction: doubtAction(isRepeatable) }),
    ...(wanted !== null && { retryAfterSeconds: wanted }),
    upstream: theirWords(connection.name, view.body),
  };
  return { ok: false, data: { ...view, error }, outcome: error.code, httpStatus: status };
}

/** What is known of the effect over all attempts of one call. */
class Sending {
  readonly isRepeatable: boolean;
  /** An attempt was sent and not answered whole. */
  isDoubtful = false;
  readonly #changes: boolean;
  /** A byte left: of this attempt, of any of them. */
  #sent = false;
  #everSent = false;

  constructor(changes: boolean, isRepeatable: boolean) {
    this.#changes = changes;
    this.isRepeatable = isRepeatable;
  }

  begin(): void {
    this.#sent = false;
  }

  readonly onSent = (): void => {
    this.#sent = true;
    this.#everSent = true;
  };

  /** True when the effect of the attempt that ended this way may have happened. */
  ended(answer: "done" | "refused" | "none"): boolean {
    const effect = effectOf({ changes: this.#changes, sent: this.#sent, answer });
    this.isDoubtful ||= effect === "unknown";
    return effect === "unknown";
  }

  explain(error: AppError): AppError {
    // An attempt that was answered whole is in no doubt, whatever became of the next one.
    if (this.#everSent && !this.isDoubtful) return error;
    return withEffect(
      error,
      { changes: this.#changes, sent: this.#everSent, answer: "none" },
      this.isRepeatable,
    );
  }
}

/** The body's content type, where there is a choice and none was made. */
export function withContentType(args: JsonObject, types: readonly string[]): JsonObject {
  const [first] = types;
  if (args["body"] === undefined || args["contentType"] !== undefined || first === undefined) return args;
  return { ...args, contentType: first };
}

type KeyHeader = Readonly<Record<string, string>>;

/** The header that lets the API recognise a repeated request; null where it has none or a caller set it. */
function keyHeader({ record, idempotencyKey }: DriverCall, message: HttpMessage): KeyHeader {
  const { idempotencyHeader } = record.definition;
  const name =
    record.overrides.idempotencyHeader ?? (typeof idempotencyHeader === "string" ? idempotencyHeader : null);
  if (name === null || message.headers[name.toLowerCase()] !== undefined) return {};
  return { [name.toLowerCase()]: idempotencyKey.slice(0, 255) };
}

async function sent(
  call: DriverCall,
  message: HttpMessage,
  key: KeyHeader,
  begun: number,
  credential: RequestCredential,
  sending: Sending,
): Promise<FetchedResponse> {
  const { isRepeatable } = sending;
  // The attempts of a step are all there are: the engine repeats it as its document says.
  const isStep = call.context.caller.kind === "system";
  for (let attempt = 0; ; attempt++) {
    const left = Math.max(1, Math.ceil(call.timeoutMs - (performance.now() - begun)));
    const pause = isStep ? undefined : PAUSES_MS[attempt];
    let answer: FetchedResponse;
    sending.begin();
    try {
      answer = await once(call, message, key, left, credential, sending.onSent);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      sending.ended("none");
      const again = isRepeatable && error.code === "unavailable" && !call.context.signal.aborted;
      if (!again || pause === undefined || pause >= left) throw sending.explain(error);
      await delay(pause);
      continue;
    }
    // A challenge says that nothing was done, so it may be asked again with a fresh token.
    if (credential.renewsFor(answer)) continue;
    const wait = waitOf(answer, pause);
    if (!isRepeatable || !TRANSIENT.has(answer.status) || wait === null || wait >= left) return answer;
    sending.ended(answerOfStatus(answer.status, false));
    await delay(wait);
  }
}

function waitOf(answer: FetchedResponse, pause: number | undefined): number | null {
  if (pause === undefined) return null;
  const given = answer.headers["retry-after"];
  if (given === undefined) return pause;
  const seconds = retryAfterSeconds(given) ?? 0;
  return seconds <= LONGEST_RETRY_AFTER_S ? Math.max(pause, seconds * 1_000) : null;
}

function once(
  { connection, context }: DriverCall,
  message: HttpMessage,
  key: KeyHeader,
  timeoutMs: number,
  { authorize }: RequestCredential,
  onSent: () => void,
): Promise<FetchedResponse> {
  const { services, signal, trace } = context;
  return services.fetcher.fetch({
    url: message.url.href,
    method: message.method,
    headers: { ...message.headers, traceparent: traceparentOf(trace), ...key },
    authorize,
    ...(message.body !== null && { body: message.body }),
    trust: "keyed",
    timeoutMs,
    maxBytes: MAX_ANSWER_BYTES,
    maxRedirects: SAFE_METHODS.has(message.method) ? MAX_REDIRECTS : 0,
    sameOrigin: true,
    signal,
    onSent,
    ...(connection.privateOrigin !== null && { privateOrigin: connection.privateOrigin }),
  });
}

/** What an answer repeats of the credential is taken out before anything is kept or shown of it. */
function cleaned(answer: FetchedResponse, secrets: ReadonlySet<string>): FetchedResponse {
  if (secrets.size === 0) return answer;
  const headers = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name, withoutSecrets(value, secrets)]),
  );
  const text = withoutSecrets(answer.text, secrets);
  return text === answer.text
    ? { ...answer, headers }
    : { ...answer, headers, text, body: Buffer.from(text) };
}

/** The code a caller can act on; the first two may go better later. */
function codeOf(status: number): string {
  if (status === 429) return "rate_limited";
  if (status >= 502 && status <= 504) return "unavailable";
  if (status === 401 || status === 403) return "upstream_refused";
  return status >= 300 && status < 400 ? "upstream_redirect" : "upstream_error";
}

function reasonOf(status: number): string {
  if (status === 401 || status === 403) return " and refused the request; check the connection's credential";
  if (status >= 300 && status < 400) return ", a redirect that is not followed";
  return "";
}
