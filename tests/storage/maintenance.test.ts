import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { AppError } from "../../src/kernel/errors.ts";
import type { Store } from "../../src/ports/store.ts";
import { backupDatabase, restoreDatabase } from "../../src/storage/maintenance/backup.ts";
import { checkDatabase, databaseStatus, migrateDatabase } from "../../src/storage/maintenance/check.ts";
import { startBackups } from "../../src/storage/maintenance/schedule.ts";
import { pendingMigrations } from "../../src/storage/migrations.ts";
import { openStore } from "../../src/storage/open.ts";
import { DIGEST, quiet, sampleArtifact, sampleRun, sampleStep, sampleWorkflow } from "./store.samples.ts";
import { testPostgres } from "../support/postgres.ts";

const server = await testPostgres();
const folder = mkdtempSync(join(tmpdir(), "workflow-ui-maintenance-"));
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

let counter = 0;
const newFile = (): string => join(folder, `${++counter}.db`);
const newSqlite = (): string => `sqlite:${newFile()}`;

/** Content with what is hard to copy. */
const NASTY = { nul: "\u0000", half: "\ud800", big: 1e308, quote: "'\"\\\n", emoji: "\u{1f600}" };

async function fill(store: Store): Promise<void> {
  const run = sampleRun();
  const child = sampleRun({ parentRunId: run.id, createdAt: "2026-01-02T03:04:06.000Z" });
  await store.transact(async (tx) => {
    await tx.workflows.insert(sampleWorkflow());
    await tx.runs.putDocument(DIGEST, { nodes: [] });
    await tx.runs.insert(run);
    await tx.runs.insert(child);
    await tx.runs.putSteps([sampleStep(run.id)]);
    await tx.artifacts.insert(sampleArtifact({ content: NASTY }));
    await tx.events.append([
      {
        type: "svc.run.queued",
        subject: run.id,
        traceparent: null,
        data: NASTY,
        publicData: null,
        madeIn: null,
      },
      {
        type: "svc.run.queued",
        subject: child.id,
        traceparent: null,
        data: {},
        publicData: {},
        madeIn: null,
      },
    ]);
  });
}

/** Everything a caller could see, so that two stores can be compared. */
async function contents(store: Store): Promise<unknown> {
  const page = { limit: 100 };
  const runs = (await store.read.runs.list(page)).items;
  return {
    workflows: (await store.read.workflows.list(page)).items,
    runs,
    steps: await Promise.all(runs.map((run) => store.read.runs.steps(run.id))),
    artifacts: (await store.read.artifacts.list(page)).items,
    events: await store.read.events.after(0, 100),
  };
}

const isAppError = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

