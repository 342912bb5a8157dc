import { changesOf, compareDates, PATTERNS, ZONES, type Changes } from "./dates.ts";

/*
 * 50 years in every time zone: `npm run compare:dates [-- PATTERN...]`. Zones whose clocks agree for all that time are
 * compared once. Of patterns with several dates a day those around each change of the clocks are compared, of the
 * others all.
 */

const FROM = Date.UTC(2000, 0, 1);
const UNTIL = Date.UTC(2050, 0, 1);
const DAY = 86_400_000;
/** Both sides of a change and the day next to it, in which both implementations must agree. */
const AROUND = 2 * DAY;
const MANY = new Set<string>(["0 * * * *", "*/15 * * * *"]);
const wanted = process.argv.slice(2);
const began = performance.now();

const groups = Map.groupBy(ZONES, (zone) => JSON.stringify(changesOf(zone, FROM - 2 * DAY, UNTIL + 2 * DAY)));
let compared = 0;
let failed = 0;
for (const pattern of wanted.length > 0 ? wanted : PATTERNS) {
  for (const [text, [zone = "UTC"]] of groups) {
    const changes: Changes = JSON.parse(text);
    // The first entry is the beginning: of a zone that never changes its clocks those days are compared.
    const ranges = MANY.has(pattern)
      ? changes.map(({ at }) => [Math.max(at - AROUND, FROM), Math.min(at + AROUND, UNTIL)] as const)
      : [[FROM, UNTIL] as const];
    try {
      for (const [from, until] of ranges)
        compared += compareDates(pattern, zone, from, until, Infinity, changes);
    } catch (error) {
      failed += 1;
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  process.stdout.write(`${pattern}: ${compared} dates compared so far, ${failed} zones differ\n`);
}
const seconds = Math.round((performance.now() - began) / 1_000);
process.stdout.write(
  `${ZONES.length} time zones with ${groups.size} different clocks, 2000 to 2050, ${compared} dates: ${failed} differ (${seconds} s)\n`,
);
process.exitCode = failed === 0 ? 0 : 1;
