import process from "node:process";
import { Type } from "typebox";
import type { FaultPoint } from "../../src/engine/host.ts";
import { AppError } from "../../src/kernel/errors.ts";
import { isObject } from "../../src/kernel/json.ts";
import { defineTool } from "../../src/ports/operations.ts";
import { jsonObject } from "../../src/tools/shapes.ts";
import { Bench, loud, openRig } from "../engine/harness.ts";

/*
 * A process that runs workflows until it is killed: by its parent, or by itself at a named point. It gets its
 * requests over IPC, and answers only when the data is on disk.
 */

/** How a child is started. */
export interface ChildPlan {
  readonly databaseUrl: string;
  readonly receiver: string;
  /** Where to end, and at the how manyth time it is passed. */
  readonly fault: {
    readonly point: FaultPoint;
    readonly nth: number;
    /** Instead of ending there it stops, as a process does whose machine hangs. */
    readonly freeze?: boolean;
  } | null;
}

const plan: ChildPlan = JSON.parse(process.argv[2] ?? "{}");

let passed = 0;
let effects = 0;
const fault = (point: FaultPoint): void => {
  if (point === "after_effect") effects++;
  if (point !== plan.fault?.point) return;
  // On a slow machine a step is written as running before it has had its effect.
  if (plan.fault.freeze === true && effects === 0) return;
  passed++;
  if (plan.fault.freeze === true) {
    if (passed === plan.fault.nth) process.kill(process.pid, "SIGSTOP");
  } else if (passed >= plan.fault.nth) {
    process.kill(process.pid, "SIGKILL");
  }
};

/** Has an effect outside, under a key; and complains when its step was checkpointed before. */
const effect = defineTool({
  name: "effect",
  title: "Effect",
  description: "Posts to the receiver under the idempotency key of its step.",
  input: Type.Object({}, { additionalProperties: true }),
  output: jsonObject(),
  access: "public",
  effect: "external",
  idempotent: true,
  openWorld: true,
  async run(args, { services, context: { meta } }) {
    const { "svc/runId": runId, "svc/stepId": stepId, "svc/idempotencyKey": key } = meta;
    const steps = await services.store.read.runs.steps(typeof runId === "string" ? runId : "");
    const done = steps.some((step) => step.stepId === stepId && step.state === "succeeded");
    const answer = await fetch(plan.receiver, {
      method: "POST",
      body: JSON.stringify({ key, done, slow: isObject(args) ? args["slow"] : undefined }),
    });
    if (!answer.ok) throw new AppError("unavailable", "The receiver did not take it.");
    return { ...args };
  },
});

const bench = Object.assign(new Bench(), { tools: [effect] });
const rig = await openRig({
  databaseUrl: plan.databaseUrl,
  bench,
  engine: { fault },
  log: loud,
});

/** A parent that has ended does not read: "disconnect" ends this process then, not the failed message. */
const send = (message: object): void => {
  process.send?.(message, undefined, undefined, () => undefined);
};

process.on("message", (message: unknown) => {
  if (!isObject(message)) return;
  void answer(message).then(
    (value) => send({ id: message["id"], value }),
    (error: unknown) => send({ id: message["id"], error: String(error) }),
  );
});
process.on("disconnect", () => process.exit(0));
send({ ready: true });

async function answer(message: Record<string, unknown>): Promise<unknown> {
  const { ask, workflowId, document, runIds, timeoutMs } = message;
  if (ask === "workflow") return rig.workflow(JSON.parse(String(document)));
  if (ask === "start") return (await rig.start(String(workflowId))).id;
  if (ask === "states" && Array.isArray(runIds)) {
    const end = Date.now() + Number(timeoutMs);
    const states: Record<string, unknown> = {};
    for (const id of runIds) {
      const run = await rig.engine.waitFor(String(id), Math.max(end - Date.now(), 1));
      states[String(id)] = { state: run.state, outputs: run.outputs, error: run.error };
    }
    return states;
  }
  throw new Error("not understood");
}
