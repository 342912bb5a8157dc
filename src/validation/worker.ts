import process from "node:process";
import { parentPort } from "node:worker_threads";
import { compile } from "./judge.ts";
import { parseJob, type Outcome, type Reply } from "./protocol.ts";

/*
 * Runs in a thread of its own: compiling a schema generates code and can take long, and so can a pattern. The pool ends
 * the thread when it does.
 */

function answer(message: unknown): Outcome {
  const job = parseJob(message);
  if (!job) return { id: -1, kind: "failed", message: "Not a job." };
  try {
    const check = compile(job.schema);
    const value: unknown = JSON.parse(job.value);
    return { id: job.id, kind: "checked", problems: [...check(value)] };
  } catch (error) {
    // Also a schema that asks itself about the same value without end.
    return {
      id: job.id,
      kind: "bad_schema",
      message: error instanceof Error ? error.message.slice(0, 300) : "",
    };
  }
}

function send(outcome: Outcome): void {
  const { user, system } = process.threadCpuUsage();
  const reply: Reply = { ...outcome, usedMs: (user + system) / 1_000 };
  parentPort?.postMessage(reply, []);
}

parentPort?.on("message", (message: unknown) => send(answer(message)));
send({ id: 0, kind: "ready" });
