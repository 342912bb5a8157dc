import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { startServiceProcess } from "../support/service.ts";
import { finish, plainArguments } from "./results.ts";
import { connectedTargets } from "./cost-connected.ts";
import { sweep, targetsOf } from "./cost-sweep.ts";

/*
 * `npm run fuzz:cost [-- WORD --record]`: grows every input of every tool, route, header, packet field and document format up to
 * the limit of a body, and every answer of connected servers up to what is read of it, and fails when one request costs the main thread more than 100 ms, or when the cost grows faster
 * than n log n. With a word, only places whose name has it.
 */

const SIZES = [1_000, 4_000, 16_000, 64_000, 256_000, 900_000];
const word = plainArguments()[0] ?? "";
const folder = mkdtempSync(join(tmpdir(), "fuzz-cost-"));
const service = await startServiceProcess({ DATABASE_URL: `sqlite:${join(folder, "cost.db")}` });
const connected = await connectedTargets(service);
const all = [...connected.targets, ...(await targetsOf(service))];
const targets = all.filter(({ place }) => place.includes(word));
process.stdout.write(`${targets.length} places and shapes\n`);
const { findings, requests, worstMs } = await sweep(service, targets, SIZES, (done) => {
  if (done % 200 === 0) process.stdout.write(`${done} of ${targets.length}\n`);
});
for (const { place, shape, size, cpuMs, problem } of findings)
  process.stdout.write(`${place}, ${shape}, ${size} characters: ${cpuMs.toFixed(0)} ms; ${problem}\n`);
await service.stop();
await connected.close();
rmSync(folder, { recursive: true, force: true });
finish(
  "L5",
  findings.length === 0,
  `${findings.length} findings in ${requests} measurements; the costliest took ${worstMs.toFixed(0)} ms of the main thread`,
  { done: targets.length, asked: all.length, unit: "places and shapes" },
);
