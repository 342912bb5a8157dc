import process from "node:process";
import { createContext, Script } from "node:vm";
import { isObject } from "./json.ts";

const context: { run: () => void } = { run: () => undefined };
createContext(context);
const script = new Script("run()");

/** A machine that is busy with something else stops a computation early; that is no fault of the computation. */
const ATTEMPTS = 3;

/**
 * Runs a synchronous computation and stops it when it takes longer than `ms` of processor time: false means that it was
 * stopped. It may be stopped anywhere and begin again, so it must change nothing but its own variables. Costs about
 * 0.1 ms, so it is for what may take long.
 */
export function runWithin(ms: number, compute: () => void): boolean {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const before = process.threadCpuUsage();
    if (runOnce(ms, compute)) return true;
    const { user, system } = process.threadCpuUsage(before);
    if ((user + system) / 1_000 > ms / 2) return false;
  }
  return false;
}

function runOnce(ms: number, compute: () => void): boolean {
  const outer = context.run;
  context.run = compute;
  try {
    script.runInContext(context, { timeout: Math.max(1, Math.ceil(ms)) });
    return true;
  } catch (error) {
    if (isObject(error) && error["code"] === "ERR_SCRIPT_EXECUTION_TIMEOUT") return false;
    throw error;
  } finally {
    context.run = outer;
  }
}
