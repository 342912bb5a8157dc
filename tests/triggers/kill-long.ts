import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finish, plainArguments } from "../security/results.ts";
import { testPostgres } from "../support/postgres.ts";
import { killSeries, POINTS, type SeriesResult } from "./kill-series.ts";

/*
 * Due dates while processes are killed at every named point, half of them on each database: `npm run chaos:triggers
 * [-- DATES KILLS TRIGGERS --record]`. Each series ends when it has its dates, or fails two minutes after the last kill.
 */

const ASKED = 10_000;
const [dates = ASKED, kills = 32, triggers = 200] = plainArguments().map(Number);
const half = { triggers, kills: kills / 2, dates: dates / 2 };
const folder = await mkdtemp(join(tmpdir(), "workflow-ui-"));
const server = await testPostgres();

const figures: string[] = [];
/** Points that no process came to before it was ended elsewhere: a slow machine passes few of them. */
const missed: string[] = [];
let found = 0;
function report(name: string, series: SeriesResult): void {
  const where = Object.entries(series.kills).map(([point, times]) => `${point} ${times}`);
  figures.push(`${name} ${series.dates} dates, kill -9 at ${where.join(", ")}`);
  process.stdout.write(`${figures.at(-1)}\n`);
  const never = POINTS.filter((point) => series.kills[point] === undefined);
  if (never.length > 0) missed.push(`on ${name} not at ${never.join(", ")}`);
  found += series.dates;
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
finish("L11", true, `no date lost, none repeated: ${figures.join("; ")}`, {
  done: found,
  asked: ASKED,
  unit: "dates",
  ...(missed.length > 0 && { but: `killed ${missed.join("; ")}` }),
});
