import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { AppError } from "../../kernel/errors.ts";
import type { StoreTx } from "../../ports/store.ts";
import { sampleArtifact, quiet } from "../../../tests/storage/store.samples.ts";
import type { SqliteConnection } from "./connection.ts";
import { GroupCommit } from "./group-commit.ts";
import { migrateSqlite } from "./migrate.ts";
import { openWriter } from "./store.ts";

describe("group commit", () => {
  let folder: string;
  let writer: SqliteConnection;
  let group: GroupCommit;
  let commits: number;
  let announced: number[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "workflow-ui-group-"));
    writer = openWriter(join(folder, "g.db"));
    migrateSqlite(writer, quiet.clock, () => undefined);
    announced = [];
    group = make();
    commits = 0;
    const prepare = writer.prepare.bind(writer);
    writer.prepare = (sql) => {
      if (sql === "COMMIT") commits += 1;
      return prepare(sql);
    };
  });

  afterEach(async () => {
    await group.close();
    writer.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const make = (): GroupCommit => new GroupCommit(writer, quiet.clock, (last) => announced.push(last));
  const insert = (content: string) => async (tx: StoreTx) => {
    const artifact = sampleArtifact({ content: { content } });
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
    return artifact.id;
  };
  const rows = (): unknown => writer.db.prepare("SELECT count(*) AS n FROM artifacts").get()?.["n"];

  it("writes what arrives together with one commit", async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, () => group.transact(insert("x"))));
    assert.equal(new Set(ids).size, 100);
    assert.equal(commits, 1);
    assert.deepEqual(announced, [100]);
    await group.transact(insert("y"));
    assert.equal(commits, 2);
  });

  it("confirms nothing before the commit", async () => {
    let confirmed = 0;
    const all = Array.from({ length: 10 }, () =>
      group.transact(async (tx) => {
        assert.equal(confirmed, 0);
        await insert("x")(tx);
      }),
    );
    await Promise.all(
      all.map(async (one) => {
        await one;
        confirmed += 1;
      }),
    );
    assert.equal(commits, 1);
  });

  it("answers storage_unavailable while the disk is full, loses nothing, and goes on when there is room", async () => {
    const kept = await group.transact(insert("x"));
    const pages = Number(writer.db.prepare("PRAGMA page_count").get()?.["page_count"]);
    writer.db.exec(`PRAGMA max_page_count = ${pages + 20}`);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) => group.transact(insert(String(index).repeat(20_000)))),
    );
    const refused = outcomes.filter((one) => one.status === "rejected");
    assert.ok(refused.length > 0);
    for (const { reason } of refused) {
      assert.ok(reason instanceof AppError);
      assert.equal(reason.code, "storage_unavailable");
    }
    const confirmed = outcomes.filter((one) => one.status === "fulfilled").length;
    assert.equal(rows(), 1 + confirmed);
    writer.db.exec("PRAGMA max_page_count = 1000000");
    const later = await group.transact(insert("there is room again"));
    const [row] = writer.db
      .prepare("SELECT count(*) AS n FROM artifacts WHERE id IN (?, ?)")
      .all(kept, later);
    assert.equal(row?.["n"], 2);
    assert.deepEqual(writer.db.prepare("PRAGMA integrity_check").all(), [
      { __proto__: null, integrity_check: "ok" },
    ]);
  });

  it("cuts off a transaction that waits for something else", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    group = make();
    const stuck = group.transact(async (tx) => {
      await insert("never kept")(tx);
      await new Promise(() => {});
    });
    const other = group.transact(insert("kept"));
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    t.mock.timers.tick(5_000);
    t.mock.timers.tick(5_000);
    await assert.rejects(stuck, (error) => error instanceof AppError && error.code === "timed_out");
    await other;
    assert.equal(rows(), 1);
  });
});
