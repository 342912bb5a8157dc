import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import type { Records } from "../ports/store.ts";
import { RecordSet } from "./records/record-set.ts";
import { SqliteConnection, SqliteSql } from "./sqlite/connection.ts";
import { SqliteStore } from "./sqlite/store.ts";
import { DIGEST, DOCUMENT, quiet, sampleRun } from "../../tests/storage/store.samples.ts";
import type { Row, SqlValue } from "./sql.ts";

/* Every list that an interface offers: each statement goes along an index in the order of the list. */

const folder = mkdtempSync(join(tmpdir(), "workflow-ui-lists-"));
const path = join(folder, "lists.db");
const store = new SqliteStore(path, quiet.clock, quiet.log);
await store.transact(async (tx) => {
  await tx.runs.putDocument(DIGEST, DOCUMENT);
  await tx.runs.insert(sampleRun({ inputs: { of: "the oldest" }, createdAt: "2020-01-01T00:00:00.000Z" }));
  await tx.runs.insert(...Array.from({ length: 300 }, () => sampleRun()));
});
await store.close();
const connection = new SqliteConnection(path, { readOnly: true, busyMs: 1_000 });
after(() => {
  connection.close();
  rmSync(folder, { recursive: true });
});

/** Keeps the plan of every statement. */
class Explaining extends SqliteSql {
  readonly plans: string[] = [];
  /** How many rows each gave. */
  readonly counts: number[] = [];

  override async all(sql: string, values: readonly SqlValue[]): Promise<readonly Row[]> {
    this.#explain(sql, values);
    const rows = await super.all(sql, values);
    this.counts.push(rows.length);
    return rows;
  }

  override get(sql: string, values: readonly SqlValue[]): Promise<Row | undefined> {
    this.#explain(sql, values);
    return super.get(sql, values);
  }

  #explain(sql: string, values: readonly SqlValue[]): void {
    const rows = connection.db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
    this.plans.push(rows.map((row) => String(row["detail"])).join("; "));
  }
}

const page = { limit: 10 };
const mine = { visibleTo: "public", ownedBy: "person_1" } as const;
const LISTS: Readonly<Record<string, (read: Records) => Promise<unknown>>> = {
  "runs: all": ({ runs }) => runs.list(page),
  "runs: of a workflow": ({ runs }) => runs.list(page, { workflowId: "w" }),
  "runs: open": ({ runs }) => runs.list(page, { states: ["running", "waiting"] }),
  "runs: failed": ({ runs }) => runs.list(page, { states: ["failed"] }),
  "runs: succeeded": ({ runs }) => runs.list(page, { states: ["succeeded"] }),
  "runs: started by": ({ runs }) => runs.list(page, { startedBy: "person_1" }),
  "runs: public": ({ runs }) => runs.list(page, { visibleTo: "public" }),
  "runs: mine": ({ runs }) => runs.list(page, mine),
  "runs: mine, everything": ({ runs }) =>
    runs.list(page, {
      ...mine,
      workflowId: "w",
      states: ["failed", "queued"],
      from: "2026",
      to: "2027",
      text: "x",
    }),
  "runs: past a limit": ({ retention }) =>
    retention.count({ workflowId: "w", stage: "details", endedBefore: "2026", upTo: null }, 10),
  "runs: past a number": ({ retention }) =>
    retention.count(
      { workflowId: null, stage: "run", endedBefore: null, upTo: { createdAt: "2026", id: "r" } },
      10,
    ),
  workflows: ({ workflows }) => workflows.list(page),
  "workflows: mine": ({ workflows }) => workflows.list(page, { ...mine, status: "draft" }),
  "versions of a workflow": ({ workflows }) => workflows.versions("w", page),
  artifacts: ({ artifacts }) => artifacts.list(page, { includeDeleted: true }),
  "artifacts: mine": ({ artifacts }) => artifacts.list(page, mine),
  "versions of an artifact": ({ artifacts }) => artifacts.versions("a", page),
  approvals: ({ approvals }) => approvals.list(page),
  "approvals: pending": ({ approvals }) => approvals.list(page, { state: "pending", assigned: ["*"] }),
  "approvals: approved": ({ approvals }) => approvals.list(page, { state: "approved" }),
  handoffs: ({ handoffs }) => handoffs.list(page, { direction: "in" }),
  "handoffs: mine": ({ handoffs }) => handoffs.list(page, { ownedBy: "person_1", state: "sending" }),
  "handoffs: by state": ({ handoffs }) => handoffs.list(page, { state: "sending" }),
  audit: ({ audit }) => audit.list(page, { from: "2026", to: "2027" }),
  "audit: by a kind": ({ audit }) => audit.list(page, { action: "person.*" }),
  "audit: by everything": ({ audit }) => audit.list(page, { actor: "a", action: "b", subject: "c" }),
  "records of the log": ({ provenance }) => provenance.find({}, page),
  "records: of a kind": ({ provenance }) => provenance.find({ kind: "run" }, page),
  "records: of a subject": ({ provenance }) => provenance.find({ subjectId: "s", kind: "run" }, page),
  "records: of a run": ({ provenance }) => provenance.find({ runId: "r" }, page),
  "records: by digest": ({ provenance }) => provenance.find({ lookupKey: "k" }, page),
  "calls: mine": ({ connections }) => connections.calls({ by: "person_1" }, page),
  "calls: of a connection": ({ connections }) => connections.calls({ connection: "c" }, page),
  "calls: of a definition": ({ connections }) =>
    connections.calls({ connection: "c", definition: "d" }, page),
  connections: ({ connections }) => connections.list(page),
  deliveries: ({ webhooks }) => webhooks.deliveries("w", page),
  "deliveries: dead": ({ webhooks }) => webhooks.deliveries("w", page, "dead"),
  "deliveries: pending": ({ webhooks }) => webhooks.deliveries("w", page, "pending"),
  triggers: ({ triggers }) => triggers.list(page, { kind: "schedule" }),
  "firings of a trigger": ({ triggers }) => triggers.firings("t", page),
  webhooks: ({ webhooks }) => webhooks.list(page),
  people: ({ people }) => people.list(page),
  keys: ({ keys }) => keys.list(page),
  groups: ({ groups }) => groups.list(page),
  templates: ({ templates }) => templates.list(page),
  forms: ({ forms }) => forms.list(page),
  credentials: ({ credentials }) => credentials.list(page),
};

