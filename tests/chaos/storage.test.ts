import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { startPostgres } from "../support/postgres.ts";
import { crashSeries } from "./storage-crash.ts";

/** Two of these die while they open the database; `npm run chaos` kills 1,000 times a store. */
const ROUNDS = 16;

it(`SQLite: a writer killed ${ROUNDS} times loses nothing it acknowledged`, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "workflow-ui-chaos-"));
  try {
    const report = await crashSeries(`sqlite:${join(folder, "chaos.db")}`, ROUNDS);
    t.diagnostic(JSON.stringify(report));
    assert.ok(report.acknowledged > ROUNDS);
    assert.ok(report.stored >= report.acknowledged);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it(`PostgreSQL: a writer killed ${ROUNDS} times loses nothing it acknowledged`, async (t) => {
  const server = await startPostgres();
  try {
    const report = await crashSeries(await server.createDatabase(), ROUNDS);
    t.diagnostic(JSON.stringify(report));
    assert.ok(report.acknowledged > ROUNDS);
    assert.ok(report.stored >= report.acknowledged);
  } finally {
    await server.stop();
  }
});
