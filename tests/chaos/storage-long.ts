import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { finish, plainArguments } from "../security/results.ts";
import { startPostgres } from "../support/postgres.ts";
import { crashSeries, type CrashReport } from "./storage-crash.ts";

/*
 * The long form of the crash test: `node tests/chaos/storage-long.ts [rounds] [--only=STORE]`, 1,000 kills for each
 * store by default.
 */
const ASKED = 1_000;
const rounds = Number(plainArguments()[0] ?? ASKED);
const only = process.argv.find((text) => text.startsWith("--only="))?.slice("--only=".length);
const figures: string[] = [];
const note = (name: string, { acknowledged, stored }: CrashReport): void => {
  console.log(name, { acknowledged, stored });
  figures.push(`${name} ${acknowledged} acknowledged, ${stored} stored`);
};

if (only !== "postgres") {
  const folder = mkdtempSync(join(tmpdir(), "workflow-ui-chaos-"));
  note("SQLite", await crashSeries(`sqlite:${join(folder, "chaos.db")}`, rounds));
  rmSync(folder, { recursive: true, force: true });
}

if (only !== "sqlite") {
  const server = await startPostgres({ fsync: true });
  note("PostgreSQL", await crashSeries(await server.createDatabase(), rounds));
  await server.stop();
}
finish("L7", true, `nothing acknowledged was lost: ${figures.join("; ")}`, {
  done: rounds,
  asked: ASKED,
  unit: "kills a store",
  ...(only !== undefined && { but: `${only} alone` }),
});
