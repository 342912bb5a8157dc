import assert from "node:assert/strict";
import { after, test } from "node:test";
import { stepFact } from "../../src/engine/journal.ts";
import { createProvenance } from "../../src/provenance/provenance.ts";
import { openStore } from "../../src/storage/open.ts";
import { NUMBER_COLUMNS } from "../../src/storage/postgres/row-text.ts";
import { DIGEST, quiet, sampleRun, sampleStep } from "../../src/storage/store.samples.ts";
import { testPostgres, withClient } from "../support/postgres.ts";

/* Rows that travel as one text, and what the server makes of them. */

const server = await testPostgres();
after(() => server.stop());

test("the columns that hold numbers are known", async () => {
  const url = await server.createDatabase();
  await (await openStore(url, quiet)).close();
  const { rows } = await withClient(url, (client) =>
    client.query<{ name: string }>(
      "SELECT DISTINCT column_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND data_type = 'bigint'",
    ),
  );
  assert.deepEqual(rows.map(({ name }) => name).toSorted(), [...NUMBER_COLUMNS].toSorted());
});

test("whatever a step, an event or a run holds comes back as it was", async () => {
  const store = await openStore(await server.createDatabase(), quiet);
  const clock = { now: () => Date.now() };
  const log = createProvenance({ store, clock });
  try {
    await store.transact((tx) => tx.runs.putDocument(DIGEST, { nodes: [] }));
    for (const odd of ["plain", "\u001f\u001e\u001d", "é😀\n\t\\\"'{}", "\\N", ""]) {
      const run = sampleRun();
      const value = { odd, list: [odd, null, 1.5] };
      const step = sampleStep(run.id, { stepId: `s${odd}`, port: odd, input: value, output: null });
      await store.transact((tx) => tx.runs.insert(run));
      const [mine] = await store.transact((tx) => tx.runs.claimAll([run.id]));
      if (mine === undefined) throw new Error("not claimed");
      const changed = { ...mine, state: "running" as const, outputs: value, error: { message: odd } };
      await store.transact(async (tx) => {
        await tx.runs.saveAll([changed]);
        await tx.runs.putSteps([step]);
        const { id: subject } = run;
        await tx.events.append([
          { type: `t${odd}`, subject, traceparent: null, data: value, publicData: null },
        ]);
        await log.append(tx, [stepFact({ ...step, stepId: odd })]);
      });
      assert.deepEqual(await store.read.runs.steps(run.id), [step]);
      assert.deepEqual(await store.read.runs.get(run.id), changed);
      const { last } = await store.read.events.bounds();
      const [event] = await store.read.events.after(last - 1, 1);
      assert.deepEqual([event?.type, event?.data, event?.publicData], [`t${odd}`, value, null]);
      const [leaf] = (await store.read.provenance.find({ runId: run.id }, { limit: 1 })).items;
      assert.equal(leaf?.subjectId, `${run.id}/${odd}`);
      assert.equal(leaf !== undefined && (await log.verify(leaf))["verified"], true);
    }
  } finally {
    await store.close();
  }
});

test("claiming a few of many open runs does not look at all of them", async () => {
  const url = await server.createDatabase();
  const store = await openStore(url, quiet);
  try {
    const runs = Array.from({ length: 3 }, () => sampleRun());
    await store.transact(async (tx) => {
      await tx.runs.putDocument(DIGEST, { nodes: [] });
      for (const run of runs) await tx.runs.insert(run);
    });
    // More like them: few rows would be read from end to end.
    const [first] = runs;
    await withClient(url, (client) =>
      client.query(
        `INSERT INTO runs SELECT (jsonb_populate_record(runs, jsonb_build_object('id', 'more_' || n))).*
        FROM runs, generate_series(1, 4000) AS n WHERE id = $1`,
        [first?.id],
      ),
    );
    const ids = runs.map(({ id }) => id);
    assert.equal((await store.transact((tx) => tx.runs.claimAll(ids))).length, 3);
  } finally {
    await store.close();
  }
  // Connections leave their statistics behind when they end.
  const read = (): Promise<{ name: string; reads: number }[]> =>
    withClient(url, async (client) => {
      const found = await client.query<{ name: string; reads: number }>(
        "SELECT indexrelname AS name, idx_tup_read::int AS reads FROM pg_stat_user_indexes WHERE relname = 'runs' AND indexrelname IN ('runs_pkey', 'runs_open') ORDER BY 1",
      );
      return found.rows;
    });
  let counts = await read();
  for (let tries = 0; tries < 100 && counts.every(({ reads }) => reads === 0); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    counts = await read();
  }
  const [open, key] = counts;
  assert.equal(open?.reads, 0, "the index of open runs is not read");
  assert.ok(key !== undefined && key.reads >= 3 && key.reads < 20, "the runs are found by their ids");
});
