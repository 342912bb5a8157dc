import { copyFile, mkdtemp } from "node:fs/promises";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { openStore } from "../../src/storage/open.ts";
import { quiet } from "../storage/store.samples.ts";

let template: Promise<string> | undefined;

/**
 * Puts a database with the schema of this build at a path, and gives its address. It is migrated once for a process and
 * then copied: that takes 3 ms instead of 55, and the migrations have tests of their own.
 */
export async function migratedSqlite(path: string): Promise<string> {
  template ??= migrate();
  await copyFile(await template, path);
  return `sqlite:${path}`;
}

async function migrate(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "workflow-ui-migrated-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "migrated.db");
  await (await openStore(`sqlite:${path}`, quiet)).close();
  return path;
}
