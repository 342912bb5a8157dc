import { Cron } from "croner";
import { hash } from "node:crypto";
import { problemAt, type Problem } from "../kernel/errors.ts";
import type { TriggerSettings } from "../model/triggers.ts";
import type { TriggerRecord } from "../ports/triggers.ts";

/** The dates of a schedule. */
export interface Dates {
  /** The first date after a time, in milliseconds; null when there is none. */
  after(time: number): number | null;
}

const SECOND = 1_000;

/**
 * The dates of a schedule. A local time that the clocks leave out begins when they have moved on; a fixed local time that
 * comes twice begins once, and minutes or hours that repeat go on through both.
 */
export function datesOf({ cron, everySeconds, timeZone }: TriggerSettings, anchor: number): Dates {
  if (cron === undefined) {
    const every = (everySeconds ?? 0) * SECOND;
    return {
      after: (time) =>
        every <= 0 ? null : anchor + (Math.max(0, Math.floor((time - anchor) / every)) + 1) * every,
    };
  }
  const pattern = new Cron(cron, { timezone: timeZone ?? "UTC", mode: "5-or-6-parts", paused: true });
  return { after: (time) => pattern.nextRun(new Date(time))?.getTime() ?? null };
}

/** The next dates of a schedule, at most this many and not after a time. */
export function nextDates(dates: Dates, after: number, most: number, until = Infinity): readonly string[] {
  const found: string[] = [];
  for (let next = dates.after(after); next !== null && next <= until; next = dates.after(next)) {
    found.push(new Date(next).toISOString());
    if (found.length === most) break;
  }
  return found;
}

/** What is wrong with the dates of a schedule. */
export function dateProblems({ cron, everySeconds, timeZone = "UTC" }: TriggerSettings): readonly Problem[] {
  if (!isTimeZone(timeZone)) return [problemAt("timeZone", "an IANA time zone such as Europe/Berlin")];
  if ((cron === undefined) === (everySeconds === undefined))
    return [problemAt("cron", "given, or everySeconds, and not both")];
  if (cron === undefined) return [];
  try {
    if (datesOf({ cron, timeZone }, 0).after(Date.now()) !== null) return [];
    return [problemAt("cron", "an expression that has a date in the future")];
  } catch {
    return [
      problemAt(
        "cron",
        "a cron expression of 5 fields (minute hour day month weekday), or of 6 with seconds first",
      ),
    ];
  }
}

/** Where a schedule stands next after a time. The jitter depends on trigger and date alone, so that replicas agree. */
export function placeAfter(
  { id, settings, createdAt }: Pick<TriggerRecord, "id" | "settings" | "createdAt">,
  time: number,
): Pick<TriggerRecord, "dueAt" | "fireAt"> {
  const next = datesOf(settings, Date.parse(createdAt)).after(time);
  if (next === null) return { dueAt: null, fireAt: null };
  const dueAt = new Date(next).toISOString();
  const range = (settings.jitterSeconds ?? 0) * SECOND;
  const share = range === 0 ? 0 : parseInt(hash("sha256", `${id} ${dueAt}`, "hex").slice(0, 8), 16) % range;
  return { dueAt, fireAt: new Date(next + share).toISOString() };
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
