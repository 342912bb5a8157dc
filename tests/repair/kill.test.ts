import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import type { RunDetail } from "../../packages/client/client.ts";
import type { AnswerAt } from "../support/answers.ts";
import { testPostgres } from "../support/postgres.ts";
import { startServiceProcess, type ServiceProcess } from "../support/service.ts";
import { ask, until, type RestAnswer } from "../triggers/support.ts";
import { connectOracle, inARow, published, start, startOracle, work } from "./oracle.ts";

const RUNS = 6;
const KILLS = 2;

function unknownIn({ steps }: RunDetail): { readonly id: string } | undefined {
  return steps.find(({ status }) => status === "outcome_unknown");
}

/**
 * Runs that wait for a signal and then fail are sent their signal and repaired while processes are killed. Every caller
 * asks again until it gets an answer. Afterwards each run has used one signal, and each step had its effect once.
 */
async function killDuring(env: Readonly<Record<string, string>>, replicas: number): Promise<void> {
  const oracle = await startOracle();
  const services: ServiceProcess[] = [];
  while (services.length < replicas) services.push(await startServiceProcess(env));
  const [first] = services;
  assert.ok(first);
  try {
    await connectOracle(first, oracle);
    const nodes = [
      work("before"),
      { id: "go", type: "wait", wait: { signal: "go" } },
      work("broken", { $ref: "steps.go.outputs.payload" }),
      work("after"),
    ];
    const id = await published(first, nodes, inARow(nodes));
    oracle.failing.add("broken");
    const runs: string[] = [];
    while (runs.length < RUNS) runs.push(await start(first, id));
    /** Asks whichever process is there until one answers. */
    const answered = async <M extends string, P extends string>(
      method: M,
      path: P,
      body?: unknown,
    ): Promise<RestAnswer<AnswerAt<M, P>>> => {
      for (let attempt = 0; attempt < 2_400; attempt++) {
        const service = services[attempt % services.length];
        const answer = service && (await ask(service, method, path, body).catch(() => null));
        if (answer !== null && answer !== undefined && answer.status < 500) return answer;
        await sleep(50);
      }
      return assert.fail(`${method} ${path} was never answered`);
    };
    const kill = async (at: number): Promise<void> => {
      await services[at]?.stop("SIGKILL");
      services[at] = await startServiceProcess(env);
    };
    const killing = (async () => {
      for (let nth = 0; nth < KILLS; nth++) {
        await sleep(150 + Math.random() * 400);
        await kill(nth % services.length);
      }
    })();
    const state = async (runId: string): Promise<RunDetail> =>
      (await answered("GET", `/api/svc/runs/${runId}`)).data.run;
    /** A step that was cut off in the middle of its call waits for a person. */
    const reached = (runId: string, wanted: string, outcome: "failed" | "retry"): Promise<unknown> =>
      until(
        async () => {
          const run = await state(runId);
          const stepId = unknownIn(run)?.id;
          if (stepId !== undefined)
            await answered("POST", `/api/svc/runs/${runId}/settle`, { stepId, outcome });
          return run;
        },
        ({ status }) => status === wanted,
      );
    await Promise.all(
      runs.map(async (runId, nth) => {
        const sent = await answered("POST", `/api/svc/runs/${runId}/signals/go`, {
          payload: nth,
          idempotencyKey: "once",
        });
        assert.ok(sent.status === 202 || sent.status === 409, JSON.stringify(sent.data));
        await reached(runId, "failed", "failed");
      }),
    );
    await killing;
    oracle.failing.clear();
    oracle.slow.add("after");
    const cutting = (async () => {
      await until(
        async () => oracle.effects,
        (effects) => effects.some(({ step }) => step === "after"),
      );
      for (const at of services.keys()) await kill(at);
      oracle.slow.clear();
    })();
    await Promise.all(
      runs.map(async (runId) => {
        // A repair whose answer was lost has happened: then the run is no longer failed.
        await answered("POST", `/api/svc/runs/${runId}/repair`, { action: "retry" });
        await reached(runId, "succeeded", "retry");
      }),
    );
    await cutting;
    for (const [nth, runId] of runs.entries()) {
      const run = await state(runId);
      assert.equal(run.repairs?.length, 1);
      assert.equal(run.signals?.length, 1);
      assert.equal(run.signals[0]?.usedBy, "go");
      const effects = oracle.effects.filter(({ key }) => key.startsWith(`${runId}:`));
      assert.deepEqual(
        effects.map(({ step }) => step),
        ["before", "broken", "after"],
      );
      assert.equal(effects[1]?.value, nth);
    }
  } finally {
    for (const service of services) await service.stop("SIGKILL");
    oracle.close();
  }
}

test("kill -9 while signals are sent and runs repaired: each is used once, each effect happens once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "workflow-ui-"));
  try {
    await killDuring({ DATABASE_URL: `sqlite:${join(folder, "test.db")}` }, 1);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("the same with two replicas on PostgreSQL", async () => {
  const server = await testPostgres();
  try {
    const SVC_MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
    await killDuring({ DATABASE_URL: await server.createDatabase(), SVC_MASTER_KEY }, 2);
  } finally {
    await server.stop();
  }
});
