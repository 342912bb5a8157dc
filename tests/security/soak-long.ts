import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { freePort } from "../support/ports.ts";
import { startServiceProcess } from "../support/service.ts";
import { openCollector } from "./collector.ts";
import { startMixedLoad } from "./mixed-load.ts";
import { finish } from "./results.ts";
import { trendsOf, type Sample } from "./trend.ts";

/*
 * `npm run soak [-- --minutes 30 --rate 40 --record]`: forms, runs, approvals, handoffs, event streams, reads and bad
 * requests at a steady rate, while memory, descriptors, the write-ahead log and the wait of `/livez` are looked at. After a
 * warm-up of a fifth of the time, the last third must not be above the middle one by more than a bound (tests/security/trend.ts).
 * Left to itself the heap rises for minutes before it is collected, so the looks that count come after a collection.
 */

const ASKED = 30;
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: String(ASKED) },
    rate: { type: "string", default: "40" },
    record: { type: "boolean", default: false },
  },
});
const minutes = Number(values.minutes);
const rate = Number(values.rate);
const everyMs = Math.max(1_000, Math.min(5_000, (minutes * 60_000) / 60));
/** Of the looks, each of these counts. */
const COUNTS = 4;
const folder = mkdtempSync(join(tmpdir(), "soak-"));
const inspector = await freePort();
const service = await startServiceProcess({
  DATABASE_URL: `sqlite:${join(folder, "soak.db")}`,
  NODE_OPTIONS: `--inspect=127.0.0.1:${inspector}`,
});
const collector = await openCollector(inspector);
const pid = service.child.pid ?? 0;
const life: { end: string | null } = { end: null };
service.child.once("exit", (status, signal) => {
  life.end ??= `the service ended with ${signal ?? status}`;
});

const load = await startMixedLoad(service, rate);
const samples: Sample[] = [];
const settled: Sample[] = [];
const until = performance.now() + minutes * 60_000;
let reported = 0;
while (performance.now() < until && life.end === null) {
  await sleep(everyMs);
  samples.push(await look());
  if (samples.length % COUNTS === 0) {
    await collector.collect();
    settled.push(await look());
  }
  const minute = Math.floor((performance.now() - until) / 60_000 + minutes);
  if (minute > reported) {
    reported = minute;
    const { residentMb, heapMb, descriptors, walMb, requests } = samples.at(-1) ?? (await look());
    process.stdout.write(
      `${minute} min: ${requests} requests, ${residentMb.toFixed(0)} MB resident, heap ${heapMb.toFixed(0)} MB, ${descriptors} descriptors, WAL ${walMb.toFixed(1)} MB\n`,
    );
  }
}
await load.stop();
collector.close();
const { counts } = load;
const died = life.end ?? ((await service.stop()) === 0 ? null : "the service did not stop cleanly");
rmSync(folder, { recursive: true, force: true });

const trends = trendsOf(settled);
const most = Math.max(...samples.map(({ residentMb }) => residentMb));
process.stdout.write(
  "\nAfter a collection:\n\n| figure | first third | middle third | last third | bound of the last | most | |\n|---|---|---|---|---|---|---|\n",
);
for (const { name, first, middle, last, bound, most: peak, flat } of trends)
  process.stdout.write(
    `| ${name} | ${first.toFixed(1)} | ${middle.toFixed(1)} | ${last.toFixed(1)} | ${bound.toFixed(1)} | ${peak.toFixed(1)} | ${flat ? "flat" : "GROWS"} |\n`,
  );
for (const line of counts.wrong) process.stdout.write(`wrong: ${line}\n`);
if (died !== null) process.stdout.write(`${died}\n`);
const figures = trends.map(({ name, middle, last }) => `${name} ${middle.toFixed(0)} → ${last.toFixed(0)}`);
finish(
  "L1",
  died === null && counts.wrong.length === 0 && trends.every(({ flat }) => flat),
  `${counts.requests} requests, ${counts.wrong.length} wrong answers, at most ${most.toFixed(0)} MB resident; after a collection, middle → last third: ${figures.join(", ")}`,
  { done: minutes, asked: ASKED, unit: "min" },
);

async function look(): Promise<Sample> {
  const asked = performance.now();
  await (await service.fetch("/livez")).arrayBuffer();
  const livezMs = performance.now() - asked;
  const text = await (await service.fetch("/metrics")).text();
  const figure = (name: string): number =>
    Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1] ?? Number.NaN);
  const wal = statSync(join(folder, "soak.db-wal"), { throwIfNoEntry: false })?.size ?? 0;
  return {
    residentMb: figure("process_resident_memory_bytes") / 2 ** 20,
    heapMb: figure("nodejs_heap_used_bytes") / 2 ** 20,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    walMb: wal / 2 ** 20,
    livezMs,
    requests: load.counts.requests,
  };
}
