import { Worker } from "node:worker_threads";
import type { Validation } from "../../packages/forms/src/index.ts";
import { AppError } from "../kernel/errors.ts";
import type { SchemaValidator, Workers, WorkerTask, WorkerTasks } from "../ports/platform.ts";
import { outputOf, type Job, type Reply, type Shared } from "./protocol.ts";

declare module "../ports/platform.ts" {
  interface WorkerTasks {
    /** Schema and value as JSON text: a worker keeps compiled schemas by it. */
    validate_value: {
      readonly input: { readonly schema: string; readonly value: string };
      readonly output: Validation;
    };
  }
}

/** How much work in threads may cost. */
interface PoolSettings {
  readonly workers: number;
  /** Processor time of one job of each task; an input that asks for more is refused as too costly. */
  readonly jobMs: Readonly<Record<WorkerTask, number>>;
  /** Time on the clock of one job; a machine too busy to give a job its processor time is not the input's fault. */
  readonly wallMs: number;
  /** The same for the validation of a value, which a caller waits for. */
  readonly validateWallMs: number;
  readonly queue: number;
  readonly queueMs: number;
  readonly memoryMb: number;
  /** Memory of the thread that reads one large document and ends. */
  readonly largeMemoryMb: number;
  /** What every worker is given at its start. */
  readonly shared: () => Shared;
}

/** What tests and the wiring may set. */
interface GivenSettings extends Partial<Omit<PoolSettings, "jobMs">> {
  readonly jobMs?: Partial<PoolSettings["jobMs"]>;
}

/** Bounded work in threads; ends with the service. */
export interface WorkerPool extends SchemaValidator, Workers {
  /** The verdict with its reasons: also when nothing can be decided, or not within the time of a job. */
  decide(schema: unknown, value: unknown, signal?: AbortSignal): Promise<Validation>;
  close(): Promise<void>;
}

const DEFAULTS: PoolSettings = {
  workers: 2,
  jobMs: {
    validate_value: 250,
    json_shape: 2_000,
    read_yaml: 2_000,
    look_up: 4_000,
    read_definitions: 12_000,
    render_form: 2_000,
    import_workflow: 2_500,
    workflow_needs: 1_000,
    check_workflow: 4_000,
  },
  wallMs: 15_000,
  validateWallMs: 2_500,
  queue: 64,
  queueMs: 2_000,
  memoryMb: 128,
  largeMemoryMb: 352,
  shared: () => null,
};
/** How often at most a running job's processor time is looked at. */
const LOOK_MS = 20;
const START_MS = 10_000;
/** Memory up to which a thread is kept. One that grew for a large input keeps it for good, so it ends after the job. */
const SMALL_MB = 64;
/** Bytes of a document that do not fit into the memory of an ordinary thread once it is parsed. */
const LARGE = 3 * 1024 * 1024;

type Done = Extract<Reply, { kind: "done" }>;

interface Pending {
  readonly task: WorkerTask;
  readonly input: string;
  /** Since when it could have been taken; null while its first thread starts, which is no time in a queue. */
  since: number | null;
  readonly resolve: (done: Done) => void;
  readonly reject: (error: AppError) => void;
  readonly signal: AbortSignal | undefined;
  readonly document: Uint8Array | null;
  readonly isLarge: boolean;
}

interface PoolThread {
  worker: Worker;
  ready: boolean;
  job: Pending | null;
  id: number;
  timer: NodeJS.Timeout | null;
  /** Processor time the thread had used when its job began. */
  usedMs: number;
  /** Has the memory for a large document, and ends when none is waiting. */
  readonly isLarge: boolean;
}

/**
 * The pool of threads that do everything whose cost depends on hostile input. A job that takes too long or too much
 * memory ends its thread, not the service; a full queue refuses at once. Documents never take the last thread, so that
 * values are validated while large documents are read.
 */
