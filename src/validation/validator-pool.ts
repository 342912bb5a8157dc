import { Worker } from "node:worker_threads";
import { AppError } from "../kernel/errors.ts";
import type { SchemaValidator, SchemaVerdict } from "../ports/platform.ts";
import { isReply, type Reply } from "./protocol.ts";

/** How much validation may cost. */
export interface PoolSettings {
  readonly workers: number;
  /** Processor time of one job; what asks for more is refused as too costly. */
  readonly jobMs: number;
  /** Time on the clock of one job; a machine too busy to give a job its processor time is not the input's fault. */
  readonly wallMs: number;
  readonly queue: number;
  readonly queueMs: number;
  readonly memoryMb: number;
}

/** Full validation in worker threads; ends with the service. */
export interface ValidatorPool extends SchemaValidator {
  close(): Promise<void>;
}

const DEFAULTS: PoolSettings = {
  workers: 2,
  jobMs: 250,
  wallMs: 2_500,
  queue: 64,
  queueMs: 2_000,
  memoryMb: 64,
};
/** How often at most a running job's processor time is looked at. */
const LOOK_MS = 20;
const START_MS = 10_000;

interface Pending {
  readonly schema: string;
  readonly value: string;
  readonly since: number;
  readonly resolve: (verdict: SchemaVerdict) => void;
  readonly reject: (error: AppError) => void;
  readonly signal: AbortSignal | undefined;
}

interface Seat {
  worker: Worker;
  ready: boolean;
  job: Pending | null;
  id: number;
  timer: NodeJS.Timeout | null;
  /** Processor time the thread had used when its last job ended. */
  usedMs: number;
}

/**
 * A pool of threads that compile and run validators. A job that takes too long or too much memory ends its thread, not
 * the service; a full queue refuses at once.
 */
