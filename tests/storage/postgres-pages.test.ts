import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import type { Checkpoint } from "../../src/engine/checkpoint.ts";
import type { EventRecord, RunRecord, StepRecord } from "../../src/ports/records.ts";
import { eventsOf, stepHasEnded } from "../../src/ports/run-changes.ts";
import type { Store } from "../../src/ports/store.ts";
import { createProvenance } from "../../src/provenance/provenance.ts";
import { backupDatabase, restoreDatabase } from "../../src/storage/maintenance/backup.ts";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { openStore } from "../../src/storage/open.ts";
import { AT, DIGEST, quiet, sampleApproval, sampleRun, sampleStep } from "../../src/storage/store.samples.ts";
import { batchWriter, plainCheckpoint } from "../support/checkpoints.ts";
import { testPostgres, withClient } from "../support/postgres.ts";

/* Pages of runs on PostgreSQL: whoever reads sees no difference from rows, also while other processes write. */

const server = await testPostgres();
const folder = mkdtempSync(join(tmpdir(), "postgres-pages-"));
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const clock = { now: () => Date.now() };

async function begin(store: Store, count: number): Promise<readonly RunRecord[]> {
  const runs = Array.from({ length: count }, () => sampleRun({ state: "running", startedAt: AT }));
  await store.transact(async (tx) => {
    await tx.runs.putDocument(DIGEST, { nodes: [] });
    for (const run of runs) await tx.runs.insert(run);
  });
  return runs;
}

function told({
  type,
  subject,
  data,
  publicData,
  traceparent,
}: Omit<EventRecord, "sequence" | "id" | "time">) {
  return { type, subject, data, publicData, traceparent };
}

const change = fc.record({
  run: fc.nat(4),
  states: fc.array(fc.constantFrom("running", "succeeded", "failed", "ready", "waiting"), { maxLength: 3 }),
  moved: fc.boolean(),
  ends: fc.boolean(),
  asks: fc.nat(5),
});

test("whatever batches are written, runs, events and the log say the same as lists", async () => {
  const url = await server.createDatabase();
  const store = await openStore(url, quiet);
  const write = batchWriter(store);
  const log = createProvenance({ store, clock });
  const runs = [...(await begin(store, 5))];
  const steps = new Map<string, Map<string, StepRecord>>();
  const events = new Map<string, ReturnType<typeof told>[]>();
  const ended: string[] = [];
  let names = 0;
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(change, { minLength: 1, maxLength: 5, selector: ({ run }) => run }),
        async (changes) => {
          const batch: Checkpoint[] = [];
          for (const { run: at, states, moved, ends, asks } of changes) {
            const run = runs[at];
            if (run === undefined) continue;
            const changed = states.map((state) =>
              // A name that comes again overwrites what was there.
              sampleStep(run.id, { stepId: `s${(names += state === "running" ? 0 : 1)}`, state }),
            );
            const isOver = ends && asks > 0;
            const next: RunRecord = isOver
              ? { ...run, state: "failed", error: { code: "x", step: "s" }, finishedAt: AT }
              : run;
            const plain = plainCheckpoint(next, moved || isOver, changed);
            const approval = sampleApproval(run.id, { stepId: `a${++names}`, state: "expired" });
            batch.push(
              asks === 0 ? { ...plain, opened: [approval], news: [[approval, "requested"]] } : plain,
            );
            const known = steps.get(run.id) ?? new Map<string, StepRecord>();
            for (const step of changed) known.set(step.stepId, step);
            steps.set(run.id, known);
            const list = events.get(run.id) ?? [];
            const news = asks === 0 ? ["svc.approval.requested"] : [];
            list.push(
              ...eventsOf(
                run,
                plain.moved ? next : null,
                changed,
                news.map((type) => ({
                  type,
                  subject: run.id,
                  traceparent: null,
                  data: {},
                  publicData: null,
                })),
              ).map(told),
            );
            events.set(run.id, list);
            for (const step of changed) if (stepHasEnded(step.state)) ended.push(`${run.id}/${step.stepId}`);
            if (isOver) {
              ended.push(run.id);
              const [another] = await begin(store, 1);
              if (another !== undefined) runs[at] = another;
            }
          }
          assert.equal((await write(batch)).size, batch.length);
          for (const [runId, known] of steps) {
            const sorted = [...known.values()].sort((a, b) => (a.stepId < b.stepId ? -1 : 1));
            assert.deepEqual(await store.read.runs.steps(runId), sorted);
          }
        },
      ),
      { numRuns: 25 },
    );
    const all = await store.read.events.after(0, 10_000);
    const count = [...events.values()].reduce((total, { length }) => total + length, 0);
    assert.deepEqual(
      all.map(({ sequence }) => sequence),
      Array.from({ length: count }, (_, index) => index + 1),
    );
    assert.equal(new Set(all.map(({ id }) => id)).size, count);
    for (const [runId, list] of events) {
      const seen = all.filter(({ subject }) => subject === runId).map(told);
      assert.equal(seen.length, list.length);
      seen.forEach((event, index) => {
        assert.equal(event.type, list[index]?.type);
        if (!event.type.startsWith("svc.approval.")) assert.deepEqual(event, list[index]);
      });
    }
    for (const from of [0, 1, 7, count - 2, count]) {
      assert.deepEqual(await store.read.events.after(from, 5), all.slice(from, from + 5));
      const ofRuns = all.slice(from).filter(({ type }) => type.startsWith("svc.run."));
      assert.deepEqual(await store.read.events.ofRunsAfter(from, 3), ofRuns.slice(0, 3));
    }
    const { size, lastLeafHash } = await store.read.provenance.head();
    assert.equal(size, ended.length);
    const subjects: string[] = [];
    const hashes = await store.read.provenance.leafHashes(0, size);
    for (let place = 0; place < size; place++) {
      const leaf = await store.read.provenance.atIndex(place);
      assert.ok(leaf !== null && leaf.leafIndex === place && leaf.leafHash === hashes[place]);
      assert.deepEqual(await store.read.provenance.get(leaf.id), leaf);
      subjects.push(leaf.subjectId);
    }
    assert.equal(hashes.at(-1), lastLeafHash);
    assert.deepEqual(subjects.toSorted(), ended.toSorted());
    await store.transact((tx) =>
      log.append(tx, [{ kind: "run", subjectId: "x", digest: DIGEST, privacy: "internal", predicate: {} }]),
    );
    for (let place = 0; place < size; place += 7) {
      const leaf = await store.read.provenance.atIndex(place);
      assert.equal(leaf !== null && (await log.verify(leaf))["verified"], true);
    }
    const paged = await withClient(url, (client) =>
      client.query<{ pages: string; leaves: string }>(
        "SELECT count(*) FILTER (WHERE last_event IS NOT NULL) AS pages, count(first_leaf) AS leaves FROM run_pages",
      ),
    );
    assert.ok(Number(paged.rows[0]?.pages) > 5 && Number(paged.rows[0]?.leaves) > 0, "pages were in use");
    assert.deepEqual((await checkDatabase(url)).problems, []);
  } finally {
    await store.close();
  }
});

