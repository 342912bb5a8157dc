import process from "node:process";
import { getHeapStatistics } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import { AppError } from "../kernel/errors.ts";
import type { Job, Outcome, Reply } from "./protocol.ts";
import { loadTask, WithTexts } from "./tasks.ts";

/*
 * Runs in a thread of its own: compiling a schema generates code and can take long, and so can a pattern, a document
 * or a form. The pool ends the thread when it does.
 */

async function answer({ id, task, input, document }: Job): Promise<Outcome> {
  const work = await loadTask(task, workerData);
  // From here on the time counts as the input's.
  send({ id, kind: "loaded" });
  try {
    const isText = task !== "json_shape";
    const result = work(input, isText ? textOf(document) : "", document ?? new Uint8Array());
    if (result instanceof WithTexts)
      return { id, kind: "done", output: JSON.stringify(result.output), texts: result.texts };
    return { id, kind: "done", output: JSON.stringify(result) ?? "null" };
  } catch (error) {
    if (error instanceof AppError) {
      const { cause: _cause, ...info } = error.info;
      return { id, kind: "refused", code: error.code, message: error.message, info };
    }
    // Also a schema that asks itself about the same value without end.
    return { id, kind: "failed", message: error instanceof Error ? error.message.slice(0, 300) : "" };
  }
}

/** What the bytes of a document say; a buffer can read shared memory, a text decoder cannot. */
function textOf(document: Uint8Array | null): string {
  if (document === null) return "";
  const bytes = Buffer.from(document.buffer, document.byteOffset, document.byteLength);
  return bytes.toString("utf8").replace(/^\uFEFF/, "");
}

function send(outcome: Outcome): void {
  const { user, system } = process.threadCpuUsage();
  const heldMb = getHeapStatistics().total_heap_size / 1024 / 1024;
  const reply: Reply = { ...outcome, usedMs: (user + system) / 1_000, heldMb };
  parentPort?.postMessage(reply, []);
}

parentPort?.on("message", (job: Job) => void answer(job).then(send));
send({ id: 0, kind: "ready" });
