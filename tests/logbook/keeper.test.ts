import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { AppError } from "../../src/kernel/errors.ts";
import { openLogbook, settleLogbook } from "../../src/logbook/logbook.ts";
import type { RunRecord } from "../../src/ports/records.ts";
import type { Store } from "../../src/ports/store.ts";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { openStore } from "../../src/storage/open.ts";
import { AT, DIGEST, quiet, sampleRun, sampleStep } from "../../src/storage/store.samples.ts";
import {
  changeEntry,
  endEntry,
  enterSoon,
  leaveBook,
  logbookOf,
  openBooked,
  startEntry,
  stepsEntry,
  wakeLogbook,
} from "../support/logbook.ts";

const folder = mkdtempSync(join(tmpdir(), "logbook-keeper-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newPath = (): string => join(folder, `${++files}.db`);

async function withStore(work: (store: Store, path: string) => Promise<void>): Promise<void> {
  const path = newPath();
  const store = await openBooked(path);
  try {
    await work(store, path);
  } finally {
    await store.close();
  }
  assert.deepEqual((await checkDatabase(`sqlite:${path}`)).problems, []);
}

/** A run that goes on. */
const going = (change: Partial<RunRecord> = {}): RunRecord =>
  sampleRun({ state: "running", startedAt: AT, ...change });

const enter = async (store: Store, entry: string): Promise<void> => {
  assert.equal(await logbookOf(store).enter(entry), true, "the logbook took the entry");
};

const stepIds = async (store: Store, run: RunRecord): Promise<readonly string[]> =>
  (await store.read.runs.steps(run.id)).map(({ stepId }) => stepId);

const unavailable = (error: unknown): boolean =>
  error instanceof AppError && error.code === "storage_unavailable";

test("whoever reads after an entry sees it: run, steps, events, provenance", async () => {
  await withStore(async (store) => {
    for (let round = 0; round < 25; round++) {
      const run = going();
      const { last } = await store.read.events.bounds();
      const { size } = await store.read.provenance.head();
      await enter(store, startEntry(run));
      assert.deepEqual(await store.read.runs.get(run.id), run);
      await enter(store, stepsEntry(run, ["a", "b"]));
      assert.deepEqual(await stepIds(store, run), ["a", "b"]);
      await enter(store, stepsEntry(run, ["c"]));
      const types = (await store.read.events.after(last, 10)).map(({ type }) => type);
      assert.deepEqual(types, ["svc.run.running", ...Array.from({ length: 3 }, () => "svc.step.succeeded")]);
      await enter(store, endEntry(run, [sampleStep(run.id, { stepId: "d" })]));
      const found = await store.read.provenance.find({ runId: run.id }, { limit: 10 });
      assert.deepEqual(
        found.items.map(({ subjectId, leafIndex }) => [subjectId, leafIndex - size]),
        [
          [run.id, 4],
          [`${run.id}/d`, 3],
          [`${run.id}/c`, 2],
          [`${run.id}/b`, 1],
          [`${run.id}/a`, 0],
        ],
      );
      assert.equal((await store.read.runs.get(run.id))?.state, "succeeded");
      assert.equal((await store.read.events.bounds()).last, last + 6);
    }
  });
});

test("many entries at once come in their order, and listeners hear of the last event", async () => {
  await withStore(async (store) => {
    let heard = 0;
    store.onEvents((last) => {
      heard = last;
    });
    const runs = Array.from({ length: 30 }, () => going());
    const first = (await store.read.events.bounds()).last;
    const entered = runs.flatMap((run) => [
      enter(store, startEntry(run)),
      ...Array.from({ length: 10 }, (_, index) => enter(store, stepsEntry(run, ["s"], index))),
      enter(store, endEntry(run)),
    ]);
    await Promise.all(entered);
    for (const run of runs) {
      const [step, ...others] = await store.read.runs.steps(run.id);
      assert.equal(step?.output, 9, "the last word on a step counts");
      assert.deepEqual(others, []);
    }
    const events = await store.read.events.after(first, 1_000);
    assert.equal(events.length, runs.length * 12);
    for (const run of runs) {
      const ofRun = events.filter(({ subject }) => subject === run.id).map(({ type }) => type);
      assert.equal(ofRun[0], "svc.run.running");
      assert.equal(ofRun.at(-1), "svc.run.succeeded");
    }
    assert.equal(heard, first + events.length);
  });
});

test("a transaction comes after what was entered before it, and before what is entered after it", async () => {
  await withStore(async (store) => {
    const run = going();
    await enter(store, startEntry(run));
    for (let round = 0; round < 20; round++) {
      await enter(store, stepsEntry(run, [`before-${round}`]));
      const late: Promise<void>[] = [];
      const seen = await store.transact(async (tx) => {
        late.push(enter(store, stepsEntry(run, [`after-${round}`])));
        const steps = (await tx.runs.steps(run.id)).map(({ stepId }) => stepId);
        await new Promise((resolve) => setImmediate(resolve));
        await tx.events.append([
          { type: "svc.test.between", subject: String(round), traceparent: null, data: {}, publicData: null },
        ]);
        assert.deepEqual(
          (await tx.runs.steps(run.id)).map(({ stepId }) => stepId),
          steps,
        );
        return steps;
      });
      assert.ok(seen.includes(`before-${round}`) && !seen.includes(`after-${round}`));
      await Promise.all(late);
      assert.ok((await stepIds(store, run)).includes(`after-${round}`));
      const { last } = await store.read.events.bounds();
      const told = await store.read.events.after(last - 3, 3);
      assert.deepEqual(
        told.map(({ type, data }) => data["stepId"] ?? type),
        [`before-${round}`, "svc.test.between", `after-${round}`],
      );
    }
  });
});

test("an entry that is too long is refused, and the next one is not", async () => {
  await withStore(async (store) => {
    const run = going();
    await enter(store, startEntry(run));
    const long = stepsEntry(run, ["long"], "x".repeat(128 * 1_024));
    assert.equal(await logbookOf(store).enter(long), false);
    await enter(store, stepsEntry(run, ["short"], "x".repeat(100 * 1_024)));
    assert.deepEqual(await stepIds(store, run), ["short"]);
  });
});

test("only one store of a file has its logbook; the next one has it when the first is closed", async () => {
  await withStore(async (store, path) => {
    const run = going();
    await enter(store, startEntry(run));
    await store.read.runs.get(run.id);
    const second = await openBooked(path);
    assert.equal(second.logbook, undefined);
    assert.deepEqual(await second.read.runs.get(run.id), run);
    await settleLogbook(path);
    await enter(store, stepsEntry(run, ["after"]));
    await store.close();
    assert.deepEqual(await stepIds(second, run), ["after"]);
    await second.close();
    const third = await openBooked(path);
    await enter(third, stepsEntry(run, ["again"]));
    assert.deepEqual(await stepIds(third, run), ["after", "again"]);
    await third.close();
  });
});

test("closing puts everything into its tables", async () => {
  const path = newPath();
  const store = await openBooked(path);
  const runs = Array.from({ length: 200 }, () => going());
  const entered = runs.flatMap((run) => [
    enter(store, startEntry(run)),
    enter(store, stepsEntry(run, ["a"])),
  ]);
  await Promise.all(entered);
  await store.close();
  const plain = await openStore(`sqlite:${path}`, quiet);
  for (const run of runs) assert.deepEqual(await stepIds(plain, run), ["a"]);
  await plain.close();
  assert.equal(await logbookOf(store).enter(startEntry(going())), false, "a closed book takes nothing");
});

test("what a process left is put into its tables, and a book of another database is not", async () => {
  const run = going();
  const paths = [newPath(), newPath(), newPath()] as const;
  for (const path of paths) await (await openStore(`sqlite:${path}`, quiet)).close();
  const [own, other, none] = paths;
  leaveBook(own, 11, [[startEntry(run)], [stepsEntry(run, ["a"]), stepsEntry(run, ["b"])]]);
  leaveBook(other, 12, []);
  for (const path of [other, none]) copyFileSync(`${own}-logbook`, `${path}-logbook`);
  for (const path of paths) {
    const store = await openBooked(path);
    assert.deepEqual(await stepIds(store, run), path === own ? ["a", "b"] : []);
    assert.equal((await store.read.runs.get(run.id)) !== null, path === own);
    // The file is its own from now on.
    const next = going();
    await enter(store, startEntry(next));
    assert.deepEqual(await store.read.runs.get(next.id), next);
    await store.close();
    assert.deepEqual((await checkDatabase(`sqlite:${path}`)).problems, []);
  }
});

test("a book that is damaged in the middle is not passed over in silence", async () => {
  for (const remedy of ["put back", "moved away"]) {
    const path = newPath();
    await (await openStore(`sqlite:${path}`, quiet)).close();
    const run = going();
    leaveBook(path, 7, [[startEntry(run)], [stepsEntry(run, ["one"])], [stepsEntry(run, ["two"])]]);
    const book = `${path}-logbook`;
    const whole = readFileSync(book);
    const torn = Buffer.from(whole);
    torn.write("x", torn.indexOf('"one"'));
    writeFileSync(book, torn);
    for (const open of [() => openBooked(path), () => settleLogbook(path)]) {
      await assert.rejects(open, { code: "storage_unavailable", message: /damaged at frame 2/ });
    }
    assert.deepEqual(readFileSync(book), torn, "the file is left as it was");
    if (remedy === "put back") writeFileSync(book, whole);
    else renameSync(book, `${book}-away`);
    const store = await openBooked(path);
    assert.deepEqual(await stepIds(store, run), remedy === "put back" ? ["one", "two"] : []);
    assert.notEqual(await store.read.runs.get(run.id), null);
    await store.close();
  }
});

test("a last frame that is only half there was promised to nobody", async () => {
  const path = newPath();
  await (await openStore(`sqlite:${path}`, quiet)).close();
  const run = going();
  leaveBook(path, 7, [[startEntry(run)], [stepsEntry(run, ["one"])], [stepsEntry(run, ["two"])]]);
  const book = readFileSync(`${path}-logbook`);
  book.fill(0, book.indexOf('"two"'), book.indexOf('"two"') + 40);
  writeFileSync(`${path}-logbook`, book);
  const store = await openBooked(path);
  assert.deepEqual(await stepIds(store, run), ["one"]);
  await store.close();
});

test("entries of a run that another worker took write nothing and are told", async () => {
  await withStore(async (store, path) => {
    const [ours, taken] = [going(), going()];
    const lost: string[] = [];
    logbookOf(store).onLost((ids) => lost.push(...ids));
    await Promise.all([enter(store, startEntry(ours)), enter(store, startEntry(taken))]);
    await store.read.runs.get(taken.id);
    const other = new DatabaseSync(path);
    other.prepare("UPDATE runs SET epoch = epoch + 1 WHERE id = ?").run(taken.id);
    other.close();
    const { last } = await store.read.events.bounds();
    const { size } = await store.read.provenance.head();
    await Promise.all([
      enter(store, stepsEntry(taken, ["a"])),
      enter(store, stepsEntry(ours, ["a"])),
      enter(store, endEntry(taken, [sampleStep(taken.id)])),
    ]);
    assert.deepEqual(await stepIds(store, taken), []);
    assert.deepEqual(await stepIds(store, ours), ["a"]);
    assert.equal((await store.read.runs.get(taken.id))?.state, "running");
    assert.deepEqual([...new Set(lost)], [taken.id]);
    assert.equal((await store.read.events.bounds()).last, last + 1);
    assert.equal((await store.read.provenance.head()).size, size + 1);
  });
});

test("an entry that a table refuses keeps no other from being written", async () => {
  const path = newPath();
  const refused: unknown[] = [];
  const store = await openBooked(path, {
    ...quiet.log,
    error: (_event, fields) => refused.push(fields?.reference),
  });
  const lost: string[] = [];
  logbookOf(store).onLost((ids) => lost.push(...ids));
  const known = going();
  await enter(store, startEntry(known));
  await store.read.runs.get(known.id);
  const fine = [going(), going()] as const;
  const strange = going({ parentRunId: null, epoch: 0.5 });
  await Promise.all([
    enter(store, startEntry(fine[0])),
    enter(store, stepsEntry(fine[0], ["a"])),
    enter(store, startEntry({ ...known, startedBy: "somebody else" })),
    enter(store, startEntry(strange)),
    enter(store, endEntry(fine[0], [sampleStep(fine[0].id, { stepId: "b" })])),
    enter(store, startEntry(fine[1])),
    enter(store, endEntry(fine[1])),
  ]);
  assert.deepEqual(await store.read.runs.get(known.id), known);
  assert.equal(await store.read.runs.get(strange.id), null);
  assert.deepEqual(await stepIds(store, fine[0]), ["a", "b"]);
  for (const run of fine) {
    assert.equal((await store.read.runs.get(run.id))?.state, "succeeded");
    const records = await store.read.provenance.find({ runId: run.id, kind: "run" }, { limit: 10 });
    assert.equal(records.items.length, 1, "one record of the end of a run");
  }
  assert.deepEqual(lost, [known.id, strange.id]);
  assert.deepEqual(refused, lost);
  await store.close();
  assert.deepEqual((await checkDatabase(`sqlite:${path}`)).problems, []);
});

test("attempts and a change without an event are entered, too", async () => {
  await withStore(async (store) => {
    const run = going();
    const waiting: RunRecord = { ...run, state: "waiting", wakeAt: AT };
    const attempt = {
      runId: run.id,
      stepId: "a",
      attempt: 1,
      state: "failed" as const,
      spanId: "b7ad6b7169203331",
      error: { code: "unavailable" },
      startedAt: AT,
      finishedAt: AT,
    };
    await enter(store, startEntry(run));
    const { last } = await store.read.events.bounds();
    const step = sampleStep(run.id, { stepId: "a", state: "ready", output: null, finishedAt: null });
    await enter(store, changeEntry(run, { run: waiting, steps: [step], attempts: [attempt] }));
    assert.deepEqual(await store.read.runs.attempts(run.id), [attempt]);
    assert.deepEqual(await store.read.runs.steps(run.id), [step]);
    assert.deepEqual(await store.read.runs.get(run.id), waiting);
    assert.equal((await store.read.events.bounds()).last, last);
  });
});

test("when the thread dies, what is promised is put into its tables without it, and the next one goes on", async () => {
  const path = newPath();
  const told: string[] = [];
  const log = { ...quiet.log, error: (event: string): void => void told.push(event) };
  const thread = new URL("./dying-thread.ts", import.meta.url);
  const store = await openStore(`sqlite:${path}`, {
    clock: quiet.clock,
    log,
    openLogbook: (file) => openLogbook(file, { clock: quiet.clock, log, busyFrom: 0, thread }),
  });
  const run = going();
  await enterSoon(logbookOf(store), startEntry(run));
  for (const [index, stepId] of ["a", "b", "c"].entries()) {
    await enterSoon(logbookOf(store), stepsEntry(run, [stepId]));
    assert.equal((await store.read.runs.steps(run.id)).length, index + 1);
    const seen = await store.transact((tx) => tx.runs.steps(run.id));
    assert.equal(seen.length, index + 1);
  }
  assert.ok(told.length >= 3, "a dead thread is told in the log");
  await store.close();
  assert.deepEqual((await checkDatabase(`sqlite:${path}`)).problems, []);
});

test("while the database cannot be written, whoever must wait too long is told, and nothing is lost", async () => {
  await withStore(async (store, path) => {
    const run = going();
    await store.transact((tx) => tx.runs.putDocument(DIGEST, {}));
    await enter(store, startEntry(run));
    await store.read.runs.get(run.id);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const ids = Array.from({ length: 50 }, (_, index) => `s${String(index).padStart(2, "0")}`);
    await Promise.all(ids.map((id) => enter(store, stepsEntry(run, [id]))));
    // Longer than SQLite waits for a lock.
    await Promise.all([
      assert.rejects(stepIds(store, run), unavailable),
      assert.rejects(
        store.transact((tx) => tx.runs.steps(run.id)),
        unavailable,
      ),
    ]);
    assert.equal(await logbookOf(store).enter(stepsEntry(run, ["refused"])), false);
    await assert.rejects(store.read.events.after(0, 1), unavailable);
    assert.equal(await store.read.workflows.get("none"), null, "what is in no book is read");
    other.exec("ROLLBACK");
    other.close();
    await wakeLogbook(store);
    assert.deepEqual(await stepIds(store, run), ids);
    await store.transact(async (tx) => {
      assert.equal((await tx.runs.steps(run.id)).length, ids.length);
    });
  });
});
