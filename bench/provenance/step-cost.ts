import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { chain, openRig, type Rig } from "../../tests/engine/harness.ts";

/*
 * What provenance adds to a step of a workflow: the engine as it is against the same engine whose provenance records
 * nothing, in turns within one run, on databases of their own.
 */
const STEPS = 10;

/** What a step costs with and without provenance. */
export interface StepCost {
  readonly concurrency: number;
  /** Microseconds a step on the clock, and of processor time, medians over the rounds. */
  readonly withIt: number;
  readonly without: number;
  readonly cpuWith: number;
  readonly cpuWithout: number;
  /** The median of the ratios within a round, minus one. */
  readonly added: number;
  readonly cpuAdded: number;
}

interface Sample {
  readonly wall: number;
  readonly cpu: number;
}

/** Measures at one concurrency: `rounds` turns of `runs` runs for each of the two. */
export async function stepCost(concurrency: number, runs: number, rounds: number): Promise<StepCost> {
  const folder = mkdtempSync(join(tmpdir(), "bench-step-cost-"));
  const real = await openRig({ databaseUrl: `sqlite:${join(folder, "real.db")}` });
  const bare = await openRig({
    databaseUrl: `sqlite:${join(folder, "bare.db")}`,
    logbook: { thread: new URL("./bare-thread.ts", import.meta.url) },
  });
  Object.assign(bare.services.provenance, {
    append: () => Promise.resolve([]),
  });
  const workflows = new Map<Rig, string>();
  for (const rig of [real, bare]) {
    workflows.set(rig, await rig.workflow(chain(STEPS)));
    await turn(rig, workflows.get(rig) ?? "", concurrency, Math.min(runs, 500));
  }
  const pairs: { withIt: Sample; without: Sample }[] = [];
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? [real, bare] : [bare, real];
    const samples = new Map<Rig, Sample>();
    for (const rig of order) samples.set(rig, await turn(rig, workflows.get(rig) ?? "", concurrency, runs));
    const [withIt, without] = [samples.get(real), samples.get(bare)];
    if (withIt && without) pairs.push({ withIt, without });
  }
  await real.close();
  await bare.close();
  rmSync(folder, { recursive: true, force: true });
  return {
    concurrency,
    withIt: median(pairs.map(({ withIt }) => withIt.wall)),
    without: median(pairs.map(({ without }) => without.wall)),
    cpuWith: median(pairs.map(({ withIt }) => withIt.cpu)),
    cpuWithout: median(pairs.map(({ without }) => without.cpu)),
    added: median(pairs.map(({ withIt, without }) => withIt.wall / without.wall)) - 1,
    cpuAdded: median(pairs.map(({ withIt, without }) => withIt.cpu / without.cpu)) - 1,
  };
}

async function turn(rig: Rig, workflowId: string, concurrency: number, runs: number): Promise<Sample> {
  let next = 0;
  const cpu = process.cpuUsage();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next++ < runs) {
        const run = await rig.run(workflowId);
        rig.bench.calls.length = 0;
        if (run.state !== "succeeded") throw new Error(`a run ended as ${run.state}`);
      }
    }),
  );
  // Whoever reads waits until everything that was acknowledged is in its tables: that is part of the time.
  await rig.services.store.read.runs.list({ limit: 1 });
  const wall = ((performance.now() - began) * 1_000) / (runs * STEPS);
  const used = process.cpuUsage(cpu);
  return { wall, cpu: (used.user + used.system) / (runs * STEPS) };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
