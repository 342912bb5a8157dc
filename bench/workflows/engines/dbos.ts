import { DBOS } from "@dbos-inc/dbos-sdk";
import { keepGoing, order, STEPS } from "../contest.ts";

const wanted = order();
DBOS.setConfig({
  name: "bench",
  systemDatabaseUrl: wanted.database,
  logLevel: "error",
  runAdminServer: false,
});
const tenSteps = DBOS.registerWorkflow(
  async () => {
    for (let n = 0; n < STEPS; n++) {
      await DBOS.runStep(async () => ({ ok: true, data: { n } }), { name: `s${n}` });
    }
  },
  { name: "tenSteps" },
);
await DBOS.launch();
await keepGoing("DBOS (PostgreSQL)", wanted, async () => (await DBOS.startWorkflow(tenSteps)()).getResult());
await DBOS.shutdown();
