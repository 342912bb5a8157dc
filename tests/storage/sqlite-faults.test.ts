import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { sha256Hex } from "../../src/kernel/canonical-json.ts";
import { AppError } from "../../src/kernel/errors.ts";
import type { Store } from "../../src/ports/store.ts";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { pendingMigrations } from "../../src/storage/migrations.ts";
import { openStore } from "../../src/storage/open.ts";
import { quiet, sampleArtifact } from "./store.samples.ts";
import { startService, startServiceProcess } from "../support/service.ts";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "workflow-ui-faults-"));
  file = join(folder, "test.db");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (path = file): Promise<Store> => openStore(`sqlite:${path}`, quiet);

async function save(store: Store, size = 10): Promise<string> {
  const artifact = sampleArtifact({ content: { text: "x".repeat(size) } });
  await store.transact((tx) => tx.artifacts.insert(artifact));
  return artifact.id;
}

function unavailable(pattern: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, "storage_unavailable");
    assert.match(error.message, pattern);
    return true;
  };
}

/** A disk of two megabytes; false where this user may not make one. */
function mountSmallDisk(path: string): boolean {
  mkdirSync(path);
  return spawnSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", path]).status === 0;
}

describe("a full disk", () => {
  it("is answered with storage_unavailable and not ready, loses nothing, and passes by itself", async (t) => {
    const disk = join(folder, "disk");
    if (!mountSmallDisk(disk)) {
      // Without the right to mount, the same is shown one layer below, in group-commit.test.ts.
      t.skip("no right to mount a small disk");
      return;
    }
    const ballast = join(disk, "ballast");
    const database = join(disk, "test.db");
    const service = await startService({ settings: { databaseUrl: `sqlite:${database}` } });
    const { store } = service.app.services;
    try {
      const kept = [await save(store), await save(store)];
      fillUp(ballast);
      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => save(store, 20_000)));
      const refused = outcomes.filter((one) => one.status === "rejected");
      assert.ok(refused.length > 0);
      for (const { reason } of refused) unavailable(/disk/)(reason);
      for (const one of outcomes) if (one.status === "fulfilled") kept.push(one.value);
      // Whatever room small writes still find is used up.
      while (
        await save(store, 3_000).then(
          () => true,
          () => false,
        )
      );
      assert.equal((await store.status()).ready, false);
      assert.equal((await service.fetch("/readyz")).status, 503);
      const answer = await service.call(
        "save_artifact",
        { artifact: { title: "t", type: "note" } },
        { key: true },
      );
      assert.equal(answer.envelope.ok, false);
      assert.equal(answer.envelope.data.status, "degraded", answer.text);
      assert.equal((await service.fetch("/livez")).status, 200);
      for (const id of kept) assert.notEqual(await store.read.artifacts.get(id), null, "readable then");

      rmSync(ballast);
      for (const end = Date.now() + 120_000; (await service.fetch("/readyz")).status !== 200;) {
        assert.ok(Date.now() < end, "the service does not become ready again");
        await sleep(100);
      }
      kept.push(await save(store, 5_000));
      for (const id of kept) assert.notEqual(await store.read.artifacts.get(id), null);
      assert.deepEqual((await checkDatabase(`sqlite:${database}`)).problems, []);
    } finally {
      await service.close();
      spawnSync("umount", [disk]);
    }
  });
});

describe("a start", () => {
  const env = { LOG_LEVEL: "silent" };

  it("on a file that another process serves is refused with its pid, until that one is gone however it ended", async () => {
    const database = { ...env, DATABASE_URL: `sqlite:${file}` };
    const first = await startServiceProcess(database);
    const served = new RegExp(
      `ended with 1: workflow-ui: \\S+test\\.db is served by process ${first.child.pid} already\\.[^\\n]*\\n$`,
    );
    await assert.rejects(startServiceProcess(database), served);
    assert.equal((await first.fetch("/readyz")).status, 200);
    // The command line and a backup work beside it.
    await (await open()).close();
    assert.deepEqual((await checkDatabase(`sqlite:${file}`)).problems, []);
    await first.stop("SIGKILL");
    const second = await startServiceProcess(database);
    assert.equal(await second.stop(), 0);
    const one = await startService({ settings: { databaseUrl: `sqlite:${file}` } });
    const again = startService({ settings: { databaseUrl: `sqlite:${file}` } });
    await assert.rejects(again, unavailable(new RegExp(`served by process ${process.pid}`)));
    await one.close();
  });

  it("on a full disk gives one line and a service that reads, after a stop and after a crash", async (t) => {
    const disk = join(folder, "disk");
    if (!mountSmallDisk(disk)) {
      t.skip("no right to mount a small disk");
      return;
    }
    const ballast = join(disk, "ballast");
    const database = { ...env, DATABASE_URL: `sqlite:${join(disk, "test.db")}` };
    try {
      let running = await startServiceProcess(database);
      const artifact = { title: "Kept", type: "note", content: { text: "x" } };
      const { envelope } = await running.call("save_artifact", { artifact }, { key: true });
      const { id } = envelope.data.artifact;
      for (const signal of ["SIGTERM", "SIGKILL"] as const) {
        await running.stop(signal);
        fillUp(ballast);
        const full = await startServiceProcess(database);
        assert.equal((await full.fetch("/readyz")).status, 503, signal);
        const read = await full.call("get_artifact", { id }, { key: true });
        assert.equal(read.envelope?.data.artifact.title, "Kept", read.text);
        const written = await full.call("save_artifact", { artifact }, { key: true });
        assert.equal(written.envelope.ok, false);
        await full.stop("SIGKILL");
        rmSync(ballast);
        if (signal === "SIGTERM") running = await startServiceProcess(database);
      }
    } finally {
      spawnSync("umount", [disk]);
    }
  });

  it("in a folder that cannot be made fails at once, with one line", async () => {
    writeFileSync(file, "");
    for (const path of ["/proc/nothing/x.db", join(file, "below", "x.db")]) {
      await assert.rejects(
        startServiceProcess({ ...env, DATABASE_URL: `sqlite:${path}` }),
        /ended with 1: workflow-ui: The folder \S+ of the database cannot be made\.[^\n]*\n$/,
      );
    }
    const path = join(file, "x.db");
    await assert.rejects(
      startServiceProcess({ ...env, DATABASE_URL: `sqlite:${path}` }),
      ({ message }: Error) =>
        message ===
        `the service ended with 1: workflow-ui: The database file cannot be opened. The database is ${path}.\n`,
    );
  });
});

