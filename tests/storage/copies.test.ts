import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { after, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { backupDatabase, restoreDatabase } from "../../src/storage/maintenance/backup.ts";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { openStore } from "../../src/storage/open.ts";
import { quiet } from "./store.samples.ts";
import { startPostgres, testPostgres, withClient } from "../support/postgres.ts";

/* Copies of a database that is written to, made with standard tools: each holds every write acknowledged before it. */

const folder = mkdtempSync(join(tmpdir(), "workflow-ui-copies-"));
const server = await testPostgres();
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.stop();
});

const WRITER = fileURLToPath(new URL("../chaos/storage-writer.ts", import.meta.url));
const HAS_SQLITE3 = spawnSync("sqlite3", ["--version"]).status === 0;
/** pg_dump refuses a server that is newer than it is, so it copies from the server that was installed with it. */
const PG_DUMP = / (\d+)\./.exec(spawnSync("pg_dump", ["--version"], { encoding: "utf8" }).stdout ?? "")?.[1];
const INSTALLED = `/usr/lib/postgresql/${PG_DUMP ?? "none"}/bin`;

/** Copies while a process writes; gives the names that were acknowledged before the copy began. */
async function copied(
  url: string,
  copy: (names: readonly string[]) => Promise<void> | void,
): Promise<readonly string[]> {
  const child = spawn(process.execPath, [WRITER, url, "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const names: string[] = [];
  createInterface({ input: child.stdout }).on("line", (name) => names.push(name));
  try {
    await until("the writer writes", () => names.length >= 100);
    const before = [...names];
    await copy(names);
    return before;
  } finally {
    const ended = once(child, "close");
    child.kill("SIGKILL");
    await ended;
  }
}

async function until(what: string, isTrue: () => boolean): Promise<void> {
  for (const end = Date.now() + 120_000; !isTrue();) {
    assert.ok(Date.now() < end, `not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function holds(url: string, names: readonly string[]): Promise<void> {
  assert.deepEqual((await checkDatabase(url)).problems, []);
  const store = await openStore(url, quiet);
  try {
    for (const name of names) {
      assert.ok((await store.read.idempotency.get("chaos", name)) !== null, `${name} is missing in the copy`);
    }
    await store.transact((tx) => tx.events.number(1_000_000));
    const { first, last } = await store.read.events.bounds();
    assert.ok(first === 1 && last >= names.length);
  } finally {
    await store.close();
  }
}

const WAYS: readonly (readonly [
  string,
  (from: string, to: string, t: TestContext) => Promise<void> | void,
])[] = [
  [
    "sqlite3 .backup",
    (from, to) => {
      const { status, stderr } = spawnSync("sqlite3", [from, `.timeout 10000`, `.backup ${to}`], {
        encoding: "utf8",
      });
      assert.equal(status, 0, stderr);
    },
  ],
  [
    "VACUUM INTO",
    (from, to) => {
      const db = new DatabaseSync(from, { readOnly: true, timeout: 10_000 });
      db.exec(`VACUUM INTO '${to}'`);
      db.close();
    },
  ],
  [
    "the file and then its write-ahead log, under a read transaction as Litestream does",
    (from, to) => {
      const db = new DatabaseSync(from, { timeout: 10_000 });
      db.exec("BEGIN; SELECT count(*) FROM events");
      copyFileSync(from, to);
      copyFileSync(`${from}-wal`, `${to}-wal`);
      db.exec("COMMIT");
      db.close();
    },
  ],
  [
    "suitectl db backup and restore",
    async (from, to) => {
      await backupDatabase(`sqlite:${from}`, `${to}.backup`);
      await restoreDatabase(`sqlite:${to}`, `${to}.backup`, quiet.clock);
    },
  ],
];

for (const [nth, [way, copy]] of WAYS.entries()) {
  test(`SQLite copied with ${way}`, async (t) => {
    if (way.startsWith("sqlite3") && !HAS_SQLITE3) return t.skip("the program sqlite3 is not installed");
    const [from, to] = [join(folder, `from-${nth}.db`), join(folder, `to-${nth}.db`)];
    const names = await copied(`sqlite:${from}`, () => copy(from, to, t));
    await holds(`sqlite:${to}`, names);
  });
}

test("PostgreSQL copied by rows into either store", async () => {
  const url = await server.createDatabase();
  const file = join(folder, "rows");
  const names = await copied(url, async () => void (await backupDatabase(url, file)));
  for (const target of [`sqlite:${join(folder, "rows.db")}`, await server.createDatabase()]) {
    await restoreDatabase(target, file, quiet.clock);
    await holds(target, names);
  }
});

test("PostgreSQL copied with pg_dump", async (t) => {
  if (!existsSync(`${INSTALLED}/postgres`))
    return t.skip("no pg_dump with a server of its version is installed");
  const installed = await startPostgres({ bin: INSTALLED });
  t.after(() => installed.stop());
  const url = await installed.createDatabase();
  let dump = "";
  const names = await copied(url, () => {
    const { status, stdout, stderr } = spawnSync("pg_dump", [url], { encoding: "utf8", maxBuffer: 1e9 });
    assert.equal(status, 0, stderr);
    dump = stdout;
  });
  const target = await installed.createDatabase();
  const { status, stderr } = spawnSync("psql", ["-q", "-v", "ON_ERROR_STOP=1", target], {
    input: dump,
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  await holds(target, names);
});

test("PostgreSQL restored to a point in time from a base backup and archived WAL", async (t) => {
  if (!server.owned) return t.skip("the archive of the server in TEST_DATABASE_URL is not ours to set up");
  const archive = mkdtempSync(join(tmpdir(), "workflow-ui-wal-"));
  chmodSync(archive, 0o777);
  t.after(() => rmSync(archive, { recursive: true, force: true }));
  const source = await startPostgres({
    settings: ["archive_mode=on", `archive_command=cp %p ${archive}/%f`],
  });
  t.after(() => source.stop());
  const url = await source.createDatabase();
  const base = join(folder, "base");
  let early: readonly string[] = [];
  let late: readonly string[] = [];
  await copied(url, (names) =>
    withClient(url, async (client) => {
      await client.query("SELECT pg_backup_start('base', true)");
      spawnSync("cp", ["-a", source.data, base]);
      const { rows } = await client.query<{ label: string }>(
        "SELECT labelfile AS label FROM pg_backup_stop(false)",
      );
      writeFileSync(join(base, "backup_label"), rows[0]?.label ?? "");
      const copiedSoFar = names.length;
      await until("writes after the base backup", () => names.length > copiedSoFar + 50);
      early = [...names];
      await client.query("SELECT pg_create_restore_point('the point')");
      const atPoint = names.length;
      await until("writes after the point", () => names.length > atPoint + 20);
      late = names.slice(atPoint + 10);
      const { rows: switched } = await client.query<{ file: string }>(
        "SELECT pg_walfile_name(pg_switch_wal()) AS file",
      );
      await until("the WAL is archived", () => existsSync(join(archive, switched[0]?.file ?? "")));
    }),
  );
  for (const name of ["postmaster.pid", "pg_wal"]) rmSync(join(base, name), { recursive: true, force: true });
  spawnSync("mkdir", ["-p", join(base, "pg_wal", "archive_status")]);
  appendFileSync(join(base, "recovery.signal"), "");
  const restored = await startPostgres({
    from: base,
    settings: [
      `restore_command=cp ${archive}/%f %p`,
      "recovery_target_name=the point",
      "recovery_target_action=promote",
    ],
  });
  t.after(() => restored.stop());
  const copy = new URL(restored.url);
  copy.pathname = new URL(url).pathname;
  await holds(copy.href, early);
  const store = await openStore(copy.href, quiet);
  for (const name of late) {
    assert.equal(await store.read.idempotency.get("chaos", name), null, `${name} came after the point`);
  }
  await store.close();
});
