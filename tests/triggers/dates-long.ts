import { changesOf, compareDates, PATTERNS, ZONES, type Changes } from "./dates.ts";

/*
 * 50 years in every time zone: `npm run compare:dates [-- PATTERN...]`.
 *
 * The dates of a month depend on its calendar (which month, its first weekday, its length and that of the month before)
 * and on how far the zone's clock is from UTC, in the month and some days around it. Over 50 years most months of most
 * zones agree in all of that, so each distinct month is compared once, with a day on both sides so that the step from one
 * month to the next is compared too. Nothing is left out: a month that is not compared has the same calendar and the same
 * clock, to the second, as one that is. Of patterns with several dates a day the days around each change of the clocks
 * are compared, and of months without one the turns of the years.
 */

const FROM_YEAR = 2000;
const UNTIL_YEAR = 2050;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Both sides of a change and the day next to it, in which both implementations must agree. */
const AROUND = 2 * DAY;
/** What of the clock before and after a month belongs to it: more than any comparison looks at. */
const MARGIN = 4 * DAY;
const MANY = new Set<string>(["0 * * * *", "*/15 * * * *"]);

interface ZoneMonth {
  readonly zone: string;
  readonly changes: Changes;
  readonly from: number;
  readonly until: number;
  readonly changedAt: readonly number[];
  readonly month: number;
}

/** The months of a zone, by what their dates depend on. */
function* monthsOf(zone: string, changes: Changes): Generator<readonly [string, ZoneMonth]> {
  for (let nth = 0; nth < (UNTIL_YEAR - FROM_YEAR) * 12; nth++) {
    const from = Date.UTC(FROM_YEAR, nth, 1);
    const until = Date.UTC(FROM_YEAR, nth + 1, 1);
    const month = nth % 12;
    const before = changes.findLast(({ at }) => at <= from - MARGIN);
    const near = changes.filter(({ at }) => at > from - MARGIN && at < until + MARGIN);
    const key = [
      [month, new Date(from).getUTCDay(), from - Date.UTC(FROM_YEAR, nth - 1, 1), until - from],
      before?.offset,
      near.map(({ at, offset }) => [at - from, offset]),
    ];
    const changedAt = near.map(({ at }) => at).filter((at) => at >= from && at < until);
    yield [JSON.stringify(key), { zone, changes, from, until, changedAt, month }];
  }
}

/** The ranges of a month in which the dates of a pattern are compared. */
function rangesOf(
  pattern: string,
  { from, until, changedAt, month }: ZoneMonth,
): readonly [number, number][] {
  if (!MANY.has(pattern)) return [[from - DAY, until + DAY]];
  if (changedAt.length > 0) return changedAt.map((at) => [at - AROUND, at + AROUND]);
  return month === 0 ? [[from - 12 * HOUR, from + 12 * HOUR]] : [];
}

const wanted = process.argv.slice(2);
const began = performance.now();
const clocks = new Set<string>();
const months = new Map<string, ZoneMonth>();
for (const zone of ZONES) {
  const changes = changesOf(
    zone,
    Date.UTC(FROM_YEAR, 0, 1) - 2 * MARGIN,
    Date.UTC(UNTIL_YEAR, 0, 1) + 2 * MARGIN,
  );
  const clock = JSON.stringify(changes);
  if (clocks.has(clock)) continue;
  clocks.add(clock);
  for (const [key, month] of monthsOf(zone, changes)) if (!months.has(key)) months.set(key, month);
}
let compared = 0;
let failed = 0;
for (const pattern of wanted.length > 0 ? wanted : PATTERNS) {
  for (const month of months.values()) {
    try {
      for (const [from, until] of rangesOf(pattern, month))
        compared += compareDates(pattern, month.zone, from, until, Infinity, month.changes);
    } catch (error) {
      failed += 1;
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  const seconds = Math.round((performance.now() - began) / 1_000);
  process.stdout.write(
    `${pattern}: ${compared} dates compared after ${seconds} s, ${failed} months differ\n`,
  );
}
const { user, system } = process.cpuUsage();
process.stdout.write(
  `${ZONES.length} time zones with ${clocks.size} different clocks, ${FROM_YEAR} to ${UNTIL_YEAR}: ${clocks.size * (UNTIL_YEAR - FROM_YEAR) * 12} months, of which ${months.size} are distinct; ${compared} dates: ${failed} months differ (${Math.round((performance.now() - began) / 1_000)} s, ${Math.round((user + system) / 1_000_000)} s of processor time)\n`,
);
process.exitCode = failed === 0 ? 0 : 1;
