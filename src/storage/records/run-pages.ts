import { leafId, leafIdStem } from "../../kernel/leaf-ids.ts";
import { FIRST_STEP_DIGEST, STEP_DIGEST, stepLeafBody, stepPredicate } from "../../kernel/step-leaf.ts";
import type { EventRecord, ProvenanceRecord, RunRecord, StepRecord } from "../../ports/records.ts";
import {
  eventsOf,
  packChange,
  stepHasEnded,
  unpackChange,
  type KeptChange,
  type RunHead,
} from "../../ports/run-changes.ts";
import type { StepLeaf } from "../../ports/store.ts";
import { checkedText, int, oneOf, optInt, optText, text } from "../rows.ts";
import { insertInto, type Row, type Sql, type SqlValue } from "../sql.ts";

/*
 * A page holds what one commit changed of one run, as it came. Steps are read from the changes, and events and leaves
 * follow from them: only what cannot be computed again is stored beside, their places, times, digests and hashes.
 */

const HASH_CHARS = 64;
/** What is said of a step that a damaged page no longer holds. */
const UNKNOWN_STEP = { attempt: 0, port: null, state: "" };

/** What differs between the pages of a commit, in the order of `pageRows`. */
export const OWN_COLUMNS = "run_id, changes, first_event, last_event, first_leaf, last_leaf, digests, hashes";
/** What they share. */
export const SHARED_COLUMNS = "at, event_stem, leaf_stem, digest_form";
const PAGE_COLUMNS = `${OWN_COLUMNS}, ${SHARED_COLUMNS}`;
const INSERT = insertInto("run_pages", PAGE_COLUMNS);
const SELECT = `SELECT ${PAGE_COLUMNS} FROM run_pages`;
/** The pages of a run, oldest first; for `stepsOfPages`. */
export const PAGES_OF_RUN = `${SELECT} WHERE run_id = ? ORDER BY page_number`;
/** Pages with events and what their events say of the run, in the order of the events; for `eventsOfPage`. */
export const pagesWithEvents = (where: string): string =>
  `SELECT p.run_id, p.at, p.changes, p.first_event, p.event_stem, r.visibility, r.trace_id,
  r.span_id, r.epoch, r.workflow_id, r.kind, r.started_by
  FROM run_pages p JOIN runs r ON r.id = p.run_id WHERE ${where} ORDER BY p.last_event`;
const EVENTS_AFTER = `${pagesWithEvents("p.last_event > ? AND p.last_event <= ?")} LIMIT ?`;
/** Pages with leaves, in the order of the log; for `leavesOfPage`. */
export const PAGES_WITH_LEAVES = `${SELECT} WHERE first_leaf IS NOT NULL ORDER BY first_leaf`;
const LEAVES_FROM = `${SELECT} WHERE first_leaf >= ? ORDER BY first_leaf LIMIT ?`;
const LEAVES_BEFORE = `${SELECT} WHERE first_leaf < ? ORDER BY first_leaf DESC LIMIT ?`;
const FIRST_EVENT =
  "SELECT first_event FROM run_pages WHERE last_event IS NOT NULL AND last_event >= ? ORDER BY last_event LIMIT 1";
/** Pages of leaves that are looked at together. */
const BATCH = 64;

/** What a commit changed of a run. */
export interface RunPage {
  readonly runId: string;
  /** A JSON array of changes. */
  readonly changes: string;
  /** How many events follow from them. */
  readonly events: number;
  /** The leaves of the steps that ended, in their order and one after another in the log. */
  readonly leaves: readonly StepLeaf[];
}

