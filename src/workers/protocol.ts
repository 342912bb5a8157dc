import type { ErrorCode, ErrorDetails } from "../kernel/errors.ts";
import type { WorkerTask, WorkerTasks } from "../ports/platform.ts";

/** What the pool asks a worker. JSON text crosses the threads: a worker keeps compiled schemas by it. */
export interface Job {
  readonly id: number;
  readonly task: WorkerTask;
  readonly input: string;
  readonly document: Uint8Array | null;
}

/** How a job goes: the worker is there, the task's code is loaded, or how it ended. */
export type Outcome =
  | { readonly id: number; readonly kind: "ready" }
  | { readonly id: number; readonly kind: "loaded" }
  | {
      readonly id: number;
      readonly kind: "done";
      readonly output: string;
      /** Long texts beside the output: as they are, they cross in a fraction of the time that JSON takes. */
      readonly texts?: readonly string[];
    }
  | {
      readonly id: number;
      readonly kind: "refused";
      readonly code: ErrorCode;
      readonly message: string;
      readonly info: ErrorDetails;
    }
  | { readonly id: number; readonly kind: "failed"; readonly message: string };

/** What a worker answers, with the processor time it has used since it began and the memory that it holds. */
export type Reply = Outcome & { readonly usedMs: number; readonly heldMb: number };

/** True for what our own pool sends. */
export function isJob(message: unknown): message is Job {
  return typeof message === "object" && message !== null && "id" in message && "task" in message;
}

/** True for what our own worker sends. */
export function isReply(message: unknown): message is Reply {
  return typeof message === "object" && message !== null && "id" in message && "kind" in message;
}

/* What crosses the threads is written by this service alone: the table of tasks says what it is. */

/** True for the input of a task. */
export function isInputOf<T extends WorkerTask>(_task: T, value: unknown): value is WorkerTasks[T]["input"] {
  return value !== undefined;
}

/** True for the answer of a task. */
export function isOutputOf<T extends WorkerTask>(
  _task: T,
  value: unknown,
): value is WorkerTasks[T]["output"] {
  return value !== undefined;
}