export function createValidatorPool(given: Partial<PoolSettings> = {}): ValidatorPool {
  const settings = { ...DEFAULTS, ...given };
  const seats = new Set<Seat>();
  const queue: Pending[] = [];
  let closed = false;
  /** Since when there is a thread that can take jobs. The start of the first one is not time in a queue. */
  let servingSince = 0;

  const settle = (seat: Seat): Pending | null => {
    const { job } = seat;
    seat.job = null;
    if (seat.timer) clearTimeout(seat.timer);
    seat.timer = null;
    seat.worker.unref();
    return job;
  };
  const drop = (seat: Seat, why: AppError): void => {
    seats.delete(seat);
    settle(seat)?.reject(why);
    void seat.worker.terminate();
    pump();
  };
  const finish = (seat: Seat, reply: Reply): void => {
    seat.usedMs = reply.usedMs;
    if (reply.kind === "ready") {
      if (![...seats].some(({ ready }) => ready)) servingSince = Date.now();
      seat.ready = true;
    } else if (reply.id === seat.id) deliver(settle(seat), reply);
    pump();
  };
  const open = (): void => {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), {
      resourceLimits: {
        maxOldGenerationSizeMb: settings.memoryMb,
        maxYoungGenerationSizeMb: 16,
        stackSizeMb: 4,
      },
      stdout: true,
      stderr: true,
      env: {},
    });
    const seat: Seat = { worker, ready: false, job: null, id: 0, timer: null, usedMs: 0 };
    seats.add(seat);
    const starting = setTimeout(
      () => drop(seat, new AppError("unavailable", "Validation could not be started.")),
      START_MS,
    );
    starting.unref();
    worker.on("message", (message: unknown) => {
      clearTimeout(starting);
      if (isReply(message)) finish(seat, message);
    });
    worker.on("error", (cause) => drop(seat, outOf("memory", cause)));
    worker.on("exit", () => {
      clearTimeout(starting);
      if (seats.has(seat)) drop(seat, outOf("memory"));
    });
  };
  const assign = (seat: Seat, job: Pending): void => {
    seat.job = job;
    seat.id += 1;
    seat.worker.ref();
    watch(seat, Math.min(settings.jobMs, settings.wallMs), Date.now() + settings.wallMs);
    seat.worker.postMessage({ id: seat.id, schema: job.schema, value: job.value }, []);
  };
  /** Looks at a job's processor time once it could have used all of it, and again when it has not. */
  const watch = (seat: Seat, afterMs: number, until: number): void => {
    seat.timer = setTimeout(() => {
      const { id, worker } = seat;
      const left = until - Date.now();
      if (left <= 0) {
        drop(seat, tooBusy());
        return;
      }
      // A thread that is deep in one long operation answers late; the end of the wall time does not wait for it.
      seat.timer = setTimeout(() => drop(seat, tooBusy()), left);
      void usedBy(worker).then((usedMs) => {
        if (usedMs === null || seat.id !== id || !seat.job) return false;
        if (seat.timer) clearTimeout(seat.timer);
        const missing = settings.jobMs - (usedMs - seat.usedMs);
        if (missing <= 0) drop(seat, outOf("time"));
        else watch(seat, Math.min(Math.max(missing, LOOK_MS), left), until);
        return true;
      });
    }, afterMs);
  };
  function pump(): void {
    const now = Date.now();
    for (let job = queue[0]; job !== undefined; job = queue[0]) {
      const waitedMs = now - Math.max(job.since, servingSince);
      if (waitedMs <= settings.queueMs && job.signal?.aborted !== true) break;
      queue.shift();
      job.reject(overloaded());
    }
    for (const seat of seats) {
      if (!seat.ready || seat.job) continue;
      const job = queue.shift();
      if (!job) return;
      assign(seat, job);
    }
    const starting = [...seats].some((seat) => !seat.ready);
    if (queue.length > 0 && !starting && seats.size < settings.workers && !closed) open();
  }

  return {
    validate(schema, value, signal) {
      if (closed) return Promise.reject(new AppError("unavailable", "Validation is shutting down."));
      if (queue.length >= settings.queue) return Promise.reject(overloaded());
      const texts = { schema: JSON.stringify(schema) ?? "true", value: JSON.stringify(value) ?? "null" };
      return new Promise((resolve, reject) => {
        queue.push({ ...texts, since: Date.now(), resolve, reject, signal });
        pump();
      });
    },
    async close() {
      closed = true;
      for (const job of queue.splice(0))
        job.reject(new AppError("unavailable", "Validation is shutting down."));
      const open = [...seats];
      seats.clear();
      for (const seat of open)
        settle(seat)?.reject(new AppError("unavailable", "Validation is shutting down."));
      await Promise.all(open.map((seat) => seat.worker.terminate()));
    },
  };
}

/** Processor time of a thread, in milliseconds; null when it has ended. */
async function usedBy(worker: Worker): Promise<number | null> {
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1_000;
  } catch {
    return null;
  }
}

function deliver(job: Pending | null, reply: Exclude<Reply, { kind: "ready" }>): void {
  if (!job) return;
  if (reply.kind === "checked") job.resolve({ valid: reply.problems.length === 0, errors: reply.problems });
  else {
    job.reject(
      new AppError(
        "invalid_input",
        "The schema cannot be used for validation: it is not a valid JSON Schema or refers to something that is not there.",
        {
          cause: reply.message,
          nextAction: "Check $ref targets, types and patterns in the schema.",
        },
      ),
    );
  }
}

function outOf(what: "time" | "memory", cause?: unknown): AppError {
  return new AppError(
    "invalid_input",
    `Validating against this schema takes too much ${what}; it was stopped.`,
    {
      nextAction:
        "Simplify the schema: fewer alternatives, shorter enums, patterns without nested repetition.",
      cause,
    },
  );
}

function tooBusy(): AppError {
  return new AppError("timed_out", "Validation did not come to an end in time: the service is busy.", {
    retryAfterSeconds: 1,
    nextAction: "Try again shortly; nothing was decided about the input.",
  });
}

function overloaded(): AppError {
  return new AppError("overloaded", "Too many validations are waiting.", { retryAfterSeconds: 1 });
}
