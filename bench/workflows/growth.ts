import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { chain, openRig } from "../../tests/engine/harness.ts";
import { newId, randomHex } from "../../src/kernel/ids.ts";
import type { RunRecord } from "../../src/ports/records.ts";
import type { RunFilter } from "../../src/ports/store.ts";

/*
 * `npm run bench:growth [-- STORED RUNS]`: whether a step costs more when more is stored (a database with 1,000,000 runs
 * against an empty one, in turns), how long lists of runs take there, and whether memory grows over 100,000 runs. Writes
 * bench/results/growth.md.
 */
type Bench = Awaited<ReturnType<typeof openBench>>;

const stored = Number(process.argv[2] ?? "1000000");
const many = Number(process.argv[3] ?? "100000");
const folder = mkdtempSync(join(tmpdir(), "bench-growth-"));
setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");
const ROUNDS = 9;
const FIRST = Date.parse("2026-01-01T00:00:00.000Z");
const RARE = "key_rare";
const WANTED = { ofEmpty: 0.9, p95Ms: 50, heldMs: 50, processorMs: 20 } as const;

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
        const nth = done + i;
        const record: RunRecord = {
          ...sample,
          id: newId("run"),
          traceId: randomHex(16),
          state: nth % 1_000 === 7 ? "failed" : "succeeded",
          startedBy: nth % 100_000 === 0 ? RARE : `key_${nth % 100}`,
          visibility: nth % 5 === 0 ? "public" : "private",
          inputs: { ...sample.inputs, order: `order ${nth}` },
          createdAt: new Date(FIRST + nth).toISOString(),
        };
        await tx.runs.insert(record);
        await tx.runs.putSteps(steps.slice(0, 2).map((step) => ({ ...step, runId: record.id })));
      }
    });
  }
}

/** Every list and filter of runs, those that find nothing among them. */
const listsOf = (workflowId: string): Readonly<Record<string, RunFilter>> => ({
  "all, newest": {},
  "of a workflow that has none": { workflowId: "workflow_none" },
  "of the workflow that has all": { workflowId },
  "of that workflow, one caller's": { workflowId, startedBy: "key_3" },
  "of that workflow, failed": { workflowId, states: ["failed"] },
  failed: { states: ["failed"] },
  succeeded: { states: ["succeeded"] },
  "running or waiting (none)": { states: ["running", "waiting"] },
  "timed out (none)": { states: ["timed_out"] },
  public: { visibleTo: "public" },
  "public or one caller's": { visibleTo: "public", ownedBy: RARE },
  "one caller's, rare": { startedBy: RARE },
  "one caller's, failed (none)": { startedBy: "key_2", states: ["failed"] },
  "an hour of the middle": {
    from: new Date(FIRST + 100).toISOString(),
    to: new Date(FIRST + 3_600_100).toISOString(),
  },
  "text that is in none": { text: "nowhere to be found" },
  "text that is in none, one caller's": { startedBy: "key_3", text: "nowhere to be found" },
});

/** The processor time of this thread, in ms: the time of other processes is not in it. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The time of each list and the longest time that one held the event loop, in ms, with the processor time in it. */
async function listTimes({
  rig,
  workflowId,
}: Bench): Promise<{ rows: string[]; p95: number; held: number; processor: number }> {
  const rows: string[] = [];
  const worst = { p95: 0, held: 0, processor: 0 };
  for (const [name, filter] of Object.entries(listsOf(workflowId))) {
    const times: number[] = [];
    let held = 0;
    let processor = 0;
    let found = 0;
    for (let round = 0; round < 100; round++) {
      let turn = performance.now();
      let spent = processorMs();
      let listing = true;
      const watch = (): void => {
        held = Math.max(held, performance.now() - turn);
        processor = Math.max(processor, processorMs() - spent);
        turn = performance.now();
        spent = processorMs();
        if (listing) setImmediate(watch);
      };
      setImmediate(watch);
      const began = performance.now();
      found = (await rig.services.store.read.runs.list({ limit: 50 }, filter)).items.length;
      times.push(performance.now() - began);
      listing = false;
      await new Promise((resolve) => setImmediate(resolve));
    }
    const sorted = times.toSorted((a, b) => a - b);
    const p95 = sorted[94] ?? 0;
    worst.p95 = Math.max(worst.p95, p95);
    worst.held = Math.max(worst.held, held);
    worst.processor = Math.max(worst.processor, processor);
    rows.push(
      `| ${name} | ${found} | ${(sorted[50] ?? 0).toFixed(1)} | ${p95.toFixed(1)} | ${held.toFixed(1)} | ${processor.toFixed(1)} |`,
    );
  }
  return { rows, ...worst };
}

const verdict = (isMet: boolean): string => (isMet ? "met" : "missed");
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const empty = await openBench(join(folder, "empty.db"));
const full = await openBench(join(folder, "full.db"));
await rate(empty, 1_000);
await rate(full, 1_000);
await fill(full, stored);
await rate(full, 1_000);
const lists = await listTimes(full);
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
  `\`npm run bench:growth -- ${stored} ${many}\` on ${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"}), Node ${process.version}, SQLite, runs of ten steps, 32 at a time. Load average of the machine at the end, this benchmark included: ${loadavg()[0]?.toFixed(1) ?? ""}.`,
  "",
  "| stored runs | steps/s | of empty |",
  "|---|---:|---:|",
  `| 1,000 | ${number.format(Math.round(median(few)))} | |`,
  `| ${number.format(stored)} more | ${number.format(Math.round(median(lots)))} | ${ratio.toFixed(2)} |`,
  "",
  `Medians of ${ROUNDS} rounds of 1,000 runs in which the two databases take turns; the ratio is the median within the rounds.`,
  "",
  "| bar | measured | wanted | |",
  "|---|---|---|---|",
  `| runs, of an empty database | ${ratio.toFixed(2)} | ≥ ${WANTED.ofEmpty} | ${verdict(ratio >= WANTED.ofEmpty)} |`,
  `| slowest list, p95, ms | ${lists.p95.toFixed(1)} | ≤ ${WANTED.p95Ms} | ${verdict(lists.p95 <= WANTED.p95Ms)} |`,
  `| longest time that a list held the event loop, ms | ${lists.held.toFixed(1)} | ≤ ${WANTED.heldMs} | ${verdict(lists.held <= WANTED.heldMs)} |`,
  `| longest processor time of a list in one turn, ms | ${lists.processor.toFixed(1)} | ≤ ${WANTED.processorMs} | ${verdict(lists.processor <= WANTED.processorMs)} |`,
  "",
  `## Lists of runs among ${number.format(stored)}`,
  "",
  "A page of 50, 100 times each, in ms; then the longest time that the list held the event loop, and the longest processor time of one turn, without what other processes took and without the wait for the disk. A filter without an index answers with what it found so far and a cursor.",
  "",
  "| list | rows | median | p95 | held | processor |",
  "|---|---:|---:|---:|---:|---:|",
  ...lists.rows,
  "",
  `Heap over ${number.format(many)} runs, at the beginning and after each quarter: ${heaps.map((mb) => mb.toFixed(1)).join(", ")} MB.`,
].join("\n")}\n`;
console.log(report);
writeFileSync(new URL("../results/growth.md", import.meta.url), report);
await empty.rig.close();
await full.rig.close();
rmSync(folder, { recursive: true });
