import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { stepFact } from "../../src/engine/journal.ts";
import { createProvenance } from "../../src/provenance/provenance.ts";
import type { RunRecord } from "../../src/ports/records.ts";
import type { Store } from "../../src/ports/store.ts";
import { backupDatabase, restoreDatabase } from "../../src/storage/maintenance/backup.ts";
import { checkDatabase, databaseStatus } from "../../src/storage/maintenance/check.ts";
import { openStore } from "../../src/storage/open.ts";
import { AT, quiet, sampleRun, sampleStep } from "../../src/storage/store.samples.ts";
import { testPostgres } from "../support/postgres.ts";
import { endEntry, leaveBook, logbookOf, openBooked, startEntry, stepsEntry } from "../support/logbook.ts";

const server = await testPostgres();
const folder = mkdtempSync(join(tmpdir(), "logbook-backup-"));
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

let files = 0;
const newPath = (): string => join(folder, `${++files}.db`);
const TRIM_BEFORE = 6;

/** Everything that pages hold, so that two stores can be compared. */
async function contents(store: Store): Promise<unknown> {
  const runs = (await store.read.runs.list({ limit: 100 })).items;
  return {
    runs,
    steps: await Promise.all(runs.map((run) => store.read.runs.steps(run.id))),
    events: await store.read.events.after(0, 1_000),
    bounds: await store.read.events.bounds(),
    log: await store.read.provenance.find({}, { limit: 500 }),
    head: await store.read.provenance.head(),
    checkpoint: await store.read.provenance.checkpoint(),
  };
}

/** What a database says of its book. */
function bookCounters(databasePath: string): readonly unknown[] {
  const db = new DatabaseSync(databasePath, { readOnly: true });
  const counters = db.prepare("SELECT name FROM counters WHERE name LIKE 'logbook%'").all();
  db.close();
  return counters;
}

const path = newPath();
const run: RunRecord = sampleRun({ state: "running", startedAt: AT });

before(async () => {
  const store = await openBooked(path);
  const enter = async (entry: string): Promise<void> => {
    assert.equal(await logbookOf(store).enter(entry), true);
  };
  await enter(startEntry(run));
  await enter(stepsEntry(run, ["a", "b", "c"], "old"));
  await store.transact(async (tx) => {
    await tx.runs.putStep(sampleStep(run.id, { stepId: "row" }));
    const data = { nul: "\u0000", half: "\ud800" };
    await tx.events.append([{ type: "svc.x", subject: "x", traceparent: null, data, publicData: null }]);
  });
  await enter(stepsEntry(run, ["b"], "new"));
  // Whoever reads has the page closed: what comes next is in another one.
  await store.read.runs.get(run.id);
  await enter(endEntry(run, [sampleStep(run.id, { stepId: "d" })]));
  await store.transact((tx) => tx.events.trim(TRIM_BEFORE));
  await store.close();
  const db = new DatabaseSync(path);
  // As an earlier schema left them: what is in pages is newer.
  const put = db.prepare(`INSERT INTO steps (run_id, step_id, state, attempt) VALUES (?, ?, 'running', 1)`);
  for (const stepId of ["a", "older"]) put.run(run.id, stepId);
  db.close();
});

for (const target of ["sqlite", "postgres"] as const) {
  test(`what is in pages is restored from rows into ${target}`, async () => {
    const source = await openStore(`sqlite:${path}`, quiet);
    const expected = await contents(source);
    const file = newPath();
    const report = await backupDatabase(`sqlite:${path}`, file, "rows");
    await source.close();
    assert.ok(!readFileSync(file, "utf8").includes('"run_pages"'));
    const copyPath = newPath();
    const url = target === "sqlite" ? `sqlite:${copyPath}` : await server.createDatabase();
    for (const end of ["-logbook", "-wal"]) writeFileSync(copyPath + end, "left over");
    assert.equal((await restoreDatabase(url, file, quiet.clock)).rows, report.rows);
    assert.equal(existsSync(`${copyPath}-logbook`), target !== "sqlite");
    assert.deepEqual((await checkDatabase(url)).problems, []);
    assert.equal((await databaseStatus(url)).counts["events"], 3);
    if (target === "sqlite") assert.deepEqual(bookCounters(copyPath), []);
    const copy = await openStore(url, quiet);
    assert.deepEqual(await contents(copy), expected);
    const provenance = createProvenance({ store: copy, clock: quiet.clock });
    const { items } = await copy.read.provenance.find({ runId: run.id }, { limit: 10 });
    assert.equal(items.length, 6);
    for (const record of items) assert.equal((await provenance.verify(record))["verified"], true);
    // The log and the events go on where they ended.
    await copy.transact(async (tx) => {
      await tx.events.append([
        { type: "svc.y", subject: "y", traceparent: null, data: {}, publicData: null },
      ]);
      await provenance.append(tx, [stepFact(sampleStep(run.id, { stepId: "x" }))]);
    });
    assert.equal((await copy.read.events.bounds()).last, 9);
    assert.equal((await copy.read.provenance.head()).size, 7);
    await copy.close();
    assert.deepEqual((await checkDatabase(url)).problems, []);
  });
}

