import type { Clock } from "../ports/platform.ts";
import { createAdmission, type Admission, type AdmissionSettings } from "./admission.ts";
import { createRateLimiter, type RateLimit } from "./rate-limit.ts";

/** How much one client and all of them together may ask for. */
export interface LimitSettings extends AdmissionSettings {
  /** Requests without a key, by address. */
  readonly anonymous: RateLimit;
  /** Requests with a valid key, by key. */
  readonly key: RateLimit;
  /** Keys that were refused, by address: whoever guesses runs out first. */
  readonly refusals: RateLimit;
  /** Clients on this machine share one address behind a proxy, so it gets this many times as much. */
  readonly loopbackFactor: number;
}

const DEFAULTS: LimitSettings = {
  anonymous: { perSecond: 200, burst: 2_000 },
  key: { perSecond: 1_000, burst: 5_000 },
  refusals: { perSecond: 5, burst: 100 },
  loopbackFactor: 1_000,
  maxInFlight: 1_024,
  maxWaitMs: 600,
  sampleMs: 50,
};

/** The limits, counted. Every method throws when a limit is reached. */
export interface Limits {
  countAnonymous(remote: string): void;
  countKey(id: string, remote: string): void;
  /** Before a key is looked at: an address that used up its refusals waits. */
  checkRefusals(remote: string): void;
  countRefusal(remote: string): void;
  /** What decides when the work of a request begins. */
  readonly admission: Admission;
}

/** Makes the limits. */
export function createLimits(clock: Clock, given: Partial<LimitSettings> = {}): Limits {
  const settings = { ...DEFAULTS, ...given };
  const limiter = createRateLimiter(clock);
  const scaled = {
    anonymous: scale(settings.anonymous, settings.loopbackFactor),
    key: scale(settings.key, settings.loopbackFactor),
    refusals: scale(settings.refusals, settings.loopbackFactor),
  };
  const pick = (kind: keyof typeof scaled, remote: string): RateLimit =>
    isLoopback(remote) ? scaled[kind] : settings[kind];
  return {
    countAnonymous: (remote) => limiter.take(remote, pick("anonymous", remote)),
    countKey: (id, remote) => limiter.take(`key ${id}`, pick("key", remote)),
    checkRefusals: (remote) => limiter.check(`refused ${remote}`, pick("refusals", remote)),
    countRefusal: (remote) => limiter.take(`refused ${remote}`, pick("refusals", remote)),
    admission: createAdmission(settings),
  };
}

function scale(limit: RateLimit, factor: number): RateLimit {
  return { perSecond: limit.perSecond * factor, burst: limit.burst * factor };
}

function isLoopback(remote: string): boolean {
  return (
    remote === "in-process" || remote === "127.0.0.1" || remote === "::1" || remote === "::ffff:127.0.0.1"
  );
}
