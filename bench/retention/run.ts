import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createClient } from "../../packages/client/client.ts";
import { openRig } from "../../tests/engine/harness.ts";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { startPostgres } from "../../tests/support/postgres.ts";
import { startServiceProcess, TEST_KEY, type ServiceProcess } from "../../tests/support/service.ts";

/*
 * Removes many runs while others are started: `npm run bench:retention [-- RUNS]`, 100,000 without a number. Says how
 * fast that goes and what callers notice, then checks the whole database: every signed record against the log. Writes
 * bench/results/retention.md.
 */

const CALLERS = 16;
/** How long the load is measured before anything is removed. */
const CALM_MS = 10_000;
const total = Number(process.argv[2] ?? 100_000);
const NODES = ["one", "two"].map((id) => ({ id, type: "transform", title: id, value: { id } }));

const lines: string[] = [];
for (const store of ["SQLite", "PostgreSQL"] as const) {
  const folder = mkdtempSync(join(tmpdir(), "retention-"));
  const file = join(folder, "runs.db");
  const postgres = store === "PostgreSQL" ? await startPostgres() : null;
  const databaseUrl = (await postgres?.createDatabase()) ?? `sqlite:${file}`;
  const old = await fill(databaseUrl);
  const service = await startServiceProcess({ DATABASE_URL: databaseUrl });
  const client = createClient({
    baseUrl: service.url,
    headers: () => ({ authorization: `Bearer ${TEST_KEY}` }),
  });
  try {
    const other = await workflow(service, "Other");
    const calmUntil = performance.now() + CALM_MS;
    const before = await load(service, other, () => performance.now() < calmUntil);
    const full = postgres === null ? sizeOf(file) : 0;
    const began = performance.now();
    await client.call("set_retention_rule", { workflowId: old, runsDays: 0 });
    let isLeft = true;
    const [during] = await Promise.all([
      load(service, other, () => isLeft),
      (async () => {
        while (isLeft) {
          await sleep(500);
          isLeft = (await client.call("list_runs", { workflowId: old, limit: 1 })).runs.length > 0;
        }
      })(),
    ]);
    const seconds = (performance.now() - began) / 1_000;
    if (postgres === null) await givenBack(file);
    await service.stop();
    assert.deepEqual((await checkDatabase(databaseUrl)).problems, []);
    const space = postgres === null ? `${full} → ${sizeOf(file)} MB` : "autovacuum";
    lines.push(
      `| ${store} | ${total} | ${(total / seconds).toFixed(0)} | ${before.p95} ms | ${during.p95} ms (${during.runs} runs) | ${space} | 0 problems |`,
    );
    console.log(lines.at(-1));
  } finally {
    await service.stop("SIGKILL");
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
writeFileSync(
  fileURLToPath(new URL("../results/retention.md", import.meta.url)),
  `# Retention\n\n\`npm run bench:retention -- ${total}\`, ${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores (${process.arch}), Node ${process.version}. Runs of two steps are removed while ${CALLERS} callers start others over HTTP. Their signed records and the newest 200,000 events stay, and the runs of the load come into the file. Afterwards \`db check\` compares the whole database with the signed log.\n\n| store | removed | a second | a run before (p95) | a run during it (p95) | file | check |\n|---|---|---|---|---|---|---|\n${lines.join("\n")}\n`,
);

/** Real runs, each with its signed records, by an engine in this process: over HTTP it would take several times as long. */
async function fill(databaseUrl: string): Promise<string> {
  const rig = await openRig({ databaseUrl });
  const id = await rig.workflow({ nodes: NODES, edges: [{ from: "one", to: "two" }] });
  let begun = 0;
  const caller = async (): Promise<void> => {
    while (begun++ < total) assert.equal((await rig.run(id)).state, "succeeded");
  };
  await Promise.all(Array.from({ length: 64 }, caller));
  await rig.close();
  return id;
}

async function workflow(service: ServiceProcess, name: string): Promise<string> {
  const edges = [{ from: "one", to: "two" }];
  const { envelope } = await service.call("create_workflow", { name, nodes: NODES, edges }, { key: true });
  return envelope.data.workflow.id;
}

/** Starts runs while that is wanted, and says how long one took for 95 of 100. */
async function load(
  service: ServiceProcess,
  id: string,
  isWanted: () => boolean,
): Promise<{ readonly p95: string; readonly runs: number }> {
  const times: number[] = [];
  const caller = async (): Promise<void> => {
    while (isWanted()) {
      const began = performance.now();
      const { envelope, text } = await service.call("run_workflow", { id }, { key: true });
      assert.equal(envelope?.ok, true, text);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  times.sort((a, b) => a - b);
  return { p95: (times[Math.floor(times.length * 0.95)] ?? 0).toFixed(0), runs: times.length };
}

/** After the last run is gone, its pages go back to the disk; that takes some seconds. */
async function givenBack(file: string): Promise<void> {
  const db = new DatabaseSync(file, { readOnly: true });
  for (let n = 0; n < 1_200; n++) {
    if (db.prepare("PRAGMA freelist_count").get()?.["freelist_count"] === 0) break;
    await sleep(100);
  }
  db.close();
}

function sizeOf(file: string): number {
  return Math.round(statSync(file).size / 1_048_576);
}
