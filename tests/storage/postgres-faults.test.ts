import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { AppError } from "../../src/kernel/errors.ts";
import type { Store } from "../../src/ports/store.ts";
import { backupDatabase } from "../../src/storage/maintenance/backup.ts";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { openSession } from "../../src/storage/maintenance/session.ts";
import { openStore } from "../../src/storage/open.ts";
import { openPostgres } from "../../src/storage/postgres/store.ts";
import { quiet, sampleArtifact } from "./store.samples.ts";
import { startPostgres, withClient } from "../support/postgres.ts";
import { startService } from "../support/service.ts";

const server = await startPostgres({ fsync: true });
after(() => server.stop());

async function save(store: Store): Promise<string> {
  const artifact = sampleArtifact();
  await store.transact(async (tx) => {
    await tx.artifacts.insert(artifact);
    await tx.events.append([
      {
        type: "svc.artifact.saved",
        subject: artifact.id,
        traceparent: null,
        data: {},
        publicData: null,
        madeIn: null,
      },
    ]);
  });
  return artifact.id;
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === "storage_unavailable";
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** Does something while another process, of whatever build, is connected as all of them are. */
async function besideOlder(url: string, work: () => Promise<void>): Promise<void> {
  const older = new pg.Client({ connectionString: url, application_name: "workflow-ui events" });
  await older.connect();
  try {
    await work();
  } finally {
    await older.end();
  }
}

/** Writers at work while something goes wrong: what was acknowledged must be there, with its event. */
async function writeThrough(store: Store, url: string, trouble: () => Promise<void>): Promise<number> {
  const kept: string[] = [];
  let refused = 0;
  const stop = new AbortController();
  const writers = Array.from({ length: 8 }, async () => {
    while (!stop.signal.aborted) {
      try {
        kept.push(await save(store));
      } catch (error) {
        assert.ok(isUnavailable(error), String(error));
        refused += 1;
        await sleep(20);
      }
    }
  });
  await trouble();
  stop.abort();
  await Promise.all(writers);
  assert.ok(kept.length > 0);
  for (const id of kept) assert.notEqual(await store.read.artifacts.get(id), null, id);
  const announced = new Set<string>();
  for (let cursor = 0; ;) {
    const events = await store.read.events.after(cursor, 1_000);
    if (events.length === 0) break;
    for (const event of events) announced.add(event.subject);
    cursor = events.at(-1)?.sequence ?? cursor;
    assert.equal(cursor, announced.size, "no gap, none twice");
  }
  for (const id of kept) assert.ok(announced.has(id));
  assert.deepEqual((await checkDatabase(url)).problems, []);
  return refused;
}

/** Another way to the server, which can be frozen: connections stay open and nothing goes through. */
async function frozenLater(port: number): Promise<{ readonly port: number; freeze(): void; close(): void }> {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const way = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const socket of [near, far]) sockets.add(socket.on("error", () => near.destroy()));
    if (isFrozen) return;
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((done) => way.listen(0, "127.0.0.1", done));
  const address = way.address();
  assert.ok(address !== null && typeof address === "object");
  return {
    port: address.port,
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      way.close();
    },
  };
}

