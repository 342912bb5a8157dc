import { AppError } from "../kernel/errors.ts";
import type { NewEvent } from "../ports/records.ts";

/** A value a statement takes. JSON is bound as text. */
export type SqlValue = string | number | null;

/** What transactions can be told to do one after another. */
export type LockName = "provenance";

/** A row as a driver gives it. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * The small common part of both drivers. Statements use `?` and are prepared once for each text, so texts come
 * from constants, never from values.
 */
export interface Sql {
  /** Ends a `SELECT` whose rows must not change before this transaction ends. */
  readonly forUpdate: string;
  /** Runs a statement and says how many rows it changed. */
  run(sql: string, values: readonly SqlValue[]): Promise<number>;
  /**
   * Runs a statement whose count nobody needs. A driver may hold it back and send it with what comes next, so an
   * error of it may surface later in the same transaction.
   */
  write(sql: string, values: readonly SqlValue[]): Promise<void>;
  /** True where a statement has a price of its own, so that one for many rows is worth writing. */
  readonly prefersFewStatements: boolean;
  /** Runs a statement once for each row of values and says how many rows each changed. */
  runMany(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<readonly number[]>;
  /** `write` of `INSERT … VALUES (?, …) …` for many rows; where it updates, no two rows may have the same key. */
  writeMany(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<void>;
  get(sql: string, values: readonly SqlValue[]): Promise<Row | undefined>;
  all(sql: string, values: readonly SqlValue[]): Promise<readonly Row[]>;
  /** Makes transactions that take the same lock wait for each other until they end. */
  lock(name: LockName): Promise<void>;
  /** Writes events, each with the next sequence, so that no reader that goes by sequence can miss one. */
  appendEvents(events: readonly NewEvent[]): Promise<void>;
  /** The database's clock as ISO 8601 UTC. */
  now(): Promise<string>;
}

/** A text both databases keep exactly: well-formed Unicode without NUL. Anything else is refused in both. */
function checkText(text: string): void {
  if (!text.isWellFormed() || text.includes("\u0000")) {
    throw new AppError(
      "invalid_input",
      "Text with a NUL character or half a surrogate pair cannot be stored outside of JSON.",
    );
  }
}

/** Checks what both databases would treat differently, before either sees it. */
export function checkValues(values: readonly SqlValue[]): void {
  for (const value of values) {
    if (typeof value === "string") checkText(value);
    else if (typeof value === "number" && !Number.isSafeInteger(value)) {
      throw new AppError("invalid_input", "Only whole numbers up to 2^53 can be stored outside of JSON.");
    }
  }
}

/** `INSERT INTO table (a, b) VALUES (?, ?)`. */
export function insertInto(table: string, columns: string): string {
  const marks = columns
    .split(",")
    .map(() => "?")
    .join(", ");
  return `INSERT INTO ${table} (${columns}) VALUES (${marks})`;
}

/** `?, ?, ?` for an `IN` list. */
export function marks(count: number): string {
  return Array.from({ length: count }, () => "?").join(", ");
}

/** The same list, longer: lengths that are powers of two keep the number of prepared statements small. */
export function padded<T>(values: readonly T[]): readonly T[] {
  const last = values.at(-1);
  if (last === undefined) return values;
  const missing = 2 ** Math.ceil(Math.log2(values.length)) - values.length;
  return missing === 0 ? values : [...values, ...Array.from({ length: missing }, () => last)];
}
