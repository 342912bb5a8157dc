import { int } from "../rows.ts";
import type { Row, Sql, SqlValue } from "../sql.ts";

/** Runs a statement whose count of rows nobody asks for. */
export async function exec(sql: Sql, statement: string, values: readonly SqlValue[]): Promise<void> {
  await sql.run(statement, values);
}

/** Inserts rows, whatever number the database gives them. */
export async function insertRows(
  sql: Sql,
  statement: string,
  rows: readonly (readonly SqlValue[])[],
): Promise<void> {
  await sql.insert(statement, rows);
}

/** Runs a statement about one row; false when there was none that fits. */
export async function changesOne(sql: Sql, statement: string, values: readonly SqlValue[]): Promise<boolean> {
  return (await sql.run(statement, values)) === 1;
}

/** What is read of the row that a statement finds; null where it finds none. */
export async function first<T>(
  sql: Sql,
  statement: string,
  values: readonly SqlValue[],
  read: (row: Row) => T,
): Promise<T | null> {
  const row = await sql.get(statement, values);
  return row === undefined ? null : read(row);
}

/** The number that a statement gives under a name; 0 where it finds no row. */
export async function numberOf(
  sql: Sql,
  statement: string,
  values: readonly SqlValue[],
  name: string,
): Promise<number> {
  return (await first(sql, statement, values, (row) => int(row, name))) ?? 0;
}

/** What a transaction appended that others wait for. */
export interface Written {
  /** The newest sequence of the events that were numbered; 0 when none was. */
  lastEvent: number;
  /** True when events or provenance records were appended. */
  appended: boolean;
}
