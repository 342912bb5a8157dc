import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { drain, order, STEPS } from "../contest.ts";

/* A job queue does not checkpoint steps; a table of our own beside it does, one statement a step. */
const wanted = order();
const connectionString = wanted.database;
// It tells of each job; what is measured is the work.
const logger = new Logger(() => () => undefined);
const utils = await makeWorkerUtils({ connectionString, logger });
await utils.migrate();
await utils.withPgClient((client) =>
  client.query(
    "CREATE TABLE bench_steps (run_id text NOT NULL, step_id text NOT NULL, output text NOT NULL, PRIMARY KEY (run_id, step_id))",
  ),
);
await utils.addJobs(
  Array.from({ length: wanted.runs }, (_, index) => ({
    identifier: "tenSteps",
    payload: { id: `run_${index}` },
  })),
);
let done = 0;
let runner: Awaited<ReturnType<typeof run>> | undefined;
await drain(
  "graphile-worker with a step table",
  wanted,
  async () => {
    runner = await run({
      connectionString,
      logger,
      concurrency: wanted.concurrency,
      maxPoolSize: wanted.concurrency + 2,
      noHandleSignals: true,
      taskList: {
        async tenSteps(payload, helpers) {
          const id = String(Object(payload)["id"]);
          for (let n = 0; n < STEPS; n++) {
            const output = JSON.stringify({ ok: true, data: { n } });
            await helpers.query("INSERT INTO bench_steps VALUES ($1, $2, $3)", [id, `s${n}`, output]);
          }
          done++;
        },
      },
    });
  },
  () => done,
);
await runner?.stop();
await utils.release();