for (const [name, list] of Object.entries(LISTS)) {
  it(`${name}: along an index`, async () => {
    const sql = new Explaining(connection, quiet.clock);
    await list(new RecordSet(sql, quiet.clock));
    assert.ok(sql.plans.length > 0);
    for (const plan of sql.plans) {
      assert.doesNotMatch(plan, /TEMP B-TREE FOR ORDER BY/, plan);
      assert.doesNotMatch(plan, /SCAN (?!\w+ USING)/, plan);
    }
  });
}

it("a page is read in pieces that begin small, so that rows that come from a slow disk hold nobody up", async () => {
  for (const filter of [{}, { from: "2026" }, { states: ["queued"], startedBy: "key_x" }] as const) {
    const sql = new Explaining(connection, quiet.clock);
    const ids: string[] = [];
    let cursor: string | null = null;
    // On a busy machine a page ends before it is full, and the cursor goes on.
    do {
      const request = { limit: 200 - ids.length, ...(cursor !== null && { cursor }) };
      const read = await new RecordSet(sql, quiet.clock).runs.list(request, filter);
      ids.push(...read.items.map(({ id }) => id));
      cursor = read.nextCursor;
    } while (ids.length < 200 && cursor !== null);
    assert.equal(new Set(ids).size, 200);
    assert.ok((sql.counts[0] ?? 0) <= 4, String(sql.counts));
    assert.ok(sql.counts.length > 2, String(sql.counts));
  }
});

it("a filter looks through 500 rows at least, however busy the machine is", async () => {
  class Busy extends SqliteSql {
    override all(sql: string, values: readonly SqlValue[]): Promise<readonly Row[]> {
      const until = performance.now() + 6;
      while (performance.now() < until);
      return super.all(sql, values);
    }
  }
  const { runs } = new RecordSet(new Busy(connection, quiet.clock), quiet.clock);
  const { items, nextCursor } = await runs.list({ limit: 10 }, { text: "the oldest" });
  assert.deepEqual([items.length, nextCursor], [1, null]);
});

it("rows with large documents are read a few at a time, others get their turn between", async () => {
  const large = join(folder, "large.db");
  const filled = new SqliteStore(large, quiet.clock, quiet.log);
  const inputs = { list: Array.from({ length: 20_000 }, (_, id) => ({ id, text: "x".repeat(60) })) };
  await filled.transact(async (tx) => {
    await tx.runs.putDocument(DIGEST, DOCUMENT);
    await tx.runs.insert(...Array.from({ length: 20 }, () => sampleRun({ inputs })));
  });
  let turns = 0;
  let isReading = true;
  const count = (): void => {
    turns += 1;
    if (isReading) setImmediate(count);
  };
  setImmediate(count);
  const { items } = await filled.read.runs.list({ limit: 20 });
  isReading = false;
  await filled.close();
  assert.equal(items.length, 20);
  // Each row takes milliseconds: at most a few are read in one turn.
  assert.ok(turns >= 8, `${turns} turns`);
});
