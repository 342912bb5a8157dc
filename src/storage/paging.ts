import { AppError } from "../kernel/errors.ts";
import type { Listed } from "../ports/caller.ts";
import type { Page, PageRequest } from "../ports/store.ts";
import type { Row, Sql, SqlValue } from "./sql.ts";

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

/** A condition and the values of its `?`. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The condition for what a list may hold; `shown` says what is visible to others, `owner` is the column of the owner. */
export function listed(
  { visibleTo = "all", ownedBy }: Partial<Listed>,
  owner: string,
  shown: string,
): Condition[] {
  if (visibleTo === "all") return [];
  return [
    ownedBy === undefined
      ? { sql: `(${shown})`, values: [] }
      : { sql: `(${owner} = ? OR ${shown})`, values: [ownedBy] },
  ];
}

/** One page of `SELECT <columns> FROM <table>`, with the cursor of the next one. */
export async function selectPage<T>(
  sql: Sql,
  select: string,
  conditions: readonly Condition[],
  order: Order,
  page: PageRequest,
  decode: (row: Row) => T,
): Promise<Page<T>> {
  const { limit, after } = bounded(page, order);
  const where = conditions.map((condition) => condition.sql);
  const values = conditions.flatMap((condition) => condition.values);
  if (after !== null) {
    const sign = order.direction === "ASC" ? ">" : "<";
    where.push(`(${order.columns.join(", ")}) ${sign} (${after.map(() => "?").join(", ")})`);
    values.push(...after);
  }
  const filter = where.length === 0 ? "" : ` WHERE ${where.join(" AND ")}`;
  const by = order.columns.map((column) => `${column} ${order.direction}`).join(", ");
  const rows = await sql.all(`${select}${filter} ORDER BY ${by} LIMIT ?`, [...values, limit + 1]);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(decode),
    nextCursor: rows.length > limit && last !== undefined ? encodeCursor(last, order) : null,
  };
}

/** How many rows a page has at most, and after which key it begins. */
function bounded(
  page: PageRequest,
  order: Order,
): { readonly limit: number; readonly after: readonly SqlValue[] | null } {
  return {
    limit: Math.max(1, Math.min(MAX_PAGE, Math.trunc(page.limit))),
    after: page.cursor === undefined ? null : decodeCursor(page.cursor, order),
  };
}

/** The cursor that goes on after a row. */
function encodeCursor(row: Row, order: Order): string {
  return Buffer.from(
    JSON.stringify(order.columns.map((column) => row[column.slice(column.indexOf(".") + 1)])),
  ).toString("base64url");
}

function decodeCursor(cursor: string, order: Order): SqlValue[] {
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
