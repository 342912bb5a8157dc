import assert from "node:assert/strict";
import { CronExpressionParser, type CronExpression } from "cron-parser";
import { datesOf } from "../../src/triggers/dates.ts";

/* Our dates beside those of another implementation. Where the clocks change the two have rules of their own, see below. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** So close to a change of the clocks the two may differ. */
const NEAR = 26 * HOUR;

/** Patterns that both implementations read alike. */
export const PATTERNS = [
  "30 2 * * *",
  "0 * * * *",
  "*/15 * * * *",
  "0 0 * * 0",
  "0 3 1 * *",
  "0 0 29 2 *",
  "5 0 * * 1-5",
  "0 12 1,15 */3 *",
  "59 23 31 12 *",
  "0 0 13 * 5",
  "10 30 4 * * 1",
  "0 0 1 1 *",
] as const;

/** Every time zone of this runtime. */
export const ZONES: readonly string[] = Intl.supportedValuesOf("timeZone");

/** When the clocks of a zone change, and how far it is from UTC from then on, in milliseconds. */
export type Changes = readonly { readonly at: number; readonly offset: number }[];

/** The changes of a zone within a range. The first entry is the beginning of the range. */
export function changesOf(zone: string, from: number, until: number): Changes {
  const format = new Intl.DateTimeFormat("sv", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
  const offsetAt = (time: number): number => Date.parse(`${format.format(time).replace(" ", "T")}Z`) - time;
  const start = Math.floor(from / HOUR) * HOUR;
  const changes = [{ at: start, offset: offsetAt(start) }];
  for (let time = start, offset = offsetAt(start); time < until; time += DAY) {
    const later = offsetAt(time + DAY);
    if (later === offset) continue;
    let [before, after] = [time, time + DAY];
    while (after - before > 1_000) {
      const middle = Math.floor((before + after) / 2_000) * 1_000;
      if (offsetAt(middle) === offset) before = middle;
      else after = middle;
    }
    offset = later;
    changes.push({ at: after, offset });
  }
  return changes;
}

/** The last change at or before a time. */
function lastChange(changes: Changes, time: number): number {
  let [low, high] = [0, changes.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((changes[middle]?.at ?? Infinity) <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

function isNear(changes: Changes, time: number): boolean {
  return lastChange(changes, time - NEAR) !== lastChange(changes, time + NEAR);
}

/**
 * Compares at most `most` dates from a time on. Both have the same dates except within a day of a change of the clocks;
 * there ours are in order, and a fixed time of day comes exactly once on each local day.
 */
export function compareDates(
  pattern: string,
  zone: string,
  from: number,
  until: number,
  most: number,
  changes: Changes = changesOf(zone, from - 2 * DAY, until + 2 * DAY),
): number {
  const where = `${pattern} in ${zone}`;
  const dates = datesOf({ cron: pattern, timeZone: zone }, 0);
  const othersFrom = (time: number): CronExpression =>
    CronExpressionParser.parse(pattern, { currentDate: new Date(time), tz: zone });
  let others = othersFrom(from);
  let latest = from;
  /** Their next date that is not near a change. */
  const following = (): number => {
    for (;;) {
      try {
        latest = others.next().getTime();
        if (!isNear(changes, latest)) return latest;
      } catch (error) {
        // They search without end where clocks go back by half an hour, or at another minute than a full hour.
        const change = changes[lastChange(changes, latest + NEAR)]?.at ?? NaN;
        if (!(change > latest))
          throw new Error(`${where}: no date after ${new Date(latest).toISOString()}`, { cause: error });
        latest = change + NEAR - 1;
        others = othersFrom(latest);
      }
    }
  };
  const isDaily = /^\d+ \d+ \* \* \*$/.test(pattern);
  let compared = 0;
  let last = from;
  let day = NaN;
  let other = following();
  let next = dates.after(from);
  for (; next !== null && next <= until && compared < most; next = dates.after(next)) {
    assert.ok(next > last, `${where}: ${new Date(next).toISOString()} is not after the date before`);
    if (isDaily) {
      const today = Math.floor((next + (changes[lastChange(changes, next)]?.offset ?? NaN)) / DAY);
      // The zone may leave out a whole day when it moves over the date line.
      const isNext = Number.isNaN(day) || today === day + 1 || (today === day + 2 && isNear(changes, next));
      assert.ok(
        isNext,
        `${where}: ${new Date(next).toISOString()} is ${today - day} days after the one before`,
      );
      day = today;
    }
    if (!isNear(changes, next)) {
      assert.equal(new Date(next).toISOString(), new Date(other).toISOString(), where);
      other = following();
    }
    compared += 1;
    last = next;
  }
  if (compared < most) assert.ok(other > until, `${where}: nothing at ${new Date(other).toISOString()}`);
  return compared;
}
