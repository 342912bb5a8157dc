import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { createInterface } from "node:readline";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { freePort } from "../../tests/support/ports.ts";
import { generatorName, load, type Load } from "./load.ts";
import { REQUESTS } from "./payload.ts";

/*
 * npm run bench:gateway [-- --short --before FOLDER]: our gateway beside a raw node:http server, Fastify and the
 * official SDK servers, on the same machine in the same run, rounds interleaved; with `--before FOLDER`, a checkout
 * with its node_modules, also beside an older build; then cold start and idle memory. Writes bench/results/gateway.md.
 */

const KINDS = ["raw", "ours", "before", "constant", "fastify", "sdk-v1", "sdk-v2", "sdk-v2-bare"] as const;
type Kind = (typeof KINDS)[number];
const NAMES: Readonly<Record<Kind, string>> = {
  raw: "raw node:http",
  ours: "Workflow-UI",
  before: "Workflow-UI, the build before",
  constant: "raw node:http, constant bytes",
  fastify: "Fastify 5 alone",
  "sdk-v1": "official SDK v1 server, stateless",
  "sdk-v2": "official SDK v2 server, createMcpHandler",
  "sdk-v2-bare": "the same over the low-level server, nothing checked",
};
const { values: options } = parseArgs({
  options: { short: { type: "boolean", default: false }, before: { type: "string" } },
});
const { short, before } = options;
const kinds = KINDS.filter((kind) => kind !== "before" || before !== undefined);
const CONNECTIONS = 64;
const ROUNDS = short ? 1 : 5;
const SECONDS = short ? 2 : 5;

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
};

/** The v2 server is asked in its own revision, which it answers faster than the older ones. */
function requestFor(
  kind: Kind,
  work: keyof typeof REQUESTS,
): { body: string; headers: Record<string, string> } {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  if (!kind.startsWith("sdk-v2")) return { body: REQUESTS[work], headers };
  const request = JSON.parse(REQUESTS[work]);
  const name = request.params.name;
  return {
    body: JSON.stringify({ ...request, params: { ...request.params, _meta: meta } }),
    headers: {
      ...headers,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": request.method,
      ...(name !== undefined && { "mcp-name": name }),
    },
  };
}

async function startServer(kind: Kind): Promise<{ child: ChildProcess; url: string }> {
  const isBefore = kind === "before" && before !== undefined;
  const program = isBefore
    ? join(resolve(before), "bench/gateway/server.ts")
    : fileURLToPath(new URL("./server.ts", import.meta.url));
  const child = spawn(process.execPath, [program, isBefore ? "ours" : kind], {
    stdio: ["ignore", "pipe", "inherit"],
    ...(isBefore && { cwd: before }),
  });
  const port = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const found = /^port (\d+)$/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", () => reject(new Error(`${kind} ended`)));
  });
  return { child, url: `http://127.0.0.1:${port}/api/mcp` };
}

type Results = Record<keyof typeof REQUESTS, Record<Kind, Load[]>>;

