import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { AppError } from "../kernel/errors.ts";
import type { Listed } from "../ports/caller.ts";
import type { Page, PageRequest } from "../ports/store.ts";
import { marks, type Row, type Sql, type SqlValue } from "./sql.ts";

/** The longest list one call gives. */
const MAX_PAGE = 500;

/** How a list is ordered: columns that together name one row, compared as one tuple. */
export interface Order {
  readonly columns: readonly string[];
  readonly kind: "text" | "integer";
  readonly direction: "ASC" | "DESC";
}

/** Newest first by creation, the id breaking ties. */
export const NEWEST: Order = { columns: ["created_at", "id"], kind: "text", direction: "DESC" };

/** What identifies a row within an order. */
type Key = readonly (string | number)[];

/**
 * Rows that one statement of a list looks through, and that it gives; about as many as take `WINDOW_MS`. SQLite reads on
 * this thread, where a row that holds a megabyte or is not in memory takes milliseconds: it begins with few.
 */
const FIRST_WINDOW = { sqlite: 4, postgres: 200 } as const;
const FIRST_ROWS = { sqlite: 4, postgres: MAX_PAGE + 1 } as const;
const LEAST = { sqlite: 1, postgres: 200 } as const;
const MAX_WINDOW = 2_000;
const WINDOW_MS = 5;
/** After this time a list answers with what it has found, and the place to go on. */
const LOOK_MS = 25;
/** But not before it has looked through as many rows as a whole page has: a busy machine makes every list take that time. */
const LOOK_ROWS = MAX_PAGE;

/** A condition and the values of its `?`. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

const EVERY: Condition = { sql: "", values: [] };

/** What a list holds. Each list is bounded: by an index, or by how much of the table one call looks through. */
export interface Filter {
  /** Alternatives, one or more of which a row fits; for each an index goes on in the list's order. Missing: every row. */
  readonly along?: readonly Condition[];
  /** Bounds of the order's own columns. */
  readonly within?: readonly Condition[];
  /** What no index answers. */
  readonly only?: readonly Condition[];
}

/** The alternatives of what a list may hold; `shown` says what is visible to others, `owner` is the column of the owner. */
export function listed(
  { visibleTo = "all", ownedBy }: Partial<Listed>,
  owner: string,
  shown: string,
): readonly Condition[] {
  if (visibleTo === "all") return [];
  const others = { sql: shown, values: [] };
  return ownedBy === undefined ? [others] : [{ sql: `${owner} = ?`, values: [ownedBy] }, others];
}

/** The first of the conditions that have an index decides which one; the others are looked at row by row. */
export function narrowed(indexed: readonly Condition[], others: readonly Condition[]): Filter {
  return { along: indexed.slice(0, 1), only: [...indexed.slice(1), ...others] };
}

/** A text occurs in a column. Both databases lower ASCII only: other letters are found as they are written. */
export function occurs(dialect: Sql["dialect"], column: string, text: string): Condition {
  const find = dialect === "sqlite" ? "instr" : "strpos";
  const lowered = text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return { sql: `${find}(lower(${column}), ?) > 0`, values: [lowered] };
}

/** One condition of several alternatives. */
export function anyOf(alternatives: readonly Condition[]): Condition[] {
  if (alternatives.length === 0) return [];
  const sql = alternatives.map((one) => `(${one.sql})`).join(" OR ");
  return [{ sql: `(${sql})`, values: alternatives.flatMap(({ values }) => values) }];
}

/**
 * One page of `SELECT <columns> FROM <table>`, with the cursor of the next one. Where `only` decides, the rows are looked
 * through window by window: a page may then hold fewer rows than asked for, or none, and a cursor that goes on.
 */
export async function selectPage<T>(
  sql: Sql,
  select: string,
  filter: Filter,
  order: Order,
  page: PageRequest,
  decode: (row: Row) => T,
): Promise<Page<T>> {
  const { limit, after } = bounded(page, order);
  const along = filter.along === undefined || filter.along.length === 0 ? [EVERY] : filter.along;
  const { within = [], only = [] } = filter;
  // In this form neither database takes it as a reason for another index, and for sorting all that it finds there.
  const checked = only.map((one) => ({ ...one, sql: `((${one.sql}) IS TRUE)` }));
  const found: Row[] = [];
  let from: Key | null = after;
  let size: number = FIRST_WINDOW[sql.dialect];
  let atOnce: number = FIRST_ROWS[sql.dialect];
  const isWhole = only.length === 0;
  const began = performance.now();
  let looked = 0;
  for (;;) {
    const windowBegan = performance.now();
    const start: Condition[] = from === null ? within.slice() : [...within, beyond(order, from)];
    const edge = isWhole ? null : await edgeOf(sql, select, along, start, order, size);
    const where = [...start, ...checked, ...(edge === null ? [] : [upTo(order, edge)])];
    const wanted = Math.min(limit + 1 - found.length, atOnce);
    const rowsBegan = performance.now();
    const rows = await rowsOf(sql, select, along, where, order, wanted);
    found.push(...rows);
    const last = rows.at(-1);
    from = rows.length === wanted && last !== undefined ? keyOf(last, order) : edge;
    if (from === null || found.length > limit) break;
    const now = performance.now();
    looked += size;
    if (!isWhole && looked >= LOOK_ROWS && now - began + (now - windowBegan) > LOOK_MS) break;
    size = adapted(size, now - windowBegan, LEAST[sql.dialect]);
    atOnce = adapted(atOnce, now - rowsBegan, LEAST[sql.dialect]);
    // Others get their turn between two windows.
    await yieldToEventLoop();
  }
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const next = found.length > limit && last !== undefined ? keyOf(last, order) : from;
  return { items: await decoded(shown, decode), nextCursor: next === null ? null : encodeCursor(next) };
}

