import assert from "node:assert/strict";
import { after, test } from "node:test";
import pg from "pg";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { forPostgres, MIGRATIONS_TABLE, pendingMigrations } from "../../src/storage/migrations.ts";
import { openStore } from "../../src/storage/open.ts";
import { AT, DIGEST, quiet, sampleRun, sampleStep } from "../../src/storage/store.samples.ts";
import { testPostgres } from "../support/postgres.ts";

const server = await testPostgres();
after(() => server.stop());

test("a database whose rules the server checked goes on, and the store keeps the rules", async () => {
  const url = await server.createDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const run = sampleRun();
  try {
    await client.query(forPostgres(MIGRATIONS_TABLE));
    for (const { version, name, sql } of pendingMigrations([]).filter(({ version }) => version <= 2)) {
      await client.query(forPostgres(sql));
      await client.query("INSERT INTO schema_migrations VALUES ($1, $2, '')", [version, name]);
    }
    await client.query("INSERT INTO documents VALUES ($1, '{}')", [DIGEST]);
    await client.query(
      `INSERT INTO runs (id, document_digest, kind, state, visibility, inputs, trace_id, span_id, epoch, started_by, scopes,
      created_at) VALUES ($1, $2, 'run', 'running', 'private', '{}', 't', 's', 1, 'key', '[]', $3)`,
      [run.id, DIGEST, AT],
    );
    await client.query(
      "INSERT INTO steps (run_id, step_id, state, attempt) VALUES ($1, 'old', 'succeeded', 1)",
      [run.id],
    );
  } finally {
    await client.end();
  }
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
