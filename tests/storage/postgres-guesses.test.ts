import assert from "node:assert/strict";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { after, describe, it } from "node:test";
import pg from "pg";
import { stepFact } from "../../src/engine/journal.ts";
import type { StepFact } from "../../src/ports/provenance.ts";
import type { Store, StoreTx } from "../../src/ports/store.ts";
import { createProvenance } from "../../src/provenance/provenance.ts";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { openStore } from "../../src/storage/open.ts";
import { LOCK_CLASS, LOCKS } from "../../src/storage/postgres/sql.ts";
import { DIGEST, quiet, sampleRun, sampleStep } from "../../src/storage/store.samples.ts";
import { batchWriter, plainCheckpoint } from "../support/checkpoints.ts";
import { testPostgres } from "../support/postgres.ts";

/* Transactions that take for granted who owns a run and where the log ends: what happens when it is otherwise. */

after(async () => (await testPostgres()).stop());

const clock = { now: () => Date.now() };

function fact(runId: string, stepId: string): StepFact {
  return stepFact(sampleStep(runId, { stepId }));
}

async function leavesOf(store: Store, runId: string): Promise<number> {
  return (await store.read.provenance.find({ runId }, { limit: 100 })).items.length;
}

/** A store with some runs of its own. */
async function openWithRuns(url: string, count: number): Promise<[Store, readonly string[]]> {
  const store = await openStore(url, quiet);
  const runs = Array.from({ length: count }, () => sampleRun());
  await store.transact(async (tx) => {
    await tx.runs.putDocument(DIGEST, { nodes: [] });
    for (const run of runs) await tx.runs.insert(run);
  });
  return [store, runs.map(({ id }) => id)];
}

/** Stands between a store and its server, and can swallow the answer to a commit. */
class Wire {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #swallow = false;
  url = "";

