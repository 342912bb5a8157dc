import type { ErrorCode, ErrorDetails } from "../kernel/errors.ts";
import type { WorkerTask, WorkerTasks } from "../ports/platform.ts";
import type { ToolView } from "../workflows/catalog-view.ts";

/** What every worker is given at its start: the views of our own tools. */
export type Shared = readonly ToolView[] | null;

/** What the pool asks a worker. JSON text crosses the threads: a worker keeps compiled schemas by it. */
export interface Job {
  readonly id: number;
  readonly task: WorkerTask;
  readonly input: string;
  readonly document: Uint8Array | null;
}

/** The answer of a task. */
interface Done {
  readonly id: number;
  readonly kind: "done";
  readonly output: string;
  /** Long texts beside the output: as they are, they cross in a fraction of the time that JSON takes. */
  readonly texts?: readonly string[];
}

/** How a job goes: the worker is there, the task's code is loaded, or how it ended. */
export type Outcome =
  | { readonly id: number; readonly kind: "ready" }
  | { readonly id: number; readonly kind: "loaded" }
  | Done
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

/*
 * What crosses the threads is written and read by this service alone: the table of tasks is the type of both ends.
 */

/** The input of a task, from the text that the pool wrote. */
export function inputOf<T extends WorkerTask>(_task: T, text: string): WorkerTasks[T]["input"] {
  const input: WorkerTasks[T]["input"] = JSON.parse(text);
  return input;
}

/** The answer of a task, from what its worker wrote. */
export function outputOf<T extends WorkerTask>(_task: T, { output, texts }: Done): WorkerTasks[T]["output"] {
  const parsed = JSON.parse(output);
  const answer: WorkerTasks[T]["output"] = texts === undefined ? parsed : { output: parsed, texts };
  return answer;
}
