import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { chain, openRig } from "../../tests/engine/harness.ts";
import { newId, randomHex } from "../../src/kernel/ids.ts";
import type { RunRecord } from "../../src/ports/records.ts";

/*
 * `npm run bench:growth [-- STORED RUNS]`: whether a step costs more when more is stored (a database with 1,000,000 runs
 * against an empty one, in turns), and whether memory grows over 100,000 runs. Writes bench/results/growth.md.
 */
type Bench = Awaited<ReturnType<typeof openBench>>;

const stored = Number(process.argv[2] ?? "1000000");
const many = Number(process.argv[3] ?? "100000");
const folder = mkdtempSync(join(tmpdir(), "bench-growth-"));
setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");
const ROUNDS = 9;

async function openBench(file: string) {
  const rig = await openRig({ databaseUrl: `sqlite:${file}` });
  return { rig, workflowId: await rig.workflow(chain(10)) };
}

async function rate({ rig, workflowId }: Bench, runs: number): Promise<number> {
  let next = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (next++ < runs) await rig.run(workflowId);
    }),
  );
  rig.bench.calls.length = 0;
  return (runs * 10_000) / (performance.now() - began);
}

function heap(): number {
  collect();
  return process.memoryUsage().heapUsed / 1_048_576;
}

/** Ended runs with their steps, written without running them. */
async function fill({ rig }: Bench, count: number): Promise<void> {
  const [sample] = (await rig.services.store.read.runs.list({ limit: 1 })).items;
  if (sample === undefined) throw new Error("no run to copy");
  const steps = await rig.services.store.read.runs.steps(sample.id);
  for (let done = 0; done < count; done += 2_000) {
    await rig.services.store.transact(async (tx) => {
      for (let i = 0; i < 2_000; i++) {
        const record: RunRecord = { ...sample, id: newId("run"), traceId: randomHex(16) };
        await tx.runs.insert(record);
        await tx.runs.putSteps(steps.slice(0, 2).map((step) => ({ ...step, runId: record.id })));
      }
    });
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const empty = await openBench(join(folder, "empty.db"));
const full = await openBench(join(folder, "full.db"));
await rate(empty, 1_000);
await rate(full, 1_000);
await fill(full, stored);
await rate(full, 1_000);
const few: number[] = [];
const lots: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  few.push(await rate(empty, 1_000));
  lots.push(await rate(full, 1_000));
}
const ratio = median(lots.map((value, round) => value / (few[round] ?? 1)));
const heaps = [heap()];
for (let done = 0; done < many; done += many / 4) {
  await rate(full, many / 4);
  heaps.push(heap());
}
const number = new Intl.NumberFormat("en");
const report = `${[
  "# Growth: what a step costs when much is stored",
  "",
  `\`npm run bench:growth\` on ${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"}), Node ${process.version}, SQLite, runs of ten steps, 32 at a time.`,
  "",
  "| stored runs | steps/s | of empty |",
  "|---|---:|---:|",
  `| 1,000 | ${number.format(Math.round(median(few)))} | |`,
  `| ${number.format(stored)} more | ${number.format(Math.round(median(lots)))} | ${ratio.toFixed(2)} |`,
  "",
  `Medians of ${ROUNDS} rounds of 1,000 runs in which the two databases take turns; the ratio is the median within the rounds (bar 0.85).`,
  `Heap over ${number.format(many)} runs, at the beginning and after each quarter: ${heaps.map((mb) => mb.toFixed(1)).join(", ")} MB.`,
].join("\n")}\n`;
console.log(report);
writeFileSync(new URL("../results/growth.md", import.meta.url), report);
await empty.rig.close();
await full.rig.close();
rmSync(folder, { recursive: true });