test("the counts and checks of a database see its pages", async () => {
  const url = `sqlite:${path}`;
  assert.equal((await databaseStatus(url)).counts["events"], 3);
  assert.deepEqual((await checkDatabase(url)).problems, []);
  const broken = newPath();
  await backupDatabase(url, broken);
  const db = new DatabaseSync(broken);
  db.exec(
    "UPDATE counters SET value = 5 WHERE name = 'events_trimmed'; DELETE FROM run_pages WHERE last_event = 6",
  );
  db.exec(
    "INSERT INTO events (sequence, id, type, subject, time, data) VALUES (5, 'event_x', 'svc.x', 'x', '', '{}')",
  );
  db.close();
  const problems = (await checkDatabase(`sqlite:${broken}`)).problems.join("\n");
  assert.match(problems, /event sequences/);
  assert.match(problems, /provenance log has no gap/);
});

test("a restored file goes with no book, whatever lies beside it", async () => {
  const file = newPath();
  assert.equal((await backupDatabase(`sqlite:${path}`, file)).form, "sqlite file");
  const copyPath = newPath();
  for (const end of ["-logbook", "-wal"]) writeFileSync(copyPath + end, readFileSync(`${path}-logbook`));
  await restoreDatabase(`sqlite:${copyPath}`, file, quiet.clock);
  assert.equal(existsSync(`${copyPath}-logbook`), false);
  for (const rest of ["-wal", "-shm", ".partial", ".partial-wal", ".partial-shm"]) {
    assert.equal(existsSync(`${copyPath}${rest}`), false, rest);
  }
  assert.deepEqual(bookCounters(copyPath), []);
  const [source, copy] = [await openStore(`sqlite:${path}`, quiet), await openBooked(copyPath)];
  assert.deepEqual(await contents(copy), await contents(source));
  await copy.close();
  await source.close();
});

const SUITECTL = fileURLToPath(new URL("../../bin/suitectl.mjs", import.meta.url));

async function suitectl(databasePath: string, ...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env["PATH"], HOME: folder, DATABASE_URL: `sqlite:${databasePath}` };
  return (await promisify(execFile)(process.execPath, [SUITECTL, ...args], { env })).stdout;
}

test("an operator's commands see what a dead service left in its book, and leave a living one alone", async () => {
  const left = newPath();
  await (await openStore(`sqlite:${left}`, quiet)).close();
  const late = sampleRun({ state: "running", startedAt: AT });
  leaveBook(left, 21, [[startEntry(late)], [stepsEntry(late, ["a"])]]);
  const [rows, native] = [newPath(), newPath()];
  await suitectl(left, "db", "backup", rows, "--rows");
  assert.match(readFileSync(rows, "utf8"), new RegExp(`"table":"steps","row":{"run_id":"${late.id}"`));
  leaveBook(left, 22, [[stepsEntry(late, ["b"])]]);
  await suitectl(left, "db", "backup", native);
  const copy = await openStore(`sqlite:${native}`, quiet);
  assert.equal((await copy.read.runs.steps(late.id)).length, 2);
  await copy.close();
  leaveBook(left, 23, [[stepsEntry(late, ["c"])]]);
  assert.match(await suitectl(left, "db", "check"), /event sequences have no gap\tok/);
  const store = await openBooked(left);
  assert.equal((await store.read.runs.steps(late.id)).length, 3);
  assert.equal(await logbookOf(store).enter(stepsEntry(late, ["d"])), true);
  await suitectl(left, "db", "status");
  assert.equal(await logbookOf(store).enter(stepsEntry(late, ["e"])), true);
  assert.equal((await store.read.runs.steps(late.id)).length, 5);
  await store.close();
});
