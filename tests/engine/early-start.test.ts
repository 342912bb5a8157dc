import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../src/kernel/errors.ts";
import type { Logbook } from "../../src/ports/logbook.ts";
import { chain, openRig, type Rig } from "./harness.ts";

/* A run whose first step changes nothing begins while its start is on its way into the logbook. */

const STEPS = 3;

/** A rig whose logbook is open. */
async function openBook(): Promise<{ rig: Rig; workflowId: string; logbook: Logbook }> {
  const rig = await openRig({ logbook: { busyFrom: 0 } });
  const workflowId = await rig.workflow(chain(STEPS));
  const { logbook } = rig.services.store;
  assert.ok(logbook);
  for (let tries = 0; !logbook.takes("") && tries < 500; tries++) await rig.run(workflowId);
  assert.ok(logbook.takes(""), "the logbook never opened");
  rig.bench.calls.length = 0;
  return { rig, workflowId, logbook };
}

async function assertWhole({ rig }: { readonly rig: Rig }, runId: string): Promise<void> {
  const { read } = rig.services.store;
  assert.equal((await read.runs.get(runId))?.state, "succeeded");
  const steps = await read.runs.steps(runId);
  assert.deepEqual(
    steps.map(({ state }) => state),
    Array.from({ length: STEPS }, () => "succeeded"),
  );
  const leaves = await read.provenance.find({ runId }, { limit: 20 });
  assert.equal(leaves.items.length, STEPS + 1, "a leaf for each step and one for the run");
  assert.equal(rig.bench.calls.length, STEPS, "every step was called once");
}

test("start and first step are entered one after the other", async () => {
  const { rig, workflowId, logbook } = await openBook();
  const entered: string[] = [];
  const enter = logbook.enter.bind(logbook);
  Object.assign(logbook, {
    enter: (entry: string) => {
      entered.push(entry);
      return enter(entry);
    },
  });
  const starting = rig.start(workflowId);
  for (let turns = 0; turns < 200 && entered.length < 2; turns++) await Promise.resolve();
  assert.equal(entered.length, 2, "the step did not wait for the disk");
  const run = await rig.engine.waitFor((await starting).id, 10_000);
  await assertWhole({ rig }, run.id);
  await rig.close();
});

test("when the logbook refuses both at the last moment, transactions write them in their order", async () => {
  const { rig, workflowId, logbook } = await openBook();
  Object.assign(logbook, { enter: () => new Promise((done) => setImmediate(() => done(false))) });
  const run = await rig.run(workflowId);
  await assertWhole({ rig }, run.id);
  await rig.close();
});

test("a start that cannot be stored is told, and nothing of its run stays", async () => {
  const { rig, workflowId, logbook } = await openBook();
  const { store } = rig.services;
  const transact = store.transact.bind(store);
  const enter = logbook.enter.bind(logbook);
  Object.assign(logbook, { enter: () => Promise.resolve(false) });
  Object.assign(store, {
    transact: () => Promise.reject(new AppError("internal", "No start today.")),
  });
  await assert.rejects(rig.start(workflowId), /No start today/);
  Object.assign(store, { transact });
  Object.assign(logbook, { enter });
  assert.equal(
    (await store.read.runs.list({ limit: 100 }, { states: ["queued", "running"] })).items.length,
    0,
  );
  rig.bench.calls.length = 0;
  await assertWhole({ rig }, (await rig.run(workflowId)).id);
  await rig.close();
});

test("a start too long for the logbook is stored before its first step is", async () => {
  const { rig, workflowId } = await openBook();
  const run = await rig.run(workflowId, { note: "x".repeat(200_000) });
  await assertWhole({ rig }, run.id);
  await rig.close();
});
