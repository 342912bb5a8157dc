import process from "node:process";
import { effectSeries } from "./effects-series.ts";

/* 10,000 calls that end in every way, half of them on each store: `npm run chaos:effects [-- calls]`. */
const total = Number(process.argv[2] ?? 10_000);
for (const store of ["SQLite", "PostgreSQL"] as const) {
  const half = Math.ceil(total / 2);
  const calls = {
    none: Math.ceil(half * 0.6),
    "database away": Math.ceil(half * 0.25),
    "process killed": Math.ceil(half * 0.15),
  };
  const figures = await effectSeries({ store, calls, concurrency: 24 });
  console.log(`${store}: ${JSON.stringify(figures)}`);
}
