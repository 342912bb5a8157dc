import { AppError } from "../kernel/errors.ts";
import type { Clock, Log } from "../ports/platform.ts";
import type { Store } from "../ports/store.ts";
import { NoStore } from "./none.ts";
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

/** Opens the store that a database URL names and brings its schema up to date. */
export async function openStore(databaseUrl: string, options: StoreOptions): Promise<Store> {
  const target = databaseTarget(databaseUrl);
  switch (target.kind) {
    case "none":
      return new NoStore(options.clock);
    case "sqlite":
      return new SqliteStore(target.path, options.clock, options.log);
    case "postgres":
      return (await import("./postgres/store.ts")).openPostgres(target.url, options.clock, options.log);
  }
}
