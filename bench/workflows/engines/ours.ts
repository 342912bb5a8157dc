import { chain, openRig } from "../../../tests/engine/harness.ts";
import { drain, keepGoing, order, STEPS, type Order } from "../contest.ts";

/* This service's engine with everything on: validation, rights, outbox events, provenance under signed checkpoints. */
const wanted = order();
if (wanted.database.startsWith("postgres")) await replicas(wanted);
else await embedded(wanted);

async function embedded(wanted: Order): Promise<void> {
  const rig = await openRig({ databaseUrl: `sqlite:${wanted.database}` });
  const workflowId = await rig.workflow(chain(STEPS));
  await keepGoing(
    "workflow-ui (SQLite)",
    wanted,
    async () => {
      const run = await rig.run(workflowId);
      rig.bench.calls.length = 0;
      if (run.state !== "succeeded") throw new Error(`a run ended as ${run.state}`);
    },
    // A reader waits until everything that was acknowledged is in its tables: that is part of the time.
    () => rig.services.store.read.runs.list({ limit: 1 }),
  );
  await rig.close();
}

/** Queued by an engine that only takes requests, worked through by another: as the queues it is compared with. */
async function replicas(wanted: Order): Promise<void> {
  const databaseUrl = wanted.database;
  const gateway = await openRig({ databaseUrl, settings: { role: "gateway" } });
  const workflowId = await gateway.workflow(chain(STEPS));
  await Promise.all(Array.from({ length: wanted.runs }, () => gateway.start(workflowId)));
  await gateway.close();
  const { bench, ...worker } = await drainWith(databaseUrl, wanted);
  if (bench.calls.length < wanted.runs * STEPS) throw new Error("not every step ran");
  await worker.close();
}

async function drainWith(databaseUrl: string, wanted: Order) {
  let rig: Awaited<ReturnType<typeof openRig>> | undefined;
  await drain(
    "workflow-ui (PostgreSQL)",
    wanted,
    async () => {
      rig = await openRig({ databaseUrl, settings: { workerRuns: wanted.concurrency } });
    },
    async () => {
      // The database is asked only when every step has been called: asking costs it time that the peers' counters do not.
      if (rig === undefined || rig.bench.calls.length < wanted.runs * STEPS) return 0;
      const going = [
        ...(await rig.services.store.read.runs.queued(1)),
        ...(await rig.services.store.read.runs.going(1)),
      ];
      return going.length === 0 ? wanted.runs : 0;
    },
  );
  if (rig === undefined) throw new Error("no worker");
  return rig;
}
