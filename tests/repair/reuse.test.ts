import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { planRepair } from "../../src/engine/repair-plan.ts";
import { machineFacts } from "../../src/engine/worker.ts";
import { digestOf } from "../../src/kernel/canonical-json.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { runHasEnded } from "../../src/model/states.ts";
import type { RunRecord, StepRecord } from "../../src/ports/records.ts";
import type { RunRepair } from "../../src/model/repairs.ts";
import { sampleRun } from "../storage/store.samples.ts";
import { parseDocument } from "../../src/workflows/document.ts";
import { RunMachine } from "../../src/workflows/interpreter/machine.ts";
import { compileProgram, type Program } from "../../src/workflows/interpreter/program.ts";

/*
 * A run that failed and is repaired gives what a run gives that never failed, and nothing that succeeded is done again
 * unless it would do something else.
 */

const NOW = Date.parse("2026-11-01T00:00:00Z");
const services = { catalog: { tool: () => undefined }, connections: { head: () => undefined } };

interface Shape {
  readonly kinds: readonly ("tool" | "transform" | "map")[];
  readonly edges: readonly (readonly number[])[];
  readonly constants: readonly number[];
}

const shapes: fc.Arbitrary<Shape> = fc.integer({ min: 2, max: 9 }).chain((size) =>
  fc.record({
    kinds: fc.array(fc.constantFrom("tool", "tool", "tool", "transform", "map"), {
      minLength: size,
      maxLength: size,
    }),
    // Which steps before it a step comes after.
    edges: fc.array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: size, maxLength: size }),
    constants: fc.array(fc.nat(5), { minLength: size, maxLength: size }),
  }),
);

function programOf({ kinds, edges, constants }: Shape): Program {
  const before = edges.map((list, at) => [...new Set(at === 0 ? [] : list.map((one) => one % at))]);
  const value = (at: number): JsonObject => ({
    own: constants[at] ?? 0,
    from: (before[at] ?? []).map((one) => ({ $ref: `steps.s${one}.outputs` })),
  });
  const nodes = kinds.map((kind, at) => {
    const id = `s${at}`;
    if (kind === "tool") return { id, type: "tool", tool: "work", with: value(at) };
    if (kind === "transform") return { id, type: "transform", value: value(at) };
    const body = { tool: "work", with: { item: { $ref: "item" }, of: value(at) } };
    return { id, type: "map", map: { items: [1, 2], maxItems: 5, body } };
  });
  const links = before.flatMap((list, at) => list.map((from) => ({ from: `s${from}`, to: `s${at}` })));
  const outputs = Object.fromEntries(kinds.map((_, at) => [`s${at}`, { $ref: `steps.s${at}.outputs` }]));
  const { document, problems } = parseDocument({ nodes, edges: links, outputs });
  assert.deepEqual(problems, []);
  return compileProgram(digestOf({ kinds: [...kinds], edges: before, constants: [...constants] }), document);
}

interface Done {
  readonly run: RunRecord;
  readonly steps: readonly StepRecord[];
  readonly executed: readonly string[];
}

/** Carries a run on to its end; the named steps fail. */
function carry(
  program: Program,
  run: RunRecord,
  stored: readonly StepRecord[],
  failing: ReadonlySet<string>,
): Done {
  const machine = new RunMachine(program, machineFacts(run, NOW), stored);
  const steps = new Map(stored.map((step) => [step.stepId, step]));
  const executed: string[] = [];
  for (let turn = 0; machine.result === null && turn < 200; turn++) {
    const actions = machine.advance(NOW);
    for (const action of actions) {
      if (action.kind !== "call") continue;
      executed.push(action.stepId);
      const output: Json = { ok: true, data: digestOf([action.args]).slice(7, 15) };
      machine.complete(
        action.stepId,
        failing.has(action.stepId)
          ? { kind: "failed", error: { code: "broken", message: "It broke." }, retryable: false }
          : { kind: "succeeded", output },
        NOW,
      );
    }
    for (const step of machine.takeChanges()) steps.set(step.stepId, step);
  }
  const { result } = machine;
  assert.ok(result !== null, "the run came to a standstill");
  const { state, outputs, error } = result;
  return { run: { ...run, state, outputs, error }, steps: [...steps.values()], executed };
}

