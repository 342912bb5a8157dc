import {
  eventsOfPage,
  leavesOfPage,
  PAGES_OF_RUN,
  pagesWithEvents,
  PAGES_WITH_LEAVES,
  stepsOfPages,
} from "../records/run-pages.ts";
import { STEP_COLUMNS, stepValues } from "../records/runs.ts";
import { int, jsonText, optJsonText, text } from "../rows.ts";
import type { Row } from "../sql.ts";
import type { Session } from "./session.ts";

/*
 * What the pages of runs hold, as rows of the tables of steps, events and leaves: so whoever reads a backup need not know
 * how a build packs changes.
 */

const TRIMMED = "SELECT value FROM counters WHERE name = 'events_trimmed'";
const RUNS_WITH_STEPS = "SELECT run_id FROM steps UNION SELECT run_id FROM run_pages ORDER BY run_id";
const STEPS_OF_RUN = `SELECT ${STEP_COLUMNS} FROM steps WHERE run_id = ?`;
const STEP_NAMES = STEP_COLUMNS.split(", ");

/** The rows of a table together with those in pages; null where pages add nothing to the table as it is. */
export async function expandedRows(session: Session, table: string): Promise<AsyncIterable<Row> | null> {
  const expand = EXPANDED[table];
  if (expand === undefined) return null;
  const pages = await session.all("SELECT 1 AS one FROM run_pages LIMIT 1");
  return pages.length === 0 ? null : expand(session);
}

const EXPANDED: Readonly<Record<string, (session: Session) => AsyncIterable<Row>>> = {
  steps,
  events,
  provenance_records: leaves,
};

/** Each step as it is now: in a page, if there is one that has it. */
async function* steps(session: Session): AsyncGenerator<Row> {
  for await (const row of session.each(RUNS_WITH_STEPS)) {
    const runId = text(row, "run_id");
    const newest = new Map<string, Row>();
    for (const step of await session.all(STEPS_OF_RUN, [runId])) newest.set(text(step, "step_id"), step);
    for (const step of stepsOfPages(await session.all(PAGES_OF_RUN, [runId]))) {
      const values = stepValues(step);
      newest.set(
        step.stepId,
        Object.fromEntries(STEP_NAMES.map((name, index) => [name, values[index] ?? null])),
      );
    }
    yield* newest.values();
  }
}

async function* events(session: Session): AsyncGenerator<Row> {
  const [counter] = await session.all(TRIMMED);
  const first = counter === undefined ? 0 : int(counter, "value");
  yield* session.each("SELECT * FROM events ORDER BY sequence");
  for await (const page of session.each(pagesWithEvents(`p.last_event >= ${first}`))) {
    for (const event of eventsOfPage(page)) {
      if (event.sequence < first) continue;
      const { sequence, id, type, subject, time, traceparent, data, publicData } = event;
      const told = { sequence, id, type, subject, time, traceparent };
      yield { ...told, data: jsonText(data), public_data: optJsonText(publicData) };
    }
  }
}

async function* leaves(session: Session): AsyncGenerator<Row> {
  yield* session.each("SELECT * FROM provenance_records ORDER BY leaf_index");
  for await (const page of session.each(PAGES_WITH_LEAVES)) {
    for (const { leafIndex, runId, body, leafHash } of leavesOfPage(page)) {
      yield { leaf_index: leafIndex, run_id: runId, body, leaf_hash: leafHash };
    }
  }
}
