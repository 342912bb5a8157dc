import { Type } from "typebox";
import { problemAt } from "../kernel/errors.ts";
import { inputOf, NEXT_CURSOR, PAGE_INPUT, timeInput } from "../model/common.ts";
import { TRIGGER_SETTINGS, TriggerView } from "../model/triggers.ts";
import { ownedFor } from "../ports/caller.ts";
import { operationsWith } from "../ports/operations.ts";
import { dateProblems, datesOf, nextDates } from "./dates.ts";
import { CHANGES, dates, id, READS, SHOWN_DATES, type TriggerOperationParts } from "./operation-parts.ts";
import { backfill, triggerViews } from "./triggers.ts";

const { operation } = operationsWith<TriggerOperationParts>();
const MAX_DUE = 200;
const MAX_PAGE = 200;
const MAX_RANGE = 31 * 86_400_000;

/** Queues the dates of a range in the past. */
export const backfillOperation = operation({
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

/** The dates of a schedule that does not exist yet. */
export const previewOperation = operation({
  name: "preview_schedule",
  title: "Preview a schedule",
  description: "The next ten dates of a schedule that does not exist yet.",
  http: "GET /api/svc/triggers/dates",
  access: READS,
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

/** What is due in a range. */
export const dueOperation = operation({
  name: "list_due_dates",
  title: "List what is due",
  description:
    "The dates of your schedules in a range of at most 31 days; of each schedule the first 200. At most 200 schedules at a time: nextCursor gives the others.",
  http: "GET /api/svc/triggers/due",
  access: READS,
  input: inputOf({
    from: timeInput("The beginning of the range."),
    until: timeInput("The end of the range, at most 31 days later."),
    cursor: PAGE_INPUT.cursor,
  }),
  output: Type.Object({
    schedules: Type.Array(
      Type.Object({
        trigger: TriggerView,
        dates,
        isComplete: Type.Boolean({ description: "False when the range has more dates than these." }),
      }),
    ),
    nextCursor: NEXT_CURSOR,
  }),
  examples: [{ from: "2026-01-05T00:00:00Z", until: "2026-01-12T00:00:00Z" }],
  rules: ({ from, until }) =>
    Date.parse(until) - Date.parse(from) <= MAX_RANGE
      ? []
      : [problemAt("until", "at most 31 days after from")],
  async run({ from, until, cursor }, { services, caller }) {
    const filter = { ...ownedFor(caller), kind: "schedule" } as const;
    const { items, nextCursor } = await services.store.read.triggers.list(
      { limit: MAX_PAGE, ...(cursor !== undefined && { cursor }) },
      filter,
    );
    const end = Date.parse(until);
    const start = Math.max(Date.parse(from), services.clock.now()) - 1;
    const active = items.filter(({ pausedAt }) => pausedAt === null);
    const views = await triggerViews(services, active, caller);
    const schedules = active.flatMap((trigger, nth) => {
      const view = views[nth];
      const found = nextDates(
        datesOf(trigger.settings, Date.parse(trigger.createdAt)),
        start,
        MAX_DUE + 1,
        end,
      );
      if (view === undefined || found.length === 0) return [];
      return [{ trigger: view, dates: found.slice(0, MAX_DUE), isComplete: found.length <= MAX_DUE }];
    });
    return { schedules, nextCursor };
  },
});
