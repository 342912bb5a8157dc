import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { startServiceProcess } from "../support/service.ts";
import { ATTACKS } from "./attacks.ts";
import { gather, percentile } from "./crowd.ts";
import { finish, plainArguments } from "./results.ts";

/*
 * `npm run attack [-- SECONDS --record]`: 500 clients that send a header one byte at a time, 4,200 that say nothing, and the
 * costly requests again and again, each alone and all together, while `/livez` is asked every 20 ms. Fails when its 99th
 * percentile is over 50 ms, or when descriptors stay open afterwards.
 */

const ASKED = 20;
const seconds = Number(plainArguments()[0] ?? ASKED);
const MAX_P99_MS = 50;
const folder = mkdtempSync(join(tmpdir(), "attack-"));
const service = await startServiceProcess({ DATABASE_URL: `sqlite:${join(folder, "attack.db")}` });
const port = Number(new URL(service.url).port);
const pid = service.child.pid ?? 0;
const descriptors = (): number => readdirSync(`/proc/${pid}/fd`).length;
const residentMb = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;

async function asking(until: number): Promise<readonly number[]> {
  const times: number[] = [];
  while (performance.now() < until) {
    const sent = performance.now();
    await (await service.fetch("/livez")).arrayBuffer().catch(() => undefined);
    times.push(performance.now() - sent);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return times;
}

async function costly(until: number): Promise<void> {
  while (performance.now() < until)
    for (const { send } of ATTACKS) await send(service).catch(() => undefined);
}

const scenes: Readonly<Record<string, (until: number) => Promise<void> | (() => void)>> = {
  "nothing else": () => () => undefined,
  "500 slow headers and 4,200 silent": () => {
    const crowd = gather(port, 4_200, 500, 500);
    return () => crowd.leave();
  },
  "the costly requests": costly,
  "both at once": (until) => {
    const crowd = gather(port, 4_200, 500, 500);
    return costly(until).finally(() => crowd.leave());
  },
};

const before = descriptors();
let failed = false;
const figures: string[] = [];
process.stdout.write(
  "| attack | livez asked | p50, ms | p99, ms | most descriptors | resident MB |\n|---|---|---|---|---|---|\n",
);
for (const [name, begin] of Object.entries(scenes)) {
  const until = performance.now() + seconds * 1_000;
  let most = 0;
  const sampling = setInterval(() => (most = Math.max(most, descriptors())), 200);
  const running = begin(until);
  const times = await asking(until);
  if (typeof running === "function") running();
  else await running;
  clearInterval(sampling);
  const p99 = percentile(times, 0.99);
  failed ||= p99 > MAX_P99_MS;
  figures.push(`${name} ${p99.toFixed(0)} ms`);
  process.stdout.write(
    `| ${name} | ${times.length} | ${percentile(times, 0.5).toFixed(1)} | ${p99.toFixed(1)} | ${most} | ${residentMb().toFixed(0)} |\n`,
  );
}
await new Promise((resolve) => setTimeout(resolve, 7_000));
const left = descriptors() - before;
process.stdout.write(`${left} more descriptors than before the attack\n`);
failed ||= left > 50;
await service.stop();
rmSync(folder, { recursive: true, force: true });
finish("L3", !failed, `livez p99: ${figures.join(", ")}; ${left} more descriptors than before`, {
  done: seconds,
  asked: ASKED,
  unit: "s of each attack",
});