export function createWorkerPool(given: GivenSettings = {}): WorkerPool {
  const settings: PoolSettings = { ...DEFAULTS, ...given, jobMs: { ...DEFAULTS.jobMs, ...given.jobMs } };
  const threads = new Set<PoolThread>();
  const queue: Pending[] = [];
  let closed = false;

  const settle = (thread: PoolThread): Pending | null => {
    const { job } = thread;
    thread.job = null;
    if (thread.timer) clearTimeout(thread.timer);
    thread.timer = null;
    thread.worker.unref();
    return job;
  };
  const drop = (thread: PoolThread, why: (task: WorkerTask) => AppError): void => {
    const job = settle(thread);
    job?.reject(why(job.task));
    close(thread);
    pump();
  };
  const finish = (thread: PoolThread, reply: Reply): void => {
    thread.usedMs = reply.usedMs;
    if (reply.kind === "ready") {
      thread.ready = true;
      const now = Date.now();
      for (const job of queue) if (job.isLarge === thread.isLarge) job.since ??= now;
    } else if (reply.id !== thread.id) return;
    else if (reply.kind === "loaded") begin(thread);
    else {
      deliver(settle(thread), reply);
      const isLast = thread.isLarge && !queue.some(({ isLarge }) => isLarge);
      if (isLast || (!thread.isLarge && reply.heldMb > SMALL_MB)) close(thread);
    }
    pump();
  };
  const close = (thread: PoolThread): void => {
    threads.delete(thread);
    void thread.worker.terminate();
  };
  const open = (isLarge: boolean): void => {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), {
      resourceLimits: {
        maxOldGenerationSizeMb: isLarge ? settings.largeMemoryMb : settings.memoryMb,
        maxYoungGenerationSizeMb: 16,
        stackSizeMb: 4,
      },
      stdout: true,
      stderr: true,
      env: {},
      workerData: settings.shared(),
    });
    const thread: PoolThread = { worker, ready: false, job: null, id: 0, timer: null, usedMs: 0, isLarge };
    threads.add(thread);
    const starting = setTimeout(
      () => drop(thread, () => new AppError("unavailable", "A worker thread could not be started.")),
      START_MS,
    );
    starting.unref();
    worker.on("message", (reply: Reply) => {
      clearTimeout(starting);
      finish(thread, reply);
    });
    worker.on("error", (cause) => drop(thread, (task) => outOf("memory", task, cause)));
    worker.on("exit", () => {
      clearTimeout(starting);
      if (threads.has(thread)) drop(thread, (task) => outOf("memory", task));
    });
  };
  const assign = (thread: PoolThread, job: Pending): void => {
    thread.job = job;
    thread.id += 1;
    thread.worker.ref();
    // Until the task's code is loaded, only the wall time counts.
    thread.timer = setTimeout(() => drop(thread, tooBusy), START_MS);
    const { task, input, document } = job;
    thread.worker.postMessage({ id: thread.id, task, input, document } satisfies Job, []);
  };
  const begin = (thread: PoolThread): void => {
    if (!thread.job) return;
    if (thread.timer) clearTimeout(thread.timer);
    const { task } = thread.job;
    const wall =
      task === "validate_value"
        ? Math.min(settings.wallMs, settings.validateWallMs)
        : settings.wallMs * (task === "read_definitions" ? 3 : 1);
    watch(thread, Math.min(settings.jobMs[task], wall), Date.now() + wall);
  };
  /** Looks at a job's processor time once it could have used all of it, and again when it has not. */
  const watch = (thread: PoolThread, afterMs: number, until: number): void => {
    thread.timer = setTimeout(() => {
      const { id, worker, job } = thread;
      const left = until - Date.now();
      if (left <= 0 || !job) {
        drop(thread, tooBusy);
        return;
      }
      // A thread that is deep in one long operation answers late; the end of the wall time does not wait for it.
      thread.timer = setTimeout(() => drop(thread, tooBusy), left);
      void usedBy(worker).then((usedMs) => {
        if (usedMs === null || thread.id !== id || !thread.job) return false;
        if (thread.timer) clearTimeout(thread.timer);
        const missing = settings.jobMs[job.task] - (usedMs - thread.usedMs);
        if (missing <= 0) drop(thread, (task) => outOf("time", task));
        else watch(thread, Math.min(Math.max(missing, LOOK_MS), left), until);
        return true;
      });
    }, afterMs);
  };
  const ordinary = (): PoolThread[] => [...threads].filter((thread) => !thread.isLarge);
  /** The next job that may begin: a document waits while documents have all threads but one. */
  const takeNext = (thread: PoolThread): Pending | undefined => {
    const documents = ordinary().filter(({ job }) => job !== null && job.task !== "validate_value").length;
    const mayRead = thread.isLarge || documents < Math.max(1, settings.workers - 1);
    const at = queue.findIndex(
      ({ task, isLarge }) => isLarge === thread.isLarge && (mayRead || task === "validate_value"),
    );
    return at === -1 ? undefined : queue.splice(at, 1)[0];
  };
  const isServed = (large: boolean): boolean =>
    [...threads].some((thread) => thread.isLarge === large && thread.ready);
  function pump(): void {
    const now = Date.now();
    for (const job of queue.slice()) {
      if (now - (job.since ?? now) <= settings.queueMs && job.signal?.aborted !== true) continue;
      queue.splice(queue.indexOf(job), 1);
      job.reject(overloaded());
    }
    for (const thread of threads) {
      if (!thread.ready || thread.job) continue;
      const job = takeNext(thread);
      if (job) assign(thread, job);
    }
    if (closed) return;
    const small = ordinary();
    const isStarting = small.some((thread) => !thread.ready);
    const waits = (isLarge: boolean): boolean => queue.some((job) => job.isLarge === isLarge);
    if (waits(false) && !isStarting && small.length < settings.workers) open(false);
    if (waits(true) && small.length === threads.size) open(true);
  }
  function run<T extends WorkerTask>(
    task: T,
    input: WorkerTasks[T]["input"],
    signal?: AbortSignal,
    document: Uint8Array | null = null,
  ): Promise<WorkerTasks[T]["output"]> {
    if (closed) return Promise.reject(shuttingDown());
    if (queue.length >= settings.queue) return Promise.reject(overloaded());
    const text = JSON.stringify(input);
    return new Promise((answer, reject) => {
      const resolve = (done: Done): void => answer(outputOf(task, done));
      const isLarge = document !== null && document.byteLength > LARGE;
      const since = isServed(isLarge) ? Date.now() : null;
      queue.push({ task, input: text, since, resolve, reject, signal, document, isLarge });
      pump();
    });
  }

  async function decide(schema: unknown, value: unknown, signal?: AbortSignal): Promise<Validation> {
    const texts = { schema: JSON.stringify(schema) ?? "true", value: JSON.stringify(value) ?? "null" };
    try {
      return await run("validate_value", texts, signal);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "invalid_input") throw error;
      return { verdict: "unknown", problems: [], reason: error.message };
    }
  }

  return {
    run,
    async validate(schema, value, signal) {
      const validation = await decide(schema, value, signal);
      if (validation.verdict === "unknown") throw undecided(validation.reason);
      return { valid: validation.verdict === "valid", errors: validation.problems };
    },
    decide,
    async close() {
      closed = true;
      for (const job of queue.splice(0)) job.reject(shuttingDown());
      const open = [...threads];
      threads.clear();
      for (const thread of open) settle(thread)?.reject(shuttingDown());
      await Promise.all(open.map((thread) => thread.worker.terminate()));
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

function deliver(job: Pending | null, reply: Exclude<Reply, { kind: "ready" | "loaded" }>): void {
  if (!job) return;
  if (reply.kind === "done") job.resolve(reply);
  else if (reply.kind === "refused") job.reject(new AppError(reply.code, reply.message, reply.info));
  else if (job.task === "validate_value")
    job.reject(
      new AppError("invalid_input", "Schema or value are nested too deeply.", { cause: reply.message }),
    );
  else job.reject(new AppError("internal", "A worker thread failed.", { cause: new Error(reply.message) }));
}

function undecided(reason = ""): AppError {
  return new AppError(
    "invalid_input",
    `Whether the value fits its schema could not be decided. ${reason}`.trim(),
    {
      details: { verdict: "unknown", reason },
      nextAction: "Check $ref targets and patterns in the schema; simplify what takes too long.",
    },
  );
}

const SUBJECTS: Readonly<Record<WorkerTask, { readonly what: string; readonly fix: string }>> = {
  validate_value: {
    what: "Validating against this schema",
    fix: "Simplify the schema: fewer alternatives, shorter enums, patterns without nested repetition.",
  },
  json_shape: { what: "Counting the values of this answer", fix: "Ask the server for less at a time." },
  read_definitions: {
    what: "Reading the operations of this description",
    fix: "Give a description with fewer or smaller operations, in JSON.",
  },
  read_yaml: { what: "Reading this YAML text", fix: "Send a smaller document, or send it as JSON." },
  look_up: {
    what: "Reading this description",
    fix: "Give a smaller description, or one in JSON; an operator can allow larger ones with SVC_DOCUMENT_LIMIT_MB.",
  },
  render_form: {
    what: "Rendering this schema",
    fix: "Simplify the schema: fewer alternatives, fewer references to large definitions.",
  },
  import_workflow: { what: "Reading this workflow", fix: "Split the workflow, or send it as JSON." },
  workflow_needs: { what: "Reading this workflow", fix: "Split the workflow into several." },
  check_workflow: { what: "Checking this workflow", fix: "Split the workflow into several." },
};

function outOf(what: "time" | "memory", task: WorkerTask, cause?: unknown): AppError {
  const subject = SUBJECTS[task];
  return new AppError("invalid_input", `${subject.what} takes too much ${what}; it was stopped.`, {
    nextAction: subject.fix,
    cause,
  });
}

function tooBusy(task: WorkerTask): AppError {
  return new AppError(
    "timed_out",
    `${SUBJECTS[task].what} did not come to an end in time: the service is busy.`,
    {
      retryAfterSeconds: 1,
      nextAction: "Try again shortly; nothing was decided about the input.",
    },
  );
}

function overloaded(): AppError {
  return new AppError("overloaded", "Too many documents and values are waiting to be checked.", {
    retryAfterSeconds: 1,
  });
}

function shuttingDown(): AppError {
  return new AppError("unavailable", "The service is shutting down.");
}
