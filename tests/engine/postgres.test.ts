import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PgQueue } from "../../src/engine/pg-queue.ts";
import { newId } from "../../src/kernel/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { openStore } from "../../src/storage/open.ts";
import { quiet } from "../storage/store.samples.ts";
import { migratedDatabase } from "../support/migrated-postgres.ts";
import { testPostgres, withClient } from "../support/postgres.ts";
import { engineTests } from "./engine.testsuite.ts";
import { ADMIN, Bench, chain, openRig } from "./harness.ts";

after(async () => (await testPostgres()).stop());

engineTests("postgres", migratedDatabase);

test("postgres: what one replica decides or cancels reaches the run on another while it is busy", async () => {
  const databaseUrl = await migratedDatabase();
  const worker = await openRig({ databaseUrl });
  const gateway = await openRig({ databaseUrl, settings: { role: "gateway" } });
  try {
    worker.bench.hold("long");
    const workflowId = await gateway.workflow({
      nodes: [
        { id: "long", type: "tool", tool: "echo" },
        { id: "ask", type: "approval", approval: { title: "Go on?" } },
        { id: "after", type: "tool", tool: "echo" },
      ],
      edges: [{ id: "e", from: "ask", to: "after", port: "approved" }],
    });
    const run = await gateway.start(workflowId);
    const until = async (met: () => Promise<boolean> | boolean): Promise<void> => {
      const end = Date.now() + 120_000;
      while (!(await met())) {
        assert.ok(Date.now() < end, "it takes too long");
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    await until(() => worker.bench.count("long") === 1);
    const { items } = await gateway.services.store.read.approvals.list({ limit: 1 }, { runId: run.id });
    await gateway.engine.decide({
      approvalId: items[0]?.id ?? "",
      verdict: "approved",
      reason: null,
      values: null,
      shownDigest: null,
      caller: ADMIN,
    });
    await until(() => worker.bench.count("after") === 1);
    assert.equal((await gateway.services.store.read.runs.get(run.id))?.state, "running");
    await gateway.engine.cancel(run.id, ADMIN);
    const ended = await gateway.engine.waitFor(run.id, 120_000);
    assert.equal(ended.state, "cancelled");
    assert.equal(worker.bench.count("long"), 1);
  } finally {
    await gateway.close();
    await worker.close();
  }
});

test("postgres: a run is cancelled although a worker takes it at the same moment", async () => {
  const databaseUrl = await migratedDatabase();
  const rig = await openRig({ databaseUrl });
  try {
    const nap = { nodes: [{ id: "nap", type: "wait", wait: { ms: 3_600_000 } }], edges: [] };
    const run = await rig.start(await rig.workflow(nap));
    assert.equal((await rig.engine.waitFor(run.id, 120_000, "waiting")).state, "waiting");
    const cancelled = await withClient(databaseUrl, async (client) => {
      await client.query("BEGIN");
      await client.query("UPDATE runs SET epoch = epoch + 1 WHERE id = $1", [run.id]);
      const answer = rig.engine.cancel(run.id, ADMIN);
      const held = "SELECT 1 FROM pg_locks WHERE NOT granted AND locktype IN ('transactionid', 'tuple')";
      const end = Date.now() + 120_000;
      while ((await client.query(held)).rowCount === 0) assert.ok(Date.now() < end, "nothing waits");
      await client.query("COMMIT");
      return answer;
    });
    assert.match(cancelled.state, /^cancel/);
    assert.equal((await rig.engine.waitFor(run.id, 120_000)).state, "cancelled");
  } finally {
    await rig.close();
  }
});

test("postgres: runs that a busy worker has no room for go to one that has room", async () => {
  const databaseUrl = await migratedDatabase();
  const gateway = await openRig({ databaseUrl, settings: { role: "gateway" } });
  const quick = await gateway.workflow(chain(1));
  const stuck = await gateway.workflow({ nodes: [{ id: "stuck", type: "tool", tool: "echo" }], edges: [] });
  const before = await Promise.all(Array.from({ length: 40 }, () => gateway.start(quick)));
  const held = await gateway.start(stuck);
  const behind = await Promise.all(Array.from({ length: 40 }, () => gateway.start(quick)));
  const bench = new Bench();
  const gate = bench.hold("stuck");
  const busy = await openRig({ databaseUrl, bench, settings: { workerRuns: 1 } });
  let free: Awaited<ReturnType<typeof openRig>> | undefined;
  try {
    const began = Date.now();
    while (bench.count("stuck") === 0) {
      assert.ok(Date.now() < began + 60_000, "the worker does not get that far");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    free = await openRig({ databaseUrl });
    for (const { id } of [...before, ...behind]) {
      const run = await gateway.engine.waitFor(id, 120_000);
      assert.equal(run.state, "succeeded", id);
    }
    assert.equal((await gateway.services.store.read.runs.get(held.id))?.finishedAt, null);
    gate.resolve();
    assert.equal((await gateway.engine.waitFor(held.id, 120_000)).state, "succeeded");
  } finally {
    await free?.close();
    await busy.close();
    await gateway.close();
  }
});

test("postgres: replicas that work through a queue together run each step once and write one log", async () => {
  const databaseUrl = await migratedDatabase();
  const gateway = await openRig({ databaseUrl, settings: { role: "gateway" } });
  const workflowId = await gateway.workflow(chain(5, "put"));
  const started = await Promise.all(Array.from({ length: 60 }, () => gateway.start(workflowId)));
  const workers = await Promise.all(
    [1, 2, 3].map(() => openRig({ databaseUrl, settings: { workerRuns: 8 } })),
  );
  try {
    const { provenance } = gateway.services.store.read;
    for (const { id } of started) {
      const run = await gateway.engine.waitFor(id, 60_000);
      assert.equal(run.state, "succeeded", JSON.stringify(run.error));
      assert.equal((await provenance.find({ runId: id }, { limit: 10 })).items.length, 6);
    }
    const calls = workers.flatMap(({ bench }) => bench.calls.map(({ key }) => key));
    assert.deepEqual([calls.length, new Set(calls).size], [300, 300]);
    const [last] = (await provenance.find({ kind: "run" }, { limit: 1 })).items;
    assert.ok(last !== undefined);
    assert.equal((await gateway.services.provenance.verify(last))["verified"], true);
    assert.equal((await provenance.head()).size, 360);
  } finally {
    for (const worker of workers) await worker.close();
    await gateway.close();
  }
});

test("postgres: a run that was stored for a worker that others had struck off is taken", async () => {
  const databaseUrl = await migratedDatabase();
  const rig = await openRig({ databaseUrl });
  try {
    const first = await rig.start(await rig.workflow(chain(1)));
    const ended = await rig.engine.waitFor(first.id, 120_000);
    const lost = { state: "queued", outputs: null, startedAt: null, finishedAt: null } as const;
    const left = { ...ended, ...lost, id: newId("run"), worker: "worker_struck_off" };
    await rig.services.store.transact((tx) => tx.runs.insert(left));
    assert.equal((await rig.engine.waitFor(left.id, 120_000)).state, "succeeded");
  } finally {
    await rig.close();
  }
});

test("postgres: after the database was away, no worker strikes off another that could not show itself", async () => {
  const store = await openStore(await migratedDatabase(), quiet);
  let back: Promise<void> = Promise.resolve();
  let beats = 0;
  const slow: Pick<Store, "transact" | "read" | "onWanted"> = {
    read: store.read,
    onWanted: (listener) => store.onWanted(listener),
    async transact(work) {
      await back;
      beats += 1;
      return store.transact(work);
    },
  };
  const queue = new PgQueue(slow, quiet.clock, quiet.log);
  const isThere = (): Promise<boolean> =>
    store.transact(async (tx) => tx.workers.beat("worker_other", await tx.now()));
  try {
    await store.transact(async (tx) => tx.workers.join("worker_other", await tx.now()));
    await queue.begin({
      room: () => 0,
      take: async () => new Map(),
      has: () => false,
      recheckRun: () => false,
      recheckAll: () => undefined,
      lostAll: () => undefined,
    });
    const until = async (count: number): Promise<void> => {
      const enough = (): boolean => beats >= before + count;
      const before = beats;
      while (!enough()) await sleep(20);
    };
    await until(2);
    await isThere();
    back = sleep(4_300);
    await back;
    await until(1);
    await sleep(200);
    assert.ok(await isThere());
  } finally {
    await queue.close();
    await store.close();
  }
});
