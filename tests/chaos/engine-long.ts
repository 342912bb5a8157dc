import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { AppError } from "../../src/kernel/errors.ts";
import { chain, openRig } from "../engine/harness.ts";
import { finish, plainArguments } from "../security/results.ts";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import type { ChildPlan } from "./engine-child.ts";
import { killSeries, nthOf, POINTS } from "./engine-series.ts";

/*
 * The long form of the engine's chaos tests: `node tests/chaos/engine-long.ts [kills] [seconds] [runs] [--only=STORE]`. By
 * default 200 kills of each store, and PostgreSQL restarted every 10 s for 120 s while 1,000 runs go on.
 */
const [killCount, forSeconds, runCount] = plainArguments();
const kills = Number(killCount ?? "200");
const seconds = Number(forSeconds ?? "120");
const runs = Number(runCount ?? "1000");
const only = process.argv.find((text) => text.startsWith("--only="))?.slice("--only=".length);

/** Kills of each store that the row in docs/security.md names. */
const ASKED = 1_000;
const EVERY_MS = 10_000;

const progress = (done: number): void => {
  if (done % 50 === 0) console.log(`${new Date().toISOString()} ${done} kills`);
};
const figures: string[] = [];
const note = (name: string, report: Readonly<object>): void => {
  console.log(name, report);
  const text = Object.entries(report).map(([what, count]) => `${count} ${what}`);
  figures.push(`${name} ${text.join(", ")}`);
};

if (only !== "postgres") {
  const folder = mkdtempSync(join(tmpdir(), "workflow-ui-chaos-"));
  note("SQLite", await killSeries(`sqlite:${join(folder, "chaos.db")}`, plans(), 4, progress));
  rmSync(folder, { recursive: true, force: true });
}
if (only !== "sqlite") {
  const server = await startPostgres({ fsync: true });
  try {
    note("PostgreSQL", await killSeries(await server.createDatabase(), plans(), 4, progress));
    note("PostgreSQL restarted", await restartSeries(server));
  } finally {
    await server.stop();
  }
}
finish("L6", true, `no run lost, no checkpointed step run again: ${figures.join("; ")}`, {
  done: kills,
  asked: ASKED,
  unit: "kills a store",
  ...(only !== undefined && { but: `${only} alone` }),
});

/** Half of the kills by chance, half at the named points, each at its first, third, ninth, … passing. */
function plans(): readonly (ChildPlan["fault"] | "random")[] {
  return Array.from({ length: kills }, (_, index) => {
    const point = POINTS[Math.floor(index / 2) % POINTS.length];
    if (index % 2 === 0 || point === undefined) return "random" as const;
    return { point, nth: nthOf(point) ** (Math.floor(index / 2 / POINTS.length) % 3) };
  });
}

async function restartSeries(postgres: TestPostgres): Promise<Record<string, number>> {
  const databaseUrl = await postgres.createDatabase();
  const rig = await openRig({ databaseUrl, log: { debug() {}, info() {}, warn() {}, error() {} } });
  const workflowId = await rig.workflow(chain(5, "put"));
  const started: string[] = [];
  const end = Date.now() + seconds * 1_000;
  let restarts = 0;
  let refused = 0;
  const restarting = (async () => {
    for (let at = Date.now() + EVERY_MS; at < end; at += EVERY_MS) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(at - Date.now(), 0)));
      await postgres.kill();
      await postgres.start();
      restarts++;
    }
  })();
  while (started.length < runs) {
    try {
      started.push((await rig.start(workflowId)).id);
    } catch (error) {
      assert.ok(error instanceof AppError, "only our own errors reach a caller");
      refused++;
    }
    const pause = Math.max((end - Date.now()) / (runs - started.length + 1), 0);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  await restarting;
  for (const id of started) {
    const run = await rig.engine.waitFor(id, 120_000);
    assert.equal(run.state, "succeeded", `${id} is ${run.state}: ${JSON.stringify(run.error)}`);
    assert.deepEqual(run.outputs, { last: 4 });
  }
  const keys = new Set(rig.bench.calls.map(({ key }) => key));
  for (const id of started) {
    for (let step = 1; step <= 5; step++) assert.ok(keys.has(`${id}:s${step}`), `${id} lacks step ${step}`);
    const leaves = await rig.services.store.read.provenance.find({ runId: id }, { limit: 100 });
    assert.equal(leaves.items.length, 6, `${id}: five steps and the run are in the log once each`);
  }
  await rig.close();
  return { restarts, runs: started.length, refused, repeats: rig.bench.calls.length - keys.size };
}
