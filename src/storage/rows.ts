import { AppError } from "../kernel/errors.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import { isParsedObject } from "../kernel/json.ts";
import { SCOPES, type Scope } from "../ports/caller.ts";
import type { Row } from "./sql.ts";

/** The deepest JSON that is stored; the gateway's own bound is far below it. */
const MAX_DEPTH = 512;
/** The longest JSON text of one column, in UTF-16 code units. */
const MAX_LENGTH = 16 * 1024 * 1024;

/** JSON text of a value, or a refusal when the text would not give the same value back. */
export function jsonText(value: unknown): string {
  checkJson(value, 0);
  const text = JSON.stringify(value);
  if (text.length > MAX_LENGTH) throw new AppError("too_large", "The record is larger than 16 MiB.");
  return text;
}

/** JSON text, or null for null. */
export function optJsonText(value: unknown): string | null {
  return value === null ? null : jsonText(value);
}

function checkJson(value: unknown, depth: number): void {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return;
  if (typeof value === "number" && Number.isFinite(value)) return;
  if (typeof value !== "object" || (!Array.isArray(value) && !isPlain(value))) {
    throw new AppError("invalid_input", "Only JSON values can be stored.");
  }
  if (depth >= MAX_DEPTH) {
    throw new AppError("invalid_input", `JSON deeper than ${MAX_DEPTH} levels cannot be stored.`);
  }
  if (Array.isArray(value)) {
    for (const item of value) checkJson(item, depth + 1);
    return;
  }
  // No inherited members: the value is plain.
  for (const key in value) {
    const item: unknown = Reflect.get(value, key);
    if (item !== undefined) checkJson(item, depth + 1);
  }
}

/** A date or another class turns into something else in JSON. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function damaged(column: string): Error {
  return new Error(`column ${column} does not hold what was written to it`);
}

/** A text column. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw damaged(column);
}

/** A text column that may be null. */
export function optText(row: Row, column: string): string | null {
  const value = row[column];
  if (typeof value === "string" || value === null) return value;
  throw damaged(column);
}

/** A whole number. */
export function int(row: Row, column: string): number {
  const value = row[column];
  if (typeof value === "number") return value;
  throw damaged(column);
}

/** A whole number that may be null. */
export function optInt(row: Row, column: string): number | null {
  const value = row[column];
  if (typeof value === "number" || value === null) return value;
  throw damaged(column);
}

/** A text column whose value is one of a set. */
export function oneOf<T extends string>(row: Row, column: string, set: readonly T[]): T {
  const value = row[column];
  for (const item of set) if (item === value) return item;
  throw damaged(column);
}

/* The text was made by `jsonText`, so what it parses to is JSON all the way down: only the top is looked at. */
function isJsonValue(value: unknown): value is Json {
  return value !== undefined;
}

/** Any JSON value. */
function json(row: Row, column: string): Json {
  const value: unknown = JSON.parse(text(row, column));
  if (isJsonValue(value)) return value;
  throw damaged(column);
}

/** Any JSON value, or null when the column is null. */
export function optJson(row: Row, column: string): Json | null {
  return row[column] === null ? null : json(row, column);
}

/** A JSON object. */
export function object(row: Row, column: string): JsonObject {
  const value: unknown = JSON.parse(text(row, column));
  if (isParsedObject(value)) return value;
  throw damaged(column);
}

/** A JSON object, or null when the column is null. */
export function optObject(row: Row, column: string): JsonObject | null {
  return row[column] === null ? null : object(row, column);
}

/** A JSON array of strings. */
export function strings(row: Row, column: string): readonly string[] {
  const value: unknown = JSON.parse(text(row, column));
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw damaged(column);
}

/** A JSON array of scopes; one that this build does not know gives no right. */
export function scopes(row: Row, column: string): readonly Scope[] {
  const held = new Set(strings(row, column));
  return SCOPES.filter((scope) => held.has(scope));
}
