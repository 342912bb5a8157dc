import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, openRig, type Rig, type RigOptions } from "./harness.ts";

/** What durable execution promises, on whichever store. */
export function engineTests(name: string, databaseUrl?: () => Promise<string>): void {
  const withRig = async (work: (rig: Rig) => Promise<void>, options: RigOptions = {}): Promise<void> => {
    const rig = await openRig({ ...options, ...(databaseUrl && { databaseUrl: await databaseUrl() }) });
    try {
      await work(rig);
    } finally {
      await rig.close();
    }
  };

  test(`${name}: a chain of steps runs in order, with outputs, events and provenance`, () =>
    withRig(async (rig) => {
      const run = await rig.run(await rig.workflow(chain(5)));
      assert.equal(run.state, "succeeded", JSON.stringify(run.error));
      assert.deepEqual(run.outputs, { last: 4 });
      assert.deepEqual(
        rig.bench.calls.map(({ step }) => step),
        ["s1", "s2", "s3", "s4", "s5"],
      );
      const steps = await rig.services.store.read.runs.steps(run.id);
      assert.deepEqual(
        steps.map(({ stepId, state, attempt }) => [stepId, state, attempt]),
        ["s1", "s2", "s3", "s4", "s5"].map((id) => [id, "succeeded", 1]),
      );
      const events = await rig.services.store.read.events.after(0, 100);
      const types = events.filter(({ subject }) => subject === run.id).map(({ type }) => type);
      assert.equal(types.filter((type) => type === "svc.step.succeeded").length, 5);
      assert.equal(types.at(-1), "svc.run.succeeded");
      const facts = await rig.services.store.read.provenance.find({ runId: run.id }, { limit: 50 });
      assert.equal(facts.items.length, 6);
    }));
}
