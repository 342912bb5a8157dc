import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { testPostgres, type TestPostgres } from "../support/postgres.ts";
import { startCliWorld, type CliWorld } from "./support.ts";

let world: CliWorld;
let postgres: TestPostgres;
before(async () => {
  postgres = await testPostgres();
  world = await startCliWorld();
});
after(async () => {
  await world.close();
  await postgres.stop();
});

describe("db on PostgreSQL", () => {
  test("migrates, keeps keys, checks, backs up, and its backup fits into SQLite", async () => {
    const env = { DATABASE_URL: await postgres.createDatabase() };
    const applied = await world.run(["db", "migrate", "--json"], { env });
    assert.ok(JSON.parse(applied.stdout).data.applied > 0, applied.stderr);
    const made = await world.run(
      ["keys", "create", "Operator", "--scope", "admin", "--database", "--to", "pg.key"],
      { env },
    );
    assert.equal(made.status, 0, made.stderr);
    const status = await world.run(["db", "status"], { env });
    assert.match(status.stdout, /^kind\tpostgres$/m);
    assert.match(status.stdout, /^api_keys\t1$/m);
    assert.equal((await world.run(["db", "check"], { env })).status, 0);
    assert.equal((await world.run(["db", "backup", "pg.jsonl"], { env })).status, 0);
    const sqlite = { DATABASE_URL: `sqlite:${join(world.folder, "work", "from-postgres.db")}` };
    const restored = await world.run(["db", "restore", "pg.jsonl"], { env: sqlite });
    assert.equal(restored.status, 0, restored.stderr);
    const listed = await world.run(["keys", "list", "--database"], { env: sqlite });
    assert.match(listed.stdout, /\tOperator\tadmin\t/);
    const again = await world.run(["db", "restore", "pg.jsonl"], { env });
    assert.equal(again.status, 5, "a database with content is left alone");
  });

  test("a server that is not there is an error without the password in it", async () => {
    const env = { DATABASE_URL: "postgres://user:pass-of-nobody@127.0.0.1:9/none" };
    const { status, stdout, stderr } = await world.run(["db", "status"], { env });
    assert.equal(status, 7, stderr);
    assert.ok(!`${stdout}${stderr}`.includes("pass-of-nobody"));
  });
});
