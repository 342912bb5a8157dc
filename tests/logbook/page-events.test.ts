import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import {
  STEP_STATES,
  type EventRecord,
  type NewEvent,
  type RunRecord,
  type StepState,
} from "../../src/ports/records.ts";
import { countEvents, eventsOf, packChange } from "../../src/ports/run-changes.ts";
import { RecordSet } from "../../src/storage/records/record-set.ts";
import { SqliteSql } from "../../src/storage/sqlite/connection.ts";
import { migrateSqlite } from "../../src/storage/sqlite/migrate.ts";
import { openWriter } from "../../src/storage/sqlite/store.ts";
import { AT, DIGEST, quiet, sampleRun, sampleStep } from "../../src/storage/store.samples.ts";

/* Events in rows and events in pages are one list: whatever is asked of it, a plain array answers the same. */

const folder = mkdtempSync(join(tmpdir(), "logbook-pages-"));
const connection = openWriter(join(folder, "pages.db"));
connection.db.exec("PRAGMA synchronous = OFF");
migrateSqlite(connection, quiet.clock);
const sql = new SqliteSql(connection, quiet.clock);
const records = new RecordSet(sql);
after(() => {
  connection.close();
  rmSync(folder, { recursive: true, force: true });
});

const RUNS: readonly RunRecord[] = [
  sampleRun({ id: "run_a", state: "running", visibility: "public" }),
  sampleRun({ id: "run_b", state: "running" }),
];
await records.runs.putDocument(DIGEST, {});
for (const run of RUNS) await records.runs.insert(run);

const change = fc.record({
  moved: fc.boolean(),
  ends: fc.boolean(),
  steps: fc.array(fc.constantFrom(...STEP_STATES), { maxLength: 4 }),
});
const action = fc.oneof(
  { weight: 3, arbitrary: fc.record({ rows: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      page: fc.array(change, { minLength: 1, maxLength: 3 }),
      run: fc.nat(RUNS.length - 1),
    }),
  },
  { weight: 2, arbitrary: fc.record({ trim: fc.nat(40) }) },
  { weight: 6, arbitrary: fc.record({ after: fc.nat(40), limit: fc.integer({ min: 1, max: 12 }) }) },
);

type Told = Pick<EventRecord, "sequence"> & NewEvent;

/** What a caller sees of an event, but for its id and time. */
function told({ sequence, type, subject, traceparent, data, publicData }: Told): Told {
  return { sequence, type, subject, traceparent, data, publicData };
}

async function appendRows(types: readonly boolean[]): Promise<readonly NewEvent[]> {
  const events = types.map((ofRun, index) => ({
    type: ofRun ? "svc.run.failed" : "svc.workflow.updated",
    subject: `row-${index}`,
    traceparent: null,
    data: { index },
    publicData: ofRun ? { index } : null,
  }));
  await records.events.append(events);
  return events;
}

async function appendPage(
  changes: readonly {
    readonly moved: boolean;
    readonly ends: boolean;
    readonly steps: readonly StepState[];
  }[],
  run: RunRecord,
): Promise<readonly NewEvent[]> {
  const events: NewEvent[] = [];
  const packed: string[] = [];
  let count = 0;
  for (const { moved, ends, steps: states } of changes) {
    const steps = STEP_STATES.flatMap((state) =>
      states.includes(state) ? [sampleStep(run.id, { stepId: `step-${state}`, state })] : [],
    );
    const said: RunRecord = {
      ...run,
      state: ends ? "failed" : "running",
      error: ends ? { code: "x" } : null,
    };
    events.push(...eventsOf(run, moved ? said : null, steps));
    packed.push(packChange(moved ? said : null, steps));
    count += countEvents(moved, steps);
  }
  assert.equal(count, events.length);
  const page = { runId: run.id, changes: `[${packed.join(",")}]`, events: count, leaves: [] };
  await records.pages.append([page], AT, sql.newestEvent());
  return events;
}

test("events of rows and pages are one list", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (actions) => {
      connection.db.exec(
        "DELETE FROM events; DELETE FROM run_pages; UPDATE counters SET value = 0 WHERE name = 'events_trimmed'",
      );
      let list: readonly Told[] = [];
      let last = 0;
      const add = (events: readonly NewEvent[]): void => {
        list = [...list, ...events.map((event) => told({ ...event, sequence: ++last }))];
      };
      for (const one of actions) {
        if ("rows" in one) add(await appendRows(one.rows));
        else if ("page" in one) add(await appendPage(one.page, RUNS[one.run] ?? sampleRun()));
        else if ("trim" in one) {
          // The newest event stays.
          const kept = Math.min(one.trim, last);
          const left = list.filter(({ sequence }) => sequence >= kept);
          assert.equal(await records.events.trim(one.trim), list.length - left.length, "trimmed");
          list = left;
        } else {
          const later = list.filter(({ sequence }) => sequence > one.after);
          const read = await records.events.after(one.after, one.limit);
          assert.deepEqual(read.map(told), later.slice(0, one.limit));
          const ofRuns = later.filter(({ type }) => type.startsWith("svc.run."));
          const readOfRuns = await records.events.ofRunsAfter(one.after, one.limit);
          assert.deepEqual(readOfRuns.map(told), ofRuns.slice(0, one.limit));
        }
        assert.deepEqual(await records.events.bounds(), {
          first: list[0]?.sequence ?? 0,
          last: list.at(-1)?.sequence ?? 0,
        });
        const everything = await records.events.after(0, 1_000);
        assert.equal(
          new Set(everything.map(({ id }) => id)).size,
          list.length,
          "each event has an id of its own",
        );
      }
    }),
    { numRuns: 400 },
  );
});
