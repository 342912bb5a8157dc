import { AppError } from "../../kernel/errors.ts";

const UNAVAILABLE: Readonly<Record<number, string>> = {
  5: "The database is locked by another process.",
  6: "A table of the database is locked.",
  7: "The database ran out of memory.",
  8: "The database cannot be written: it is read-only.",
  10: "The disk reported an error.",
  11: "The database file is damaged. It was left untouched.",
  13: "The disk is full.",
  14: "The database file cannot be opened.",
  15: "The database's locking protocol failed.",
  26: "The file is not a database. It was left untouched.",
};

/** No room for the file that connections share: SHMOPEN, SHMSIZE, SHMMAP. */
const SHARED_MEMORY: ReadonlySet<number> = new Set([4618, 4874, 5386]);
const UNIQUE = 2067;
const PRIMARY_KEY = 1555;
const FOREIGN_KEY = 787;

/** The result code SQLite gave, or null for another kind of error. */
function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return null;
  return error.errcode;
}

/** True when another process holds a lock. */
export function isBusy(error: unknown): boolean {
  return ((sqliteCode(error) ?? 0) & 0xff) === 5;
}

/** True for an error in our own words that says that there is no room, or that room could not be taken. */
export function isFull(error: unknown): error is AppError {
  const code = error instanceof AppError ? sqliteCode(error.cause) : null;
  return code !== null && ((code & 0xff) === 13 || SHARED_MEMORY.has(code));
}

/** An error of SQLite in our own words; any other error as it is. */
export function translateSqliteError(error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === null) {
    const isClosed = error instanceof Error && "code" in error && error.code === "ERR_INVALID_STATE";
    return isClosed ? new AppError("storage_unavailable", "The store is closed.", { cause: error }) : error;
  }
  const reason = UNAVAILABLE[code & 0xff];
  if (reason !== undefined) {
    return new AppError("storage_unavailable", reason, { cause: error, retryAfterSeconds: 5 });
  }
  if (code === UNIQUE || code === PRIMARY_KEY) {
    return new AppError("conflict", "A record with this identity exists already.", { cause: error });
  }
  if (code === FOREIGN_KEY) {
    return new AppError("conflict", "The record refers to one that does not exist.", { cause: error });
  }
  if ((code & 0xff) === 19) {
    return new AppError("conflict", "The record breaks a rule of the database.", { cause: error });
  }
  return error;
}
