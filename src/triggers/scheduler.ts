import type { JsonObject } from "../kernel/json.ts";
import { startLoop, type Loop } from "../kernel/loop.ts";
import { runHasEnded } from "../model/states.ts";
import type { Services } from "../ports/services.ts";
import type { FiringRecord, TriggerRecord } from "../ports/triggers.ts";
import { datesOf, placeAfter } from "./dates.ts";
import { followWaits } from "./event-waits.ts";
import { followEvents } from "./events.ts";
import { fire, isPassing, newFiring, reasonOf, scheduledInputs } from "./firing.ts";

/** What tests set. */
export interface SchedulerOptions {
  readonly pollMs?: number;
}

type SchedulerServices = Services;

const POLL_MS = 1_000;
const BATCH = 100;
const GATHER_MS = 100;
/** Runs of one trigger that wait for their turn. */
export const MAX_QUEUED = 1_000;
const DEFAULT_CATCH_UP_SECONDS = 86_400;
/** A date that is this late was not missed: the process was busy. */
const GRACE_SECONDS = 30;

/**
 * Follows the dates of schedules and the queues of triggers. A date is acted on by moving the schedule on in the same
 * transaction: whichever replica comes first does it, and a process that dies before has done nothing.
 */
export function startScheduler(
  services: SchedulerServices,
  { pollMs = POLL_MS }: SchedulerOptions = {},
): Loop {
  const { store, log } = services;
  const loop = startLoop({
    everyMs: pollMs,
    follow: (changed) => store.onEvents(changed),
    gatherMs: GATHER_MS,
    failed: (error) => log.warn("triggers.paused", {}, error),
    async work(signal) {
      const followed = (await followEvents(services)) || (await followWaits(services));
      const acted = (await actOnDue(services)) + (await actOnQueued(services, signal));
      return acted > 0 || followed;
    },
  });
  loop.wake();
  return loop;
}

/** All at once: the engine stores runs that start together in one transaction. */
async function actOnDue(services: SchedulerServices): Promise<number> {
  const { store, clock } = services;
  const due = await store.read.triggers.due(new Date(clock.now()).toISOString(), BATCH);
  const acted = await Promise.allSettled(due.map((trigger) => actOnDate(services, trigger)));
  const failed = acted.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
  return acted.filter((one) => one.status === "fulfilled" && one.value).length;
}

async function actOnDate(services: SchedulerServices, trigger: TriggerRecord): Promise<boolean> {
  const { store, clock } = services;
  const { id, dueAt, settings } = trigger;
  if (dueAt === null) return false;
  const now = clock.now();
  const next = placeAfter(trigger, Date.parse(dueAt));
  const oldest = now - Math.max(windowOf(trigger), GRACE_SECONDS) * 1_000;
  if (Date.parse(trigger.fireAt ?? dueAt) < oldest) {
    // Dates within the window are made up for, those before are not.
    const from = placeAfter(trigger, Math.max(Date.parse(dueAt), oldest - 1));
    return settleDate(services, trigger, "missed", from, missedReason(trigger, from));
  }
  try {
    const isQueued = settings.overlap === "queue";
    const queued = isQueued ? await store.read.triggers.countQueued(id) : 0;
    if (queued > 0 || (settings.overlap !== "allow" && (await isBusy(services, trigger)))) {
      if (isQueued && queued < MAX_QUEUED) return await settleDate(services, trigger, "queued", next, null);
      const reason = isQueued
        ? `${MAX_QUEUED} dates are queued already.`
        : `${trigger.lastRunId} had not ended.`;
      return await settleDate(services, trigger, "skipped", next, reason);
    }
    const fired = await fire(services, trigger, {
      key: dueAt,
      dueAt,
      inputsFor: (schema) => scheduledInputs(trigger, schema, dueAt),
      alongside: (tx) => tx.triggers.advance(id, dueAt, next),
    });
    return fired?.isNew === true;
  } catch (error) {
    if (isPassing(error)) throw error;
    services.log.warn("triggers.not_started", { triggerId: id }, error);
    return settleDate(services, trigger, "failed", next, reasonOf(error));
  }
}

function windowOf({ settings }: Pick<TriggerRecord, "settings">): number {
  return settings.catchUpSeconds ?? DEFAULT_CATCH_UP_SECONDS;
}

/** Moves a schedule on without a run, and notes why. */
function settleDate(
  { store, clock }: SchedulerServices,
  { id, dueAt }: TriggerRecord,
  state: FiringRecord["state"],
  next: Pick<TriggerRecord, "dueAt" | "fireAt">,
  reason: string | null,
): Promise<boolean> {
  const from = dueAt ?? "";
  const firing = newFiring({ id }, { key: from, dueAt: from }, clock.now());
  return store.transact(async (tx) => {
    if (!(await tx.triggers.advance(id, from, next))) return false;
    await tx.triggers.insertFiring({ ...firing, state, reason });
    return true;
  });
}

/** Missed dates that are counted. */
const MOST_COUNTED = 1_000;

function missedReason(
  { dueAt, settings, createdAt }: TriggerRecord,
  from: Pick<TriggerRecord, "dueAt">,
): string {
  const dates = datesOf(settings, Date.parse(createdAt));
  const end = from.dueAt === null ? Infinity : Date.parse(from.dueAt);
  const first = Date.parse(dueAt ?? "");
  let missed = 1;
  for (
    let date = dates.after(first);
    date !== null && date < end && missed < MOST_COUNTED;
    date = dates.after(date)
  )
    missed += 1;
  return `${missed === MOST_COUNTED ? "At least " : ""}${missed} ${missed === 1 ? "date was" : "dates were"} older than the catch-up window of ${windowOf({ settings })} s.`;
}

/** True while the newest run of a trigger goes on. */
async function isBusy({ store }: SchedulerServices, { lastRunId }: TriggerRecord): Promise<boolean> {
  const run = lastRunId === null ? null : await store.read.runs.get(lastRunId);
  return run !== null && !runHasEnded(run.state);
}

/** Starts the runs that were put into a queue: dates that overlapped, and backfills. */
async function actOnQueued(services: SchedulerServices, signal: AbortSignal): Promise<number> {
  const { store, log } = services;
  let acted = 0;
  for (const firing of await store.read.triggers.queued(BATCH)) {
    if (signal.aborted) return acted;
    const trigger = await store.read.triggers.get(firing.triggerId);
    if (trigger === null || (trigger.settings.overlap !== "allow" && (await isBusy(services, trigger))))
      continue;
    try {
      const inputsFor = (schema: JsonObject): JsonObject =>
        scheduledInputs(trigger, schema, firing.dueAt ?? firing.createdAt);
      await fire(services, trigger, { key: firing.key, inputsFor }, firing);
    } catch (error) {
      if (isPassing(error)) throw error;
      log.warn("triggers.not_started", { triggerId: trigger.id }, error);
      const failed: FiringRecord = { ...firing, state: "failed", reason: reasonOf(error) };
      await store.transact((tx) => tx.triggers.settle(failed, "queued"));
    }
    acted += 1;
  }
  return acted;
}
