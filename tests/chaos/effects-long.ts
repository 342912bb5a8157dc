import { finish, plainArguments } from "../security/results.ts";
import { effectSeries } from "./effects-series.ts";

/*
 * 10,000 calls that end in every way, half of them on each store: `npm run chaos:effects [-- CALLS --record]`. With
 * `--outage=60` the database of each store is away for 60 seconds once.
 */
const ASKED = 10_000;
const total = Number(plainArguments()[0] ?? ASKED);
const outage = process.argv.find((text) => text.startsWith("--outage="))?.split("=")[1];
const figures: string[] = [];
for (const store of ["SQLite", "PostgreSQL"] as const) {
  const half = Math.ceil(total / 2);
  const calls = {
    none: Math.ceil(half * 0.6),
    "database away": Math.ceil(half * 0.25),
    "process killed": Math.ceil(half * 0.15),
  };
  // Throws at the first claim that the oracle does not confirm.
  const {
    calls: made,
    effects,
    claims,
    outages,
    kills,
  } = await effectSeries({
    store,
    calls,
    concurrency: 24,
    ...(outage !== undefined && { outageMs: Number(outage) * 1_000 }),
  });
  const { happened, did_not_happen: not, unknown } = claims;
  figures.push(
    `${store} ${made} calls, ${effects} effects, claimed ${happened} happened, ${not} did not, ${unknown} unknown, ${outages} outages, ${kills} kills`,
  );
  console.log(figures.at(-1));
}
finish("L9", true, `no claim wrong, no effect twice: ${figures.join("; ")}`, {
  done: total,
  asked: ASKED,
  unit: "calls",
});
