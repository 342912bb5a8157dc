import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../kernel/json.ts";
import type { StepRecord } from "../../ports/records.ts";
import { parseDocument } from "../document.ts";
import type { Action, Outcome } from "./actions.ts";
import { backoffDelay } from "./backoff.ts";
import { RunMachine } from "./machine.ts";
import { compileProgram } from "./program.ts";

const START = Date.parse("2026-01-01T00:00:00.000Z");

function machineOf(
  document: JsonObject,
  checkpoints: readonly StepRecord[] = [],
  reopen = false,
): RunMachine {
  const parsed = parseDocument({ inputs: { type: "object" }, ...document });
  assert.deepEqual(parsed.problems, []);
  const facts = { id: "run_1", workflowId: "workflow_1", inputs: {}, startedAt: START };
  return new RunMachine(compileProgram("sha256:x", parsed.document), facts, checkpoints, reopen);
}

const tool = (id: string, more: JsonObject = {}): JsonObject => ({ id, type: "tool", tool: "echo", ...more });
const edge = (from: string, to: string, port = "success"): JsonObject => ({
  id: `${from}>${to}>${port}`,
  from,
  to,
  port,
});
const done = (output: Json = { ok: true, data: {} }): Outcome => ({ kind: "succeeded", output });
const failed: Outcome = { kind: "failed", error: { code: "broken", message: "no" }, retryable: false };
const called = (actions: readonly Action[]): readonly string[] =>
  actions.filter(({ kind }) => kind === "call").map(({ stepId }) => stepId);

test("a map whose call says what one item gives has those parts as results", () => {
  const machine = machineOf({
    nodes: [
      {
        id: "each",
        type: "map",
        map: { items: ["a", "b"], maxItems: 2, concurrency: 2, body: { tool: "echo", result: "/data/body" } },
      },
    ],
    edges: [],
    outputs: { results: { $ref: "steps.each.outputs.results" } },
  });
  assert.deepEqual(called(machine.advance(START)), ["each[0]", "each[1]"]);
  machine.complete("each[0]", done({ ok: true, data: { status: 200, body: { id: 1 } } }), START);
  machine.complete("each[1]", done({ ok: true, data: { status: 204 } }), START);
  machine.advance(START);
  assert.deepEqual(machine.result?.outputs, { results: [{ id: 1 }, null] });
  // The record of the call stays whole.
  assert.deepEqual(machine.step("each[0]")?.output, { ok: true, data: { status: 200, body: { id: 1 } } });
});

test("a step is not tried again before the time that its server asked for, and not at all when that is too long", () => {
  const refused = (retryAfterSeconds: number): Outcome => ({
    kind: "failed",
    error: { code: "rate_limited", message: "later", retryAfterSeconds },
    retryable: true,
  });
  const nodes = [tool("a", { retry: { maxAttempts: 2, backoffMs: 10 } })];
  for (const [seconds, state] of [
    [3_600, "backoff"],
    [86_401, "failed"],
  ] as const) {
    const machine = machineOf({ nodes, edges: [] });
    machine.advance(START);
    machine.complete("a", refused(seconds), START);
    assert.deepEqual(called(machine.advance(START + 3_599_000)), []);
    assert.equal(machine.step("a")?.state, state);
    assert.deepEqual(called(machine.advance(START + 3_600_000)), state === "failed" ? [] : ["a"]);
  }
});

const each = (more: JsonObject = {}): JsonObject => ({
  nodes: [
    {
      id: "each",
      type: "map",
      map: {
        items: ["a", "b", "c"],
        maxItems: 3,
        concurrency: 2,
        body: {
          nodes: [
            tool("one", { with: { item: { $ref: "$item" } } }),
            { id: "ask", type: "approval", approval: { title: "?" } },
          ],
          edges: [edge("one", "ask")],
          outputs: { item: { $ref: "$item" } },
        },
        ...more,
      },
    },
  ],
  edges: [],
  outputs: { results: { $ref: "$steps.each.outputs#/results" } },
});

const decision = {
  verdict: "approved" as const,
  reason: null,
  values: null,
  decidedBy: "k",
  decidedAt: "2026",
};