  constructor(target: string) {
    const to = new URL(target);
    this.#server = createServer((client) => {
      const server = connect(Number(to.port), to.hostname);
      for (const socket of [client, server]) {
        this.#sockets.add(socket);
        socket.on("error", () => undefined).on("close", () => this.#sockets.delete(socket));
      }
      client.pipe(server);
      server.on("data", (data: Buffer) => {
        // A whole transaction is one statement, which gives one row.
        if (this.#swallow && data.includes("SELECT 1\0")) {
          this.#swallow = false;
          client.destroy();
          server.destroy();
        } else client.write(data);
      });
      server.on("close", () => client.destroy());
      client.on("close", () => server.destroy());
    });
  }

  async open(target: string): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const url = new URL(target);
    const address: AddressInfo | string | null = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    url.port = String(address.port);
    this.url = url.href;
    return this;
  }

  swallowNextCommit(): void {
    this.#swallow = true;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

describe("what a transaction takes for granted", () => {
  it("is noticed when a run has another owner: the others are written, that one is not", async () => {
    const url = await (await testPostgres()).createDatabase();
    const [store, ids] = await openWithRuns(url, 3);
    try {
      const mine = (await store.transact((tx) => tx.runs.claimAll(ids))).toSorted((a, b) =>
        a.id < b.id ? -1 : 1,
      );
      const [first, second, third] = mine;
      if (first === undefined || second === undefined || third === undefined) throw new Error("not claimed");
      await store.transact((tx) => tx.runs.claim(second.id, second.epoch));
      const held = await store.transact((tx) => tx.runs.hold(mine));
      assert.deepEqual(held.toSorted(), [first.id, third.id]);
      const running = mine.map((run) => ({ ...run, state: "running" as const }));
      const saved = await store.transact(async (tx) => {
        const ids = await tx.runs.saveAll(running);
        await tx.runs.putSteps(ids.map((id) => sampleStep(id)));
        return ids;
      });
      assert.deepEqual(saved.toSorted(), [first.id, third.id]);
      assert.equal((await store.read.runs.get(second.id))?.state, "queued");
      assert.equal((await store.read.runs.steps(second.id)).length, 0);
      assert.equal((await store.read.runs.steps(third.id)).length, 1);
    } finally {
      await store.close();
    }
  });

  it("is noticed when another replica wrote to the log: no leaf is lost, none is twice", async () => {
    const url = await (await testPostgres()).createDatabase();
    const [left, [runId = ""]] = await openWithRuns(url, 1);
    const right = await openStore(url, quiet);
    try {
      const write = async (store: Store, name: string, count: number): Promise<void> => {
        const log = createProvenance({ store, clock });
        for (let n = 0; n < count; n++) {
          await store.transact(async (tx) => {
            const data = { name, n };
            const event = { type: "svc.step.succeeded", subject: runId, traceparent: null, publicData: null };
            if (n % 2 === 0) await tx.events.append([{ ...event, data }]);
            await log.append(tx, [fact(runId, `${name}${n}`)]);
          });
        }
      };
      await Promise.all([write(left, "a", 12), write(left, "b", 12), write(right, "c", 12)]);
      assert.equal(await leavesOf(left, runId), 36);
      const log = createProvenance({ store: right, clock });
      const [last] = (await right.read.provenance.find({ runId }, { limit: 1 })).items;
      if (last === undefined) throw new Error("no leaf");
      assert.equal(last.leafIndex, 35);
      assert.deepEqual(await left.read.events.bounds(), { first: 1, last: 18 });
      assert.equal((await log.verify(last))["verified"], true);
      assert.deepEqual((await checkDatabase(url)).problems, []);
    } finally {
      await left.close();
      await right.close();
    }
  });

  it("does not include what is stored of a step: another process may have, and the newest counts", async () => {
    const url = await (await testPostgres()).createDatabase();
    const [store, ids] = await openWithRuns(url, 2);
    const other = await openStore(url, quiet);
    try {
      const [first, second] = await store.transact((tx) => tx.runs.claimAll(ids));
      if (first === undefined || second === undefined) throw new Error("not claimed");
      const waiting = sampleStep(first.id, { state: "waiting", port: null, output: null, finishedAt: null });
      await other.transact((tx) => tx.runs.putSteps([waiting]));
      const log = createProvenance({ store, clock });
      const done = [sampleStep(first.id), sampleStep(second.id)];
      await store.transact((tx) => log.append(tx, [fact(first.id, "before")]));
      const saved = await store.transact(async (tx) => {
        const held = await tx.runs.hold([first, second]);
        await tx.runs.putSteps(done);
        await log.append(tx, [fact(first.id, "fetch"), fact(second.id, "fetch")]);
        return held;
      });
      assert.deepEqual(saved, [first.id, second.id]);
      assert.deepEqual(await store.read.runs.steps(first.id), [done[0]]);
      assert.deepEqual(await store.read.runs.steps(second.id), [done[1]]);
      assert.deepEqual([await leavesOf(store, first.id), await leavesOf(store, second.id)], [2, 1]);
    } finally {
      await store.close();
      await other.close();
    }
  });

  it("is looked at again after the answer to a commit was lost: it happened once", async () => {
    const url = await (await testPostgres()).createDatabase();
    const [direct, [runId = ""]] = await openWithRuns(url, 1);
    const wire = await new Wire(url).open(url);
    const store = await openStore(wire.url, quiet);
    try {
      const log = createProvenance({ store, clock });
      const append = (stepId: string) => (tx: StoreTx) => log.append(tx, [fact(runId, stepId)]);
      await store.transact(append("first"));
      wire.swallowNextCommit();
      await store.transact(append("second"));
      assert.equal(await leavesOf(direct, runId), 2);
      await store.transact(append("third"));
      assert.equal(await leavesOf(direct, runId), 3);
    } finally {
      await store.close();
      await direct.close();
      wire.close();
    }
  });

  it("is looked at again when the answer to a batch of pages was lost: each page is there once", async () => {
    const url = await (await testPostgres()).createDatabase();
    const [direct, ids] = await openWithRuns(url, 4);
    const wire = await new Wire(url).open(url);
    const store = await openStore(wire.url, quiet);
    try {
      const runs = await store.transact((tx) => tx.runs.claimAll(ids));
      const writeAll = batchWriter(store);
      const write = (stepId: string): Promise<ReadonlySet<string>> =>
        writeAll(runs.map((run) => plainCheckpoint(run, false, [sampleStep(run.id, { stepId })])));
      await write("first");
      for (const stepId of ["second", "third"]) {
        wire.swallowNextCommit();
        assert.equal((await write(stepId)).size, 4);
      }
      assert.equal((await direct.read.provenance.head()).size, 12);
      assert.deepEqual(await direct.read.events.bounds(), { first: 1, last: 12 });
      for (const id of ids) assert.equal(await leavesOf(direct, id), 3);
      assert.deepEqual((await checkDatabase(url)).problems, []);
    } finally {
      await store.close();
      await direct.close();
      wire.close();
    }
  });

  it("is written anew when the connection broke before the commit", async () => {
    const postgres = await testPostgres();
    const url = await postgres.createDatabase();
    const [store, [runId = ""]] = await openWithRuns(url, 1);
    const other = new pg.Client({ connectionString: url });
    other.on("error", () => undefined);
    await other.connect();
    try {
      const log = createProvenance({ store, clock });
      await store.transact((tx) => log.append(tx, [fact(runId, "first")]));
      await other.query(`SELECT pg_advisory_lock(${LOCK_CLASS}, ${LOCKS.provenance})`);
      const waiting = store.transact((tx) => log.append(tx, [fact(runId, "second")]));
      const blocked = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
      while ((await other.query(blocked)).rowCount === 0) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await postgres.dropConnections(url);
      await waiting;
      assert.equal(await leavesOf(store, runId), 2);
    } finally {
      await store.close();
      await other.end().catch(() => undefined);
    }
  });
});
