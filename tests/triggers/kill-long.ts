import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testPostgres } from "../support/postgres.ts";
import { killSeries, type SeriesResult } from "./kill-series.ts";

/*
 * Due dates while processes are killed at every named point, half of them on each database: `npm run chaos:triggers
 * [-- DATES KILLS TRIGGERS]`. Each series ends when it has its dates, or fails two minutes after the last kill.
 */

const [dates = 10_000, kills = 32, triggers = 200] = process.argv.slice(2).map(Number);
const half = { triggers, kills: kills / 2, dates: dates / 2 };
const folder = await mkdtemp(join(tmpdir(), "workflow-ui-"));
const server = await testPostgres();

function report(name: string, found: SeriesResult): void {
  const where = Object.entries(found.kills).map(([point, times]) => `${point} ${times}`);
  process.stdout.write(
    `${name}: ${found.dates} dates, none lost, none repeated; kill -9 at ${where.join(", ")}\n`,
  );
}

try {
  report("SQLite", await killSeries({ DATABASE_URL: `sqlite:${join(folder, "test.db")}` }, half));
  const env = {
    DATABASE_URL: await server.createDatabase(),
    SVC_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
  };
  report("PostgreSQL, two replicas", await killSeries(env, { ...half, replicas: 2 }));
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
