import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import type { StepRecord } from "../../src/ports/records.ts";
import type { Action, Outcome } from "../../src/workflows/interpreter/actions.ts";
import { RunMachine } from "../../src/workflows/interpreter/machine.ts";
import { compileProgram } from "../../src/workflows/interpreter/program.ts";
import type { Edge, WorkflowDocument, WorkflowNode } from "../../src/workflows/schema.ts";
import { reference, type Script } from "./reference.ts";

/*
 * Random graphs, run by the interpreter with steps ending in any order, failing, waiting, cut off by restarts and
 * cancelled, must come to what the one-pass reference says.
 */

const START = Date.parse("2026-01-01T00:00:00.000Z");
const CASES = ["a", "b"];

interface Shape {
  readonly kind: number;
  readonly from: readonly { readonly back: number; readonly port: number }[];
  readonly any: boolean;
  readonly guard: number;
  readonly attempts: number;
  readonly items: number;
  readonly keepGoing: boolean;
  readonly script: Script;
}

const shape: fc.Arbitrary<Shape> = fc.record({
  kind: fc.nat(11),
  from: fc.array(fc.record({ back: fc.nat(5), port: fc.nat(3) }), { maxLength: 3 }),
  any: fc.boolean(),
  guard: fc.nat(9),
  attempts: fc.integer({ min: 1, max: 3 }),
  items: fc.nat(4),
  keepGoing: fc.boolean(),
  script: fc.record({
    failures: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(3) }),
    permanent: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    safe: fc.boolean(),
    verdict: fc.constantFrom("approved", "approved", "rejected", "expire"),
  }),
});

function nodeOf(shape: Shape, index: number, parents: readonly string[]): WorkflowNode {
  const sees: Json = shape.any
    ? null
    : parents.map((id) => ({ $ref: `$steps.${id}.outputs`, default: "nothing" }));
  const base = {
    id: `n${index}`,
    join: shape.any ? ("any" as const) : ("all" as const),
    ...(shape.guard === 0 && { if: "inputs.n > 100.0" }),
    ...(shape.guard === 1 && { if: "inputs.n >= 0.0" }),
    retry: { maxAttempts: shape.attempts, backoffMs: 10 },
  };
  if (shape.kind <= 4)
    return { ...base, type: "tool", tool: "echo", with: { sees, n: { $ref: "$inputs.n" } } };
  if (shape.kind <= 6) {
    return {
      ...base,
      type: "switch",
      cases: CASES.map((name, at) => ({ name, when: `inputs.n > ${at * 3 + index}.0` })),
    };
  }
  if (shape.kind === 7) return { ...base, type: "transform", value: { sees } };
  if (shape.kind === 8) return { ...base, type: "wait", wait: { ms: 5 } };
  if (shape.kind === 9)
    return { ...base, type: "approval", approval: { title: "Go on?", expiresInMs: 1_000 } };
  return {
    ...base,
    type: "map",
    map: {
      items: Array.from({ length: shape.items }, (_, item) => item),
      maxItems: 3,
      concurrency: 2,
      onItemError: shape.keepGoing ? "continue" : "fail",
      body: { tool: "echo", with: { item: { $ref: "$item" }, index: { $ref: "$index" } } },
    },
  };
}

function portOf(node: WorkflowNode, choice: number): string {
  if (node.type === "switch") return ["case:a", "case:b", "default", "error"][choice] ?? "default";
  if (node.type === "approval") return ["approved", "rejected", "expired", "error"][choice] ?? "approved";
  return choice === 3 ? "error" : "success";
}

