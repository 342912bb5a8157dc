import { DatabaseSync } from "node:sqlite";
import { keepGoing, order, STEPS } from "../contest.ts";

/*
 * The limit: nothing but the two statements a durable step cannot do without, prepared, one commit a step. With more
 * than one run at a time, the same with the steps of all runs in one commit.
 */
const wanted = order();
const db = new DatabaseSync(wanted.database);
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE runs (id TEXT PRIMARY KEY, state TEXT NOT NULL, step INTEGER NOT NULL);
  CREATE TABLE steps (run_id TEXT NOT NULL, step_id TEXT NOT NULL, output TEXT NOT NULL, PRIMARY KEY (run_id, step_id))`);
const begin = db.prepare("BEGIN IMMEDIATE");
const commit = db.prepare("COMMIT");
const insertRun = db.prepare("INSERT INTO runs VALUES (?, 'running', 0)");
const updateRun = db.prepare("UPDATE runs SET state = ?, step = ? WHERE id = ?");
const insertStep = db.prepare("INSERT INTO steps VALUES (?, ?, ?)");

let group: { work: () => void; resolve: () => void }[] = [];
function durable(work: () => void): Promise<void> {
  return new Promise((resolve) => {
    group.push({ work, resolve });
    if (group.length > 1) return;
    setImmediate(() => {
      const members = group;
      group = [];
      begin.run();
      for (const member of members) member.work();
      commit.run();
      for (const member of members) member.resolve();
    });
  });
}

const name = wanted.concurrency === 1 ? "limit: one commit a step" : "limit: group commit";
await keepGoing(name, wanted, async (index) => {
  const id = `run_${index}`;
  for (let step = 0; step < STEPS; step++) {
    const output = JSON.stringify({ ok: true, data: { n: step } });
    const write = (): void => {
      if (step === 0) insertRun.run(id);
      insertStep.run(id, `s${step}`, output);
      updateRun.run(step === STEPS - 1 ? "succeeded" : "running", step, id);
    };
    if (wanted.concurrency === 1) {
      begin.run();
      write();
      commit.run();
    } else {
      await durable(write);
    }
  }
});
