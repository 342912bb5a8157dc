import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { startServiceProcess, type ServiceProcess } from "../support/service.ts";
import { ask, create, publish } from "./support.ts";

/** What a series found. */
export interface SeriesResult {
  readonly dates: number;
  readonly kills: number;
}

/**
 * Schedules of one second in processes that are killed and started again. Afterwards each trigger has a firing for every
 * date from its first to its last, and each firing has one run that no other has.
 */
export async function killSeries(
  env: Readonly<Record<string, string>>,
  {
    triggers,
    kills,
    replicas = 1,
  }: { readonly triggers: number; readonly kills: number; readonly replicas?: number },
): Promise<SeriesResult> {
  const start = (): Promise<ServiceProcess> => startServiceProcess(env);
  const services = [await start()];
  while (services.length < replicas) services.push(await start());
  const [first] = services;
  assert.ok(first);
  const ids: string[] = [];
  const workflows: string[] = [];
  const each = { kind: "schedule", everySeconds: 1, overlap: "allow" };
  for (let nth = 0; nth < triggers; nth++) {
    // A workflow has a bounded number of triggers.
    if (nth % 50 === 0) workflows.push(await publish(first));
    ids.push((await create(first, { ...each, workflowId: workflows.at(-1) })).trigger.id);
  }
  for (let nth = 0; nth < kills; nth++) {
    await sleep(300 + Math.random() * 900);
    const at = nth % services.length;
    await services[at]?.stop("SIGKILL");
    services[at] = await start();
  }
  await sleep(1_500);
  const [last] = services;
  assert.ok(last);
  for (const id of ids) await ask(last, "PATCH", `/api/svc/triggers/${id}`, { paused: true });
  const runs = new Set<string>();
  let dates = 0;
  for (const id of ids) {
    const fired = await allFirings(last, id);
    const times = fired.map(({ dueAt }) => Date.parse(dueAt)).toSorted((a, b) => a - b);
    for (const [nth, time] of times.entries())
      assert.equal(time, (times[0] ?? 0) + nth * 1_000, `${id}: a date is missing or came twice`);
    for (const { state, runId } of fired) {
      assert.equal(state, "started");
      assert.ok(!runs.has(runId), `${runId} was started twice`);
      runs.add(runId);
    }
    dates += fired.length;
  }
  for (const workflowId of workflows) {
    for await (const run of all(last, `/api/svc/runs?workflowId=${workflowId}`, "runs"))
      assert.ok(runs.delete(run.id), `${run.id} has no date`);
  }
  assert.equal(runs.size, 0, "a date has no run");
  for (const service of services) await service.stop();
  return { dates, kills };
}

// oxlint-disable-next-line typescript/no-explicit-any -- items of several lists
async function* all(service: ServiceProcess, path: string, member: string): AsyncGenerator<any> {
  let cursor = "";
  do {
    const { data } = await ask(service, "GET", `${path}${path.includes("?") ? "&" : "?"}limit=100${cursor}`);
    yield* data[member];
    cursor = data.nextCursor === null ? "" : `&cursor=${encodeURIComponent(data.nextCursor)}`;
  } while (cursor !== "");
}

// oxlint-disable-next-line typescript/no-explicit-any -- items of several lists
async function allFirings(service: ServiceProcess, id: string): Promise<any[]> {
  const found = [];
  for await (const firing of all(service, `/api/svc/triggers/${id}/history`, "firings")) found.push(firing);
  return found;
}
