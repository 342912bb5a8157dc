import { parentPort, workerData } from "node:worker_threads";
import { getQuickJS } from "quickjs-emscripten";
import { isJson, isJsonObject, type Json, type JsonObject } from "../../../src/kernel/json.ts";

/*
 * One execution: QuickJS on WebAssembly in this thread, bounded in time, memory and stack. The answer is the only
 * message.
 */

/** What came of an execution. */
export interface Outcome {
  readonly [key: string]: Json;
  readonly status: "succeeded" | "failed" | "timed_out" | "out_of_memory";
  readonly durationMs: number;
}

interface Job {
  readonly script: string;
  readonly globals: JsonObject;
  readonly timeMs: number;
  readonly memoryBytes: number;
  readonly stackBytes: number;
  readonly maxLogs: number;
}

const job: Job = workerData;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(await run(job));

async function run({ script, globals, timeMs, memoryBytes, stackBytes, maxLogs }: Job): Promise<Outcome> {
  const quickjs = await getQuickJS();
  const runtime = quickjs.newRuntime();
  const begun = performance.now();
  runtime.setMemoryLimit(memoryBytes);
  runtime.setMaxStackSize(stackBytes);
  // The processor's time, not the clock's: a busy machine makes no script run too long.
  const before = process.threadCpuUsage();
  runtime.setInterruptHandler(() => process.threadCpuUsage(before).user > timeMs * 1_000);
  const vm = runtime.newContext();
  const logs: string[] = [];
  const elapsed = (): number => Math.round(performance.now() - begun);
  try {
    const log = vm.newFunction("log", (...args) => {
      if (logs.length < maxLogs)
        logs.push(
          args
            .map((arg) => shown(vm.dump(arg)))
            .join(" ")
            .slice(0, 1_000),
        );
    });
    const console = vm.newObject();
    vm.setProp(console, "log", log);
    vm.setProp(vm.global, "console", console);
    log.dispose();
    console.dispose();
    // Values go in as JSON text and are parsed inside, so nothing of this process is reachable from there.
    for (const [name, value] of Object.entries(globals)) {
      const made = vm.unwrapResult(vm.evalCode(`(${JSON.stringify(value ?? null)})`));
      vm.setProp(vm.global, name, made);
      made.dispose();
    }
    const result = vm.evalCode(script, "packet.js");
    if (result.error) {
      const error: unknown = vm.dump(result.error);
      result.error.dispose();
      return { status: endingOf(error), error: reasonOf(error), logs, durationMs: elapsed() };
    }
    const value: unknown = vm.dump(result.value);
    result.value.dispose();
    return { status: "succeeded", value: isJson(value) ? value : null, logs, durationMs: elapsed() };
  } finally {
    vm.dispose();
    runtime.dispose();
  }
}

function endingOf(error: unknown): Outcome["status"] {
  const reason = reasonOf(error);
  if (reason.includes("interrupted")) return "timed_out";
  return reason.includes("out of memory") ? "out_of_memory" : "failed";
}

function reasonOf(error: unknown): string {
  if (isJsonObject(error)) {
    const { name, message } = error;
    return `${typeof name === "string" ? name : "Error"}: ${typeof message === "string" ? message : ""}`.slice(
      0,
      500,
    );
  }
  return shown(error).slice(0, 500);
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
}
