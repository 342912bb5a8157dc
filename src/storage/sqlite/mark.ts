import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { AppError } from "../../kernel/errors.ts";

/*
 * Commits live in the write-ahead log until they are copied into the database. When that file vanishes, or its last commit
 * is damaged, SQLite opens an older state as if nothing had happened. So the newest event's sequence is kept beside the
 * database, written after each commit. It is not flushed: after a power failure it may be older, never newer.
 */

const DIGITS = 16;

function pathOf(databasePath: string): string {
  return `${databasePath}-mark`;
}

/** The mark of a database that is open for writing. */
export class CommitMark {
  readonly #file: number;

  constructor(databasePath: string) {
    this.#file = openSync(pathOf(databasePath), constants.O_RDWR | constants.O_CREAT, 0o600);
  }

  /** The events up to this sequence are on disk. */
  write(last: number): void {
    try {
      writeSync(this.#file, String(last).padStart(DIGITS, "0"), 0);
    } catch {
      // An older mark is true as well.
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Forgets the mark of a database that no longer exists. */
export function removeMark(databasePath: string): void {
  rmSync(pathOf(databasePath), { force: true });
}

/** What is missing in a database whose newest event is `last`, or null when nothing is known to be. */
export function missingCommits(databasePath: string, last: number): string | null {
  const marked = readMark(pathOf(databasePath));
  if (marked <= last) return null;
  return `${databasePath} ends with event ${last}, but event ${marked} was committed to it: its write-ahead log is missing or damaged, or an older copy was put in its place.`;
}

/** Refuses a database that has lost commits. */
export function refuseMissingCommits(databasePath: string, last: number): void {
  const missing = missingCommits(databasePath, last);
  if (missing === null) return;
  throw new AppError("storage_unavailable", `${missing} It was left as it is.`, {
    nextAction: `Put the -wal file back, or restore a newer backup. To go on with this state, delete ${pathOf(databasePath)} and start again.`,
  });
}

function readMark(path: string): number {
  try {
    const text = readFileSync(path, "utf8");
    return /^\d{16}$/.test(text) ? Number(text) : 0;
  } catch {
    return 0;
  }
}
