import { AppError } from "./errors.ts";

/** What is known of the effect of a call that has ended. */
export type EffectOutcome = "happened" | "did_not_happen" | "unknown";

/** How a call ended, whichever way it was made. */
export interface CallEnd {
  /** The operation can change something. */
  readonly changes: boolean;
  /** A byte of the request may have left. */
  readonly sent: boolean;
  /** What the target itself answered, whole; `none` for half an answer or one that leaves the effect open. */
  readonly answer: "done" | "refused" | "none";
}

/** The only place that decides whether an effect surely happened, surely did not, or may have. */
export function effectOf({ changes, sent, answer }: CallEnd): EffectOutcome {
  if (!changes || !sent) return "did_not_happen";
  if (answer === "none") return "unknown";
  return answer === "done" ? "happened" : "did_not_happen";
}

/** Refusals that a proxy also gives when it does not know what became of the request: 408, and 499 of some. */
const OPEN_REFUSALS: ReadonlySet<number> = new Set([408, 499]);

/**
 * What a complete HTTP answer says about the effect. Only a refusal of the request says that nothing was done: an error of
 * the server may come after its commit or from a proxy that had passed the request on, and a redirect after a write
 * usually leads to what was made.
 */
export function answerOfStatus(status: number, isSuccess: boolean): CallEnd["answer"] {
  if (isSuccess) return "done";
  const isRefusal = (status >= 400 && status < 500 && !OPEN_REFUSALS.has(status)) || status === 501;
  return isRefusal ? "refused" : "none";
}

/**
 * Errors of JSON-RPC that say as little about the effect as a 500 or a 504: the internal one, and what the libraries of
 * the protocol give for a connection that closed and for a time-out, which proxies pass on. Every other one refuses.
 */
const OPEN_RPC_ERRORS: ReadonlySet<number> = new Set([-32603, -32000, -32001, 408]);

/** What an error of JSON-RPC says about the effect. */
export function answerOfRpcError(code: number): CallEnd["answer"] {
  return OPEN_RPC_ERRORS.has(code) ? "none" : "refused";
}

/** What a caller does about an effect that may have happened. */
export function doubtAction(isRepeatable: boolean): string {
  return isRepeatable
    ? "The request was sent, so its effect may have happened. It may be repeated: a repetition has no further effect."
    : "The request was sent, so its effect may have happened. Look at the target before you call again.";
}

/** The error of a call of which nothing was sent, saying so. */
export function notSent(error: AppError): AppError {
  return new AppError(error.code, error.message, { ...error.info, effect: "not_sent" });
}

/** What is done before a call is sent: its errors say that nothing was. */
export async function beforeSending<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AppError ? notSent(error) : error;
  }
}

/** The error of a call that ended without a complete answer, saying what is known of the effect. */
export function withEffect(error: AppError, end: CallEnd, isRepeatable: boolean): AppError {
  if (!end.sent) return notSent(error);
  const effect = effectOf(end);
  if (effect !== "unknown") return error;
  const { nextAction: _again, ...info } = error.info;
  const details = { ...info.details, reason: error.code };
  const text = `${error.message} Whether its effect happened is not known.`;
  const nextAction = doubtAction(isRepeatable);
  return isRepeatable
    ? new AppError(error.code, error.message, { ...info, effect, nextAction })
    : new AppError("outcome_unknown", text, { ...info, effect, details, nextAction });
}
