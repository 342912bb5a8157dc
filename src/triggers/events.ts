import { EVENT_TYPES } from "../events/catalogue.ts";
import { cloudEvent, matchesType, runOf, seesAll } from "../events/cloud-event.ts";
import { AppError, problemAt, type Problem } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { TriggerSettings } from "../model/triggers.ts";
import type { EventRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import type { Page, Store } from "../ports/store.ts";
import type { FiringRecord, TriggerRecord } from "../ports/triggers.ts";
import { eventCondition } from "../workflows/awaited.ts";
import { compileExpression, evaluateCondition } from "../workflows/expressions.ts";
import { isPassing, newFiring } from "./firing.ts";
import { startWith } from "./webhooks.ts";

/** Runs that may start each other by events. */
const MAX_DEPTH = 5;
const BATCH = 200;
const PAGE = 500;
const MAX_PARENTS = 20;

/** What is wrong with the settings of an event trigger. */
export function eventProblems({ type, filter }: TriggerSettings): readonly Problem[] {
  const known = type !== undefined && EVENT_TYPES.some((one) => matchesType([type], one.type));
  if (!known)
    return [
      problemAt(
        "type",
        "a type of event such as svc.run.failed, or svc.run.*; GET /asyncapi.yaml lists them",
      ),
    ];
  const compiled = filter === undefined ? null : compileExpression(eventCondition(filter));
  return compiled === null || compiled.ok
    ? []
    : [problemAt("filter", `a CEL expression over event that is true or false: ${compiled.fault.message}`)];
}

/** Follows the outbox: each event starts the runs of the triggers that match it. Says whether there was one. */
export async function followEvents(services: Services): Promise<boolean> {
  const { store } = services;
  const triggers = await eventTriggers(store);
  if (triggers.length === 0) return false;
  const events = await store.read.events.after(await store.read.triggers.cursor(), BATCH);
  const last = events.at(-1);
  if (last === undefined) return false;
  for (const event of events) {
    for (const trigger of triggers) {
      const { pausedAt, createdAt, settings } = trigger;
      // The place in the outbox is that of all triggers: this one may be younger than what is read.
      if (pausedAt === null && event.time >= createdAt && matchesType([settings.type ?? ""], event.type))
        await react(services, trigger, event);
    }
  }
  await store.transact((tx) => tx.triggers.setCursor(last.sequence));
  return true;
}

async function eventTriggers({ read }: Pick<Store, "read">): Promise<readonly TriggerRecord[]> {
  const found: TriggerRecord[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<TriggerRecord> = await read.triggers.list(
      { limit: PAGE, ...(cursor !== null && { cursor }) },
      { kind: "event" },
    );
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}

async function react(services: Services, trigger: TriggerRecord, event: EventRecord): Promise<void> {
  const { store, settings, log, clock } = services;
  try {
    const origin = await originOf(services, event);
    // Its own runs start it no more.
    if (origin.triggerId === trigger.id || !(await maySee(services, trigger, event, origin.startedBy)))
      return;
    const payload: JsonObject = cloudEvent(event, `${settings.baseUrl}/api/svc`, "all") ?? {};
    const { filter } = trigger.settings;
    if (
      filter !== undefined &&
      !evaluateCondition(eventCondition(filter), { inputs: {}, steps: {}, run: { event: payload } })
    )
      return;
    const depth = origin.depth + 1;
    if (depth <= MAX_DEPTH) {
      const known = await store.read.triggers.firing(trigger.id, { key: event.id });
      if (known === null)
        await startWith(services, trigger, { key: event.id, payload, headers: () => ({}) }, null, depth);
      return;
    }
    const reason = `${MAX_DEPTH} runs started each other by events; the next one was not started.`;
    const firing: FiringRecord = {
      ...newFiring(trigger, { key: event.id, payload, depth }, clock.now()),
      state: "skipped",
      reason,
    };
    await store.transact((tx) => tx.triggers.insertFiring(firing));
  } catch (error) {
    if (isPassing(error)) throw error;
    // What could not be started is in the history; a filter that failed matches nothing.
    if (!(error instanceof AppError)) log.error("triggers.not_started", { triggerId: trigger.id }, error);
  }
}

/** Who started the run that made an event or that it is about, and how: through its parents, to the run that a trigger started. */
async function originOf(
  { store }: Services,
  event: EventRecord,
): Promise<{ readonly depth: number; readonly triggerId: string | null; readonly startedBy: string | null }> {
  // A dry run that a step makes is about itself.
  const id = event.madeIn ?? runOf(event);
  let run = id === null ? null : await store.read.runs.get(id);
  for (let left = MAX_PARENTS; left > 0 && run !== null && run.parentRunId !== null; left--)
    run = await store.read.runs.get(run.parentRunId);
  const firing = run === null ? null : await store.read.triggers.ofRun(run.id);
  return {
    depth: firing?.depth ?? 0,
    triggerId: firing?.triggerId ?? null,
    startedBy: run?.startedBy ?? null,
  };
}

/** The maker of a trigger reacts to what it may see now: with `read-private` to everything, otherwise to its own runs. */
async function maySee(
  { rights }: Services,
  { actsFor, actsVia }: TriggerRecord,
  { type }: EventRecord,
  startedBy: string | null,
): Promise<boolean> {
  const held = await rights.of({ actsFor, actsVia });
  if ("ended" in held) return false;
  return startedBy === actsFor || seesAll({ kind: "system", id: actsFor, scopes: held.scopes }, type);
}
