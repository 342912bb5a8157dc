import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { testPostgres } from "../support/postgres.ts";
import { killSeries } from "./kill-series.ts";

test("a killed process loses no date and repeats none", async () => {
  const folder = await mkdtemp(join(tmpdir(), "workflow-ui-"));
  try {
    const env = { DATABASE_URL: `sqlite:${join(folder, "test.db")}` };
    const { dates } = await killSeries(env, { triggers: 10, kills: 2, dates: 31 });
    assert.ok(dates > 30, `${dates} dates`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("two replicas of which one is killed lose no date and repeat none", async () => {
  const server = await testPostgres();
  try {
    const env = {
      DATABASE_URL: await server.createDatabase(),
      SVC_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    };
    const { dates } = await killSeries(env, { triggers: 10, kills: 2, replicas: 2, dates: 31 });
    assert.ok(dates > 30, `${dates} dates`);
  } finally {
    await server.stop();
  }
});
