import type { Client } from "./client-address.ts";
import { networkOf } from "../kernel/network.ts";
import type { Clock } from "../ports/platform.ts";
import { createAdmission, type Admission, type AdmissionSettings } from "./admission.ts";
import { createRateLimiter, type RateLimit } from "./rate-limit.ts";
import type { StreamLimits } from "./streams.ts";

/** How much one client and all of them together may ask for. */
export interface LimitSettings extends AdmissionSettings {
  /** Streaming answers that one caller holds open. */
  readonly streams?: Partial<StreamLimits>;
  /** Requests without a key, by address. */
  readonly anonymous: RateLimit;
  /** Requests with a valid key, by key. */
  readonly key: RateLimit;
  /** Keys that were refused, by address: a client that guesses runs out first. */
  readonly refusals: RateLimit;
  /** All processes on this machine share one address, so that gets this many times as much. */
  readonly localFactor: number;
}

const DEFAULTS: LimitSettings = {
  anonymous: { perSecond: 200, burst: 2_000 },
  key: { perSecond: 1_000, burst: 5_000 },
  refusals: { perSecond: 5, burst: 100 },
  localFactor: 1_000,
  maxInFlight: 1_024,
  maxWaitMs: 600,
  sampleMs: 50,
};

/** Each millisecond counts like a request, up to this many: what waits for another service is not work of ours. */
const MAX_CHARGED_MS = 50;

/** The limits, counted. Every method throws when a limit is reached. */
export interface Limits {
  countAnonymous(client: Client): void;
  /** What an anonymous request cost: a list that looks through much counts for many. */
  chargeAnonymous(client: Client, ms: number): void;
  countKey(id: string, client: Client): void;
  /** Before a key is looked at: an address that used up its refusals waits. */
  checkRefusals(client: Client): void;
  countRefusal(client: Client): void;
  /** What decides when the work of a request begins. */
  readonly admission: Admission;
}

/** Makes the limits. */
export function createLimits(clock: Clock, given: Partial<LimitSettings> = {}): Limits {
  const settings = { ...DEFAULTS, ...given };
  const limiter = createRateLimiter(clock);
  const scaled = {
    anonymous: scale(settings.anonymous, settings.localFactor),
    key: scale(settings.key, settings.localFactor),
    refusals: scale(settings.refusals, settings.localFactor),
  };
  const pick = (kind: keyof typeof scaled, { local }: Client): RateLimit =>
    local ? scaled[kind] : settings[kind];
  return {
    countAnonymous: (client) => limiter.take(networkOf(client.address), pick("anonymous", client)),
    chargeAnonymous: ({ address }, ms) =>
      limiter.charge(networkOf(address), Math.floor(Math.min(ms, MAX_CHARGED_MS))),
    countKey: (id, client) => limiter.take(`key ${id}`, pick("key", client)),
    checkRefusals: (client) =>
      limiter.check(`refused ${networkOf(client.address)}`, pick("refusals", client)),
    countRefusal: (client) => limiter.take(`refused ${networkOf(client.address)}`, pick("refusals", client)),
    admission: createAdmission(settings),
  };
}

function scale(limit: RateLimit, factor: number): RateLimit {
  return { perSecond: limit.perSecond * factor, burst: limit.burst * factor };
}