function documentOf(shapes: readonly Shape[]): WorkflowDocument {
  const nodes: WorkflowNode[] = [];
  const edges: Edge[] = [];
  shapes.forEach((shape, index) => {
    const links = index === 0 ? [] : shape.from;
    const parents = new Map<string, string>();
    for (const { back, port } of links) {
      const parent = nodes[Math.max(0, index - 1 - back)];
      if (parent !== undefined) parents.set(`${parent.id}/${portOf(parent, port)}`, parent.id);
    }
    // Outputs of the other types hold times or the world's words; what they lead to is compared, not they.
    const plain = nodes.filter(({ type }) => type === "tool" || type === "transform" || type === "switch");
    const seen = [...new Set(parents.values())].filter((id) => plain.some((node) => node.id === id));
    const node = nodeOf(shape, index, seen);
    nodes.push(node);
    for (const [key, from] of parents) {
      edges.push({ id: `${key}>${node.id}`, from, to: node.id, port: key.slice(from.length + 1) });
    }
  });
  const outputs = Object.fromEntries(
    nodes
      .filter(({ type }) => type === "tool" || type === "transform")
      .map(({ id }) => [id, { $ref: `$steps.${id}.outputs`, default: null }]),
  );
  return {
    schemaVersion: "suite.workflow.v1",
    inputs: {},
    nodes,
    edges,
    outputs,
    policy: { maxParallelSteps: 3 },
    ui: {},
  };
}

/** A small world: it makes calls end in an order of its own, kills the machine, and keeps what was checkpointed. */
class World {
  readonly stored = new Map<string, StepRecord>();
  readonly failed = new Map<string, number>();
  machine: RunMachine;
  now = START;
  flying: { action: Extract<Action, { kind: "call" }> }[] = [];
  asked = new Set<string>();
  readonly #program;
  readonly #inputs: JsonObject;
  readonly #scriptOf: (id: string) => Script;
  #random: number;

  constructor(
    document: WorkflowDocument,
    inputs: JsonObject,
    scriptOf: (id: string) => Script,
    seed: number,
  ) {
    this.#program = compileProgram("sha256:test", document);
    this.#inputs = inputs;
    this.#scriptOf = scriptOf;
    this.#random = seed;
    this.machine = this.#open();
  }

