import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Type } from "typebox";
import type { JsonObject } from "../../src/kernel/json.ts";
import { defineTool, type Tool } from "../../src/ports/operations.ts";
import { jsonObject } from "../../src/tools/shapes.ts";
import { Bench, chain, openRig, type Rig, type RigOptions } from "../../tests/engine/harness.ts";
import type { TestPostgres } from "../../tests/support/postgres.ts";

/*
 * What provenance adds to a step of a workflow: the engine as it is against the same engine whose provenance records
 * nothing, in turns within one run, on databases of their own.
 */
const STEPS = 10;

/** What a step costs with and without provenance. */
export interface StepCost {
  readonly what: string;
  readonly concurrency: number;
  /** Microseconds a step on the clock, and of this process's processor time, medians over the rounds. */
  readonly withIt: number;
  readonly without: number;
  readonly cpuWith: number;
  readonly cpuWithout: number;
  /** The median of the ratios within a round, minus one. */
  readonly added: number;
  readonly cpuAdded: number;
}

/** How much is measured. */
export interface Extent {
  readonly concurrency: number;
  readonly runs: number;
  readonly rounds: number;
}

interface Sample {
  readonly wall: number;
  readonly cpu: number;
}

type Turn = (recording: boolean) => Promise<Sample>;

/** What the steps of a workflow do. */
interface Work {
  readonly what: string;
  readonly tool: string;
  bench(): Bench;
}

/** Steps that give back their arguments: hardly anything but what every step costs. */
export const EMPTY: Work = { what: "empty", tool: "echo", bench: () => new Bench() };

/** Steps that ask another process over HTTP, which is what tools mostly do; with what ends that process. */
export async function asking(): Promise<Work & { close(): void }> {
  const service = spawn(process.execPath, [fileURLToPath(new URL("./other-service.ts", import.meta.url))], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line]: unknown[] = await once(service.stdout, "data");
  const port = Number(String(line));
  return {
    what: "asks another process",
    tool: "ask",
    bench: () => new AskingBench(port),
    close: () => service.kill(),
  };
}

/** What a step costs on SQLite. */
export async function onSqlite(work: Work, extent: Extent): Promise<StepCost> {
  const folder = mkdtempSync(join(tmpdir(), "bench-step-cost-"));
  const open = async (name: string, options: RigOptions): Promise<{ rig: Rig; workflowId: string }> => {
    const rig = await openRig({
      databaseUrl: `sqlite:${join(folder, name)}`,
      bench: work.bench(),
      ...options,
    });
    return { rig, workflowId: await rig.workflow(chain(STEPS, work.tool)) };
  };
  const real = await open("real.db", {});
  const bare = await open("bare.db", {});
  recordNothing(bare.rig);
  const turn = (recording: boolean, runs: number): Promise<Sample> => {
    const { rig, workflowId } = recording ? real : bare;
    return timed(runs, () => keepGoing(rig, workflowId, extent.concurrency, runs));
  };
  for (const recording of [true, false]) await turn(recording, Math.min(extent.runs, 500));
  const cost = await compare(`${work.what}, SQLite`, extent, (recording) => turn(recording, extent.runs));
  await real.rig.close();
  await bare.rig.close();
  rmSync(folder, { recursive: true, force: true });
  return cost;
}

/** What a step costs on PostgreSQL, where runs are queued before and then worked through, as replicas do. */
export async function onPostgres(
  server: TestPostgres,
  work: Work,
  { concurrency, runs, rounds }: Extent,
): Promise<StepCost> {
  const turn: Turn = async (recording) => {
    const databaseUrl = await server.createDatabase();
    const bench = work.bench();
    const gateway = await openRig({ databaseUrl, bench, settings: { role: "gateway" } });
    const workflowId = await gateway.workflow(chain(STEPS, work.tool));
    await Promise.all(Array.from({ length: runs }, () => gateway.start(workflowId)));
    await gateway.close();
    const rig = await openRig({ databaseUrl, bench, settings: { workerRuns: concurrency } });
    if (!recording) recordNothing(rig);
    const sample = await timed(runs, () => drained(rig, runs));
    await rig.close();
    return sample;
  };
  return compare(`${work.what}, PostgreSQL`, { concurrency, runs, rounds }, turn);
}

