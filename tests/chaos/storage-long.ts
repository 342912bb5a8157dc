import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { startPostgres } from "../support/postgres.ts";
import { crashSeries } from "./storage-crash.ts";

/*
 * The long form of the crash test: `node tests/chaos/storage-long.ts [rounds] [sqlite|postgres]`, 1,000 kills for each
 * store by default.
 */
const rounds = Number(process.argv[2] ?? "1000");
const only = process.argv[3];

if (only !== "postgres") {
  const folder = mkdtempSync(join(tmpdir(), "workflow-ui-chaos-"));
  console.log("SQLite:", await crashSeries(`sqlite:${join(folder, "chaos.db")}`, rounds));
  rmSync(folder, { recursive: true, force: true });
}

if (only !== "sqlite") {
  const server = await startPostgres({ fsync: true });
  console.log("PostgreSQL:", await crashSeries(await server.createDatabase(), rounds));
  await server.stop();
}
console.log(`Nothing acknowledged was lost in ${rounds} kills.`);
