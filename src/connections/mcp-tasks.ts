import type { Client } from "@modelcontextprotocol/client";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, isObject, type JsonObject } from "../kernel/json.ts";

const FIRST_POLL_MS = 500;
const SLOWEST_POLL_MS = 5_000;

/** How long a task may take, and what its caller wants to know on the way. */
interface TaskOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onStatus: (message: string) => void;
}

/** True for a tool that can be called as a task only (2025-11-25, `execution.taskSupport`). */
export function needsTask({ execution }: JsonObject): boolean {
  return isJsonObject(execution) && execution["taskSupport"] === "required";
}

/**
 * Calls a tool as a task: starts it, asks for its state until it has ended, and reads its result. The client library
 * has no runtime for tasks, so the four requests are written here.
 */
export async function callAsTask(client: Client, params: JsonObject, options: TaskOptions): Promise<unknown> {
  const { timeoutMs, signal, onStatus } = options;
  const ask = (method: string, more: JsonObject): Promise<unknown> =>
    client.request({ method, params: more }, ANYTHING, { timeout: timeoutMs, signal });
  const started = await ask("tools/call", { ...params, task: { ttl: timeoutMs } });
  const task = isObject(started) && isObject(started["task"]) ? started["task"] : null;
  // A server may answer at once instead of making a task.
  if (task === null) return started;
  const taskId = String(task["taskId"]);
  try {
    for (let state = task; ;) {
      const { status, statusMessage, pollInterval } = state;
      if (typeof statusMessage === "string") onStatus(statusMessage);
      // While it wants input, the server asks on the way to the result.
      if (status === "completed" || status === "failed" || status === "input_required")
        return await ask("tasks/result", { taskId }).catch(status === "failed" ? answeredOrLost : lost);
      if (status === "cancelled") throw new AppError("unavailable", "The server cancelled the task.");
      await delay(typeof pollInterval === "number" ? pollInterval : FIRST_POLL_MS, signal);
      const next = await ask("tasks/get", { taskId }).catch(lost);
      state = isObject(next) ? next : {};
    }
  } catch (error) {
    // Best effort: the server forgets the task by its time to live anyway.
    void client
      .request({ method: "tasks/cancel", params: { taskId } }, ANYTHING, { timeout: 2_000 })
      .catch(() => {});
    throw error;
  }
}

/** A refusal to tell of a task refuses nothing of what the task does, and a forgotten task is not called again. */
function lost(cause: unknown): never {
  if (cause instanceof AppError) {
    const { status: _status, ...info } = cause.info;
    throw new AppError(cause.code, cause.message, { ...info, cause });
  }
  throw new AppError("unavailable", "The server did not say what became of the task.", { cause });
}

/** A task that failed has the error of its call as its result. */
function answeredOrLost(error: unknown): never {
  if (error instanceof Error && "code" in error && typeof error.code === "number") throw error;
  return lost(error);
}

/** Results are checked by our own rules later. */
const ANYTHING = {
  "~standard": { version: 1, vendor: "svc", validate: (value: unknown) => ({ value }) },
} as const;

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, Math.min(Math.max(ms, 50), SLOWEST_POLL_MS));
    const stop = (): void => {
      clearTimeout(timer);
      reject(new Error("aborted"));
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
