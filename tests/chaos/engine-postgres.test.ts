import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Log } from "../../src/ports/platform.ts";
import { openStore } from "../../src/storage/open.ts";
import { testPostgres } from "../support/postgres.ts";
import { Child, effects, killSeries, nthOf, POINTS, Receiver } from "./engine-series.ts";

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** A takeover takes the lease and a look, about 5 s; a busy machine needs longer to start the processes. */
const PATIENCE_MS = 120_000;

/** Twice what it takes, the lease of 4 s and a look: the machine may be busy. */
const TAKEOVER_MS = 10_000;

after(async () => (await testPostgres()).stop());

// Most of the time is spent waiting for leases to lapse, so the tests wait together.
describe("postgres", { concurrency: true }, () => {
  test("killed at every named point and by chance, no run is lost and no checkpointed step runs again", async () => {
    const databaseUrl = await (await testPostgres()).createDatabase();
    const plans = ["random" as const, ...POINTS.map((point) => ({ point, nth: nthOf(point) }))];
    const report = await killSeries(databaseUrl, plans, 3);
    assert.equal(report.kills, plans.length);
    assert.ok(report.runs > 0, JSON.stringify(report));
  });

  test("a dead and a frozen worker's runs are taken over; the frozen one writes nothing when it returns", async () => {
    const databaseUrl = await (await testPostgres()).createDatabase();
    const receiver = await new Receiver().open();
    const children: Child[] = [];
    const open = async (): Promise<Child> => {
      const child = new Child({ databaseUrl, receiver: receiver.url, fault: null });
      children.push(child);
      await child.ready;
      return child;
    };
    const startSlow = async (child: Child, workflowId: string): Promise<string[]> => {
      const ids: string[] = [];
      for (let i = 0; i < 3; i++) ids.push(String(await child.ask("start", { workflowId })));
      const end = Date.now() + PATIENCE_MS;
      while (!ids.every((id) => receiver.effects.has(`${id}:e3`))) {
        assert.ok(Date.now() < end, "the slow steps do not begin");
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return ids;
    };
    const store = await openStore(databaseUrl, { clock: { now: () => Date.now() }, log: silent });
    try {
      const frozen = await open();
      const workflowId = String(await frozen.ask("workflow", { document: JSON.stringify(effects(true)) }));
      const ids = await startSlow(frozen, workflowId);
      frozen.process.kill("SIGSTOP");
      const dead = await open();
      ids.push(...(await startSlow(dead, workflowId)));
      await dead.kill();
      receiver.release();
      const heir = await open();
      const states = await heir.ask("states", { runIds: ids, timeoutMs: PATIENCE_MS });
      for (const id of ids) {
        assert.match(JSON.stringify(states), new RegExp(`"${id}":{"state":"succeeded"`));
      }
      const picture = async (): Promise<unknown> =>
        Promise.all(
          ids.map(async (id) => [
            await store.read.runs.get(id),
            await store.read.runs.steps(id),
            (await store.read.provenance.find({ runId: id }, { limit: 100 })).items.length,
          ]),
        );
      const before = await picture();
      frozen.process.kill("SIGCONT");
      assert.deepEqual(await frozen.ask("states", { runIds: ids, timeoutMs: 5_000 }), states);
      await new Promise((resolve) => setTimeout(resolve, 500));
      assert.deepEqual(await picture(), before, "the worker that came back wrote something stale");
      assert.deepEqual(receiver.violations, []);
    } finally {
      for (const child of children) await child.kill();
      await store.close();
      receiver.close();
    }
  });

  test("a killed worker's runs go on in another process once its lease has lapsed", async (t) => {
    const databaseUrl = await (await testPostgres()).createDatabase();
    const receiver = await new Receiver().open();
    const heir = new Child({ databaseUrl, receiver: receiver.url, fault: null });
    const children = [heir];
    try {
      await heir.ready;
      const workflowId = String(await heir.ask("workflow", { document: JSON.stringify(effects(true)) }));
      const tookMs: number[] = [];
      for (let round = 0; round < 5; round++) {
        const child = new Child({ databaseUrl, receiver: receiver.url, fault: null });
        children.push(child);
        await child.ready;
        const key = `${String(await child.ask("start", { workflowId }))}:e3`;
        const comes = async (count: number): Promise<void> => {
          const end = Date.now() + PATIENCE_MS;
          while ((receiver.effects.get(key) ?? 0) < count) {
            assert.ok(Date.now() < end, `request ${count} of the slow step does not come`);
            await new Promise((resolve) => setTimeout(resolve, 10));
          }
        };
        await comes(1);
        await child.kill();
        const killed = performance.now();
        await comes(2);
        tookMs.push(Math.round(performance.now() - killed));
      }
      t.diagnostic(`from the kill to the first request of another process: ${tookMs.join(", ")} ms`);
      assert.ok(Math.max(...tookMs) < TAKEOVER_MS, `${tookMs.join(", ")} ms`);
    } finally {
      for (const child of children) await child.kill();
      receiver.close();
    }
  });

  test("a worker frozen between two steps with effects does not begin the second when it returns", async () => {
    const databaseUrl = await (await testPostgres()).createDatabase();
    const receiver = await new Receiver().open();
    // Frozen with the first step on disk and the second about to begin.
    const freeze = { point: "after_checkpoint", nth: 1, freeze: true } as const;
    const frozen = new Child({ databaseUrl, receiver: receiver.url, fault: freeze });
    const children = [frozen];
    try {
      await frozen.ready;
      const workflowId = String(await frozen.ask("workflow", { document: JSON.stringify(effects()) }));
      const id = String(await frozen.ask("start", { workflowId }));
      const end = Date.now() + PATIENCE_MS;
      while (!receiver.effects.has(`${id}:e1`)) {
        assert.ok(Date.now() < end, "the first step does not begin");
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      const heir = new Child({ databaseUrl, receiver: receiver.url, fault: null });
      children.push(heir);
      await heir.ready;
      const states = JSON.stringify(await heir.ask("states", { runIds: [id], timeoutMs: PATIENCE_MS }));
      assert.match(states, /"state":"succeeded"/);
      const before = [...receiver.effects];
      frozen.process.kill("SIGCONT");
      await frozen.ask("states", { runIds: [id], timeoutMs: 5_000 });
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      assert.deepEqual([...receiver.effects], before, "the worker that came back had another effect");
      assert.deepEqual(receiver.violations, []);
      // A slow first step is written as running before it ends, and the process stops there: then it comes again.
      for (const [key, count] of receiver.effects) {
        if (key !== `${id}:e1`) assert.equal(count, 1, `${key} happened ${count} times`);
      }
    } finally {
      for (const child of children) await child.kill();
      receiver.close();
    }
  });
});