describe("PostgreSQL", () => {
  it("with several hosts is used where it takes writes, and elsewhere when that one freezes", async () => {
    const url = new URL(await server.createDatabase());
    const standby = await startPostgres({ settings: ["default_transaction_read_only=on"] });
    const first = await frozenLater(Number(url.port));
    const second = await frozenLater(Number(url.port));
    const ways = [first, second].map(({ port }) => `127.0.0.1:${port}`);
    const hosts = ["127.0.0.1:1", new URL(standby.url).host, ...ways].join(",");
    const several = `postgres://postgres@${hosts}${url.pathname}?target_session_attrs=read-write`;
    let store: Store | null = null;
    try {
      const writable = `${standby.url}?options=-c%20default_transaction_read_only%3Doff`;
      await query(writable, `CREATE DATABASE ${url.pathname.slice(1)}`);
      store = await openPostgres(several, quiet.clock, quiet.log);
      const id = await save(store);
      first.freeze();
      const began = performance.now();
      for (;;) {
        const saved = await save(store).catch((error: unknown) =>
          assert.ok(isUnavailable(error), String(error)),
        );
        if (typeof saved === "string") break;
        assert.ok(performance.now() - began < 20_000, "writes work again");
        await sleep(20);
      }
      assert.notEqual(await store.read.artifacts.get(id), null);
      assert.deepEqual((await checkDatabase(several)).problems, []);
    } finally {
      await store?.close();
      first.close();
      second.close();
      await standby.stop();
    }
  });

  it("with a standby acknowledges nothing that the standby lacks, when the two are cut off from each other", async () => {
    const primary = await startPostgres({ fsync: true });
    const url = new URL(await primary.createDatabase());
    const way = await frozenLater(Number(url.port));
    const signal = join(primary.data, "standby.signal");
    await primary.kill();
    writeFileSync(signal, "");
    const settings = [
      `primary_conninfo=user=postgres host=127.0.0.1 port=${way.port}`,
      "wal_retrieve_retry_interval=200ms",
    ];
    const standby = await startPostgres({ fsync: true, from: primary.data, settings });
    rmSync(signal);
    await primary.start();
    let store: Store | null = null;
    try {
      await query(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
      await query(primary.url, "SELECT pg_reload_conf()");
      const own = new URL(standby.url);
      own.pathname = url.pathname;
      const both = `postgres://postgres@${url.host},${own.host}${url.pathname}?target_session_attrs=read-write`;
      const opened = await openPostgres(both, quiet.clock, quiet.log);
      store = opened;
      await writeThrough(opened, own.href, async () => {
        await sleep(300);
        // Both servers are reached from here; what is committed on the primary goes no further.
        way.freeze();
        await sleep(300);
        // The commits under way are then done on the primary, and on the primary only.
        await primary.dropConnections(url.href);
        await sleep(700);
        await query(standby.url, "SELECT pg_promote()");
        for (const end = performance.now() + 30_000; ; await sleep(50)) {
          const saved = await save(opened).catch(() => null);
          if (saved !== null) break;
          assert.ok(performance.now() < end, "writes work again");
        }
        const { rows } = await withClient(url.href, (client) => client.query("SHOW transaction_read_only"));
        assert.equal(rows[0]?.transaction_read_only, "off", "the earlier primary still takes writes");
      });
    } finally {
      await store?.close();
      way.close();
      await standby.stop();
      await primary.stop();
    }
  });

  it("that drops its connections again and again loses nothing", async () => {
    const url = await server.createDatabase();
    const store = await openStore(url, quiet);
    await writeThrough(store, url, async () => {
      for (let round = 0; round < 10; round++) {
        await sleep(60);
        await server.dropConnections(url);
      }
      await sleep(100);
    });
    assert.equal((await store.status()).ready, true);
    const notified = new Promise((resolve) => store.onEvents(resolve));
    await save(store);
    await notified;
    await store.close();
  });

  it("that is killed and comes back loses nothing; until then the service answers 503 and lives", async () => {
    const url = await server.createDatabase();
    const service = await startService({ settings: { databaseUrl: url, role: "gateway" } });
    const { store } = service.app.services;
    try {
      const refused = await writeThrough(store, url, async () => {
        await sleep(200);
        await server.kill();
        await sleep(1_100);
        assert.equal((await service.fetch("/readyz")).status, 503);
        assert.equal((await service.fetch("/livez")).status, 200);
        const answer = await service.call(
          "save_artifact",
          { artifact: { title: "t", type: "note" } },
          { key: true },
        );
        assert.equal(answer.envelope.ok, false);
        assert.equal(answer.envelope.data.status, "degraded");
        await server.start();
        await sleep(1_500);
      });
      assert.ok(refused > 0);
      assert.equal((await service.fetch("/readyz")).status, 200);
    } finally {
      await service.close();
    }
  });

  it("that gives a lost transaction's number to another one does not pass for having stored the first", async () => {
    // What is not committed stays in memory, so a crash forgets the transaction and its number.
    const forgetful = await startPostgres({ fsync: true, settings: ["wal_writer_delay=10s"] });
    const url = await forgetful.createDatabase();
    const store = await openStore(url, quiet);
    await query(url, "CREATE TABLE others (id INTEGER)");
    await query(url, "CHECKPOINT");
    const artifact = sampleArtifact();
    let tries = 0;
    const saved = store.transact(async (tx) => {
      await tx.artifacts.insert(artifact);
      assert.notEqual(await tx.artifacts.get(artifact.id), null);
      if (++tries > 1) return;
      await forgetful.kill();
      await forgetful.start();
      for (let count = 0; count < 10; count++) await query(url, "INSERT INTO others VALUES (1)");
    });
    try {
      const acknowledged = await saved.then(
        () => true,
        (error: unknown) => {
          assert.ok(isUnavailable(error), String(error));
          return false;
        },
      );
      if (acknowledged) assert.notEqual(await store.read.artifacts.get(artifact.id), null);
    } finally {
      await store.close();
      await forgetful.stop();
    }
  });

  it("that is not there at the start is waited for, and then refused in one line", async () => {
    await assert.rejects(
      openPostgres("postgres://nobody@127.0.0.1:1/none", quiet.clock, quiet.log, 300),
      isUnavailable,
    );
    await server.kill();
    const url = await (async () => {
      await server.start();
      return server.createDatabase();
    })();
    await server.kill();
    const opening = openStore(url, quiet);
    await sleep(300);
    await server.start();
    const store = await opening;
    assert.equal((await store.status()).ready, true);
    await store.close();
  });

  it("that refuses the login or the database is not waited for", async () => {
    const url = new URL(await server.createDatabase());
    url.pathname = "/no_such_database";
    const began = performance.now();
    await assert.rejects(openStore(url.href, quiet), /does not exist/);
    url.username = "no_such_user";
    await assert.rejects(openStore(url.href, quiet), isUnavailable);
    assert.ok(performance.now() - began < 10_000);
  });

  it("is migrated once by replicas that start together", async () => {
    const url = await server.createDatabase();
    const stores = await Promise.all(Array.from({ length: 5 }, () => openStore(url, quiet)));
    for (const store of stores) await save(store);
    for (const store of stores) await store.close();
  });

  it("with a newer schema, or tables that only look like ours, is refused and left as it is", async () => {
    const newer = await server.createDatabase();
    await (await openStore(newer, quiet)).close();
    await query(newer, "INSERT INTO schema_migrations VALUES (999, 'later', '')");
    await assert.rejects(openStore(newer, quiet), /schema 999/);
    await query(newer, "UPDATE schema_migrations SET compatible = 1 WHERE version = 999");
    await (await openStore(newer, quiet)).close();
    await assert.rejects(backupDatabase(newer, join(tmpdir(), `${randomUUID()}.rows`)), /schema 999/);
    const foreign = await server.createDatabase();
    await query(foreign, "CREATE TABLE events (id INTEGER)");
    await assert.rejects(openStore(foreign, quiet), /no schema version/);
    await query(foreign, "SELECT id FROM events");
  });

  it("is not migrated under the processes of an older build, unless they can go on", async () => {
    for (const from of [14, 26]) {
      const url = await server.createDatabase();
      const session = await openSession(url, "write");
      // After 26 come some that let older builds go on and one that does not: nothing is applied for half of the way.
      await session.migrate(quiet.clock, from);
      await besideOlder(url, async () => {
        await assert.rejects(openPostgres(url, quiet.clock, quiet.log, 500), /1 processes of an older build/);
      });
      assert.deepEqual(
        (await session.applied()).map(({ version }) => version),
        Array.from({ length: from - 13 }, (_, index) => 14 + index),
      );
      await session.close();
      await (await openStore(url, quiet)).close();
      await query(url, "DELETE FROM schema_migrations WHERE version = 27");
      await query(url, "ALTER TABLE schema_migrations DROP COLUMN compatible");
      await besideOlder(url, async () => (await openStore(url, quiet)).close());
    }
  });

  it("undoes a migration that fails half-way", async () => {
    const url = await server.createDatabase();
    await query(url, "CREATE TABLE templates (id INTEGER)");
    await assert.rejects(openStore(url, quiet));
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    await client.end();
    assert.deepEqual(rows, [{ tablename: "templates" }]);
  });

  it("lets a library write in our transaction", async () => {
    const url = await server.createDatabase();
    await query(url, "CREATE TABLE jobs (id TEXT)");
    const store = await openStore(url, quiet);
    const enqueue = (fail: boolean) =>
      store.transact(async (tx) => {
        await tx.artifacts.insert(sampleArtifact());
        const { rows } = (await tx.sql?.("INSERT INTO jobs (id) VALUES ($1) RETURNING id", ["job"])) ?? {
          rows: [],
        };
        assert.deepEqual(rows, [{ id: "job" }]);
        if (fail) throw new AppError("conflict", "undone");
      });
    await enqueue(false);
    await assert.rejects(enqueue(true));
    const count = await store.transact(
      async (tx) => (await tx.sql?.("SELECT count(*) AS n FROM jobs", []))?.rows[0]?.["n"],
    );
    assert.equal(count, 1);
    await store.close();
  });
});
