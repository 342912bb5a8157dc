import assert from "node:assert/strict";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Firing, Run, Trigger } from "../../packages/client/client.ts";
import type { FaultPoint } from "../../src/engine/host.ts";
import { startServiceProcess, type ServiceProcess } from "../support/service.ts";
import { ask, create, publish, until } from "./support.ts";

/** What a series found. */
export interface SeriesResult {
  readonly dates: number;
  /** How often a process ended at each named point, or at any other moment. */
  readonly kills: Readonly<Record<string, number>>;
}

/** The named points at which a process ends. */
export const POINTS = [
  "in_transaction",
  "before_reply",
  "before_checkpoint",
  "after_checkpoint",
  "before_effect",
  "after_effect",
  "before_claim",
  "after_claim",
] as const satisfies readonly FaultPoint[];
const CHILD = fileURLToPath(new URL("kill-child.ts", import.meta.url));
/** A point that is not passed within this time: the other replicas are killed, which take the dates from this process. */
const ALONE_AFTER_MS = 4_000;
/** A point that is not passed in this time either: the process is killed where it is. */
const PASSED_WITHIN_MS = 20_000;
const ANYWHERE = "any moment";
const SECOND = 1_000;

/**
 * Schedules of one second in processes that are killed and started again, each at another named point. Afterwards each
 * trigger has a firing for every date from its first to its last, and each firing has one run that no other has.
 */
export async function killSeries(
  env: Readonly<Record<string, string>>,
  options: {
    readonly triggers: number;
    readonly kills: number;
    readonly replicas?: number;
    /** How many dates there are to be at least. */
    readonly dates: number;
  },
): Promise<SeriesResult> {
  const { triggers, replicas = 1 } = options;
  const start = (): Promise<ServiceProcess> => startServiceProcess(env);
  const services = [await start()];
  while (services.length < replicas) services.push(await start());
  const [first] = services;
  assert.ok(first);
  const made = new Map<string, number>();
  const workflows: string[] = [];
  const each = { kind: "schedule", everySeconds: 1, overlap: "allow" };
  const step = { id: "look", type: "tool", tool: "get_agent_platform", with: { id: "mcp-client" } };
  for (let nth = 0; nth < triggers; nth++) {
    // A workflow has a bounded number of triggers.
    if (nth % 50 === 0) workflows.push(await publish(first, { type: "object" }, [step]));
    const { trigger } = await create(first, { ...each, workflowId: workflows.at(-1) });
    made.set(trigger.id, Date.parse(trigger.createdAt));
  }
  const kills: Record<string, number> = {};
  for (let nth = 0; nth < options.kills; nth++) {
    const at = nth % services.length;
    await services[at]?.stop("SIGKILL");
    const others = services.filter((_, place) => place !== at);
    const where = await killedAt(env, POINTS[nth % POINTS.length] ?? "before_reply", others);
    const ended = services.filter(({ child }) => child.signalCode !== null).map(() => ANYWHERE);
    for (const one of [where, ...ended]) kills[one] = (kills[one] ?? 0) + 1;
    for (const [place, { child }] of services.entries())
      if (child.signalCode !== null) services[place] = await start();
  }
  const [last] = services;
  assert.ok(last);
  await until(
    () => countDates(last, workflows, made),
    (dates) => dates >= options.dates,
  );
  for (const id of made.keys()) await ask(last, "PATCH", `/api/svc/triggers/${id}`, { paused: true });
  const runs = new Set<string>();
  let dates = 0;
  for (const [id, createdAt] of made) {
    const fired = await allFirings(last, id);
    const times = fired.map(({ dueAt }) => Date.parse(dueAt ?? "")).toSorted((a, b) => a - b);
    for (const [nth, time] of times.entries())
      assert.equal(time, createdAt + (nth + 1) * SECOND, `${id}: a date is missing or came twice`);
    for (const { state, runId } of fired) {
      assert.equal(state, "started");
      assert.ok(runId !== null && !runs.has(runId), `${runId} was started twice`);
      runs.add(runId);
    }
    dates += fired.length;
  }
  for (const workflowId of workflows) {
    for (const run of await allRuns(last, workflowId))
      assert.ok(runs.delete(run.id), `${run.id} has no date`);
  }
  assert.equal(runs.size, 0, "a date has no run");
  for (const service of services) await service.stop();
  return { dates, kills };
}

/** Starts a process that kills itself at a point, and says where it ended. */
async function killedAt(
  env: Readonly<Record<string, string>>,
  point: FaultPoint,
  others: readonly ServiceProcess[],
): Promise<string> {
  // There is little to claim: what the process before has left.
  const times = point.endsWith("_claim") ? 1 : 1 + Math.floor(Math.random() * 20);
  const armed = { ...env, KILL_AT: `${point}:${times}` };
  // It may get there before it serves.
  const service = await startServiceProcess(armed, [], undefined, CHILD).catch((error: unknown) => {
    assert.match(String(error), /the service ended with null/);
    return null;
  });
  if (service === null || (await endsWithin(service, ALONE_AFTER_MS))) return point;
  for (const other of others) await other.stop("SIGKILL");
  if (await endsWithin(service, PASSED_WITHIN_MS)) return point;
  await service.stop("SIGKILL");
  return ANYWHERE;
}

async function endsWithin({ child }: ServiceProcess, milliseconds: number): Promise<boolean> {
  if (child.signalCode !== null) return true;
  return once(child, "exit", { signal: AbortSignal.timeout(milliseconds) }).then(
    () => true,
    () => false,
  );
}

/** How many dates have come, by where the schedules stand. */
async function countDates(
  service: ServiceProcess,
  workflows: readonly string[],
  made: ReadonlyMap<string, number>,
): Promise<number> {
  let dates = 0;
  for (const workflowId of workflows)
    for (const { id, nextAt } of await allTriggers(service, workflowId))
      dates += (Date.parse(nextAt ?? "") - (made.get(id) ?? NaN)) / SECOND - 1;
  return dates;
}

async function allTriggers({ client }: ServiceProcess, workflowId: string): Promise<readonly Trigger[]> {
  return allOf(async (page) => {
    const { triggers, nextCursor } = await client.call("list_triggers", { workflowId, ...page });
    return { items: triggers, nextCursor };
  });
}

async function allRuns({ client }: ServiceProcess, workflowId: string): Promise<readonly Run[]> {
  return allOf(async (page) => {
    const { runs, nextCursor } = await client.call("list_runs", { workflowId, ...page });
    return { items: runs, nextCursor };
  });
}

async function allFirings({ client }: ServiceProcess, id: string): Promise<readonly Firing[]> {
  return allOf(async (page) => {
    const { firings, nextCursor } = await client.call("list_firings", { id, ...page });
    return { items: firings, nextCursor };
  });
}

async function allOf<T>(
  read: (page: {
    readonly limit: number;
    readonly cursor?: string;
  }) => Promise<{ readonly items: readonly T[]; readonly nextCursor: string | null }>,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: Awaited<ReturnType<typeof read>> = await read({
      limit: 100,
      ...(cursor !== "" && { cursor }),
    });
    found.push(...page.items);
    cursor = page.nextCursor;
  }
  return found;
}
