import { Value } from "typebox/value";
import type { Static, TSchema } from "typebox";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { Scope } from "../ports/caller.ts";
import {
  int,
  jsonText,
  object,
  oneOf,
  optInt,
  optJson,
  optJsonText,
  optObject,
  optText,
  scopes,
  strings,
  text,
} from "./rows.ts";
import { insertInto, type Row, type Sql, type SqlValue } from "./sql.ts";

/** How a member of a record is kept in a column, which has the member's name in snake case unless it has its own. */
export interface Column<T, R = unknown> {
  readonly name?: string;
  readonly read: (row: Row, column: string) => T;
  readonly write: (value: T, record: R) => SqlValue;
}

function plain<T extends SqlValue>(read: Column<T>["read"]): Column<T> {
  return { read, write: (value) => value };
}

/** The kinds of columns. */
export const is = {
  text: plain(text),
  optText: plain(optText),
  int: plain(int),
  optInt: plain(optInt),
  flag: column<boolean>(
    (row, name) => int(row, name) === 1,
    (value) => (value ? 1 : 0),
  ),
  object: column<JsonObject>(object, jsonText),
  optObject: column<JsonObject | null>(optObject, optJsonText),
  optJson: column<Json | null>(optJson, optJsonText),
  strings: column<readonly string[]>(strings, jsonText),
  scopes: column<readonly Scope[]>(scopes, jsonText),
  oneOf: <T extends string>(set: readonly T[]): Column<T> => plain((row, name) => oneOf(row, name, set)),
  /** JSON of a known shape; what an older build wrote in another shape reads as `otherwise`. */
  shaped: <S extends TSchema>(schema: S, otherwise: Static<S>): Column<Static<S>> =>
    column((row, name) => {
      const stored = object(row, name);
      return Value.Check(schema, stored) ? stored : otherwise;
    }, jsonText),
} as const;

/** A column that is read and written in its own way. */
export function column<T, R = unknown>(read: Column<T>["read"], write: Column<T, R>["write"]): Column<T, R> {
  return { read, write };
}

/** The same column under a name of its own. */
export function named<T>(name: string, kind: Column<T>): Column<T> {
  return { ...kind, name };
}

type Columns<R> = { readonly [M in keyof R]-?: Column<R[M], R> };
type Member<R> = Extract<keyof R, string>;

/** A statement that changes some members of a record, and the values of those members. */
interface Update<R> {
  readonly sql: string;
  readonly values: (record: R) => readonly SqlValue[];
}

/** What the statements about one table share. */
export interface Table<R> {
  /** `a, b, c` in the order of the columns, or `t.a, t.b, t.c`. */
  readonly columns: string;
  readonly columnsOf: (alias: string) => string;
  readonly select: string;
  readonly insert: string;
  /** `insert`, or a change of everything but the key where a record with that key exists. */
  readonly upsert: (...key: readonly Member<R>[]) => string;
  readonly update: (members: readonly Member<R>[], where: string) => Update<R>;
  readonly read: (row: Row) => R;
  readonly values: (record: R) => readonly SqlValue[];
  /** The record that a statement finds. */
  readonly one: (sql: Sql, statement: string, values: readonly SqlValue[]) => Promise<R | null>;
  /** The records that a statement finds. */
  readonly all: (sql: Sql, statement: string, values: readonly SqlValue[]) => Promise<readonly R[]>;
}

/** A table, described once: column list, reader, insert and update follow from it. */
export function table<R extends object>(name: string, columns: Columns<R>): Table<R> {
  const members: Member<R>[] = [];
  for (const member in columns) members.push(member);
  const nameOf = (member: Member<R>): string => columns[member].name ?? snakeCase(member);
  const parts = members.map((member) => ({ member, column: nameOf(member), kind: columns[member] }));
  const names = parts.map((part) => part.column);
  const list = names.join(", ");
  const isWhole = (record: Partial<R>): record is R => members.every((member) => member in record);
  const read = (row: Row): R => {
    const record: Partial<R> = {};
    for (const part of parts) record[part.member] = part.kind.read(row, part.column);
    if (isWhole(record)) return record;
    throw new Error(`a row of ${name} was not read whole`);
  };
  const insert = insertInto(name, list);
  return {
    columns: list,
    columnsOf: (alias) => names.map((column) => `${alias}.${column}`).join(", "),
    select: `SELECT ${list} FROM ${name}`,
    insert,
    upsert: (...key) => {
      const keys = key.map(nameOf);
      const changes = names
        .filter((column) => !keys.includes(column))
        .map((one) => `${one} = excluded.${one}`);
      return `${insert} ON CONFLICT (${keys.join(", ")}) DO UPDATE SET ${changes.join(", ")}`;
    },
    update: (changed, where) => ({
      sql: `UPDATE ${name} SET ${changed.map((member) => `${nameOf(member)} = ?`).join(", ")} ${where}`,
      values: (record) => changed.map((member) => columns[member].write(record[member], record)),
    }),
    read,
    values: (record) => parts.map(({ member, kind }) => kind.write(record[member], record)),
    one: async (sql, statement, values) => {
      const row = await sql.get(statement, values);
      return row === undefined ? null : read(row);
    },
    all: async (sql, statement, values) => (await sql.all(statement, values)).map(read),
  };
}

/** `workflowId` → `workflow_id`. */
function snakeCase(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
