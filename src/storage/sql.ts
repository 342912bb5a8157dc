import { AppError } from "../kernel/errors.ts";

/** A value a statement takes. JSON is bound as text. */
export type SqlValue = string | number | null;

/** A row as a driver gives it. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * The small common part of both drivers. Statements use `?` and are prepared once for each text, so texts come
 * from constants, never from values.
 */
export interface Sql {
  readonly dialect: "sqlite" | "postgres";
  /** Ends a `SELECT` whose rows must not change before this transaction ends. */
  readonly forUpdate: string;
  /** Runs a statement and says how many rows it changed. */
  run(sql: string, values: readonly SqlValue[]): Promise<number>;
  /**
   * Runs `INSERT INTO … VALUES (?, …) …` for each row. A driver may send it with what comes next, so an error may surface
   * later in the same transaction. Gives the number that SQLite gave the last row, 0 on PostgreSQL.
   */
  insert(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<number>;
  get(sql: string, values: readonly SqlValue[]): Promise<Row | undefined>;
  all(sql: string, values: readonly SqlValue[]): Promise<readonly Row[]>;
  /** Makes transactions that extend the log or number events wait for each other; nothing where there is one writer. */
  lock(): Promise<void>;
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

/** `'a', 'b'` for a constraint. */
export function quotedList(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(", ");
}