/** The pages of runs. */
export class RunPages {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Writes pages of one moment, and gives the sequence of their last event. */
  async append(pages: readonly RunPage[], at: string, lastEvent: number): Promise<number> {
    const { rows, last } = pageRows(pages, lastEvent);
    const shared = sharedValues(pages, at);
    await this.#sql.writeMany(
      INSERT,
      rows.map((row) => [...row, ...shared]),
    );
    return last;
  }

  /** Writes steps that came without an event or a leaf of their own. */
  async putSteps(steps: readonly StepRecord[], at: string): Promise<void> {
    const byRun = Map.groupBy(steps, ({ runId }) => runId);
    const pages = [...byRun].map(([runId, ofRun]): RunPage => {
      return { runId, changes: changesText(null, ofRun), events: 0, leaves: [] };
    });
    await this.append(pages, at, 0);
  }

  /** The newest record of each step of a run. */
  async steps(runId: string): Promise<readonly StepRecord[]> {
    return stepsOfPages(await this.#sql.all(PAGES_OF_RUN, [runId]));
  }

  /** Events after a sequence and up to another, oldest first. */
  async events(after: number, last: number, limit: number): Promise<readonly EventRecord[]> {
    const events: EventRecord[] = [];
    for (const row of await this.#sql.all(EVENTS_AFTER, [after, last, limit])) {
      for (const event of eventsOfPage(row)) {
        if (event.sequence > after && events.length < limit) events.push(event);
      }
      if (events.length >= limit) break;
    }
    return events;
  }

  /** The first event from a sequence on; 0 when there is none. */
  async firstEvent(from: number): Promise<number> {
    const row = await this.#sql.get(FIRST_EVENT, [from]);
    return row === undefined ? 0 : Math.max(int(row, "first_event"), from);
  }

  /** The leaf at a place; null when it is in no page. */
  async leafAt(leafIndex: number): Promise<ProvenanceRecord | null> {
    const [row] = await this.#sql.all(LEAVES_BEFORE, [leafIndex + 1, 1]);
    return row === undefined ? null : (leavesOfPage(row)[leafIndex - int(row, "first_leaf")] ?? null);
  }

  /** The hashes of the leaves from `start` up to, not including, `end`, by place. */
  async leafHashes(start: number, end: number): Promise<ReadonlyMap<number, string>> {
    const found = new Map<number, string>();
    const [holding] = await this.#sql.all(LEAVES_BEFORE, [start + 1, 1]);
    let from = holding === undefined ? start : int(holding, "first_leaf");
    while (from < end) {
      const rows = await this.#sql.all(LEAVES_FROM, [from, BATCH]);
      for (const row of rows) {
        const first = int(row, "first_leaf");
        const last = int(row, "last_leaf");
        const hashes = optText(row, "hashes") ?? "";
        for (let index = Math.max(first, start); index <= last && index < end; index++) {
          found.set(index, hashes.slice((index - first) * HASH_CHARS, (index - first + 1) * HASH_CHARS));
        }
        from = last + 1;
      }
      if (rows.length < BATCH) break;
    }
    return found;
  }

  /** Leaves of steps before a place, newest first; of one run, or of any. */
  async leaves(before: number, limit: number, runId?: string): Promise<readonly ProvenanceRecord[]> {
    const rows =
      runId === undefined
        ? await this.#sql.all(LEAVES_BEFORE, [before, limit])
        : (await this.#sql.all(PAGES_OF_RUN, [runId])).toReversed();
    const found: ProvenanceRecord[] = [];
    for (const row of rows) {
      for (const leaf of leavesOfPage(row).toReversed()) {
        if (leaf.leafIndex < before && found.length < limit) found.push(leaf);
      }
    }
    return found;
  }
}

/** The text of a page's only change. */
export function changesText(
  told: Pick<RunRecord, "state" | "error"> | null,
  steps: readonly StepRecord[],
): string {
  const values: unknown[] = [told?.error ?? null];
  for (const { input, output, error } of steps) values.push(input, output, error);
  return checkedText(`[${packChange(told, steps)}]`, values);
}

/** What the pages of a commit share: their time, and how the ids of their events and leaves, and digests, begin. */
export function sharedValues(
  pages: readonly RunPage[],
  at: string,
): readonly [string, string, string | null, string] {
  const leaf = pages.find(({ leaves }) => leaves.length > 0)?.leaves[0];
  return [at, leafIdStem("event"), leaf === undefined ? null : stemOf(leaf), STEP_DIGEST];
}

/** How the id of a leaf begins. */
export function stemOf({ id }: Pick<StepLeaf, "id">): string {
  return id.slice(0, -leafId("", 0).length);
}

/** The rows of pages whose events follow a sequence, and the sequence of the last one. */
export function pageRows(
  pages: readonly RunPage[],
  lastEvent: number,
): { readonly rows: readonly (readonly SqlValue[])[]; readonly last: number } {
  let last = lastEvent;
  const rows = pages.map(({ runId, changes, events, leaves }) => {
    const first = last + 1;
    last += events;
    const [leaf] = leaves;
    return [
      runId,
      changes,
      events === 0 ? null : first,
      events === 0 ? null : last,
      leaf?.leafIndex ?? null,
      leaves.at(-1)?.leafIndex ?? null,
      leaf === undefined ? null : leaves.map(({ digest }) => digest.slice(STEP_DIGEST.length)).join(""),
      leaf === undefined ? null : leaves.map(({ leafHash }) => leafHash).join(""),
    ];
  });
  return { rows, last };
}

/** The changes of a page. One that was damaged has none, so that whoever reads it can say so. */
function changesOf(row: Row): readonly KeptChange[] {
  const runId = text(row, "run_id");
  try {
    const packed: Parameters<typeof unpackChange>[1][] = JSON.parse(text(row, "changes"));
    return packed.map((change) => unpackChange(runId, change));
  } catch {
    return [];
  }
}

/** The newest record of each step, from all pages of a run. */
export function stepsOfPages(rows: readonly Row[]): readonly StepRecord[] {
  const newest = new Map<string, StepRecord>();
  for (const row of rows) {
    for (const { steps } of changesOf(row)) for (const step of steps) newest.set(step.stepId, step);
  }
  return [...newest.values()];
}

/** The events of a page. */
export function eventsOfPage(row: Row): readonly EventRecord[] {
  const first = int(row, "first_event");
  const stem = text(row, "event_stem");
  const time = text(row, "at");
  const head: RunHead = {
    id: text(row, "run_id"),
    epoch: int(row, "epoch"),
    visibility: oneOf(row, "visibility", ["private", "public"]),
    traceId: text(row, "trace_id"),
    spanId: text(row, "span_id"),
  };
  const run = {
    workflowId: optText(row, "workflow_id"),
    kind: oneOf(row, "kind", ["run", "dry_run"]),
    startedBy: text(row, "started_by"),
  };
  return changesOf(row)
    .flatMap(({ told, steps }) => eventsOf(head, told && { ...head, ...run, ...told }, steps))
    .map((event, index) => ({ ...event, sequence: first + index, id: leafId(stem, first + index), time }));
}

/** The leaves of a page, as records. Whatever was damaged in it still becomes a record, for a verdict to fail on. */
export function leavesOfPage(row: Row): readonly ProvenanceRecord[] {
  const first = optInt(row, "first_leaf");
  const last = optInt(row, "last_leaf");
  if (first === null || last === null) return [];
  const runId = text(row, "run_id");
  const at = text(row, "at");
  const stem = optText(row, "leaf_stem") ?? "";
  const digestForm = optText(row, "digest_form") ?? FIRST_STEP_DIGEST;
  const part = (column: string, index: number): string =>
    (optText(row, column) ?? "").slice(index * HASH_CHARS, (index + 1) * HASH_CHARS);
  const ended = changesOf(row)
    .flatMap(({ steps }) => steps)
    .filter(({ state }) => stepHasEnded(state));
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const step = ended[index];
    const leafIndex = first + index;
    const id = leafId(stem, leafIndex);
    const digest = digestForm + part("digests", index);
    const stepId = step?.stepId ?? "";
    const predicate = stepPredicate(step ?? UNKNOWN_STEP);
    return {
      id,
      leafIndex,
      kind: "step",
      subjectId: `${runId}/${stepId}`,
      runId,
      digest,
      lookupKey: digest,
      privacy: "internal",
      body: stepLeafBody({ id, runId, stepId, predicate, digest, at }),
      leafHash: part("hashes", index),
      envelope: null,
      createdAt: at,
    };
  });
}