/** Every server is up from the start; rounds are interleaved, so that a noisy moment hits all of them. */
async function measure(): Promise<Results> {
  const empty = (): Record<Kind, Load[]> => ({
    raw: [],
    ours: [],
    before: [],
    constant: [],
    fastify: [],
    "sdk-v1": [],
    "sdk-v2": [],
    "sdk-v2-bare": [],
  });
  const results: Results = { call: empty(), list: empty() };
  const servers = await Promise.all(kinds.map(async (kind) => ({ kind, ...(await startServer(kind)) })));
  for (const work of ["call", "list"] as const) {
    // Round 0 warms up and does not count.
    for (let round = 0; round <= ROUNDS; round++) {
      process.stderr.write(`tools/${work}, round ${round} of ${ROUNDS}\n`);
      for (const { kind, url } of servers) {
        const one = await load({
          ...requestFor(kind, work),
          url,
          connections: CONNECTIONS,
          seconds: SECONDS,
        });
        if (round > 0) results[work][kind].push(one);
      }
    }
  }
  for (const { child } of servers) child.kill();
  return results;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const summary = (loads: readonly Load[]) => ({
  perSecond: median(loads.map((one) => one.perSecond)),
  p50Ms: median(loads.map((one) => one.p50Ms)),
  p99Ms: median(loads.map((one) => one.p99Ms)),
  failures: loads.reduce((sum, one) => sum + one.failures, 0),
});

/** From spawning the process to the first answer, and what it holds after it has been idle for a moment. */
async function coldStart(): Promise<{ ms: number; rssMb: number }> {
  const port = String(await freePort());
  const began = performance.now();
  const child = spawn(process.execPath, [fileURLToPath(new URL("../../dist/main.mjs", import.meta.url))], {
    env: {
      ...process.env,
      PORT: port,
      DATABASE_URL: "sqlite:data/bench-gateway.db",
      LOG_LEVEL: "error",
      SVC_API_KEY: "bench-key-of-24-characters",
    },
    stdio: "ignore",
  });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: REQUESTS.list };
  let ms = 0;
  while (ms === 0) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/api/mcp`, init);
      await response.text();
      ms = performance.now() - began;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const status = await readFile(`/proc/${child.pid}/status`, "utf8");
  child.kill();
  await new Promise((resolve) => child.once("exit", resolve));
  return { ms, rssMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024 };
}

function commitOf(folder: string): string {
  return execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: folder }).toString().trim();
}

const results = await measure();
// What `npm start` runs.
execFileSync(process.execPath, ["scripts/pack-server.ts"], {
  cwd: fileURLToPath(new URL("../../", import.meta.url)),
});
const starts: { ms: number; rssMb: number }[] = [];
for (let i = 0; i < (short ? 3 : 9); i++) starts.push(await coldStart());

const rows: string[] = [];
const verdicts: string[] = [];
for (const work of ["call", "list"] as const) {
  const raw = summary(results[work].raw);
  const ours = summary(results[work].ours);
  for (const kind of kinds) {
    const one = summary(results[work][kind]);
    rows.push(
      `| tools/${work} | ${NAMES[kind]} | ${Math.round(one.perSecond).toLocaleString("en")} | ${(one.perSecond / raw.perSecond).toFixed(2)} | ${one.p50Ms.toFixed(2)} | ${one.p99Ms.toFixed(2)} | ${one.failures} |`,
    );
  }
  const sdk = Math.max(
    summary(results[work]["sdk-v1"]).perSecond,
    summary(results[work]["sdk-v2"]).perSecond,
  );
  const floor = work === "call" ? 0.75 : 0.9;
  verdict(`tools/${work}: share of raw node:http`, ours.perSecond / raw.perSecond, ">=", floor);
  verdict(`tools/${work}: p99 against raw node:http`, ours.p99Ms / raw.p99Ms, "<=", 2);
  if (before !== undefined) {
    const ratios = results[work].ours.map(
      ({ perSecond }, round) => perSecond / (results[work].before[round]?.perSecond ?? Number.NaN),
    );
    verdict(`tools/${work}: share of the build before, within a round`, median(ratios), ">=", 0.95);
  }
  // A list of this size is bound by moving its bytes: raw node:http itself is not ten times the SDK there.
  if (work === "call")
    verdict("tools/call: times the faster official SDK server", ours.perSecond / sdk, ">=", 10);
}
verdict("cold start to first answer, ms (median)", median(starts.map(({ ms }) => ms)), "<=", 400);
verdict("resident memory idle, MB (median)", median(starts.map(({ rssMb }) => rssMb)), "<=", 110);

function verdict(name: string, value: number, sign: ">=" | "<=", bar: number): void {
  const met = sign === ">=" ? value >= bar : value <= bar;
  verdicts.push(
    `| ${name} | ${value.toFixed(2)} | ${sign === ">=" ? "≥" : "≤"} ${bar} | ${met ? "met" : "missed"} |`,
  );
}

const report = `# Gateway

Measured ${new Date().toISOString().slice(0, 10)} with \`npm run bench:gateway${short ? " -- --short" : ""}${before === undefined ? "" : " -- --before FOLDER"}\` on ${cpus().length} × ${cpus()[0]?.model ?? "unknown CPU"}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}, ${await generatorName()}, ${CONNECTIONS} connections, median of ${ROUNDS} rounds of ${SECONDS} s after a warm-up. \`tools/call\` answers a 1 KB envelope (2.1 KB on the wire), \`tools/list\` the whole registry. Raw node:http and Fastify parse the body, serialise the result of each call (the list once) and check nothing; the row with constant bytes does not even serialise. Ours reads strictly, checks host, rate and parameters, calls the tool through the catalog and serialises its result. The official servers are set up as their documentation shows: a server for each request, the tool registered with its schema; the last row leaves that out.${before === undefined ? "" : ` The build before is commit ${commitOf(before)}.`}

| bar | measured | wanted | |
|---|---|---|---|
${verdicts.join("\n")}

| request | server | requests/s | of raw | p50 ms | p99 ms | failures |
|---|---|---|---|---|---|---|
${rows.join("\n")}
`;
await mkdir(new URL("../results/", import.meta.url), { recursive: true });
await writeFile(new URL("../results/gateway.md", import.meta.url), report);
process.stdout.write(report);