function fillUp(path: string): void {
  for (let size = 1 << 20; size >= 512; size >>= 1) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: "a" });
    } catch {
      // Smaller pieces may still fit.
    }
  }
}

describe("a file that cannot be used", () => {
  const refusals: readonly (readonly [string, (path: string) => void, RegExp])[] = [
    [
      "is no database",
      (path) => writeFileSync(path, "this is a letter to my aunt ".repeat(400)),
      /not a database/,
    ],
    ["is damaged in its head", (path) => damage(path, 100, 3_900), /damaged|not a database/],
    ["is of another program", (path) => foreign(path), /another program/],
    ["has a newer schema", (path) => ofVersion(path, 999), /schema 999/],
    [
      "was written by an unreleased build",
      (path) => ofVersion(path, 6),
      /older, unreleased build \(schema 6\)/,
    ],
  ];
  for (const [title, prepare, reason] of refusals) {
    it(`because it ${title} is refused and left as it is`, async () => {
      prepare(file);
      const before = sha256Hex(readFileSync(file));
      await assert.rejects(open(), unavailable(reason));
      assert.equal(sha256Hex(readFileSync(file)), before);
    });
  }

  it("because it may not be written is refused, or not ready, and left as it is", (t) => {
    // Root may write anything, so root asks as another user.
    const other = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    if (spawnSync("cat", [CHILD], other).status !== 0) {
      return t.skip("the project lies where the other user may not look");
    }
    writeFileSync(file, "");
    const first = spawnSync(process.execPath, [CHILD, file], { encoding: "utf8" });
    assert.match(first.stdout, /^ready true/);
    chmodSync(file, 0o444);
    chmodSync(folder, 0o555);
    const before = sha256Hex(readFileSync(file));
    const second = spawnSync(process.execPath, [CHILD, file], { ...other, encoding: "utf8" });
    chmodSync(folder, 0o755);
    assert.match(
      second.stdout,
      /^storage_unavailable: The database (cannot be written|file cannot be opened)/,
      second.stderr,
    );
    assert.equal(sha256Hex(readFileSync(file)), before);
  });

  it("because its pages are damaged is found by the check", async () => {
    const store = await open();
    for (let index = 0; index < 50; index++) await save(store, 3_000);
    await store.close();
    damage(file, 200_000, 40_000);
    const report = await checkDatabase(`sqlite:${file}`).catch((error: unknown) => error);
    if (report instanceof AppError) assert.equal(report.code, "storage_unavailable");
    else assert.ok(typeof report === "object" && report !== null && "ok" in report && report.ok === false);
  });
});

const CHILD = fileURLToPath(new URL("open-child.ts", import.meta.url));

function damage(path: string, at: number, length: number): void {
  if (!existsSync(path)) {
    const db = new DatabaseSync(path);
    db.exec("CREATE TABLE a (b); INSERT INTO a VALUES (1)");
    db.close();
  }
  const bytes = readFileSync(path);
  for (let index = at; index < Math.min(bytes.length, at + length); index++)
    bytes[index] = (index * 37) % 251;
  writeFileSync(path, bytes);
}

function foreign(path: string): void {
  const db = new DatabaseSync(path);
  db.exec("CREATE TABLE invoices (id INTEGER PRIMARY KEY, amount INTEGER)");
  db.close();
}

function ofVersion(path: string, version: number): void {
  const db = new DatabaseSync(path);
  db.exec(
    `CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT, applied_at TEXT); INSERT INTO schema_migrations VALUES (${version}, 'other', '')`,
  );
  db.close();
}

describe("migrations", () => {
  it("are applied once by processes that start together", async () => {
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, [CHILD, file], { stdio: ["ignore", "pipe", "inherit"] }),
    );
    const outputs = await Promise.all(
      children.map(async (child) => {
        let text = "";
        child.stdout.on("data", (data: Buffer) => {
          text += data.toString();
        });
        await once(child, "close");
        return text;
      }),
    );
    for (const text of outputs) assert.match(text, /^(?:schema \d+\n)*ready true/);
    const db = new DatabaseSync(file, { readOnly: true });
    assert.equal(
      db.prepare("SELECT count(*) AS n FROM schema_migrations").get()?.["n"],
      pendingMigrations([]).length,
    );
    db.close();
  });

  it("that were cut off half-way are done again from the start", async () => {
    const db = new DatabaseSync(file);
    db.exec("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; CREATE TABLE workflows (id TEXT)");
    db.close();
    const store = await open();
    assert.equal((await store.status()).ready, true);
    await store.close();
  });
});

it("a new database is for its owner only", async () => {
  const inside = join(folder, "new", "test.db");
  const store = await open(inside);
  await save(store);
  for (const path of [inside, `${inside}-wal`]) assert.equal(statSync(path).mode & 0o777, 0o600, path);
  assert.equal(statSync(join(folder, "new")).mode & 0o777, 0o700);
  await store.close();
});