/** Takes turns, and says what came of them. */
async function compare(what: string, { concurrency, rounds }: Extent, turn: Turn): Promise<StepCost> {
  const pairs: { withIt: Sample; without: Sample }[] = [];
  for (let round = 0; round < rounds; round++) {
    const first = round % 2 === 0;
    const [one, other] = [await turn(first), await turn(!first)];
    pairs.push(first ? { withIt: one, without: other } : { withIt: other, without: one });
  }
  return {
    what,
    concurrency,
    withIt: median(pairs.map(({ withIt }) => withIt.wall)),
    without: median(pairs.map(({ without }) => without.wall)),
    cpuWith: median(pairs.map(({ withIt }) => withIt.cpu)),
    cpuWithout: median(pairs.map(({ without }) => without.cpu)),
    added: median(pairs.map(({ withIt, without }) => withIt.wall / without.wall)) - 1,
    cpuAdded: median(pairs.map(({ withIt, without }) => withIt.cpu / without.cpu)) - 1,
  };
}

/** What is recorded is made by the recorder: so nothing is made, not even digests. */
function recordNothing(rig: Rig): void {
  Object.assign(rig.services.provenance, { append: () => Promise.resolve([]) });
}

async function timed(runs: number, work: () => Promise<void>): Promise<Sample> {
  const cpu = process.cpuUsage();
  const began = performance.now();
  await work();
  const wall = ((performance.now() - began) * 1_000) / (runs * STEPS);
  const used = process.cpuUsage(cpu);
  return { wall, cpu: (used.user + used.system) / (runs * STEPS) };
}

async function keepGoing(rig: Rig, workflowId: string, concurrency: number, runs: number): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next++ < runs) {
        const run = await rig.run(workflowId);
        rig.bench.calls.length = 0;
        if (run.state !== "succeeded") throw new Error(`a run ended as ${run.state}`);
      }
    }),
  );
  // A reader waits until everything that was acknowledged is in its tables: that is part of the time.
  await rig.services.store.read.runs.list({ limit: 1 });
}

async function drained(rig: Rig, runs: number): Promise<void> {
  const { runs: stored } = rig.services.store.read;
  for (;;) {
    // The database is asked only when every step has been called.
    if (rig.bench.calls.length >= runs * STEPS) {
      const open = [...(await stored.queued(1)), ...(await stored.going(1))];
      if (open.length === 0) return;
    }
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
}

/** Tools of which one asks another process. */
class AskingBench extends Bench {
  override readonly tools: readonly Tool[];

  constructor(port: number) {
    super();
    const agent = new Agent({ keepAlive: true });
    this.tools = [
      defineTool({
        name: "ask",
        title: "ask",
        description: "Asks another process, which gives back what it is asked.",
        input: Type.Object({}, { additionalProperties: true }),
        output: jsonObject(),
        access: "public",
        effect: "none",
        idempotent: true,
        openWorld: false,
        run: async (args) => {
          const answer = await ask(agent, port, { ...args });
          this.calls.push({ tool: "ask", step: "", key: "", args: answer });
          return answer;
        },
      }),
    ];
  }
}

async function ask(agent: Agent, port: number, question: JsonObject): Promise<JsonObject> {
  const asked = request({ agent, port, host: "127.0.0.1", method: "POST" });
  asked.end(JSON.stringify(question));
  const [response]: NodeJS.ReadableStream[] = await once(asked, "response");
  if (response === undefined) throw new Error("no answer");
  const answer: JsonObject = JSON.parse(await text(response));
  return answer;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