function fresh(program: Program): RunRecord {
  const startedAt = new Date(NOW).toISOString();
  return sampleRun({ id: "run_1", documentDigest: program.digest, inputs: {}, startedAt });
}

/** Repairs a run that failed and carries it on. */
function repaired(failed: Done, before: Program, after: Program, failing: ReadonlySet<string>): Done {
  const at = new Date(NOW).toISOString();
  const repair: RunRepair = {
    action: before === after ? "retry" : "continue",
    stepId: null,
    reason: null,
    by: "tester",
    at,
    startedAt: at,
  };
  const next: RunRecord = {
    ...failed.run,
    state: "queued",
    documentDigest: after.digest,
    repairs: [...failed.run.repairs, repair],
  };
  const programs = { before, after };
  const { steps } = planRepair(
    services,
    { before: failed.run, after: next, programs, steps: failed.steps, repair },
    NOW,
  );
  const rows = new Map(failed.steps.map((step) => [step.stepId, step]));
  for (const step of steps) rows.set(step.stepId, step);
  return carry(after, next, [...rows.values()], failing);
}

const failures = fc
  .array(fc.nat(8), { maxLength: 3 })
  .map((list) => list.flatMap((at) => [`s${at}`, `s${at}[1]`]));

test("a repaired run gives what a fresh one gives, and repeats nothing that succeeded", () => {
  let repairs = 0;
  fc.assert(
    fc.property(shapes, failures, failures, (shape, first, second) => {
      const program = programOf(shape);
      const wanted = carry(program, fresh(program), [], new Set());
      let done = carry(program, fresh(program), [], new Set(first));
      const succeeded = new Map<string, number>();
      const note = ({ executed, steps }: Done): void => {
        const good = new Set(steps.filter(({ state }) => state === "succeeded").map(({ stepId }) => stepId));
        for (const id of executed) if (good.has(id)) succeeded.set(id, (succeeded.get(id) ?? 0) + 1);
      };
      note(done);
      for (const failing of [second, []]) {
        assert.ok(runHasEnded(done.run.state));
        if (done.run.state !== "failed") break;
        done = repaired(done, program, program, new Set(failing));
        note(done);
        repairs++;
      }
      assert.equal(done.run.state, "succeeded", JSON.stringify(done.run.error));
      assert.deepEqual(done.run.outputs, wanted.run.outputs);
      for (const [id, times] of succeeded) assert.equal(times, 1, `${id} was done ${times} times`);
    }),
    { numRuns: 500 },
  );
  assert.ok(repairs > 100, `${repairs} repairs`);
});

test("a run that continues on another version gives what a fresh run of it gives", () => {
  let kept = 0;
  fc.assert(
    fc.property(shapes, failures, fc.nat(8), (shape, first, at) => {
      const before = programOf(shape);
      const failed = carry(before, fresh(before), [], new Set(first));
      if (failed.run.state !== "failed") return;
      const changed = at % shape.kinds.length;
      const constants = shape.constants.map((value, nth) => (nth === changed ? value + 10 : value));
      const after = programOf({ ...shape, constants });
      const wanted = carry(after, fresh(after), [], new Set());
      const done = repaired(failed, before, after, new Set());
      assert.equal(done.run.state, "succeeded", JSON.stringify(done.run.error));
      assert.deepEqual(done.run.outputs, wanted.run.outputs);
      const same = new Map(wanted.steps.map((step) => [step.stepId, JSON.stringify(step.input)]));
      for (const { stepId, state, input } of failed.steps) {
        if (state !== "succeeded" || input === null || same.get(stepId) !== JSON.stringify(input)) continue;
        assert.ok(!done.executed.includes(stepId), `${stepId} gets the same and was done again`);
        kept++;
      }
    }),
    { numRuns: 500 },
  );
  assert.ok(kept > 100, `${kept} results were kept`);
});
