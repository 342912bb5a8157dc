import { AppError } from "../kernel/errors.ts";
import type { Clock, Log } from "../ports/platform.ts";
import type { Store } from "../ports/store.ts";
import { NoStore } from "./none.ts";
import { isFull } from "./sqlite/errors.ts";
import { lockSqlite, type DatabaseLock } from "./sqlite/lock.ts";
import { ReadOnlyStore } from "./sqlite/read-only.ts";
import { SqliteStore } from "./sqlite/store.ts";

/** What a store needs from outside. */
export interface StoreOptions {
  readonly clock: Clock;
  readonly log: Log;
}

/** Where a database URL points: which kind, and its file for SQLite. */
export type DatabaseTarget =
  | { readonly kind: "none" }
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string };

/** Reads a database URL: `sqlite:<file>`, `postgres://…` or `none`. */
export function databaseTarget(databaseUrl: string): DatabaseTarget {
  if (databaseUrl === "none") return { kind: "none" };
  if (/^postgres(ql)?:\/\//.test(databaseUrl)) return { kind: "postgres", url: databaseUrl };
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(databaseUrl)?.[1];
  if (path !== undefined && !path.includes(":memory:")) return { kind: "sqlite", path };
  throw new AppError("invalid_input", "DATABASE_URL must be sqlite:<file>, postgres://… or none.");
}

/** Keeps other processes from serving the same SQLite file; replicas may share PostgreSQL. */
export function lockDatabase(databaseUrl: string): DatabaseLock {
  const target = databaseTarget(databaseUrl);
  return target.kind === "sqlite" ? lockSqlite(target.path) : { release: () => undefined };
}

function openSqlite(path: string, { clock, log }: StoreOptions): Store {
  try {
    return new SqliteStore(path, clock, log);
  } catch (error) {
    const store = isFull(error) ? ReadOnlyStore.open(path, clock, error.message) : null;
    if (store === null) throw error;
    return store;
  }
}

/** Opens the store that a database URL names and brings its schema up to date. */
export async function openStore(databaseUrl: string, options: StoreOptions): Promise<Store> {
  const target = databaseTarget(databaseUrl);
  switch (target.kind) {
    case "none":
      return new NoStore(options.clock);
    case "sqlite":
      return openSqlite(target.path, options);
    case "postgres":
      return (await import("./postgres/store.ts")).openPostgres(target.url, options.clock, options.log);
  }
}
