import { writeFileSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { restoreDatabase } from "../../../src/storage/maintenance/backup.ts";

/** The master key of the stored databases' credentials. */
export const MASTER_KEY = "c3RvcmVkIGRhdGFiYXNlcyBvZiB0ZXN0cyAzMiBieXQ=";

/** When the database of 0.10.0 was made: tokens and sessions in it are as old as then. */
export const MADE_AT = Date.parse("2026-11-18T00:10:00.000Z");

/** Writes the SQLite file that a released version left behind. */
export function storedSqlite(version: string, file: string): string {
  writeFileSync(file, gunzipSync(readFileSync(new URL(`${version}.db.gz`, import.meta.url))));
  return `sqlite:${file}`;
}

/** Fills an empty database with the rows that a released version left in PostgreSQL, in a temporary file. */
export async function storedRows(version: string, databaseUrl: string, file: string): Promise<void> {
  writeFileSync(file, gunzipSync(readFileSync(new URL(`${version}.rows.gz`, import.meta.url))));
  await restoreDatabase(databaseUrl, file, { now: () => MADE_AT });
}
