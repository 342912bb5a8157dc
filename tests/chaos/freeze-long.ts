import assert from "node:assert/strict";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../src/storage/open.ts";
import { quiet } from "../storage/store.samples.ts";
import { finish } from "../security/results.ts";
import { startPostgres } from "../support/postgres.ts";
import { Child, effects, Receiver } from "./engine-series.ts";

/*
 * `node tests/chaos/freeze-long.ts [--seconds=60]`, part of `npm run chaos`: one of two replicas on PostgreSQL is frozen
 * (SIGSTOP) in the middle of its runs for a minute and goes on afterwards. The other one ends the runs; the one that comes
 * back writes nothing stale and takes new work.
 */
const ASKED = 60;
const seconds = Number(
  process.argv.find((text) => text.startsWith("--seconds="))?.slice("--seconds=".length) ?? ASKED,
);
const RUNS = 10;
const server = await startPostgres({ fsync: true });
const databaseUrl = await server.createDatabase();
const receiver = await new Receiver().open();
const open = async (): Promise<Child> => {
  const child = new Child({ databaseUrl, receiver: receiver.url, fault: null });
  await child.ready;
  return child;
};
const [frozen, other] = [await open(), await open()];
// A worker strikes no other one off before it has itself shown for a lease that the database answers.
await sleep(6_000);
const store = await openStore(databaseUrl, quiet);
const workflowId = String(await frozen.ask("workflow", { document: JSON.stringify(effects(true)) }));
const ids: string[] = [];
// The runs are those of the replica that accepts them.
for (let i = 0; i < RUNS; i++) ids.push(String(await frozen.ask("start", { workflowId })));
while (!ids.every((id) => receiver.effects.has(`${id}:e3`))) await sleep(20);
frozen.process.kill("SIGSTOP");
const frozenAt = Date.now();
receiver.release();
const states = await other.ask("states", { runIds: ids, timeoutMs: 120_000 });
const takenOverMs = Date.now() - frozenAt;
for (const id of ids) assert.match(JSON.stringify(states), new RegExp(`"${id}":{"state":"succeeded"`));
const picture = async (): Promise<unknown> =>
  Promise.all(
    ids.map(async (id) => [
      await store.read.runs.get(id),
      await store.read.runs.steps(id),
      (await store.read.provenance.find({ runId: id }, { limit: 100 })).items.length,
    ]),
  );
await sleep(Math.max(0, seconds * 1_000 - (Date.now() - frozenAt)));
const before = await picture();
const effectsBefore = receiver.effects.size;
frozen.process.kill("SIGCONT");
assert.deepEqual(await frozen.ask("states", { runIds: ids, timeoutMs: 30_000 }), states);
await sleep(3_000);
assert.deepEqual(await picture(), before, "the replica that came back wrote something stale");
assert.equal(receiver.effects.size, effectsBefore, "the replica that came back had another effect");
assert.deepEqual(receiver.violations, [], "checkpointed steps ran again");
const later = String(await frozen.ask("start", { workflowId }));
const ended = await frozen.ask("states", { runIds: [later], timeoutMs: 60_000 });
assert.match(JSON.stringify(ended), /"state":"succeeded"/, "it takes new work");
for (const child of [frozen, other]) await child.kill();
await store.close();
receiver.close();
await server.stop();
finish(
  "L8",
  true,
  `${RUNS} runs ended by the other replica after ${(takenOverMs / 1_000).toFixed(1)} s, 0 stale writes, new work taken`,
  { done: seconds, asked: ASKED, unit: "s frozen" },
);