test("whoever follows the events of several writers misses none", async () => {
  const url = await server.createDatabase();
  const stores = await Promise.all([openStore(url, quiet), openStore(url, quiet)]);
  const reader = await openStore(url, quiet);
  try {
    let writing = true;
    const ROUNDS = 30;
    const work = stores.map(async (store) => {
      const write = batchWriter(store);
      const runs = await begin(store, 4);
      for (let round = 0; round < ROUNDS; round++) {
        const batch = runs.map((run) =>
          plainCheckpoint(run, false, [sampleStep(run.id, { stepId: `s${round}` })]),
        );
        const rows = [1, 2].map((nth) => ({ type: "svc.x", subject: "x", traceparent: null, data: { nth } }));
        await Promise.all([
          write(batch),
          store.transact((tx) => tx.events.append(rows.map((row) => ({ ...row, publicData: null })))),
        ]);
      }
      return runs;
    });
    let seen = 0;
    const follow = async (): Promise<void> => {
      for (;;) {
        const last = !writing;
        const found = await reader.read.events.after(seen, 7);
        for (const { sequence } of found) assert.equal(sequence, ++seen);
        const leaves = (await reader.read.provenance.find({ kind: "step" }, { limit: 9 })).items;
        leaves.forEach(({ leafIndex }, index) => {
          if (index > 0) assert.equal(leafIndex, (leaves[index - 1]?.leafIndex ?? 0) - 1);
        });
        if (last && found.length === 0) return;
      }
    };
    const following = follow();
    const runs = (await Promise.all(work)).flat();
    writing = false;
    await following;
    assert.equal(seen, stores.length * ROUNDS * (4 + 2));
    assert.equal((await reader.read.provenance.head()).size, stores.length * ROUNDS * 4);
    for (const { id } of runs) assert.equal((await reader.read.runs.steps(id)).length, ROUNDS);
    assert.deepEqual((await checkDatabase(url)).problems, []);
  } finally {
    for (const store of [...stores, reader]) await store.close();
  }
});

test("a run of another worker gets no page, and the others of the batch do", async () => {
  const store = await openStore(await server.createDatabase(), quiet);
  try {
    const runs = await begin(store, 3);
    const write = batchWriter(store);
    const batch = runs.map((run) => plainCheckpoint(run, false, [sampleStep(run.id)]));
    await write(batch.slice(0, 1));
    const [first, second, third] = runs;
    if (first === undefined || second === undefined || third === undefined) throw new Error("no runs");
    await store.transact((tx) => tx.runs.claim(second.id, second.epoch));
    assert.deepEqual([...(await write(batch))].toSorted(), [first.id, third.id].toSorted());
    assert.equal((await store.read.runs.steps(second.id)).length, 0);
    assert.equal((await store.read.runs.steps(third.id)).length, 1);
    assert.equal((await store.read.provenance.head()).size, 3);
    assert.equal((await store.read.events.bounds()).last, 3);
  } finally {
    await store.close();
  }
});

