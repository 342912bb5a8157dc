import { Worker } from "node:worker_threads";
import { digestOf } from "../../../src/kernel/canonical-json.ts";
import { isJsonObject, type JsonObject } from "../../../src/kernel/json.ts";
import { Refusal } from "../http.ts";
import { contentId, subjectOf, textOf } from "../parts.ts";
import { showRoute } from "../show.ts";
import type { SiblingContext, SiblingDefinition } from "../sibling.ts";
import type { Outcome } from "./sandbox-worker.ts";

const LIMITS = { timeMs: 2_000, memoryBytes: 32 * 1024 * 1024, stackBytes: 256 * 1024, maxLogs: 100 };
const START_MS = 30_000;
const MAX_SCRIPT = 200_000;

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
  routes: (context) => [
    showRoute(context, {
      path: "/api/sandbox/executions",
      prefix: "execution",
      isProtected: false,
      as: "execution",
    }),
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
    limits: { timeMs: LIMITS.timeMs, memoryBytes: LIMITS.memoryBytes },
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

/** Runs in a thread of its own, so that a script that never ends holds nobody else up. */
function run(script: string, globals: JsonObject): Promise<Outcome> {
  return new Promise((done) => {
    const worker = new Worker(new URL("./sandbox-worker.ts", import.meta.url), {
      workerData: { script, globals, ...LIMITS },
      env: {},
    });
    // The engine ends a script by itself; this is for the case that the engine does not.
    const late = setTimeout(() => void worker.terminate(), LIMITS.timeMs + START_MS);
    worker.once("message", (outcome: Outcome) => done(outcome));
    worker.once("error", () =>
      done({ status: "failed", error: "The engine failed.", logs: [], durationMs: 0 }),
    );
    worker.once("exit", () => {
      clearTimeout(late);
      done({ status: "timed_out", error: "The engine did not end.", logs: [], durationMs: LIMITS.timeMs });
    });
  });
}
