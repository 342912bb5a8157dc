import type { SqlValue } from "../sql.ts";

/** One write, or one thing that must be so, of several that become one statement. */
export interface Part {
  /** The table it writes, or what it is about. */
  readonly table: string;
  /** A statement of its own, with `?` for its values and without `RETURNING`. */
  readonly text: string;
  readonly values: readonly SqlValue[];
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

/** The events of a transaction as JSON rows, each with its place among them as its sequence. */
export interface EventsPart {
  readonly count: number;
  readonly rows: string;
  readonly channel: string;
}

const EVENT_COLUMNS = "sequence, id, type, subject, time, traceparent, data, public_data";

/** A statement's text with `?` and its values. */
export interface Gathered {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/**
 * Several writes as one statement: it is sent, planned and answered once. They run in their order; foreign keys are
 * checked at the end. The counter of the events comes last, so that its row is locked as briefly as can be.
 */
export function gather(parts: readonly Part[], events: EventsPart | null): Gathered {
  const [only] = parts;
  if (only !== undefined && parts.length === 1 && only.expects === undefined && events === null) return only;
  const values: SqlValue[] = parts.flatMap((part) => part.values);
  const tables = parts.map((part, at) => `w${at} AS (${part.text}${isWrite(part) ? " RETURNING 1" : ""})`);
  const shown: string[] = [];
  if (events !== null) {
    const after = parts.map((_, at) => ` AND (SELECT count(*) FROM w${at}) >= 0`).join("");
    tables.push(
      `head AS (UPDATE counters SET value = value + ?::bigint WHERE name = 'events'${after} RETURNING value)`,
      `written AS (INSERT INTO events (${EVENT_COLUMNS})
        SELECT head.value - ?::bigint + e.sequence, e.id, e.type, e.subject, e.time, e.traceparent, e.data, e.public_data
        FROM head, json_populate_recordset(NULL::events, ?) AS e RETURNING sequence)`,
    );
    values.push(events.count, events.count, events.rows);
    shown.push(`(SELECT pg_notify('${events.channel}', max(sequence)::text) FROM written)`);
  }
  parts.forEach(({ expects }, at) => {
    if (expects === undefined) return;
    shown.push(INSIST[expects.orElse](expects.text.replaceAll("$", `w${at}`)));
    values.push(...expects.values);
  });
  return { text: `WITH ${tables.join(", ")} SELECT ${shown.length === 0 ? "1" : shown.join(", ")}`, values };
}

/** True for parts that must not share a statement: within one, none sees what another wrote to the same table. */
export function clash(one: Part, other: Part): boolean {
  return one.table === other.table && !(isPlain(one) && isPlain(other));
}

function isPlain(part: Part): boolean {
  return part.text.startsWith("INSERT") && !part.text.includes(" ON CONFLICT ");
}

function isWrite(part: Part): boolean {
  return !part.text.startsWith("SELECT");
}
