import { Type } from "typebox";
import { problemAt } from "../kernel/errors.ts";
import { inputOf, NEXT_CURSOR, PAGE_INPUT, timeInput } from "../model/common.ts";
import { FiringView, FormSlug, TRIGGER_KINDS, TRIGGER_SETTINGS, TriggerView } from "../model/triggers.ts";
import { ownedFor } from "../ports/caller.ts";
import { operationsWith, pageIn } from "../ports/operations.ts";
import type { FiringRecord } from "../ports/triggers.ts";
import { dateProblems, datesOf, nextDates } from "./dates.ts";
import type { Scheduler } from "./scheduler.ts";
import {
  backfill,
  changeTrigger,
  createTrigger,
  findTrigger,
  removeTrigger,
  settingsProblems,
  triggerView,
} from "./triggers.ts";

/** What the operations of triggers work with. */
export interface TriggerOperationParts {
  readonly scheduler: Pick<Scheduler, "wake">;
}

const { operation } = operationsWith<TriggerOperationParts>();
const id = Type.String({ description: "The id of the trigger." });
const kind = Type.Enum([...TRIGGER_KINDS], { description: "What starts the workflow." });
const dates = Type.Array(Type.String({ format: "date-time" }));
const CHANGES = { all: ["write", "run"] } as const;
const SHOWN_DATES = 10;

const createOperation = operation({
  name: "create_trigger",
  title: "Create a trigger",
  description:
    "Starts a workflow by itself from now on. The runs act for the caller, with the rights held at that time.",
  http: "POST /api/svc/triggers",
  access: CHANGES,
  effect: "external",
  idempotent: false,
  status: 201,
  input: inputOf({
    workflowId: Type.String({
      description: "The workflow: its newest published version runs, or the draft without one.",
    }),
    kind,
    slug: Type.Optional(FormSlug),
    ...TRIGGER_SETTINGS,
  }),
  output: Type.Object({ trigger: TriggerView, nextDates: dates }),
  examples: [
    {
      workflowId: "workflow_01",
      kind: "schedule",
      cron: "0 7 * * 1-5",
      timeZone: "Europe/Berlin",
      overlap: "skip",
    },
  ],
  rules: ({ kind: wanted, ...settings }) => [
    ...(wanted === "schedule" ? [] : [problemAt("kind", "schedule")]),
    ...settingsProblems(wanted, settings),
  ],
  async run(input, { services, caller }, { scheduler }) {
    const trigger = await createTrigger(services, input, caller);
    scheduler.wake();
    return { trigger: triggerView(services, trigger), nextDates: [...nextOf(trigger, services.clock.now())] };
  },
});

const listOperation = operation({
  name: "list_triggers",
  title: "List triggers",
  description: "Triggers, newest first; without read-private your own.",
  http: "GET /api/svc/triggers",
  access: "key",
  effect: "none",
  idempotent: true,
  input: inputOf({
    workflowId: Type.Optional(Type.String({ description: "Only triggers of this workflow." })),
    kind: Type.Optional(kind),
    ...PAGE_INPUT,
  }),
  output: Type.Object({ triggers: Type.Array(TriggerView), nextCursor: NEXT_CURSOR }),
  async run({ limit, cursor, ...filter }, { services, caller }) {
    const page = pageIn({ ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) });
    const { items, nextCursor } = await services.store.read.triggers.list(page, {
      ...ownedFor(caller),
      ...filter,
    });
    return { triggers: items.map((item) => triggerView(services, item)), nextCursor };
  },
});

const getOperation = operation({
  name: "get_trigger",
  title: "Show a trigger",
  description: "One trigger; a schedule with its next ten dates.",
  http: "GET /api/svc/triggers/{id}",
  access: "key",
  effect: "none",
  idempotent: true,
  input: inputOf({ id }),
  output: Type.Object({ trigger: TriggerView, nextDates: dates }),
  async run(input, { services, caller }) {
    const trigger = await findTrigger(services, input.id, caller);
    return { trigger: triggerView(services, trigger), nextDates: [...nextOf(trigger, services.clock.now())] };
  },
});

