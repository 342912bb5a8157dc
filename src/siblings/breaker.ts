import type { Clock } from "../ports/platform.ts";
import type { SiblingSettings } from "../ports/settings.ts";
import type { SiblingStatus } from "../ports/siblings.ts";
import type { Adapter } from "./adapter.ts";

const FAILURES_TO_OPEN = 5;
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 30_000;

/** What was observed of one sibling, and whether it is left alone for a while. */
export interface Breaker {
  /** Null when it may be asked; otherwise how many milliseconds until it may. */
  waitMs(): number | null;
  succeeded(): void;
  /** It answered that the request itself was wrong: that says nothing against it. */
  refusedRequest(): void;
  /** `down` says that the sibling did not answer; an answer that confirms nothing does not count towards the pause. */
  failed(reason: string, down: boolean): void;
  status(): SiblingStatus;
}

/**
 * After a row of failures the sibling is not asked for a pause that doubles each time; then one caller tries it
 * and decides for all.
 */
export function createBreaker(
  adapter: Adapter,
  settings: SiblingSettings | undefined,
  clock: Clock,
): Breaker {
  let row = 0;
  let pauseMs = FIRST_PAUSE_MS;
  let openUntil = 0;
  let trying = false;
  let lastSuccess: number | null = null;
  let lastFailure: number | null = null;
  let failure: string | null = null;
  let failedToAnswer = false;
  let answered = false;
  const isOpen = (): boolean => row >= FAILURES_TO_OPEN;

  const stateNow = (): SiblingStatus["state"] => {
    if (settings === undefined) return "not_configured";
    if (isOpen()) return "circuit_open";
    if (failure !== null) return "failing";
    return answered ? "reachable" : "unknown";
  };

  const recovered = (): void => {
    row = 0;
    trying = false;
    pauseMs = FIRST_PAUSE_MS;
    answered = true;
  };

  return {
    waitMs() {
      if (!isOpen()) return null;
      const left = openUntil - clock.now();
      if (left > 0) return left;
      if (trying) return FIRST_PAUSE_MS;
      trying = true;
      return null;
    },
    succeeded() {
      recovered();
      failure = null;
      lastSuccess = clock.now();
    },
    refusedRequest() {
      recovered();
      // An answer shows that it answers, not that it takes our credential or confirms what it does.
      if (failedToAnswer) failure = null;
    },
    failed(reason, down) {
      trying = false;
      failure = reason;
      failedToAnswer = down;
      lastFailure = clock.now();
      if (!down) {
        row = 0;
        return;
      }
      row++;
      if (!isOpen()) return;
      openUntil = clock.now() + pauseMs;
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    },
    status: () => ({
      name: adapter.name,
      title: adapter.title,
      purpose: adapter.purpose,
      transport: adapter.transport ?? "openapi",
      capabilities: Object.keys({ ...adapter.proofs, ...adapter.calls }),
      configured: settings !== undefined,
      url: settings?.url ?? null,
      state: stateNow(),
      lastSuccessAt: iso(lastSuccess),
      lastFailureAt: iso(lastFailure),
      lastFailure: failure,
    }),
  };
}

function iso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