test("a map runs a graph for each item, as many at a time as it says, and survives a restart in the middle", () => {
  const stored = new Map<string, StepRecord>();
  let machine = machineOf(each());
  const keep = (): void => {
    for (const record of machine.takeChanges()) stored.set(record.stepId, record);
  };
  assert.deepEqual(called(machine.advance(START)), ["each[0].one", "each[1].one"]);
  machine.complete("each[0].one", done(), START);
  machine.advance(START);
  keep();
  machine = machineOf(each(), [...stored.values()]);
  assert.deepEqual(
    machine.cutOff().map(({ stepId }) => stepId),
    ["each[1].one"],
  );
  machine.resume("each[1].one", START, false);
  assert.deepEqual(called(machine.advance(START)), ["each[1].one"]);
  machine.decide("each[0].ask", decision, START);
  assert.deepEqual(called(machine.advance(START)), ["each[2].one"]);
  for (const index of [1, 2]) {
    machine.complete(`each[${index}].one`, done(), START);
    machine.advance(START);
    machine.decide(`each[${index}].ask`, decision, START);
  }
  machine.advance(START);
  assert.deepEqual(machine.result?.outputs, { results: ["a", "b", "c"].map((item) => ({ item })) });
});

test("the first failed item ends a map and closes what its other items wait for", () => {
  const machine = machineOf(each());
  machine.advance(START);
  machine.complete("each[0].one", done(), START);
  machine.advance(START);
  machine.opened("each[0].ask", { approvalId: "approval_1" });
  machine.complete("each[1].one", failed, START);
  const actions = machine.advance(START);
  assert.deepEqual(actions, [
    { kind: "withdraw", stepId: "each[0].ask", opened: { approvalId: "approval_1" } },
  ]);
  assert.equal(machine.result?.state, "failed");
  assert.equal(machine.result?.error?.code, "item_failed");
});

test("a reopened run begins again what failed and what was cancelled, and nothing else", () => {
  const document = {
    nodes: [tool("a"), tool("b"), tool("c"), { id: "ask", type: "approval", approval: { title: "?" } }],
    edges: [edge("a", "b"), edge("b", "c")],
  };
  const first = machineOf(document);
  first.advance(START);
  first.complete("a", done(), START);
  first.advance(START);
  first.complete("b", failed, START);
  first.advance(START);
  assert.equal(first.result?.state, "failed");
  const again = machineOf(document, first.takeChanges(), true);
  const actions = again.advance(START);
  assert.deepEqual(called(actions), ["b"]);
  assert.ok(actions.some(({ kind, stepId }) => kind === "approval" && stepId === "ask"));
});

test("an any-join runs at its first edge, an all-join after its last, and neither twice", () => {
  const machine = machineOf({
    nodes: [tool("a"), tool("b"), tool("any", { join: "any" }), tool("all")],
    edges: [edge("a", "any"), edge("b", "any"), edge("a", "all"), edge("b", "all")],
  });
  machine.advance(START);
  machine.complete("a", done(), START);
  assert.deepEqual(called(machine.advance(START)), ["any"]);
  machine.complete("b", done(), START);
  assert.deepEqual(called(machine.advance(START)), ["all"]);
});

test("thousands of steps are skipped without a deep stack, and one step costs what its edges cost", () => {
  const length = 5_000;
  const ids = Array.from({ length }, (_, index) => `n${index}`);
  const nodes = ids.map((id) => ({ id, type: "transform", value: 1, ...(id === "n0" && { if: "false" }) }));
  const edges = ids.slice(1).map((id, index) => edge(ids[index] ?? "", id));
  const machine = machineOf({ nodes, edges });
  machine.advance(START);
  assert.equal(machine.result?.state, "succeeded");
  assert.equal(machine.takeChanges().filter(({ state }) => state === "skipped").length, length);
});

test("no more steps run at a time than the policy allows", () => {
  const ids = Array.from({ length: 20 }, (_, index) => `t${index}`);
  const machine = machineOf({ nodes: ids.map((id) => tool(id)), edges: [], policy: { maxParallelSteps: 3 } });
  let running = called(machine.advance(START));
  let seen = running.length;
  assert.equal(running.length, 3);
  while (machine.result === null) {
    machine.complete(running[0] ?? "", done(), START);
    const next = called(machine.advance(START));
    seen += next.length;
    running = [...running.slice(1), ...next];
    assert.ok(running.length <= 3);
  }
  assert.equal(seen, 20);
});

test("the wait between attempts grows, is bounded, and is the same for the same step", () => {
  const retry = { maxAttempts: 9, backoffMs: 100, factor: 2, maxBackoffMs: 1_000, jitter: 0.5 };
  const waits = [1, 2, 3, 4, 5, 6].map((attempt) => backoffDelay(retry, attempt, "run_1/a"));
  assert.deepEqual(
    waits,
    [1, 2, 3, 4, 5, 6].map((attempt) => backoffDelay(retry, attempt, "run_1/a")),
  );
  waits.forEach((wait, index) => {
    const most = Math.min(1_000, 100 * 2 ** index);
    assert.ok(wait <= most && wait >= most / 2, `${wait} of ${most}`);
  });
  assert.notEqual(backoffDelay(retry, 1, "run_1/a"), backoffDelay(retry, 1, "run_2/a"));
});
