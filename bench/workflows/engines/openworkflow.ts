import { OpenWorkflow } from "openworkflow";
import { drain, order, STEPS } from "../contest.ts";

const wanted = order();
const postgres = wanted.database.startsWith("postgres");
const backend = postgres
  ? await (await import("openworkflow/postgres")).BackendPostgres.connect(wanted.database)
  : (await import("openworkflow/sqlite")).BackendSqlite.connect(wanted.database);
const ow = new OpenWorkflow({ backend });
let done = 0;
const workflow = ow.defineWorkflow({ name: "ten-steps" }, async ({ step }) => {
  for (let n = 0; n < STEPS; n++) await step.run({ name: `s${n}` }, async () => ({ ok: true, data: { n } }));
  done++;
});
for (let i = 0; i < wanted.runs; i++) await workflow.run({});
const worker = ow.newWorker({ concurrency: wanted.concurrency });
await drain(
  `OpenWorkflow (${postgres ? "PostgreSQL" : "SQLite"})`,
  wanted,
  () => worker.start(),
  () => done,
);
await worker.stop();
await backend.stop();
