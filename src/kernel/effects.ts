import { AppError } from "./errors.ts";

/** What is known of the effect of a call that has ended. */
export type EffectOutcome = "happened" | "did_not_happen" | "unknown";

/** How a call ended, whichever way it was made. */
export interface CallEnd {
  /** The operation can change something. */
  readonly changes: boolean;
  /** A byte of the request may have left. */
  readonly sent: boolean;
  /** What the target itself answered, whole; `none` for half an answer or one that a proxy gave in its place. */
  readonly answer: "done" | "refused" | "none";
}

/** The only place that decides whether an effect surely happened, surely did not, or may have. */
export function effectOf({ changes, sent, answer }: CallEnd): EffectOutcome {
  if (!changes || !sent) return "did_not_happen";
  if (answer === "none") return "unknown";
  return answer === "done" ? "happened" : "did_not_happen";
}

/** Statuses of a proxy that had passed the request on, or may have. */
const PROXY_STATUSES: ReadonlySet<number> = new Set([502, 504, 520, 524]);

/** What a complete HTTP answer says about the effect. */
export function answerOfStatus(status: number, isSuccess: boolean): CallEnd["answer"] {
  if (PROXY_STATUSES.has(status)) return "none";
  return isSuccess ? "done" : "refused";
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