describe("maintenance", () => {
  const urls: Record<"sqlite" | "postgres", string> = { sqlite: "", postgres: "" };
  before(async () => {
    urls.sqlite = newSqlite();
    urls.postgres = await server.createDatabase();
    for (const url of Object.values(urls)) {
      assert.equal(await migrateDatabase(url, quiet.clock), pendingMigrations([]).length);
      assert.equal(await migrateDatabase(url, quiet.clock), 0);
      const store = await openStore(url, quiet);
      await fill(store);
      await store.transact((tx) => tx.events.number(10));
      await store.close();
    }
  });

  for (const kind of ["sqlite", "postgres"] as const) {
    it(`tells how a ${kind} database stands`, async () => {
      const status = await databaseStatus(urls[kind]);
      assert.equal(status.kind, kind);
      assert.equal(status.schemaVersion, status.knownVersion);
      assert.deepEqual(status.pending, []);
      assert.equal(status.counts["runs"], 2);
      const report = await checkDatabase(urls[kind]);
      assert.equal(report.ok, true);
      assert.ok(report.checked.length >= 7);
    });

    for (const target of ["sqlite", "postgres"] as const) {
      it(`copies ${kind} to ${target} row by row, in use or not`, async () => {
        const store = await openStore(urls[kind], quiet);
        const file = newFile();
        const report = await backupDatabase(urls[kind], file, "rows");
        assert.equal(report.form, "rows");
        assert.equal(statSync(file).mode & 0o777, 0o600);
        const url = target === "sqlite" ? newSqlite() : await server.createDatabase();
        assert.equal((await restoreDatabase(url, file, quiet.clock)).rows, report.rows);
        const copy = await openStore(url, quiet);
        assert.deepEqual(await contents(copy), await contents(store));
        await copy.transact((tx) =>
          tx.events.append([
            {
              type: "svc.run.failed",
              subject: "x",
              traceparent: null,
              data: {},
              publicData: null,
              madeIn: null,
            },
          ]),
        );
        await copy.transact((tx) => tx.events.number(10));
        assert.equal((await copy.read.events.bounds()).last, 3);
        await assert.rejects(restoreDatabase(url, file, quiet.clock), isAppError("conflict"));
        await copy.close();
        await store.close();
      });
    }
  }

  it("backs a SQLite database up while it is written to", async () => {
    const url = newSqlite();
    const store = await openStore(url, quiet);
    await fill(store);
    const stop = new AbortController();
    const writing = (async () => {
      while (!stop.signal.aborted) {
        await store.transact((tx) =>
          tx.artifacts.insert(sampleArtifact({ content: { text: "x".repeat(5_000) } })),
        );
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    // Larger than what is copied in one turn.
    await store.transact((tx) =>
      tx.artifacts.insert(sampleArtifact({ content: { text: "x".repeat(15_000_000) } })),
    );
    const file = newFile();
    const shares: number[] = [];
    const modes = new Set<number>();
    const report = await backupDatabase(url, file, "native", (share) => {
      // Keys are in it, from the first byte on.
      modes.add(statSync(`${file}.partial`).mode & 0o777);
      shares.push(share);
      if (shares.length > 50) stop.abort();
    }).finally(() => stop.abort());
    await writing;
    assert.deepEqual([...modes], [0o600]);
    assert.equal(report.form, "sqlite file");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.ok(shares.length > 1, "it was copied in one turn");
    assert.deepEqual(
      shares,
      shares.toSorted((a, b) => a - b),
      "it began again",
    );
    await store.close();
    await assert.rejects(backupDatabase(url, file), isAppError("conflict"));
    const restored = newSqlite();
    await restoreDatabase(restored, file, quiet.clock);
    assert.deepEqual((await checkDatabase(restored)).problems, []);
    await assert.rejects(restoreDatabase(restored, file, quiet.clock), isAppError("conflict"));
    await assert.rejects(
      restoreDatabase(await server.createDatabase(), file, quiet.clock),
      isAppError("conflict"),
    );
  });

  it("restores nothing from a backup that is cut off or changed", async () => {
    const whole = newFile();
    await backupDatabase(urls.sqlite, whole, "rows");
    const text = readFileSync(whole, "utf8");
    const broken = [
      text.slice(0, -200),
      text.replace("A workflow", "B workflow"),
      text.split("\n").slice(1).join("\n"),
      "not a backup",
      "",
    ];
    for (const [index, content] of broken.entries()) {
      const file = newFile();
      writeFileSync(file, content);
      const url = newSqlite();
      await assert.rejects(
        restoreDatabase(url, file, quiet.clock),
        isAppError("invalid_input"),
        String(index),
      );
      await assert.rejects(databaseStatus(url), isAppError("not_found"));
    }
    await assert.rejects(
      restoreDatabase(newSqlite(), join(folder, "none"), quiet.clock),
      isAppError("not_found"),
    );
  });

  it("finds rows that were changed by hand", async () => {
    const url = newSqlite();
    const store = await openStore(url, quiet);
    await fill(store);
    await store.close();
    const db = new DatabaseSync(url.slice("sqlite:".length));
    db.exec(
      "PRAGMA foreign_keys = OFF; DELETE FROM documents; DELETE FROM artifact_versions; DELETE FROM events WHERE sequence = 1",
    );
    db.exec(
      "INSERT INTO events SELECT 9, id, type, subject, time, traceparent, data, public_data, made_in FROM events",
    );
    db.close();
    const { ok, problems } = await checkDatabase(url);
    assert.equal(ok, false);
    const text = problems.join("\n");
    for (const expected of ["documents", "artifacts have every version", "event sequences", "pinned to"]) {
      assert.ok(text.includes(expected), expected);
    }
  });

  it("says plainly that none is no database", async () => {
    await assert.rejects(databaseStatus("none"), isAppError("storage_unavailable"));
    await assert.rejects(databaseStatus("mysql://x"), isAppError("invalid_input"));
  });
});

describe("backups on a schedule", () => {
  it("are made when the newest is old enough, private and few; a failure shows and is repaired", async () => {
    const url = newSqlite();
    const store = await openStore(url, quiet);
    await fill(store);
    const copies = join(folder, "copies");
    let now = Date.parse("2026-01-01T00:00:00Z");
    const settings = { folder: copies, everyMs: 3_600_000, kept: 2 };
    const once = async (given = settings): Promise<{ lastAt: number | null; failed: boolean }> => {
      const backups = startBackups(url, given, { now: () => now }, quiet.log);
      await backups.close();
      return { lastAt: backups.lastAt, failed: backups.failed };
    };
    assert.deepEqual(await once(), { lastAt: now, failed: false });
    const first = now;
    now += 60_000;
    assert.deepEqual(await once(), { lastAt: first, failed: false });
    for (let hour = 0; hour < 2; hour++) {
      now += 3_600_000;
      await once();
    }
    assert.deepEqual(readdirSync(copies), [
      "workflow-ui-2026-01-01T01-01-00Z.db",
      "workflow-ui-2026-01-01T02-01-00Z.db",
    ]);
    const newest = join(copies, "workflow-ui-2026-01-01T02-01-00Z.db");
    assert.equal(statSync(newest).mode & 0o777, 0o600);
    assert.deepEqual((await checkDatabase(`sqlite:${newest}`)).problems, []);
    const blocked = join(folder, "blocked");
    writeFileSync(blocked, "");
    assert.equal((await once({ ...settings, folder: blocked })).failed, true);
    await store.close();
  });
});
