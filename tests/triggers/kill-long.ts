import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testPostgres } from "../support/postgres.ts";
import { killSeries } from "./kill-series.ts";

/* Over 10,000 dates on each database, with kills: `node tests/triggers/kill-long.ts [triggers] [kills]`. */

const [triggers = 200, kills = 25] = process.argv.slice(2).map(Number);
const folder = await mkdtemp(join(tmpdir(), "workflow-ui-"));
const server = await testPostgres();
try {
  const sqlite = await killSeries({ DATABASE_URL: `sqlite:${join(folder, "test.db")}` }, { triggers, kills });
  process.stdout.write(`SQLite: ${sqlite.dates} dates, ${sqlite.kills} kills: none lost, none repeated\n`);
  const postgres = await killSeries(
    { DATABASE_URL: await server.createDatabase(), SVC_MASTER_KEY: Buffer.alloc(32, 7).toString("base64") },
    { triggers, kills, replicas: 2 },
  );
  process.stdout.write(
    `PostgreSQL, two replicas: ${postgres.dates} dates, ${postgres.kills} kills: none lost, none repeated\n`,
  );
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