const changeOperation = operation({
  name: "change_trigger",
  title: "Change a trigger",
  description:
    "Pauses, resumes or changes a trigger. Settings that are not given stay. Who changes settings is who its runs act for from then on.",
  http: "PATCH /api/svc/triggers/{id}",
  access: CHANGES,
  effect: "external",
  idempotent: true,
  input: inputOf({
    id,
    paused: Type.Optional(Type.Boolean({ description: "A paused trigger starts nothing." })),
    note: Type.Optional(Type.String({ maxLength: 1_000, description: "Why it is paused." })),
    ...TRIGGER_SETTINGS,
  }),
  output: Type.Object({ trigger: TriggerView, nextDates: dates }),
  examples: [{ id: "trigger_01", paused: true, note: "Month-end closing." }],
  async run({ id: triggerId, ...change }, { services, caller }, { scheduler }) {
    const trigger = await changeTrigger(services, triggerId, change, caller);
    scheduler.wake();
    return { trigger: triggerView(services, trigger), nextDates: [...nextOf(trigger, services.clock.now())] };
  },
});

const removeOperation = operation({
  name: "remove_trigger",
  title: "Remove a trigger",
  description: "Removes a trigger and its history. Its runs stay.",
  http: "DELETE /api/svc/triggers/{id}",
  access: CHANGES,
  effect: "destructive",
  idempotent: true,
  input: inputOf({ id }),
  output: Type.Object({ removed: Type.String() }),
  run: async (input, { services, caller }) => ({
    removed: (await removeTrigger(services, input.id, caller)).id,
  }),
});

const historyOperation = operation({
  name: "list_firings",
  title: "List the history of a trigger",
  description: "Every occasion on which a trigger started a run or was to, newest first.",
  http: "GET /api/svc/triggers/{id}/history",
  access: "key",
  effect: "none",
  idempotent: true,
  input: inputOf({ id, ...PAGE_INPUT }),
  output: Type.Object({ firings: Type.Array(FiringView), nextCursor: NEXT_CURSOR }),
  async run({ id: triggerId, ...page }, { services, caller }) {
    await findTrigger(services, triggerId, caller);
    const { items, nextCursor } = await services.store.read.triggers.firings(triggerId, pageIn(page));
    return { firings: items.map(firingView), nextCursor };
  },
});

const backfillOperation = operation({
  name: "backfill_trigger",
  title: "Backfill a schedule",
  description: "Queues a run for each date of a range in the past that has none, oldest first.",
  http: "POST /api/svc/triggers/{id}/backfill",
  access: CHANGES,
  effect: "external",
  idempotent: true,
  status: 202,
  input: inputOf({
    id,
    from: timeInput("The beginning of the range."),
    until: timeInput("The end of the range; it has passed."),
  }),
  output: Type.Object({ queued: dates }),
  examples: [{ id: "trigger_01", from: "2026-01-01T00:00:00Z", until: "2026-01-31T23:59:59Z" }],
  rules: ({ from, until }) =>
    Date.parse(from) <= Date.parse(until) ? [] : [problemAt("until", "a time after from")],
  async run({ id: triggerId, ...range }, { services, caller }, { scheduler }) {
    const queued = await backfill(services, triggerId, range, caller);
    scheduler.wake();
    return { queued: [...queued] };
  },
});

const previewOperation = operation({
  name: "preview_schedule",
  title: "Preview a schedule",
  description: "The next ten dates of a schedule that does not exist yet.",
  http: "GET /api/svc/triggers/dates",
  access: "key",
  effect: "none",
  idempotent: true,
  input: inputOf({
    cron: TRIGGER_SETTINGS.cron,
    everySeconds: TRIGGER_SETTINGS.everySeconds,
    timeZone: TRIGGER_SETTINGS.timeZone,
  }),
  output: Type.Object({ nextDates: dates }),
  examples: [{ cron: "0 7 * * 1-5", timeZone: "Europe/Berlin" }],
  rules: dateProblems,
  run(input, { services }) {
    const now = services.clock.now();
    return { nextDates: [...nextDates(datesOf(input, now), now, SHOWN_DATES)] };
  },
});

/** What callers do with triggers. */
export const triggerOperations = [
  createOperation,
  listOperation,
  previewOperation,
  getOperation,
  changeOperation,
  removeOperation,
  historyOperation,
  backfillOperation,
];

function nextOf(trigger: Parameters<typeof triggerView>[1], now: number): readonly string[] {
  if (trigger.kind !== "schedule" || trigger.pausedAt !== null) return [];
  return nextDates(datesOf(trigger.settings, Date.parse(trigger.createdAt)), now, SHOWN_DATES);
}

function firingView({ depth: _depth, ...firing }: FiringRecord): FiringView {
  return firing;
}
