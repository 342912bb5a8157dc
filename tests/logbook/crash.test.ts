import assert from "node:assert/strict";
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { isObject } from "../../src/kernel/json.ts";
import { settleLogbook } from "../../src/logbook/logbook.ts";
import { createProvenance } from "../../src/provenance/provenance.ts";
import type { Store } from "../../src/ports/store.ts";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { openStore } from "../../src/storage/open.ts";
import { AT, quiet, sampleRun } from "../../src/storage/store.samples.ts";
import { endEntry, openBooked, startEntry, stepsEntry } from "../support/logbook.ts";

const folder = mkdtempSync(join(tmpdir(), "logbook-crash-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A process that keeps the book of a database. */
class Keeper {
  readonly #child: ChildProcess;
  readonly #answers = new Map<number, (entered: boolean) => void>();
  #next = 1;

  constructor(path: string) {
    const script = fileURLToPath(new URL("./crash-child.ts", import.meta.url));
    this.#child = fork(script, [path], {
      execPath: process.execPath,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
  }

  async ready(): Promise<this> {
    await once(this.#child, "message");
    this.#child.on("message", (message: unknown) => {
      if (isObject(message)) this.#answers.get(Number(message["id"]))?.(message["entered"] === true);
    });
    return this;
  }

  enter(entry: string): Promise<boolean> {
    const id = this.#next++;
    const answer = new Promise<boolean>((resolve) => this.#answers.set(id, resolve));
    this.#child.send({ id, entry });
    return answer;
  }

  async kill(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}

const stepsOf = async (store: Store, runId: string): Promise<readonly string[]> =>
  (await store.read.runs.steps(runId)).map(({ stepId }) => stepId);

test("a process killed right after it promised something loses nothing of it", async () => {
  const path = join(folder, "crash.db");
  const run = sampleRun({ state: "running", startedAt: AT });
  const expected: string[] = [];
  const ends: string[] = [];
  const rounds = 5;
  for (let round = 0; round < rounds; round++) {
    const keeper = await new Keeper(path).ready();
    if (round === 0) assert.equal(await keeper.enter(startEntry(run)), true);
    // Whoever holds this lock keeps the thread from its tables: what is promised is in the book only.
    const lock = new DatabaseSync(path, { timeout: 5_000 });
    lock.exec("BEGIN IMMEDIATE");
    const before = lock.prepare("SELECT count(*) AS pages FROM run_pages").get()?.["pages"];
    const promised = Array.from({ length: 1 + round * 15 }, async (_, index) => {
      const id = `${round}-${String(index).padStart(3, "0")}`;
      assert.equal(await keeper.enter(stepsEntry(run, [id])), true);
      expected.push(id);
    });
    const ended = sampleRun({ state: "running", startedAt: AT });
    await Promise.all(promised);
    assert.equal(await keeper.enter(startEntry(ended)), true);
    assert.equal(await keeper.enter(endEntry(ended)), true);
    ends.push(ended.id);
    await keeper.kill();
    assert.equal(lock.prepare("SELECT count(*) AS pages FROM run_pages").get()?.["pages"], before);
    lock.exec("ROLLBACK");
    lock.close();
    // Whoever comes next finds it: the service, an operator's command, or both.
    if (round % 2 === 1) await settleLogbook(path);
    const store = round % 2 === 1 ? await openStore(`sqlite:${path}`, quiet) : await openBooked(path);
    assert.deepEqual(await stepsOf(store, run.id), expected.toSorted());
    for (const id of ends) assert.equal((await store.read.runs.get(id))?.state, "succeeded");
    await store.close();
    assert.deepEqual((await checkDatabase(`sqlite:${path}`)).problems, []);
  }
  const store = await openStore(`sqlite:${path}`, quiet);
  const provenance = createProvenance({ store, clock: quiet.clock });
  const leaves = await store.read.provenance.find({ runId: run.id }, { limit: 500 });
  assert.equal(leaves.items.length, expected.length, "each step has one leaf");
  for (const leaf of [leaves.items[0], leaves.items.at(-1)]) {
    assert.ok(leaf !== undefined);
    assert.equal((await provenance.verify(leaf))["verified"], true);
  }
  const events = await store.read.events.after(0, 1_000);
  assert.equal(events.length, 1 + expected.length + 2 * rounds);
  await store.close();
});

test("a process killed at any moment has kept what it said, and half of nothing", async () => {
  const path = join(folder, "moments.db");
  const said = new Map<string, string[]>();
  for (let round = 0; round < 5; round++) {
    const keeper = await new Keeper(path).ready();
    const run = sampleRun({ state: "running", startedAt: AT });
    const promised: string[] = [];
    said.set(run.id, promised);
    assert.equal(await keeper.enter(startEntry(run)), true);
    const dead = new AbortController();
    const entering = (async () => {
      for (let index = 0; !dead.signal.aborted; index++) {
        const ids = [`${index}-a`, `${index}-b`];
        const entered = keeper.enter(stepsEntry(run, ids));
        const ended = new Promise((resolve) =>
          dead.signal.addEventListener("abort", resolve, { once: true }),
        );
        if ((await Promise.race([entered, ended])) === true) promised.push(...ids);
      }
    })();
    await new Promise((resolve) => setTimeout(resolve, 20 + round * 23));
    await keeper.kill();
    dead.abort();
    await entering;
    assert.ok(promised.length > 0);
  }
  const store = await openBooked(path);
  for (const [runId, promised] of said) {
    const kept = new Set(await stepsOf(store, runId));
    for (const id of promised) assert.ok(kept.has(id), `${id} was promised`);
    // One more may have been on its way, but only whole.
    assert.equal(kept.size % 2, 0);
    assert.ok(kept.size <= promised.length + 2);
  }
  await store.close();
  assert.deepEqual((await checkDatabase(`sqlite:${path}`)).problems, []);
});
