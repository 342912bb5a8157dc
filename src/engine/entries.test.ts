import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalJson } from "../kernel/canonical-json.ts";
import { isJson } from "../kernel/json.ts";
import type { StepRecord } from "../ports/records.ts";
import { resultOf, stepHasEnded, unpackChange } from "../ports/run-changes.ts";
import { sampleRun, sampleStep } from "../storage/store.samples.ts";
import { readRunEntry, runEntry, stepFactsOf } from "./entries.ts";

const run = sampleRun();
const states = ["succeeded", "failed", "running", "skipped"] as const;
const steps = fc.uniqueArray(
  fc
    .record({
      stepId: fc.string({ unit: "binary", minLength: 1 }),
      state: fc.constantFrom(...states),
      port: fc.option(fc.string({ unit: "binary" })),
      input: fc.jsonValue({ stringUnit: "binary" }),
      output: fc.jsonValue({ stringUnit: "binary" }),
    })
    .map(({ input, output, ...rest }) => {
      if (!isJson(input) || !isJson(output)) throw new TypeError("not JSON");
      return sampleStep(run.id, { ...rest, input, output });
    }),
  { maxLength: 5, selector: ({ stepId }) => stepId },
);

function entered(changed: readonly StepRecord[]): string {
  const nothing = { opened: [], closed: [], news: [], children: [], wake: [], attempts: [] };
  const entry = runEntry({ ...nothing, head: run, run: null, moved: false, steps: changed });
  assert.ok(entry !== null);
  return entry;
}

test("whatever a step came to, the log commits to its canonical form", () => {
  fc.assert(
    fc.property(steps, (changed) => {
      const read = readRunEntry(entered(changed));
      const ended = changed.filter(({ state }) => stepHasEnded(state));
      const contents = stepFactsOf(read).map(({ content }) => content());
      assert.deepEqual(
        contents,
        ended.map((step) => canonicalJson(resultOf(step))),
      );
      const kept = unpackChange(run.id, JSON.parse(read.change)).steps;
      assert.deepEqual(kept, JSON.parse(JSON.stringify(changed)));
    }),
  );
});

test("an entry of the build before, with a digest in the place of a position, is read as well", () => {
  const step = sampleStep(run.id, { input: { b: 1, a: [2] } });
  const [packed = "", change = ""] = entered([step]).split("\t");
  const older: unknown[] = JSON.parse(packed);
  older[7] = [[step.stepId, step.state, step.attempt, step.port, `hmac-sha256:${"0".repeat(64)}`]];
  const [fact] = stepFactsOf(readRunEntry(`${JSON.stringify(older)}\t${change}`));
  assert.equal(fact?.content(), canonicalJson(resultOf(step)));
});

test("what is not JSON is not entered", () => {
  const nothing = { opened: [], closed: [], news: [], children: [], wake: [], attempts: [] };
  for (const value of [Number.NaN, 1n, () => 1]) {
    const odd = sampleStep(run.id);
    Reflect.set(odd, "output", { at: value });
    assert.equal(runEntry({ ...nothing, head: run, run: null, moved: false, steps: [odd] }), null);
  }
});
