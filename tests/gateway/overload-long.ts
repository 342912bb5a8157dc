import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { finish, plainArguments } from "../security/results.ts";
import { startServiceProcess, TEST_KEY } from "../support/service.ts";
import { cheapReads, overload, quantile, type CheapRead } from "./overload.ts";

/*
 * `npm run overload [-- SECONDS --record]`: as many clients as saturate the service, then ten times as many, none of
 * which pauses, for two minutes. What is accepted must be answered within a second (99 of 100), what is not gets 503 with
 * Retry-After, memory stays under 512 MB, cheap reads do not wait behind the expensive work, and within 5 s after the
 * end a call takes what it took before.
 */

const ASKED = 120;
const seconds = Number(plainArguments()[0] ?? ASKED);
const SATURATING = 32;
const MAX_P99_MS = 1_000;
const MAX_RESIDENT_MB = 512;
const MAX_RECOVERY_MS = 5_000;
/** Half of the cheap reads may take this share of what half of the accepted expensive calls take. */
const CHEAP_SHARE = 0.25;

const folder = mkdtempSync(join(tmpdir(), "overload-"));
const service = await startServiceProcess({ DATABASE_URL: `sqlite:${join(folder, "overload.db")}` });
const pid = service.child.pid ?? 0;
const residentMb = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;
const properties = Object.fromEntries(
  Array.from({ length: 20 }, (_, i) => [
    `member${i}`,
    { type: "array", items: { type: "string", format: "date" } },
  ]),
);
const rpc = (method: string, params: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
const costly = rpc("tools/call", {
  name: "render_json_schema_form",
  arguments: { schema: { type: "object", properties } },
});
const key = { authorization: `Bearer ${TEST_KEY}` };
const made = await service.call("create_workflow", { name: "x", nodes: [], edges: [] }, { key: true });
const workflowId: string = made.envelope.data.workflow.id;
const READS: readonly CheapRead[] = [
  { name: "GET /livez", method: "GET", path: "/livez" },
  { name: "tools/list", method: "POST", path: "/api/mcp", body: rpc("tools/list", {}) },
  {
    name: "get_workflow",
    method: "POST",
    path: "/api/mcp",
    body: rpc("tools/call", { name: "get_workflow", arguments: { id: workflowId } }),
    headers: key,
  },
  { name: "GET of a record", method: "GET", path: `/api/svc/workflows/${workflowId}/versions`, headers: key },
];

const calm = async (): Promise<number> => {
  const times: number[] = [];
  for (let i = 0; i < 20; i++) {
    const sent = performance.now();
    const response = await service.fetch("/api/mcp", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: costly,
    });
    await response.arrayBuffer();
    times.push(response.status === 200 ? performance.now() - sent : Number.POSITIVE_INFINITY);
  }
  return quantile(times, 0.5);
};

process.stdout.write(
  "| clients | answered/s | refused/s | accepted p50, ms | accepted p99, ms | wrong answers | most resident MB |\n|---|---|---|---|---|---|---|\n",
);
const problems: string[] = [];
let most = 0;
const sampling = setInterval(() => (most = Math.max(most, residentMb())), 200);
let last = await overload(service.url, costly, SATURATING, 3);
const before = await calm();
let reads: Awaited<ReturnType<typeof cheapReads>> = [];
for (const clients of [SATURATING, SATURATING * 10]) {
  const done = new AbortController();
  const reading = cheapReads(service.url, READS, done.signal);
  last = await overload(
    service.url,
    costly,
    clients,
    clients === SATURATING ? Math.min(10, seconds) : seconds,
  );
  done.abort();
  reads = await reading;
  const perSecond = (count: number): string => (count / last.seconds).toFixed(0);
  process.stdout.write(
    `| ${clients} | ${perSecond(last.accepted)} | ${perSecond(last.refused)} | ${last.acceptedP50Ms.toFixed(0)} | ${last.acceptedP99Ms.toFixed(0)} | ${last.wrong} | ${most.toFixed(0)} |\n`,
  );
  if (last.wrong > 0) problems.push(`${last.wrong} wrong answers with ${clients} clients`);
  if (last.acceptedP99Ms > MAX_P99_MS) problems.push(`accepted p99 over ${MAX_P99_MS} ms`);
}
const ended = performance.now();
let recoveryMs = Number.POSITIVE_INFINITY;
while (performance.now() - ended < 2 * MAX_RECOVERY_MS) {
  const from = performance.now();
  // Timer noise of a busy machine is not a service that has not recovered.
  if ((await calm()) <= before * 2 + 5) {
    recoveryMs = from - ended;
    break;
  }
  await sleep(50);
}
clearInterval(sampling);
process.stdout.write(
  "\n| cheap read during it | asked | refused | p50, ms | p99, ms |\n|---|---|---|---|---|\n",
);
for (const { name, asked, refused, p50Ms, p99Ms } of reads) {
  process.stdout.write(`| ${name} | ${asked} | ${refused} | ${p50Ms.toFixed(0)} | ${p99Ms.toFixed(0)} |\n`);
  if (refused > 0) problems.push(`${name} was refused ${refused} times`);
  if (p50Ms > last.acceptedP50Ms * CHEAP_SHARE || p99Ms > last.acceptedP50Ms)
    problems.push(`${name} waited behind expensive work`);
}
if (most > MAX_RESIDENT_MB) problems.push(`${most.toFixed(0)} MB resident`);
if (recoveryMs > MAX_RECOVERY_MS) problems.push("no recovery in 5 s");
for (const problem of problems) process.stdout.write(`${problem}\n`);
service.child.kill("SIGKILL");
rmSync(folder, { recursive: true, force: true });
finish(
  "L2",
  problems.length === 0,
  `${SATURATING * 10} clients: accepted p99 ${last.acceptedP99Ms.toFixed(0)} ms, ${(last.refused / last.seconds).toFixed(0)} refused/s, most ${most.toFixed(0)} MB resident, recovered in ${(recoveryMs / 1_000).toFixed(1)} s; cheap reads p99 ${Math.max(...reads.map((read) => read.p99Ms)).toFixed(0)} ms`,
  { done: seconds, asked: ASKED, unit: "s" },
);
