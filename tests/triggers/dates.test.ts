import assert from "node:assert/strict";
import { test } from "node:test";
import { datesOf, nextDates, placeAfter } from "../../src/triggers/dates.ts";
import { compareDates, PATTERNS, ZONES } from "./dates.ts";

test("dates agree with a second implementation, in zones and years of all kinds", () => {
  let seed = 20_260_101;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  let compared = 0;
  for (let nth = 0; nth < 240; nth++) {
    const zone = ZONES[(nth * 7) % ZONES.length] ?? "UTC";
    const pattern = PATTERNS[nth % PATTERNS.length] ?? "";
    const from = Date.UTC(2000 + random(50), random(12), 1 + random(28), random(24), random(60));
    compared += compareDates(pattern, zone, from, from + 366 * 86_400_000, 8);
  }
  assert.ok(compared > 1_000, `${compared} dates were compared`);
});

test("where the clocks change, a date is neither lost nor repeated", () => {
  const berlin = (cron: string, day: string): readonly string[] => {
    const from = Date.parse(`${day}T00:00:00+01:00`) - 1;
    return nextDates(datesOf({ cron, timeZone: "Europe/Berlin" }, 0), from, 100, from + 86_400_000).map(
      (text) => text.slice(11, 16),
    );
  };
  // 02:30 does not exist: it begins when the clocks have moved on. In autumn it comes twice and begins once.
  assert.deepEqual(berlin("30 2 * * *", "2026-03-29"), ["01:00"]);
  assert.deepEqual(berlin("30 2 * * *", "2026-10-25").slice(0, 1), ["00:30"]);
  assert.equal(berlin("30 2 * * *", "2026-10-25").length, 1);
  // What repeats goes on through both.
  assert.equal(berlin("*/15 * * * *", "2026-03-29").length, 96);
  assert.equal(berlin("*/15 * * * *", "2026-10-25").length, 96);
});

test("an interval is counted from its beginning, and jitter is the same on every replica", () => {
  const anchor = Date.parse("2026-01-01T00:00:07Z");
  assert.deepEqual(nextDates(datesOf({ everySeconds: 90 }, anchor), anchor + 100_000, 2), [
    "2026-01-01T00:03:07.000Z",
    "2026-01-01T00:04:37.000Z",
  ]);
  const trigger = {
    id: "trigger_1",
    settings: { everySeconds: 3_600, jitterSeconds: 600 },
    createdAt: new Date(anchor).toISOString(),
  };
  const { dueAt, fireAt } = placeAfter(trigger, anchor);
  assert.equal(dueAt, "2026-01-01T01:00:07.000Z");
  const share = Date.parse(fireAt ?? "") - Date.parse(dueAt);
  assert.ok(share >= 0 && share < 600_000);
  assert.deepEqual(placeAfter(trigger, anchor), { dueAt, fireAt });
});
