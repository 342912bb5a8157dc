import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { after, test } from "node:test";
import { stepFact } from "../../src/engine/journal.ts";
import { digestOf } from "../../src/kernel/canonical-json.ts";
import type { ProvenanceFact, StepFact } from "../../src/ports/provenance.ts";
import { createProvenance } from "../../src/provenance/provenance.ts";
import { forSqlite, MIGRATIONS_TABLE, pendingMigrations } from "../../src/storage/migrations.ts";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { openStore } from "../../src/storage/open.ts";
import { quiet, sampleRun, sampleStep } from "../../src/storage/store.samples.ts";

const folder = mkdtempSync(join(tmpdir(), "migration-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const facts: readonly (ProvenanceFact | StepFact)[] = Array.from({ length: 150 }, (_, i) =>
  i % 3 === 0
    ? {
        kind: "artifact_version",
        subjectId: `subject_${i}`,
        digest: digestOf(i),
        privacy: i % 2 === 0 ? "public" : "internal",
        predicate: { i },
      }
    : stepFact(sampleStep(`run_${i % 5}`, { stepId: `step_${i}` })),
);

/** A log as the first schema kept it: every field of every record in a column of its own. */
async function firstSchema(path: string): Promise<readonly string[]> {
  const source = await openStore(`sqlite:${join(folder, "source.db")}`, quiet);
  const ids = await source.transact((tx) =>
    createProvenance({ store: source, clock: quiet.clock }).append(tx, facts),
  );
  const db = new DatabaseSync(path);
  const insert = (table: string, row: Readonly<Record<string, SQLInputValue>>): void => {
    const names = Object.keys(row);
    db.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`).run(
      ...Object.values(row),
    );
  };
  db.exec(forSqlite(MIGRATIONS_TABLE));
  const [first] = pendingMigrations([]);
  assert.ok(first);
  db.exec(forSqlite(first.sql));
  insert("schema_migrations", { version: 1, name: first.name, applied_at: "" });
  for (const id of ids) {
    const one = await source.read.provenance.get(id);
    assert.ok(one);
    insert("provenance_records", {
      leaf_index: one.leafIndex,
      id: one.id,
      kind: one.kind,
      subject_id: one.subjectId,
      run_id: one.runId,
      digest: one.digest,
      lookup_key: one.lookupKey,
      privacy: one.privacy,
      body: one.body,
      leaf_hash: one.leafHash,
      envelope: one.envelope === null ? null : JSON.stringify(one.envelope),
      created_at: one.createdAt,
    });
  }
  db.exec("INSERT INTO provenance_nodes VALUES (1, 0, 'kept no longer')");
  await source.close();
  db.exec(`ATTACH '${join(folder, "source.db")}' AS source`);
  for (const table of ["provenance_nodes", "provenance_checkpoints", "signing_keys"]) {
    db.exec(`INSERT INTO main.${table} SELECT * FROM source.${table}`);
  }
  const { id, documentDigest } = sampleRun();
  insert("documents", { digest: documentDigest, document: "{}" });
  insert("runs", {
    id,
    document_digest: documentDigest,
    kind: "run",
    state: "queued",
    visibility: "private",
    inputs: "{}",
    trace_id: "t",
    span_id: "s",
    epoch: 0,
    started_by: "key_1",
    scopes: "[]",
    created_at: "2026-01-01T00:00:00.000Z",
  });
  db.close();
  return ids;
}

test("a database of the first schema opens with everything in it, still proves it, and grows on", async () => {
  const path = join(folder, "first.db");
  const ids = await firstSchema(path);
  const store = await openStore(`sqlite:${path}`, quiet);
  const log = createProvenance({ store, clock: quiet.clock });
  const more = await store.transact((tx) => log.append(tx, facts));
  assert.equal((await store.read.provenance.head()).size, 300);
  for (const id of [...ids, ...more]) {
    const record = await store.read.provenance.get(id);
    assert.ok(record, id);
    assert.equal((await log.verify(record)).verified, true, id);
  }
  const steps = await log.lookup({ runId: "run_2", kind: "step" }, { limit: 100 }, true);
  assert.equal(steps.items.length, 40);
  assert.deepEqual(
    steps.items.map((step) => step.leafIndex),
    steps.items.map((step) => step.leafIndex).toSorted((a, b) => b - a),
  );
  assert.equal((await store.read.runs.queued(10)).length, 1);
  await store.close();
  assert.deepEqual((await checkDatabase(`sqlite:${path}`)).problems, []);
});
