import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import fc from "fast-check";
import { stepFact } from "../../src/engine/journal.ts";
import { isObject } from "../../src/kernel/json.ts";
import { createProvenance } from "../../src/provenance/provenance.ts";
import type { ProvenanceRecord, RunRecord } from "../../src/ports/records.ts";
import type { Page, PageRequest, Store } from "../../src/ports/store.ts";
import { AT, quiet, sampleRun, sampleStep } from "../../src/storage/store.samples.ts";
import { endEntry, logbookOf, openBooked, startEntry, stepsEntry } from "../support/logbook.ts";

/* Leaves in rows and leaves in pages are one log. */

const folder = mkdtempSync(join(tmpdir(), "logbook-leaves-"));
const path = join(folder, "leaves.db");
const store: Store = await openBooked(path);
const provenance = createProvenance({ store, clock: quiet.clock });
after(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const enter = async (entry: string): Promise<void> => {
  assert.equal(await logbookOf(store).enter(entry), true);
};

let steps = 0;
const names = (count: number): readonly string[] => Array.from({ length: count }, () => `s${++steps}`);

/** Steps whose leaves are rows: a transaction wrote them. */
async function writeRows(run: RunRecord, count: number): Promise<void> {
  const ended = names(count).map((stepId) => sampleStep(run.id, { stepId }));
  await store.transact(async (tx) => {
    await tx.runs.putSteps(ended);
    await provenance.append(tx, ended.map(stepFact));
  });
}

type Find = (page: PageRequest) => Promise<Page<ProvenanceRecord>>;

async function collect(limit: number, find: Find): Promise<readonly ProvenanceRecord[]> {
  const items: ProvenanceRecord[] = [];
  for (let cursor: string | null = null; ;) {
    const page: Page<ProvenanceRecord> = await find({ limit, ...(cursor !== null && { cursor }) });
    assert.ok(page.items.length <= limit);
    items.push(...page.items);
    if (page.nextCursor === null) return items;
    assert.equal(page.items.length, limit, "a page with a successor is full");
    cursor = page.nextCursor;
  }
}

const action = fc.oneof(
  fc.record({ do: fc.constant("rows" as const), run: fc.nat(2), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant("pages" as const), run: fc.nat(2), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant("both" as const), run: fc.nat(2), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant("end" as const), run: fc.nat(2), count: fc.nat(2) }),
);

test("whatever is looked up, rows and pages are one log", async () => {
  const runs: RunRecord[] = [];
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 9 }),
      fc.nat(20),
      fc.nat(20),
      async (actions, limit, skip, width) => {
        for (const { do: what, run: index, count } of actions) {
          const run = runs[index] ?? sampleRun({ state: "running", startedAt: AT });
          if (runs[index] !== run) {
            runs[index] = run;
            await enter(startEntry(run));
          }
          if (what === "rows") await writeRows(run, count);
          if (what === "pages") await enter(stepsEntry(run, names(count)));
          // More runs in one fold: their leaves stand side by side, each run's together.
          if (what === "both") {
            const others = runs.filter(Boolean).map((other) => enter(stepsEntry(other, names(count))));
            await Promise.all([...others, enter(stepsEntry(run, names(1)))]);
          }
          if (what === "end") {
            await enter(
              endEntry(
                run,
                names(count).map((stepId) => sampleStep(run.id, { stepId })),
              ),
            );
            runs[index] = sampleRun({ state: "running", startedAt: AT });
            await enter(startEntry(runs[index]));
          }
        }
        const log = store.read.provenance;
        const { size, lastLeafHash } = await log.head();
        const all: ProvenanceRecord[] = [];
        for (let index = 0; index < size; index++) {
          const record = await log.atIndex(index);
          assert.equal(record?.leafIndex, index);
          all.push(record);
        }
        assert.equal(await log.atIndex(size), null);
        assert.equal(all.at(-1)?.leafHash ?? null, lastLeafHash);
        const newest = all.toReversed();
        const start = Math.min(skip, size);
        const end = Math.min(start + width, size);
        assert.deepEqual(
          await log.leafHashes(start, end),
          all.slice(start, end).map(({ leafHash }) => leafHash),
        );
        const recent = newest.slice(0, 40).at(-1)?.leafIndex ?? 0;
        assert.deepEqual(await collect(limit, (page) => log.find({}, page)), newest);
        const kinds = ["step", "run"] as const;
        for (const kind of kinds) {
          const ofKind = newest.filter((record) => record.kind === kind);
          assert.deepEqual(await collect(limit, (page) => log.find({ kind }, page)), ofKind);
        }
        for (const { id } of runs.filter(Boolean)) {
          const ofRun = newest.filter((record) => record.runId === id);
          assert.deepEqual(await collect(limit, (page) => log.find({ runId: id }, page)), ofRun);
          const ended = ofRun.filter(({ kind }) => kind === "step");
          assert.deepEqual(
            await collect(limit, (page) => log.find({ runId: id, kind: "step" }, page)),
            ended,
          );
        }
        for (const record of all.slice(recent)) assert.deepEqual(await log.get(record.id), record);
      },
    ),
    { numRuns: 12 },
  );
});

