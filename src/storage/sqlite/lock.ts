import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import process from "node:process";
import { AppError } from "../../kernel/errors.ts";
import { createFolder } from "./folder.ts";
import { isBusy, translateSqliteError } from "./errors.ts";

/** The header of a SQLite file has a number that the program may choose; here it is a process id. */
const USER_VERSION_AT = 60;
/** Closing any other handle of a file ends the locks that this process has on it: what is held here is known instead. */
const held = new Set<string>();

/** The right of one process to serve a database. */
export interface DatabaseLock {
  release(): void;
}

/**
 * Keeps other processes from serving the same SQLite file; the command line may still use it. The lock is SQLite's own, on
 * an empty database beside the file: the kernel releases it when the process dies, however it does.
 */
export function lockSqlite(path: string): DatabaseLock {
  const file = `${path}-lock`;
  if (held.has(file)) throw inUse(path, process.pid);
  createFolder(path);
  const lock = take(path, file);
  held.add(file);
  try {
    lock.exec(`PRAGMA user_version = ${process.pid}`);
  } catch {
    // A full disk: the lock holds, only the id is not known to others.
  }
  return {
    release() {
      held.delete(file);
      lock.close();
    },
  };
}

function take(path: string, file: string): DatabaseSync {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file, { timeout: 0 });
    lock.exec("PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT;");
    return lock;
  } catch (error) {
    lock?.close();
    throw isBusy(error) ? inUse(path, holderOf(file)) : translateSqliteError(error);
  }
}

function holderOf(file: string): number {
  try {
    const header = readFileSync(file);
    return header.length < USER_VERSION_AT + 4 ? 0 : header.readUInt32BE(USER_VERSION_AT);
  } catch {
    return 0;
  }
}

function inUse(path: string, pid: number): AppError {
  const who = pid === 0 ? "another process" : `process ${pid}`;
  return new AppError(
    "storage_unavailable",
    `${path} is served by ${who} already. Stop it first, or use PostgreSQL for several processes.`,
  );
}
