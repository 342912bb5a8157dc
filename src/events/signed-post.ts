import { Webhook } from "standardwebhooks";
import type { OutgoingRequest } from "../ports/platform.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const TIMEOUT_MS = 10 * SECOND;

/** Waits between the attempts at one message; after the last it is given up. */
const BACKOFF_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
];

/** A message to a webhook. */
export interface SignedMessage {
  readonly url: string;
  /** Every secret that the receiver may check with. */
  readonly secrets: readonly string[];
  /** Stays the same in each attempt. */
  readonly id: string;
  readonly at: number;
  readonly contentType: string;
  readonly body: string;
}

/** The request that carries a message, signed as Standard Webhooks describes. */
export function signedPost({ url, secrets, id, at, contentType, body }: SignedMessage): OutgoingRequest {
  const time = new Date(at);
  return {
    url,
    method: "POST",
    headers: {
      "content-type": contentType,
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at / SECOND)),
      "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, time, body)).join(" "),
    },
    body,
    trust: "operator",
    timeoutMs: TIMEOUT_MS,
    maxBytes: 64 * 1024,
    maxRedirects: 0,
  };
}

/** A time after another. */
export function later(time: string, ms: number): string {
  return new Date(Date.parse(time) + ms).toISOString();
}

/**
 * What becomes of a message whose attempt failed: another attempt, not before the receiver asked for it, or none. The
 * waits vary, so that the messages to a receiver that was away do not come at one moment.
 */
export function afterFailure(
  attempts: number,
  now: string,
  lastError: string,
  backoffMs = BACKOFF_MS,
  atLeastMs = 0,
) {
  const wait = backoffMs[attempts - 1];
  if (wait === undefined) return { state: "dead", nextAttemptAt: null, lastError } as const;
  const jittered = Math.max(wait * (0.8 + Math.random() * 0.4), atLeastMs);
  return { state: "pending", nextAttemptAt: later(now, jittered), lastError } as const;
}
