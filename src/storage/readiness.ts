import { AppError } from "../kernel/errors.ts";
import type { Clock } from "../ports/platform.ts";

/** How long a probe's answer holds: a readiness check every second costs one write. */
const FRESH_MS = 1_000;

/** What the last probe saw. */
export interface Readiness {
  readonly ready: boolean;
  readonly reason: string | null;
  readonly lastProbeAt: string | null;
  readonly lastProbeMs: number | null;
}

/** Finds out whether the store can write by writing. */
export class ReadinessProbe {
  readonly #clock: Clock;
  readonly #write: () => Promise<void>;
  #last: Readiness | null = null;
  #lastAt = 0;
  #running: Promise<Readiness> | null = null;

  constructor(clock: Clock, write: () => Promise<void>) {
    this.#clock = clock;
    this.#write = write;
  }

  look(): Promise<Readiness> {
    if (this.#last !== null && performance.now() - this.#lastAt < FRESH_MS)
      return Promise.resolve(this.#last);
    this.#running ??= this.#probe().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #probe(): Promise<Readiness> {
    const begin = performance.now();
    const lastProbeAt = new Date(this.#clock.now()).toISOString();
    let reason: string | null = null;
    try {
      await this.#write();
    } catch (error) {
      reason = error instanceof AppError ? error.message : "The database gave an unexpected error.";
    }
    this.#lastAt = performance.now();
    const lastProbeMs = Math.round((this.#lastAt - begin) * 1000) / 1000;
    this.#last = { ready: reason === null, reason, lastProbeAt, lastProbeMs };
    return this.#last;
  }
}
