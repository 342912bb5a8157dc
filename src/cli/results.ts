import type { Envelope } from "../kernel/envelope.ts";
import { isObject } from "../kernel/json.ts";
import type { Cli } from "./command.ts";
import type { Block, Cell, Result } from "./output.ts";

/** A member of an answer as a cell of a table: values that were taken out are shown as such. */
export function cell(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (isObject(value) && typeof value["$redacted"] === "string") return "(hidden)";
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join(", ");
  return JSON.stringify(value);
}

/** The columns of a list: under each title the member it shows, or how it is made. */
export type Columns<R> = Readonly<Record<string, (keyof R & string) | ((row: R) => unknown)>>;

/** Rows as a table. */
export function table<R>(columns: Columns<R>, rows: readonly R[]): Block {
  const cells = Object.values(columns);
  return {
    kind: "table",
    columns: Object.keys(columns),
    rows: rows.map((row) => cells.map((of) => cell(typeof of === "string" ? row[of] : of(row)))),
  };
}

/** The rows of a list that an operation answers with. */
export type RowOf<T> = T extends readonly (infer R)[] ? R : never;

/** A list of records as a table, with what `--quiet` prints and where the list goes on. */
export function listResult<T, M extends keyof T>(
  cli: Cli,
  envelope: Envelope<T>,
  member: M,
  columns: Columns<RowOf<T[M]>>,
  id?: keyof RowOf<T[M]> & string,
): Result;
export function listResult(
  cli: Cli,
  envelope: Envelope<Readonly<Record<string, unknown>>>,
  member: string,
  columns: Columns<Readonly<Record<string, unknown>>>,
  id = "id",
): Result {
  const { [member]: listed, nextCursor } = envelope.data;
  const rows = Array.isArray(listed) ? listed.filter(isObject) : [];
  const more = typeof nextCursor === "string" && cli.output.isTerminal;
  return {
    envelope,
    ids: rows.map((row) => String(cell(row[id]) ?? "")),
    view: [table(columns, rows), ...(more ? [note(`More: add --cursor ${nextCursor}`)] : [])],
  };
}

/** What is shown of a record: members by their names, or a name with its value. */
export type Fields<R> = readonly ((keyof R & string) | readonly [string, unknown])[];

/** One record as facts: the members named, in this order. */
export function recordResult<R>(
  envelope: Envelope<unknown>,
  record: R,
  fields: Fields<R>,
  more?: readonly Block[],
): Result;
export function recordResult(
  envelope: Envelope<unknown>,
  record: Readonly<Record<string, unknown>>,
  fields: Fields<Readonly<Record<string, unknown>>>,
  more: readonly Block[] = [],
): Result {
  const facts = fields.map((field): readonly [string, Cell] =>
    typeof field === "string" ? [field, cell(record[field])] : [field[0], cell(field[1])],
  );
  const { id } = record;
  return { envelope, ids: typeof id === "string" ? [id] : [], view: [{ kind: "facts", facts }, ...more] };
}

/** An answer as it is. */
export function plainResult(envelope: Envelope<unknown>, ids: readonly string[] = []): Result {
  return { envelope, ids, view: [jsonBlock(envelope.data)] };
}

/** Any value as indented JSON. */
export function jsonBlock(value: unknown): Block {
  return { kind: "text", text: JSON.stringify(value ?? null, null, 2) };
}

/** A remark that names the next command. */
export function next(...commands: readonly string[]): Block {
  return note(`Next: ${commands.join("\n      ")}`);
}

/** A remark. */
export function note(text: string): Block {
  return { kind: "note", text };
}

/** A line of text. */
export function line(text: string): Block {
  return { kind: "text", text };
}