/** A run with steps of several changes in pages, and its end, so that a checkpoint covers them. */
async function endedRun(): Promise<{
  readonly run: RunRecord;
  readonly leaves: readonly ProvenanceRecord[];
}> {
  const run = sampleRun({ state: "running", startedAt: AT });
  await Promise.all([
    enter(startEntry(run)),
    enter(stepsEntry(run, ["one", "two"])),
    enter(stepsEntry(run, ["three"])),
    enter(endEntry(run)),
  ]);
  const { items } = await store.read.provenance.find({ runId: run.id, kind: "step" }, { limit: 10 });
  return { run, leaves: items };
}

async function verdictsOf(record: ProvenanceRecord): Promise<readonly string[]> {
  const { verdicts } = await provenance.verify(record);
  assert.ok(isObject(verdicts));
  return Object.values(verdicts).map((one) =>
    isObject(one) && typeof one["verdict"] === "string" ? one["verdict"] : "",
  );
}

const again = async (record: ProvenanceRecord): Promise<ProvenanceRecord> => {
  const found = await store.read.provenance.atIndex(record.leafIndex);
  assert.ok(found !== null);
  return found;
};

test("a leaf in a page is proved; whatever is changed in the page, a verdict fails and nothing throws", async () => {
  const { run, leaves } = await endedRun();
  assert.equal(leaves.length, 3);
  for (const leaf of leaves) {
    const verdicts = await verdictsOf(leaf);
    assert.ok(verdicts.includes("pass") && !verdicts.includes("fail"), verdicts.join());
    assert.equal((await provenance.prove(leaf.id))?.["schemaVersion"], "svc.provenance-proof.v1");
  }
  const db = new DatabaseSync(path, { timeout: 5_000 });
  const row = db.prepare("SELECT * FROM run_pages WHERE run_id = ? AND first_leaf IS NOT NULL").all(run.id);
  const text = (column: string): string => String(row[0]?.[column]);
  assert.equal(row.length, 1, "all changes were folded together");
  const [, middle] = leaves;
  assert.ok(middle !== undefined);
  const place = middle.leafIndex - Number(row[0]?.["first_leaf"]);
  const flipped = (value: string, at: number): string =>
    value.slice(0, at) + (value[at] === "0" ? "1" : "0") + value.slice(at + 1);
  const changed: [column: string, value: string | null][] = [
    ...Array.from({ length: 64 }, (_, at): [string, string] => [
      "digests",
      flipped(text("digests"), place * 64 + at),
    ]),
    ...Array.from({ length: 64 }, (_, at): [string, string] => [
      "hashes",
      flipped(text("hashes"), place * 64 + at),
    ]),
    ["hashes", flipped(text("hashes"), ((place + 1) % 3) * 64)],
    ["digests", text("digests").slice(0, 70)],
    ["hashes", text("hashes").slice(0, 70)],
    ["digests", null],
    ["hashes", null],
    ["leaf_stem", null],
    ["digest_form", null],
    ["digest_form", "sha256:"],
    ["at", "2020-01-01T00:00:00.000Z"],
    ["at", 'x"'],
    ["leaf_stem", flipped(text("leaf_stem"), 8)],
    ["leaf_stem", `${text("leaf_stem")}"`],
    ["changes", text("changes").replaceAll('"two"', '"owt"')],
    ["changes", text("changes").replaceAll('"two"', '"t\\"o"')],
    ["changes", text("changes").replaceAll('"two","succeeded",1', '"two","succeeded",2')],
    ["changes", text("changes").replaceAll('"two","succeeded"', '"two","failed"')],
    ["changes", text("changes").replaceAll('"two","succeeded"', '"two","running"')],
    ["changes", text("changes").replaceAll('"two","succeeded"', '"two","\\",{"')],
    ["changes", text("changes").replaceAll('"success"', '"other"')],
    ["changes", text("changes").replaceAll('"success"', "null")],
    ["changes", text("changes").slice(0, -3)],
    ["changes", "[[]]"],
    ["changes", "[[0,null,[[]]]]"],
    ["changes", "null"],
    ["changes", "[7]"],
  ];
  for (const [column, value] of changed) {
    const put = db.prepare(`UPDATE run_pages SET ${column} = ? WHERE run_id = ? AND first_leaf IS NOT NULL`);
    assert.notEqual(value, text(column), `${column} is changed`);
    put.run(value, run.id);
    const verdicts = await verdictsOf(await again(middle));
    assert.ok(verdicts.includes("fail"), `${column}: ${value}`);
    assert.equal((await store.read.provenance.find({ runId: run.id }, { limit: 10 })).items.length, 4);
    put.run(text(column), run.id);
  }
  db.close();
  assert.deepEqual(await again(middle), middle);
  assert.ok(!(await verdictsOf(middle)).includes("fail"));
});