/** Twice as many when they took little time, otherwise half. */
function adapted(count: number, tookMs: number, least: number): number {
  return tookMs < WINDOW_MS / 2 ? Math.min(MAX_WINDOW, count * 2) : Math.max(least, count >> 1);
}

/** Reads rows a few at a time: one may hold a large document. */
async function decoded<T>(rows: readonly Row[], decode: (row: Row) => T): Promise<readonly T[]> {
  const items: T[] = [];
  let began = performance.now();
  for (const row of rows) {
    items.push(decode(row));
    if (performance.now() - began < WINDOW_MS) continue;
    await yieldToEventLoop();
    began = performance.now();
  }
  return items;
}

/** The key at the end of the window: as many rows further, or at the nearest such place of several alternatives. */
async function edgeOf(
  sql: Sql,
  select: string,
  along: readonly Condition[],
  start: readonly Condition[],
  order: Order,
  size: number,
): Promise<Key | null> {
  const keys = `SELECT ${order.columns.join(", ")} ${select.slice(select.lastIndexOf("FROM "))}`;
  const edges: Row[] = [];
  for (const one of along) {
    const { text, values } = statement(keys, [one, ...start], order);
    const row = await sql.get(`${text} LIMIT 1 OFFSET ?`, [...values, size - 1]);
    if (row !== undefined) edges.push(row);
  }
  const [nearest] = edges.sort(comparing(order));
  return nearest === undefined ? null : keyOf(nearest, order);
}

/** The first rows of all alternatives together, each once. */
async function rowsOf(
  sql: Sql,
  select: string,
  along: readonly Condition[],
  where: readonly Condition[],
  order: Order,
  limit: number,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const one of along) {
    const { text, values } = statement(select, [one, ...where], order);
    rows.push(...(await sql.all(`${text} LIMIT ?`, [...values, limit])));
  }
  if (along.length === 1) return rows;
  const compare = comparing(order);
  rows.sort(compare);
  return rows.filter((row, i) => i === 0 || compare(rows[i - 1] ?? row, row) !== 0).slice(0, limit);
}

function statement(
  select: string,
  conditions: readonly Condition[],
  order: Order,
): { readonly text: string; readonly values: readonly SqlValue[] } {
  const used = conditions.filter((condition) => condition !== EVERY);
  const where = used.length === 0 ? "" : ` WHERE ${used.map((condition) => condition.sql).join(" AND ")}`;
  const by = order.columns.map((column) => `${column} ${order.direction}`).join(", ");
  return {
    text: `${select}${where} ORDER BY ${by}`,
    values: used.flatMap((condition) => condition.values),
  };
}

function beyond({ columns, direction }: Order, key: Key): Condition {
  return {
    sql: `(${columns.join(", ")}) ${direction === "ASC" ? ">" : "<"} (${marks(key.length)})`,
    values: key,
  };
}

function upTo({ columns, direction }: Order, key: Key): Condition {
  return {
    sql: `(${columns.join(", ")}) ${direction === "ASC" ? "<=" : ">="} (${marks(key.length)})`,
    values: key,
  };
}

/** Keys are ASCII or numbers, so both databases order them as this does. */
function comparing(order: Order): (a: Row, b: Row) => number {
  const sign = order.direction === "ASC" ? 1 : -1;
  return (a, b) => {
    const others = keyOf(b, order);
    for (const [i, value] of keyOf(a, order).entries()) {
      const other = others[i] ?? "";
      if (value !== other) return value < other ? -sign : sign;
    }
    return 0;
  };
}

/** How many rows a page has at most, and after which key it begins. */
function bounded(page: PageRequest, order: Order): { readonly limit: number; readonly after: Key | null } {
  return {
    limit: Math.max(1, Math.min(MAX_PAGE, Math.trunc(page.limit))),
    after: page.cursor === undefined ? null : decodeCursor(page.cursor, order),
  };
}

function keyOf(row: Row, order: Order): Key {
  return order.columns.map((column) => {
    const value = row[column.slice(column.indexOf(".") + 1)];
    if (typeof value === "string" || typeof value === "number") return value;
    throw new Error(`column ${column} cannot order a list`);
  });
}

/** The cursor that goes on after a key. */
function encodeCursor(key: Key): string {
  return Buffer.from(JSON.stringify(key)).toString("base64url");
}

function decodeCursor(cursor: string, order: Order): Key {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    parsed = null;
  }
  const isKey = order.kind === "text" ? isString : isInteger;
  if (Array.isArray(parsed) && parsed.length === order.columns.length && parsed.every(isKey)) return parsed;
  throw new AppError("invalid_input", "The cursor is not one this service gave.", {
    nextAction: "Ask for the first page without a cursor.",
  });
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
