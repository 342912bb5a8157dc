import { closeSync, fdatasyncSync, openSync } from "node:fs";

/** Everything that is committed to a database is on disk from here on, whatever happens to the machine. */
export function flush(databasePath: string): void {
  const file = openSync(`${databasePath}-wal`, "r");
  try {
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}
