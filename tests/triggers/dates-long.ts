import { compareDates, PATTERNS, ZONES } from "./dates.ts";

/*
 * 50 years in every time zone: `node tests/triggers/dates-long.ts [patterns]`. Of patterns with several dates a
 * day the first 20,000 dates are compared, of the others all.
 */

const FROM = Date.UTC(2000, 0, 1);
const UNTIL = Date.UTC(2050, 0, 1);
const MANY = new Set<string>(["0 * * * *", "*/15 * * * *"]);
const wanted = process.argv.slice(2);

let compared = 0;
let failed = 0;
for (const pattern of wanted.length > 0 ? wanted : PATTERNS) {
  for (const zone of ZONES) {
    try {
      const most = MANY.has(pattern) ? 20_000 : Infinity;
      compared += compareDates(pattern, zone, FROM, UNTIL, most);
    } catch (error) {
      failed += 1;
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  process.stdout.write(`${pattern}: ${compared} dates compared so far, ${failed} zones differ\n`);
}
process.exitCode = failed === 0 ? 0 : 1;
