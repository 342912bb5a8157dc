import { AppError } from "../kernel/errors.ts";

/** When requests are turned away. */
export interface AdmissionSettings {
  /** Requests being served or waiting at once, whatever they do. */
  readonly maxInFlight: number;
  /** How long a request may wait before its work begins, while many others wait too. */
  readonly maxWaitMs: number;
  /** How long the event loop is measured before the number of requests worked on at a time is changed. */
  readonly sampleMs: number;
}

/** Decides when the work of a request begins, and which requests are turned away while there is too much of it. */
export interface Admission {
  /** Nothing when work may begin at once, a promise when it has to wait; throws or rejects when it may not begin. */
  enter(): Promise<void> | undefined;
  /** Work that began has ended. */
  leave(): void;
}

interface Waiting {
  readonly since: number;
  readonly begin: () => void;
  readonly refuse: (error: AppError) => void;
}

/** As many begin together before anything is known about them. */
const START_SLOTS = 64;
const MIN_SLOTS = 16;
/** A few that wait are no crowd: on a slow machine they are served late instead of being refused. */
const PATIENT = 64;
/** A loop that idles less than this share of the time is what requests wait for. */
const BUSY = 0.9;
/** Work of one turn of the event loop; a turn accepts one connection, so long turns would starve new clients. */
const TURN_MS = 5;
/** Of those that wait, as many begin in one turn at most. */
const MAX_TOGETHER = 64;

/**
 * Bounds how long accepted requests take when more is asked than can be done. A number of requests is worked on at a
 * time, and few begin in one turn of the event loop; the others wait in order, in a crowd for a bounded time. How
 * many depends on what is measured while some wait: where the event loop idles, requests wait for something else, and more may
 * begin; where it is busy, as many as are completed within a part of the time that a request may wait.
 */
export function createAdmission(settings: AdmissionSettings): Admission {
  const { maxInFlight, maxWaitMs, sampleMs } = settings;
  const queue: Waiting[] = [];
  let slots = Math.min(START_SLOTS, maxInFlight);
  let active = 0;
  let completed = 0;
  let turnBegan = 0;
  let pumping = false;
  let worked = 0;
  let together = 1;
  let sampledAt = 0;
  let sampling: NodeJS.Timeout | undefined;
  let loop = performance.eventLoopUtilization();
  const endTurn = (): void => {
    turnBegan = 0;
  };

  function startSampling(now: number): void {
    loop = performance.eventLoopUtilization();
    completed = 0;
    sampledAt = now;
    sampling = setTimeout(sample, sampleMs).unref();
  }

  function sample(): void {
    const now = performance.now();
    const { utilization } = performance.eventLoopUtilization(loop);
    const wanted = utilization < BUSY ? slots * 2 : (completed / (now - sampledAt)) * (maxWaitMs / 4);
    slots = Math.min(maxInFlight, Math.max(MIN_SLOTS, Math.round(wanted)));
    sampling = undefined;
    if (queue.length === 0) return;
    startSampling(now);
    pumpSoon();
  }

  function pumpSoon(): void {
    if (pumping) return;
    pumping = true;
    setImmediate(pump);
  }

  /**
   * Begins some that wait; the next ones in the next turn. As many as make a short turn: work that shares a commit with
   * what begins beside it costs a multiple when it begins alone.
   */
  function pump(): void {
    pumping = false;
    const now = performance.now();
    const before = worked;
    worked = threadMs();
    together = worked - before < TURN_MS ? Math.min(together * 2, MAX_TOGETHER) : Math.max(1, together >> 1);
    while (queue.length > PATIENT && now - (queue[0]?.since ?? now) > maxWaitMs)
      queue.shift()?.refuse(overloaded());
    for (let begun = 0; begun < together && active < slots; begun++) {
      const next = queue.shift();
      if (next === undefined) return;
      active += 1;
      next.begin();
    }
    if (queue.length > 0 && active < slots) pumpSoon();
  }

  return {
    enter() {
      if (active + queue.length >= maxInFlight) throw overloaded();
      const now = performance.now();
      if (turnBegan === 0) {
        turnBegan = now;
        setImmediate(endTurn);
      }
      if (queue.length === 0 && active < slots && now - turnBegan < TURN_MS) {
        active += 1;
        return undefined;
      }
      if (sampling === undefined) startSampling(now);
      pumpSoon();
      return new Promise<void>((begin, refuse) => queue.push({ since: now, begin, refuse }));
    },
    leave() {
      active -= 1;
      completed += 1;
      if (queue.length > 0) pumpSoon();
      else if (active === 0) slots = Math.min(START_SLOTS, maxInFlight);
    },
  };
}

/** What this thread has worked; a machine that is busy with others does not make a turn longer by it. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function overloaded(): AppError {
  return new AppError("overloaded", "Too many requests are being served; try again shortly.", {
    retryAfterSeconds: 1,
  });
}
