import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Store } from "../../src/ports/store.ts";
import { createProvenance } from "../../src/provenance/provenance.ts";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { openStore } from "../../src/storage/open.ts";
import { LOCK_CLASS } from "../../src/storage/postgres/sql.ts";
import { DIGEST, quiet } from "./store.samples.ts";
import { testPostgres, withClient } from "../support/postgres.ts";

const server = await testPostgres();
after(() => server.stop());

const WRITER = fileURLToPath(new URL("../chaos/storage-writer.ts", import.meta.url));

const event = (subject: string) => ({
  type: "svc.run.queued",
  subject,
  traceparent: null,
  data: {},
  publicData: null,
  madeIn: null,
});

async function until(what: string, isTrue: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = Date.now() + 120_000; !(await isTrue());) {
    if (Date.now() > end) assert.fail(`not in time: ${what}`);
    await sleep(10);
  }
}

/** Follows the outbox as every consumer does: by sequence. */
function follow(store: Store): { readonly seen: string[]; stop(): Promise<void> } {
  const seen: string[] = [];
  let cursor = 0;
  const stopping = new AbortController();
  const reading = (async () => {
    while (!stopping.signal.aborted) {
      for (const one of await store.read.events.after(cursor, 500)) {
        assert.equal(one.sequence, cursor + 1, "events come in the order of their sequence, without a gap");
        cursor = one.sequence;
        seen.push(one.subject);
      }
      await sleep(5);
    }
  })();
  return {
    seen,
    async stop() {
      stopping.abort();
      await reading;
    },
  };
}

test("replicas that number events are killed one after another: none is skipped, repeated or out of order", async () => {
  const url = await server.createDatabase();
  const store = await openStore(url, quiet);
  const consumer = follow(store);
  const { seen } = consumer;
  const acknowledged: string[] = [];
  const write = (round: number): ChildProcess => {
    const child = spawn(process.execPath, [WRITER, url, String(round)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    createInterface({ input: child.stdout }).on("line", (name) => acknowledged.push(name));
    return child;
  };
  const children = [write(0), write(1)];
  for (let round = 2; round < 8; round++) {
    const before = acknowledged.length;
    await until("writers make progress", () => acknowledged.length > before + 20);
    const oldest = children.shift();
    oldest?.kill("SIGKILL");
    if (oldest !== undefined) await once(oldest, "close");
    children.push(write(round));
  }
  for (const child of children) {
    child.kill("SIGKILL");
    await once(child, "close");
  }
  const wanted = new Set(acknowledged);
  await until("every acknowledged event is numbered", () => {
    const shown = new Set(seen);
    return [...wanted].every((name) => shown.has(name));
  });
  await sleep(100);
  await consumer.stop();
  assert.equal(new Set(seen).size, seen.length, "an event was shown twice");
  assert.deepEqual((await checkDatabase(url)).problems, []);
  await store.close();
});

test("while the sequencing replica hangs, changes go on and say pending; when it is gone another one goes on", async () => {
  const url = await server.createDatabase();
  const store = await openStore(url, quiet);
  const log = createProvenance({ store, clock: quiet.clock });
  const fact = { kind: "artifact_version", digest: DIGEST, privacy: "public", predicate: {} } as const;
  const append = (subjectId: string): Promise<readonly string[]> =>
    store.transact(async (tx) => {
      await tx.events.append([event(subjectId)]);
      return log.append(tx, [{ ...fact, subjectId }]);
    });
  await append("first");
  await until("the first is numbered", async () => (await store.read.events.bounds()).last === 1);
  let late: readonly string[] = [];
  await withClient(url, async (frozen) => {
    // What a replica holds that was stopped in the middle of a batch.
    await frozen.query(`BEGIN; SELECT pg_advisory_xact_lock(${LOCK_CLASS}, 1)`);
    // Comes back although the lock is held.
    late = await append("late");
    await sleep(700);
    assert.deepEqual(
      (await store.read.events.after(0, 9)).map((one) => one.subject),
      ["first"],
    );
    const { items } = await log.lookup({ subjectId: "late" }, { limit: 5 }, true);
    assert.equal(items[0]?.leafIndex, null, "a record that is not in the log says so");
  });
  await until("another replica goes on", async () => (await store.read.events.bounds()).last === 2);
  await until("the record is in the log", async () => {
    const record = await store.read.provenance.get(late[0] ?? "");
    return record?.leafIndex === 1;
  });
  const record = await store.read.provenance.get(late[0] ?? "");
  assert.ok(record !== null);
  assert.equal((await log.verify(record)).verified, true);
  await store.close();
});

test("what a replica that died has committed is numbered by the next start, however short that runs", async () => {
  const url = await server.createDatabase();
  await (await openStore(url, quiet)).close();
  // A replica that was killed between its commit and the numbering leaves such a row.
  const orphan = `INSERT INTO events (id, type, subject, time, data) VALUES ('evt_left', 'svc.run.queued', 'left', '2026-01-01T00:00:00.000Z', '{}')`;
  await withClient(url, (client) => client.query(orphan));
  const store = await openStore(url, quiet);
  await store.close();
  const shown = await withClient(url, (client) => client.query("SELECT sequence FROM events"));
  assert.deepEqual(shown.rows, [{ sequence: "1" }]);
});

test("a proof does not wait for the sequencer: the record gets its place at once", async () => {
  const url = await server.createDatabase();
  const store = await openStore(url, quiet);
  const log = createProvenance({ store, clock: quiet.clock });
  for (let nth = 0; nth < 20; nth++) {
    const [id = ""] = await store.transact((tx) =>
      log.append(tx, [
        {
          kind: "rendered_form",
          subjectId: `form_${nth}`,
          digest: DIGEST,
          privacy: "internal",
          predicate: {},
        },
      ]),
    );
    const record = await store.read.provenance.get(id);
    assert.ok(record !== null);
    assert.equal((await log.verify(record)).verified, true);
  }
  await store.close();
  assert.deepEqual((await checkDatabase(url)).problems, []);
});

test("numbering reads what has no number yet, not the whole table", async () => {
  const url = await server.createDatabase();
  const append = async (count: number, each: number): Promise<void> => {
    const store = await openStore(url, quiet);
    const log = createProvenance({ store, clock: quiet.clock });
    for (let nth = 0; nth < count; nth++) {
      const rows = Array.from({ length: each }, (_, row) => `form_${nth}_${row}`);
      const { last } = await store.read.events.bounds();
      await store.transact(async (tx) => {
        await tx.events.append(rows.map(event));
        const fact = { kind: "rendered_form", digest: DIGEST, privacy: "internal", predicate: {} } as const;
        await log.append(
          tx,
          rows.map((subjectId) => ({ ...fact, subjectId })),
        );
      });
      await until("numbered", async () => (await store.read.events.bounds()).last === last + each);
    }
    // The server counts what a connection has read when it ends.
    await store.close();
  };
  const readInFull = async (): Promise<number> => {
    let rows = 0;
    await withClient(url, async (client) => {
      const { rows: found } = await client.query<{ total: string }>(
        "SELECT sum(seq_tup_read) AS total FROM pg_stat_user_tables WHERE relname IN ('events', 'provenance_records')",
      );
      rows = Number(found[0]?.total);
    });
    return rows;
  };
  await append(4, 1_000);
  const before = await readInFull();
  await append(15, 1);
  await sleep(200);
  const read = (await readInFull()) - before;
  assert.ok(read < 4_000, `${read} rows were read to number 30`);
});
