import { changesOf, compareDates, PATTERNS, ZONES, type Changes } from "./dates.ts";

/*
 * 50 years in every time zone: `npm run compare:dates [-- PATTERN...]`.
 *
 * The dates of a month depend on its calendar (which month, its first weekday, its length and that of the month before)
 * and on how far the zone's clock is from UTC, in the month and some days around it. Over 50 years most months of most
 * zones agree in all of that, so each distinct month is compared once, with a day on both sides so that the step from one
 * month to the next is compared too. Nothing is left out: a month that is not compared has the same calendar and the same
 * clock, to the second, as one that is.
 *
 * Patterns with several dates a day name no day, so only the clock matters to them: each distinct change is compared once,
 * by its local time of day and the offsets around it, and each offset without a change.
 */

const FROM_YEAR = 2000;
const UNTIL_YEAR = 2050;
const FROM = Date.UTC(FROM_YEAR, 0, 1);
const UNTIL = Date.UTC(UNTIL_YEAR, 0, 1);
const MONTHS = (UNTIL_YEAR - FROM_YEAR) * 12;
const DAY = 86_400_000;
/** Both sides of a change and the day next to it, in which both implementations must agree. */
const AROUND = 2 * DAY;
/** What of the clock before and after a range belongs to it: more than any comparison looks at. */
const MARGIN = 4 * DAY;
const MANY = new Set<string>(["0 * * * *", "*/15 * * * *"]);

interface Range {
  readonly zone: string;
  readonly changes: Changes;
  readonly from: number;
  readonly until: number;
}

/** The offset of a zone before a range, and its changes in and around it, counted from a time. */
function clockOf(changes: Changes, from: number, until: number, zero: number): readonly unknown[] {
  const before = changes.findLast(({ at }) => at <= from - MARGIN);
  const near = changes.filter(({ at }) => at > from - MARGIN && at < until + MARGIN);
  return [before?.offset, near.map(({ at, offset }) => [at - zero, offset])];
}

/** The months of a zone, by what their dates depend on. */
function* monthsOf(zone: string, changes: Changes): Generator<readonly [string, Range]> {
  for (let nth = 0; nth < MONTHS; nth++) {
    const [before, from, until] = [nth - 1, nth, nth + 1].map((one) => Date.UTC(FROM_YEAR, one, 1));
    if (before === undefined || from === undefined || until === undefined) continue;
    const calendar = [nth % 12, new Date(from).getUTCDay(), from - before, until - from];
    const key = JSON.stringify([calendar, clockOf(changes, from, until, from)]);
    yield [key, { zone, changes, from: from - DAY, until: until + DAY }];
  }
}

/** The changes of a zone's clock, by what the dates around them depend on where no day matters. */
function* turnsOf(zone: string, changes: Changes): Generator<readonly [string, Range]> {
  for (const [nth, { at, offset }] of changes.entries()) {
    const before = changes[nth - 1];
    const range = { zone, changes, from: at - AROUND, until: at + AROUND };
    if (before === undefined) yield [String(offset), { ...range, from: FROM, until: FROM + DAY }];
    else if (at > FROM - MARGIN && at < UNTIL + MARGIN)
      yield [JSON.stringify([(at + before.offset) % DAY, clockOf(changes, at, at, at)]), range];
  }
}

const wanted = process.argv.slice(2);
const began = performance.now();
const clocks = new Set<string>();
const months = new Map<string, Range>();
const turns = new Map<string, Range>();
for (const zone of ZONES) {
  const changes = changesOf(zone, FROM - 2 * MARGIN, UNTIL + 2 * MARGIN);
  const clock = JSON.stringify(changes);
  if (clocks.has(clock)) continue;
  clocks.add(clock);
  for (const [key, range] of monthsOf(zone, changes)) if (!months.has(key)) months.set(key, range);
  for (const [key, range] of turnsOf(zone, changes)) if (!turns.has(key)) turns.set(key, range);
}
let compared = 0;
let failed = 0;
for (const pattern of wanted.length > 0 ? wanted : PATTERNS) {
  for (const { zone, from, until, changes } of (MANY.has(pattern) ? turns : months).values()) {
    try {
      compared += compareDates(pattern, zone, from, until, Infinity, changes);
    } catch (error) {
      failed += 1;
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  const seconds = Math.round((performance.now() - began) / 1_000);
  process.stdout.write(
    `${pattern}: ${compared} dates compared after ${seconds} s, ${failed} ranges differ\n`,
  );
}
const { user, system } = process.cpuUsage();
process.stdout.write(
  `${ZONES.length} time zones with ${clocks.size} different clocks, ${FROM_YEAR} to ${UNTIL_YEAR}: ${clocks.size * MONTHS} months, of which ${months.size} are distinct, and ${turns.size} distinct changes of a clock; ${compared} dates: ${failed} ranges differ (${Math.round((performance.now() - began) / 1_000)} s, ${Math.round((user + system) / 1_000_000)} s of processor time)\n`,
);
process.exitCode = failed === 0 ? 0 : 1;