  choose(bound: number): number {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return (this.#random >>> 8) % bound;
  }

  #open(): RunMachine {
    const facts = { id: "run_1", workflowId: null, inputs: this.#inputs, startedAt: START };
    return new RunMachine(this.#program, facts, [...this.stored.values()]);
  }

  /** Does what the machine asks and keeps its checkpoints, as one commit would. */
  step(): void {
    for (const action of this.machine.advance(this.now)) {
      if (action.kind === "call") {
        const before = this.stored.get(action.stepId);
        assert.ok(
          before === undefined || !["succeeded", "skipped", "cancelled"].includes(before.state),
          `${action.stepId} was checkpointed as ${before?.state} and must not run again`,
        );
        this.flying.push({ action });
      } else if (action.kind === "approval") {
        this.asked.add(action.stepId);
        this.machine.opened(action.stepId, { approvalId: `approval_${action.stepId}` });
      } else if (action.kind === "withdraw") {
        this.asked.delete(action.stepId);
      } else if (action.kind === "expire") {
        this.asked.delete(action.stepId);
        const waits = this.machine.step(action.stepId)?.state === "waiting";
        if (waits) this.machine.expire(action.stepId, this.now);
      }
    }
    for (const record of this.machine.takeChanges()) {
      const lazy = record.state === "running" && this.#scriptOf(record.stepId).safe && record.input !== null;
      if (!lazy) this.stored.set(record.stepId, record);
    }
  }

  outcome(action: Extract<Action, { kind: "call" }>): Outcome {
    const script = this.#scriptOf(action.stepId);
    const failures = this.failed.get(action.stepId) ?? 0;
    if (!script.permanent && failures >= script.failures) {
      return { kind: "succeeded", output: { ok: true, data: action.args } };
    }
    this.failed.set(action.stepId, failures + 1);
    return { kind: "failed", error: { code: "unavailable", message: "no" }, retryable: true };
  }

  finishOne(): void {
    const [call] = this.flying.splice(this.choose(this.flying.length), 1);
    if (call === undefined) return;
    this.machine.complete(call.action.stepId, this.outcome(call.action), this.now);
  }

  decideOne(): void {
    const waiting = [...this.asked];
    const stepId = waiting[this.choose(waiting.length)];
    if (stepId === undefined) return;
    const { verdict } = this.#scriptOf(stepId);
    if (verdict === "expire") return;
    this.asked.delete(stepId);
    const decidedAt = new Date(this.now).toISOString();
    this.machine.decide(stepId, { verdict, reason: null, values: null, decidedBy: "k", decidedAt }, this.now);
  }

  /** Kills the process and starts another from what was stored. */
  restart(): void {
    this.flying = [];
    this.asked = new Set();
    this.machine = this.#open();
    for (const { stepId } of this.machine.cutOff()) {
      if (this.#scriptOf(stepId).safe) {
        this.machine.resume(stepId, this.now, false);
        continue;
      }
      this.machine.lose(stepId, this.now);
      assert.equal(this.machine.step(stepId)?.state, "outcome_unknown");
      this.machine.settle(stepId, "retry", this.now);
    }
    for (const { stepId } of this.machine.waiting()) {
      if (this.#program.graph.nodes.find(({ node }) => node.id === stepId)?.node.type === "approval") {
        this.asked.add(stepId);
      }
    }
  }
}

interface Setting {
  readonly shapes: readonly Shape[];
  readonly n: number;
  readonly seed: number;
  readonly restarts: boolean;
  readonly cancelAt: number | null;
}

const setting: fc.Arbitrary<Setting> = fc.record({
  shapes: fc.array(shape, { minLength: 1, maxLength: 9 }),
  n: fc.integer({ min: 0, max: 12 }),
  seed: fc.nat(),
  restarts: fc.boolean(),
  cancelAt: fc.option(fc.nat(20), { freq: 3 }),
});

function play({ shapes, n, seed, restarts, cancelAt }: Setting): void {
  const document = documentOf(shapes);
  const scripts = new Map(shapes.map(({ script }, index) => [`n${index}`, script]));
  const scriptOf = (id: string): Script => {
    const [, node = ""] = /^([^[]+)/.exec(id) ?? [];
    const found = scripts.get(node);
    assert.ok(found !== undefined);
    // Of a map's items only the last can fail, so that maps differ from plain calls.
    return /\[[01]\]$/.test(id) ? { ...found, failures: 0, permanent: false } : found;
  };
  const inputs = { n };
  const expected = reference(document, inputs, scriptOf);
  const world = new World(document, inputs, scriptOf, seed);
  let cancelled = false;
  for (let round = 0; world.machine.result === null; round++) {
    assert.ok(round < 2_000, "the run does not end");
    world.step();
    if (world.machine.result !== null) break;
    if (round === cancelAt) {
      world.machine.cancel({ code: "cancelled", message: "stop" }, world.now);
      cancelled = true;
      continue;
    }
    const choice = world.choose(6);
    if (restarts && choice === 0 && !cancelled) world.restart();
    else if (world.flying.length > 0 && choice < 4) world.finishOne();
    else if ([...world.asked].some((id) => scriptOf(id).verdict !== "expire")) world.decideOne();
    else if (world.flying.length === 0) world.now = Math.max(world.now, world.machine.wakeAt ?? world.now);
  }
  const { result } = world.machine;
  for (const record of world.stored.values()) {
    const wanted = expected.steps.get(record.stepId);
    if (record.state === "succeeded" && wanted?.state === "succeeded") {
      const node = document.nodes.find(({ id }) => id === record.stepId);
      if (node?.type === "tool" || node?.type === "transform" || node?.type === "switch") {
        assert.deepEqual(record.output, wanted.output, record.stepId);
      }
      assert.equal(record.port, wanted.port, record.stepId);
    }
    if (record.state === "succeeded" || record.state === "skipped") {
      if (!record.stepId.includes("[")) assert.equal(record.state, wanted?.state, record.stepId);
    }
  }
  if (cancelled && result?.state === "cancelled") return;
  if (expected.unhandled.size > 0) {
    assert.equal(result?.state, "failed");
    const step = result?.error?.["step"];
    assert.ok(
      typeof step === "string" && expected.unhandled.has(step),
      `${JSON.stringify(step)} is not to blame`,
    );
    return;
  }
  assert.equal(result?.state, "succeeded", JSON.stringify(result));
  assert.deepEqual(result?.outputs, expected.outputs);
  for (const [id, wanted] of expected.steps) assert.equal(world.stored.get(id)?.state, wanted.state, id);
}

test("random graphs end as the reference says, whatever fails, waits, restarts or is cancelled", () => {
  fc.assert(fc.property(setting, play), { numRuns: 5_000 });
});
