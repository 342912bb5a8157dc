import assert from "node:assert/strict";
import { CronExpressionParser } from "cron-parser";
import { datesOf } from "../../src/triggers/dates.ts";

/* Our dates beside those of another implementation. Where the clocks change the two have rules of their own, see below. */

const HOUR = 3_600_000;

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

const offsets = new Map<string, Intl.DateTimeFormat>();

function localTime(zone: string, time: number): string {
  const format =
    offsets.get(zone) ??
    new Intl.DateTimeFormat("sv", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
  offsets.set(zone, format);
  return format.format(time);
}

/** How far a zone is from UTC, in milliseconds. */
function offset(zone: string, time: number): number {
  const whole = Math.floor(time / 1_000) * 1_000;
  return Date.parse(`${localTime(zone, whole).replace(" ", "T")}Z`) - whole;
}

function changesNear(zone: string, time: number): boolean {
  return offset(zone, time - 26 * HOUR) !== offset(zone, time + 26 * HOUR);
}

/**
 * Compares at most `most` dates from a time on. Both agree except within a day of a change of the clocks; there ours are
 * in order, and a fixed time of day comes exactly once on each local day.
 */
export function compareDates(
  pattern: string,
  zone: string,
  from: number,
  until: number,
  most: number,
): number {
  const dates = datesOf({ cron: pattern, timeZone: zone }, 0);
  const isDaily = /^\d+ \d+ \* \* \*$/.test(pattern);
  const where = `${pattern} in ${zone}`;
  let compared = 0;
  let last = from;
  let day = "";
  for (let next = dates.after(from); next !== null && next <= until; next = dates.after(next)) {
    assert.ok(next > last, `${where}: ${new Date(next).toISOString()} is not after the date before`);
    const isNear = changesNear(zone, next) || changesNear(zone, last);
    if (isDaily) {
      const today = localTime(zone, next).slice(0, 10);
      assert.notEqual(today, day, `${where}: twice on ${today}`);
      if (day !== "" && !isNear) assert.ok(next - last < 25 * HOUR, `${where}: nothing after ${day}`);
      if (day !== "" && isNear) assert.ok(next - last < 51 * HOUR, `${where}: nothing after ${day}`);
      day = today;
    }
    if (!isNear) {
      const other = CronExpressionParser.parse(pattern, { currentDate: new Date(next - 1_000), tz: zone });
      assert.equal(new Date(next).toISOString(), other.next().toDate().toISOString(), where);
      if (next - last > 0 && compared > 0) {
        const following = CronExpressionParser.parse(pattern, { currentDate: new Date(last), tz: zone });
        const second = following.next().toDate().getTime();
        // Between two of ours there is none of theirs, unless the clocks change in between.
        if (!changesNear(zone, second))
          assert.equal(second, next, `${where}: after ${new Date(last).toISOString()}`);
      }
    }
    compared += 1;
    last = next;
    if (compared === most) break;
  }
  return compared;
}
