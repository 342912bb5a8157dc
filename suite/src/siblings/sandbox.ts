import { getQuickJS, shouldInterruptAfterDeadline } from "quickjs-emscripten";
import { digestOf } from "../../../src/kernel/canonical-json.ts";
import { isJson, isJsonObject, type Json, type JsonObject } from "../../../src/kernel/json.ts";
import { Refusal } from "../http.ts";
import { contentId, subjectOf, textOf } from "../parts.ts";
import type { SiblingContext, SiblingDefinition } from "../sibling.ts";

const TIME_MS = 2_000;
const MEMORY_BYTES = 32 * 1024 * 1024;
const STACK_BYTES = 256 * 1024;
const MAX_SCRIPT = 200_000;
const MAX_LOGS = 100;

/** Walks a workflow's graph inside the sandbox: order, what cannot be reached, what leads nowhere. */
const WALK = `(() => {
  const nodes = workflow.nodes ?? [];
  const edges = (workflow.edges ?? []).map((e) => ({ from: e.from ?? e.source, to: e.to ?? e.target }));
  const ids = new Set(nodes.map((n) => n.id));
  const problems = [];
  if (ids.size !== nodes.length) problems.push("two nodes share an id");
  for (const e of edges) if (!ids.has(e.from) || !ids.has(e.to)) problems.push("an edge leads to no node: " + e.from + " -> " + e.to);
  const waiting = new Map([...ids].map((id) => [id, edges.filter((e) => e.to === id && ids.has(e.from)).length]));
  const ready = [...ids].filter((id) => waiting.get(id) === 0);
  const order = [];
  while (ready.length > 0) {
    const id = ready.shift();
    order.push(id);
    console.log("step " + id);
    for (const e of edges) if (e.from === id && ids.has(e.to)) {
      const left = waiting.get(e.to) - 1;
      waiting.set(e.to, left);
      if (left === 0) ready.push(e.to);
    }
  }
  if (order.length < ids.size) problems.push("the graph has a cycle");
  return { order, steps: ids.size, problems };
})()`;

/** Executes scripts and walks workflows in QuickJS on WebAssembly: no files, no network, bounded time and memory. */
export const sandbox: SiblingDefinition = {
  name: "sandbox",
  handoffPath: "/api/sandbox/receive-handoff",
  routes: (context) => [
    {
      method: "GET",
      path: "/api/sandbox/executions/*",
      isProtected: true,
      async handle({ params: [id = ""] }) {
        const found = await context.results.get(id);
        if (found === null) throw new Refusal(404, "not_found", "There is no execution of this id.");
        return { data: { execution: found } };
      },
    },
  ],
  async work(packet, context) {
    const execution = await execute(packet.payload ?? {}, packet.id, context);
    return {
      status: "completed",
      resultRef: `${context.url}/api/sandbox/executions/${textOf(execution, "id")}`,
      result: { execution },
    };
  },
};

async function execute(payload: JsonObject, packetId: string, context: SiblingContext): Promise<JsonObject> {
  const subject = subjectOf(payload);
  const workflow = workflowIn(payload, subject);
  const script = typeof subject["script"] === "string" ? subject["script"] : workflow === null ? null : WALK;
  if (script === null) {
    throw new Refusal(422, "invalid_input", "The packet has neither a script nor a workflow to execute.");
  }
  if (script.length > MAX_SCRIPT) throw new Refusal(413, "too_large", "The script is too long.");
  const inputs = isJsonObject(subject["inputs"]) ? subject["inputs"] : {};
  const outcome = await run(script, { workflow: workflow ?? null, inputs });
  const record = {
    id: contentId("execution", `${packetId}\n${script}`),
    subject: typeof subject["script"] === "string" ? "script" : "workflow",
    subjectDigest: digestOf(workflow ?? script),
    limits: { timeMs: TIME_MS, memoryBytes: MEMORY_BYTES },
    ...outcome,
  };
  await context.results.put(record.id, record);
  return record;
}

function workflowIn(payload: JsonObject, subject: JsonObject): JsonObject | null {
  const whole = isJsonObject(payload["workflow"]) ? payload["workflow"] : subject["workflow"];
  const document = isJsonObject(whole) && isJsonObject(whole["document"]) ? whole["document"] : whole;
  if (isJsonObject(document) && Array.isArray(document["nodes"])) return document;
  return Array.isArray(subject["nodes"]) ? subject : null;
}

interface Outcome {
  readonly [key: string]: Json;
  readonly status: "succeeded" | "failed" | "timed_out" | "out_of_memory";
  readonly durationMs: number;
}

async function run(script: string, globals: JsonObject): Promise<Outcome> {
  const quickjs = await getQuickJS();
  const runtime = quickjs.newRuntime();
  const begun = performance.now();
  runtime.setMemoryLimit(MEMORY_BYTES);
  runtime.setMaxStackSize(STACK_BYTES);
  runtime.setInterruptHandler(shouldInterruptAfterDeadline(Date.now() + TIME_MS));
  const vm = runtime.newContext();
  const logs: string[] = [];
  const elapsed = (): number => Math.round(performance.now() - begun);
  try {
    const log = vm.newFunction("log", (...args) => {
      if (logs.length < MAX_LOGS)
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
