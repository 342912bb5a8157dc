import { chain, openRig } from "../../../tests/engine/harness.ts";
import { keepGoing, order, STEPS } from "../contest.ts";

/* This service's engine with everything on: validation, rights, outbox events, provenance leaves, signed run records. */
const wanted = order();
const postgres = wanted.database.startsWith("postgres");
const rig = await openRig({ databaseUrl: postgres ? wanted.database : `sqlite:${wanted.database}` });
const workflowId = await rig.workflow(chain(STEPS));
await keepGoing(`workflow-ui (${postgres ? "PostgreSQL" : "SQLite"})`, wanted, async () => {
  const run = await rig.run(workflowId);
  rig.bench.calls.length = 0;
  if (run.state !== "succeeded") throw new Error(`a run ended as ${run.state}`);
});
await rig.close();
