import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { SERVICE } from "../kernel/service.ts";
import { forPostgres, forSqlite, pendingMigrations } from "./migrations.ts";

const SQL = `CREATE TABLE t (
  state TEXT CHECK (state IN
    ('open', 'in-work')),
  done INTEGER CHECK (done IN (0, 1)),
  CHECK (state NOT IN ('in-work') OR done = 0)
);`;

test("SQLite compares a column with each value of a list, and refuses every other value", () => {
  const sql = forSqlite(SQL);
  assert.match(sql, /CHECK \(\(state = 'open' OR state = 'in-work'\)\)/);
  const db = new DatabaseSync(":memory:");
  db.exec(sql);
  const insert = db.prepare("INSERT INTO t VALUES (?, ?)");
  for (const state of ["open", "in-work", null]) insert.run(state, 0);
  for (const state of ["", "ope", "open' OR state = 'x", "OPEN"]) {
    assert.throws(() => insert.run(state, 0), /CHECK constraint/);
  }
  assert.throws(() => insert.run("open", 2), /CHECK constraint/);
  assert.throws(() => insert.run("in-work", 1), /CHECK constraint/);
});

test("PostgreSQL compares a column with one array", () => {
  const sql = forPostgres(SQL);
  assert.match(sql, /CHECK \(state = ANY \('\{open,in-work\}'\)\)/);
  assert.match(sql, /done IN \(0, 1\)/);
});

test("no list of the schema is left as it was written", () => {
  const [first] = pendingMigrations([]);
  assert.ok(first);
  const [sqlite, postgres] = [forSqlite(first.sql), forPostgres(first.sql)];
  assert.doesNotMatch(sqlite, /(?<! NOT) IN\s+\('/);
  assert.doesNotMatch(postgres, /(?<! NOT) IN\s+\('/);
});

/** What released builds have applied. A change of one of these is a change of what people have: write a new migration. */
const RELEASED: Readonly<Record<number, string>> = {
  14: "e00a4f473c69c78c17e1f2b50f6d50d4ddcbc487d6d0b79f81529d3172e8e50e",
};

test("a released migration never changes, on neither database", () => {
  for (const migration of pendingMigrations([])) {
    const known = RELEASED[migration.version];
    const digest = hash("sha256", forSqlite(migration.sql) + forPostgres(migration.sql), "hex");
    if (known !== undefined)
      assert.equal(digest, known, `the SQL of migration ${migration.version} was changed`);
  }
});

test("builds that differ in schema differ in version", () => {
  for (const { version, since } of pendingMigrations([])) {
    if (version in RELEASED)
      assert.notEqual(since, SERVICE.build, `${since} was released with schema ${version}`);
    else assert.equal(since, SERVICE.build, `schema ${version} comes with the version in package.json`);
  }
});
