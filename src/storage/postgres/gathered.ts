import { OWN_COLUMNS, SHARED_COLUMNS } from "../records/run-pages.ts";
import type { SqlValue } from "../sql.ts";

/** One write, or one thing that must be so, of several that become one statement. */
export interface Part {
  /** The table it writes, or what it is about. */
  readonly table: string;
  /** A statement of its own, with `?` for its values and without `RETURNING`. */
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** True when nobody else can wait for what it writes, so that it need not come before the counter of the events. */
  readonly isLate?: boolean;
  /** What must be true of its rows, as an expression over the name `$` of the part. */
  readonly expects?: { readonly text: string; readonly values: readonly SqlValue[]; readonly orElse: Miss };
}

/** What can turn out otherwise than was taken for granted: who owns a run, or where the provenance log ends. */
export type Miss = "owner" | "head";

/** What PostgreSQL works out when all is well, and refuses with a code of its own otherwise. */
const INSIST: Readonly<Record<Miss, (truth: string) => string>> = {
  owner: (truth) => `sqrt((${truth})::int - 1)`,
  head: (truth) => `ln((${truth})::int)`,
};
const OWNER_REFUSED = "2201F";
const HEAD_REFUSED = "2201E";

/** Which expectation a refusal of the server speaks of. */
export function missOf(code: string | null): Miss | null {
  if (code === OWNER_REFUSED) return "owner";
  return code === HEAD_REFUSED ? "head" : null;
}

/** An error like that of the server when the log does not end where it was expected to. */
export function missed(): Error {
  return Object.assign(new Error("where the log ends is no longer known"), { code: HEAD_REFUSED });
}

/** Rows that travel as one text. */
export interface SentRows {
  /** What reads them as the table `v`, with `?` for their text. */
  readonly from: string;
  readonly rows: string;
}

/** The events of a transaction: those that are rows, and then those of pages, which count theirs from 1 in `v`. */
export interface EventsPart {
  readonly count: number;
  readonly events: SentRows | null;
  readonly pages: (SentRows & { readonly shared: readonly SqlValue[] }) | null;
  readonly channel: string;
  /** Whether other replicas are told at once. */
  readonly announced: boolean;
}

/** The columns of an event besides its sequence. */
export const EVENT_COLUMNS = ["id", "type", "subject", "time", "traceparent", "data", "public_data"] as const;
const EVENT_LIST = EVENT_COLUMNS.join(", ");
const EVENT_FIELDS = EVENT_COLUMNS.map((name) => `v.${name}`).join(", ");
const SHARED_FIELDS = SHARED_COLUMNS.replaceAll(/\w+/g, "?::text");
const OWN_FIELDS = OWN_COLUMNS.replaceAll(/\w+/g, "v.$&").replaceAll(/v\.\w+_event/g, "head.before + $&");

/** A statement's text with `?` and its values. */
export interface Gathered {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/**
 * Several writes as one statement: it is sent, planned and answered once. They run in their order, after the lock;
 * foreign keys are checked at the end. The counter of the events comes after all that somebody else may hold, so that
 * nobody waits for it who is waited for. The answer's `last` is the sequence of the last event.
 */
export function gather(parts: readonly Part[], events: EventsPart | null, lock: string | null): Gathered {
  const [only] = parts;
  const bare = parts.length === 1 && events === null && lock === null;
  if (bare && only !== undefined && only.expects === undefined) return only;
  const values: SqlValue[] = [];
  for (const part of parts) for (const value of part.values) values.push(value);
  if (events !== null) {
    values.push(events.count, events.count);
    if (events.events !== null) values.push(events.events.rows);
    if (events.pages !== null) values.push(...events.pages.shared, events.pages.rows);
    values.push(events.announced ? 1 : 0);
  }
  for (const { expects } of parts) if (expects !== undefined) values.push(...expects.values);
  return { text: textOf(parts, events, lock), values };
}

/** The pieces that statements were made of so far, each with a number, and the statements by their pieces' numbers. */
const pieces = new Map<string, number>();
const texts = new Map<string, string>();
/** Pieces with lists of many lengths would fill the memory. */
const MAX_KNOWN = 1_000;

function numberOf(piece: string): number {
  let known = pieces.get(piece);
  if (known === undefined) {
    known = pieces.size;
    pieces.set(piece, known);
  }
  return known;
}

function textOf(parts: readonly Part[], events: EventsPart | null, lock: string | null): string {
  if (pieces.size > MAX_KNOWN) {
    pieces.clear();
    texts.clear();
  }
  let key = `${lock ?? ""}|`;
  if (events !== null) {
    key += events.channel;
    for (const sent of [events.events, events.pages]) key += sent === null ? " -" : ` ${numberOf(sent.from)}`;
  }
  for (const { text, expects } of parts) {
    key += `|${numberOf(text)}`;
    if (expects !== undefined) key += ` ${expects.orElse} ${numberOf(expects.text)}`;
  }
  let text = texts.get(key);
  if (text === undefined) {
    text = build(parts, events, lock);
    texts.set(key, text);
  }
  return text;
}

function build(parts: readonly Part[], events: EventsPart | null, lock: string | null): string {
  const tables = parts.map((part, at) => `w${at} AS (${part.text}${isCounted(part) ? " RETURNING 1" : ""})`);
  const shown: string[] = [];
  const first: string[] = [];
  if (lock !== null) {
    tables.unshift(`locked AS MATERIALIZED (SELECT ${lock})`);
    first.push("(SELECT count(*) FROM locked)");
    shown.push("(SELECT count(*) FROM locked)");
  }
  if (events !== null) {
    parts.forEach((part, at) => {
      if (part.isLate !== true) first.push(`(SELECT count(*) FROM w${at})`);
    });
    const after = first.map((done) => ` AND ${done} >= 0`).join("");
    tables.push(
      `head AS (UPDATE counters SET value = value + ?::bigint WHERE name = 'events'${after}
        RETURNING value, value - ?::bigint AS before)`,
    );
    if (events.events !== null) {
      tables.push(`written AS (INSERT INTO events (sequence, ${EVENT_LIST})
        SELECT head.before + v.nth, ${EVENT_FIELDS} FROM head, ${events.events.from})`);
    }
    if (events.pages !== null) {
      tables.push(`paged AS (INSERT INTO run_pages (${SHARED_COLUMNS}, ${OWN_COLUMNS})
        SELECT ${SHARED_FIELDS}, ${OWN_FIELDS} FROM head, ${events.pages.from})`);
    }
    shown.push(
      "(SELECT value FROM head) AS last",
      `(SELECT pg_notify('${events.channel}', value::text) FROM head WHERE ?::bigint = 1)`,
    );
  }
  parts.forEach(({ expects }, at) => {
    if (expects !== undefined) shown.push(INSIST[expects.orElse](expects.text.replaceAll("$", `w${at}`)));
  });
  return `WITH ${tables.join(", ")} SELECT ${shown.length === 0 ? "1" : shown.join(", ")}`;
}

/** True for parts that must not share a statement: within one, none sees what another wrote to the same table. */
export function clash(one: Part, other: Part): boolean {
  // Only what may clash is looked at: a part may not be finished yet.
  return one.table === other.table && (one.table === NUMBERED || !(isPlain(one) && isPlain(other)));
}

/** Its rows are numbered as they come, and the parts of a statement come in any order. */
const NUMBERED = "run_pages";

function isPlain(part: Part): boolean {
  return part.text.startsWith("INSERT") && !part.text.includes(" ON CONFLICT ");
}

function isCounted(part: Part): boolean {
  return part.isLate !== true && !part.text.startsWith("SELECT");
}