test("a backup of pages is one of rows, and fits into either database", async () => {
  const url = await server.createDatabase();
  const store = await openStore(url, quiet);
  const runs = await begin(store, 4);
  const write = batchWriter(store);
  for (const name of ["a", "b", "c"]) {
    await write(runs.map((run) => plainCheckpoint(run, false, [sampleStep(run.id, { stepId: name })])));
  }
  await write(
    runs.map((run) => plainCheckpoint({ ...run, state: "succeeded", outputs: {}, finishedAt: AT }, true, [])),
  );
  const read = async ({ read: records }: Store) => ({
    events: await records.events.after(0, 1_000),
    steps: await Promise.all(runs.map(({ id }) => records.runs.steps(id))),
    leaves: (await records.provenance.find({}, { limit: 100 })).items,
    head: await records.provenance.head(),
  });
  const before = await read(store);
  assert.deepEqual([before.events.length, before.leaves.length], [16, 16]);
  await store.close();
  const file = join(folder, "rows.jsonl");
  await backupDatabase(url, file);
  for (const target of [`sqlite:${join(folder, "restored.db")}`, await server.createDatabase()]) {
    await restoreDatabase(target, file, clock);
    const restored = await openStore(target, quiet);
    try {
      assert.deepEqual(await read(restored), before);
      const more = await begin(restored, 2);
      await batchWriter(restored)(more.map((run) => plainCheckpoint(run, false, [sampleStep(run.id)])));
      assert.equal((await restored.read.provenance.head()).size, 18);
      assert.equal((await restored.read.events.bounds()).last, 18);
      assert.deepEqual((await checkDatabase(target)).problems, []);
    } finally {
      await restored.close();
    }
  }
});

test("open runs, pages, events and leaves are found through indexes, however many there are", async () => {
  const url = await server.createDatabase();
  const store = await openStore(url, quiet);
  await begin(store, 1);
  await store.close();
  await withClient(url, async (client) => {
    const many = "runs, generate_series(1, 20000) AS n";
    await client.query(
      `INSERT INTO runs SELECT (jsonb_populate_record(runs, jsonb_build_object('id', 'more_' || n, 'state', 'succeeded',
      'finished_at', 'x', 'created_at', 'c' || n))).* FROM ${many}`,
    );
    await client.query(
      `INSERT INTO run_pages (run_id, at, changes, first_event, last_event, event_stem, first_leaf, last_leaf)
      SELECT 'more_' || n % 2000, '', '[]', n, n, '', n, n FROM generate_series(1, 20000) AS n`,
    );
    await client.query("ANALYZE");
    const open = "finished_at IS NULL ORDER BY created_at, id LIMIT 10";
    const asked: readonly (readonly [string, string])[] = [
      ["runs_open", `SELECT id FROM runs WHERE state = 'queued' AND ${open}`],
      ["runs_open", "SELECT count(*) FROM runs WHERE state IN ('queued', 'waiting') AND finished_at IS NULL"],
      [
        "runs_waking",
        "SELECT id FROM runs WHERE state = 'waiting' AND wake_at IS NOT NULL AND wake_at <= 'x' ORDER BY wake_at LIMIT 5",
      ],
      ["run_pages_of_run", "SELECT changes FROM run_pages WHERE run_id = 'more_7' ORDER BY page_number"],
      [
        "run_pages_by_event",
        `SELECT 1 FROM run_pages p JOIN runs r ON r.id = p.run_id WHERE p.last_event > 19000 AND p.last_event <= 20000
          ORDER BY p.last_event LIMIT 9`,
      ],
      ["run_pages_by_event", "SELECT max(last_event) FROM run_pages WHERE last_event IS NOT NULL"],
      [
        "run_pages_by_leaf",
        "SELECT hashes FROM run_pages WHERE first_leaf < 700 ORDER BY first_leaf DESC LIMIT 1",
      ],
    ];
    for (const [index, sql] of asked) {
      const { rows } = await client.query<Record<string, string>>(`EXPLAIN ${sql}`);
      const plan = rows.map((row) => Object.values(row).join("")).join("\n");
      assert.match(plan, new RegExp(`\\b${index}\\b`), `${sql}\n${plan}`);
      assert.doesNotMatch(plan, /Seq Scan/, plan);
    }
  });
});

test("until a run ends, what changes of it touches no index", async () => {
  const url = await server.createDatabase();
  const store = await openStore(url, quiet);
  const [run] = await begin(store, 1);
  if (run === undefined) throw new Error("no run");
  for (const state of ["running", "cancelling"] as const) {
    await store.transact((tx) => tx.runs.save({ ...run, state, startedAt: AT }));
  }
  await store.close();
  const counts = (): Promise<{ all: number; hot: number } | undefined> =>
    withClient(url, async (client) => {
      const sql = `SELECT n_tup_upd::int AS all, n_tup_hot_upd::int AS hot FROM pg_stat_user_tables WHERE relname = 'runs'`;
      return (await client.query<{ all: number; hot: number }>(sql)).rows[0];
    });
  // Connections leave their statistics behind when they end.
  let seen = await counts();
  for (let tries = 0; tries < 100 && seen?.all !== 2; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    seen = await counts();
  }
  assert.deepEqual(seen, { all: 2, hot: 2 });
});
