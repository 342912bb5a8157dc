import process from "node:process";
import { chain, openRig } from "../../tests/engine/harness.ts";
import { newId, randomHex } from "../../src/kernel/ids.ts";
import type { RunRecord } from "../../src/ports/records.ts";

/*
 * Whether a step costs more when more is stored (1,000 against 1,000,000 runs), and whether memory grows over 100,000
 * runs. Prints Markdown.
 */
const rig = await openRig({ databaseUrl: `sqlite:${process.argv[2]}` });
const stored = Number(process.argv[3] ?? "1000000");
const many = Number(process.argv[4] ?? "100000");
const workflowId = await rig.workflow(chain(10));

async function rate(runs: number): Promise<number> {
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
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1_048_576;
}

/** Ended runs with their steps, written without running them. */
async function fill(count: number): Promise<void> {
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

await rate(1_000);
const few = await rate(5_000);
await fill(stored);
await rate(1_000);
const lots = await rate(5_000);
const before = heap();
for (let done = 0; done < many; done += 10_000) await rate(10_000);
const after = heap();
console.log(
  `| stored runs | steps/s |\n|---|---|\n| 7,000 | ${few.toFixed(0)} |\n| ${stored} more | ${lots.toFixed(0)} (${(lots / few).toFixed(2)}) |\n`,
);
console.log(`Heap before and after ${many} runs: ${before.toFixed(1)} and ${after.toFixed(1)} MB.`);
await rig.close();
