import assert from "node:assert/strict";
import { after, test } from "node:test";
import type pg from "pg";
import { stepFact } from "../../src/engine/journal.ts";
import { createProvenance } from "../../src/provenance/provenance.ts";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { forPostgres, MIGRATIONS_TABLE, pendingMigrations } from "../../src/storage/migrations.ts";
import { openStore } from "../../src/storage/open.ts";
import { AT, DIGEST, quiet, sampleRun, sampleStep } from "../../src/storage/store.samples.ts";
import { batchWriter, plainCheckpoint } from "../support/checkpoints.ts";
import { testPostgres, withClient } from "../support/postgres.ts";

const server = await testPostgres();
after(() => server.stop());

const clock = { now: () => Date.now() };

/** Makes the schema of an earlier build. */
async function migrateTo(client: pg.Client, newest: number): Promise<void> {
  await client.query(forPostgres(MIGRATIONS_TABLE));
  for (const { version, name, sql } of pendingMigrations([]).filter(({ version }) => version <= newest)) {
    await client.query(forPostgres(sql));
    await client.query("INSERT INTO schema_migrations VALUES ($1, $2, '')", [version, name]);
  }
}

const INSERT_RUN = `INSERT INTO runs (id, document_digest, kind, state, visibility, inputs, trace_id, span_id, epoch,
  started_by, scopes, created_at) VALUES ($1, $2, 'run', 'running', 'private', '{}', 't', 's', 0, 'key', '[]', $3)`;

test("a database whose rules the server checked goes on, and the store keeps the rules", async () => {
  const url = await server.createDatabase();
  const run = sampleRun();
  await withClient(url, async (client) => {
    await migrateTo(client, 2);
    await client.query("INSERT INTO documents VALUES ($1, '{}')", [DIGEST]);
    await client.query(INSERT_RUN, [run.id, DIGEST, AT]);
    await client.query(
      "INSERT INTO steps (run_id, step_id, state, attempt) VALUES ($1, 'old', 'succeeded', 1)",
      [run.id],
    );
  });
  const store = await openStore(url, quiet);
  try {
    assert.deepEqual((await checkDatabase(url)).problems, []);
    assert.deepEqual(
      (await store.read.runs.steps(run.id)).map(({ stepId }) => stepId),
      ["old"],
    );
    const odd = sampleStep(run.id);
    Reflect.set(odd, "state", "exploded");
    for (const steps of [[sampleStep("run_none")], [sampleStep(run.id), sampleStep("run_none")], [odd]]) {
      const code = "conflict";
      await assert.rejects(
        store.transact((tx) => tx.runs.putSteps(steps)),
        { code },
      );
    }
    assert.equal((await store.read.runs.steps(run.id)).length, 1);
    await store.transact((tx) => tx.runs.putSteps([sampleStep(run.id)]));
    assert.equal((await store.read.runs.steps(run.id)).length, 2);
  } finally {
    await store.close();
  }
});

test("steps, events and leaves that are rows stay, and pages go on from there", async () => {
  const source = await openStore(await server.createDatabase(), quiet);
  const run = sampleRun({ state: "running" });
  const old = ["one", "two", "three"].map((stepId) => sampleStep(run.id, { stepId }));
  // Leaves as the build before wrote them: each is a row.
  const earlier = createProvenance({ store: source, clock });
  for (const step of old) {
    await source.transact((tx) => earlier.append(tx, [stepFact(step)]));
  }
  const leaves = (await source.read.provenance.find({}, { limit: 10 })).items;
  const keys = await source.read.provenance.keys();
  await source.close();
  const url = await server.createDatabase();
  await withClient(url, async (client) => {
    await migrateTo(client, 4);
    await client.query("INSERT INTO documents VALUES ($1, '{}')", [DIGEST]);
    await client.query(INSERT_RUN, [run.id, DIGEST, AT]);
    for (const [index, { stepId, output }] of old.entries()) {
      await client.query(
        "INSERT INTO steps (run_id, step_id, state, attempt, output) VALUES ($1, $2, 'succeeded', 1, $3)",
        [run.id, stepId, JSON.stringify(output)],
      );
      await client.query(
        "INSERT INTO events (sequence, id, type, subject, time, data) VALUES ($1, $2, 'svc.step.succeeded', $3, $4, '{}')",
        [index + 1, `event_${index}`, run.id, AT],
      );
    }
    await client.query("UPDATE counters SET value = 3 WHERE name = 'events'");
    for (const { leafIndex, runId, body, leafHash } of leaves) {
      await client.query(
        "INSERT INTO provenance_records (leaf_index, run_id, body, leaf_hash) VALUES ($1, $2, $3, $4)",
        [leafIndex, runId, body, leafHash],
      );
    }
    for (const key of keys) {
      await client.query("INSERT INTO signing_keys VALUES ($1, $2, $3, $4, NULL)", [
        key.id,
        key.publicKey,
        key.privateKey,
        key.createdAt,
      ]);
    }
    await client.query(
      `INSERT INTO runs SELECT (jsonb_populate_record(runs, '{"id": "run_waits", "state": "waiting", "wake_at": "2026"}')).* FROM runs`,
    );
  });
  const store = await openStore(url, quiet);
  try {
    assert.deepEqual((await checkDatabase(url)).problems, []);
    assert.equal((await store.read.runs.steps(run.id)).length, 3);
    assert.deepEqual(
      (await store.read.runs.wakeable("2027", 5)).map(({ id }) => id),
      ["run_waits"],
    );
    assert.deepEqual(
      (await store.read.runs.going(5)).map(({ id }) => id),
      [run.id],
    );
    const log = createProvenance({ store, clock });
    const [two, four] = ["two", "four"].map((stepId) => sampleStep(run.id, { stepId, output: "new" }));
    if (two === undefined || four === undefined) throw new Error("no steps");
    const write = batchWriter(store);
    for (const step of [two, four]) {
      assert.deepEqual([...(await write([plainCheckpoint(run, false, [step])]))], [run.id]);
    }
    const outputs = (await store.read.runs.steps(run.id)).map(({ stepId, output }) => [stepId, output]);
    assert.deepEqual(outputs, [
      ["four", "new"],
      ["one", old[0]?.output],
      ["three", old[2]?.output],
      ["two", "new"],
    ]);
    assert.deepEqual(
      (await store.read.events.after(1, 10)).map(({ sequence }) => sequence),
      [2, 3, 4, 5],
    );
    await store.transact((tx) =>
      log.append(tx, [
        { kind: "run", subjectId: run.id, digest: DIGEST, privacy: "internal", predicate: {} },
      ]),
    );
    for (let place = 0; place < 5; place++) {
      const leaf = await store.read.provenance.atIndex(place);
      assert.equal(leaf !== null && (await log.verify(leaf))["verified"], true);
    }
    assert.deepEqual((await checkDatabase(url)).problems, []);
  } finally {
    await store.close();
  }
});
