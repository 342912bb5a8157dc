import { addressOf } from "../address.ts";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Agent, request } from "undici";
import { isObject } from "../../src/kernel/json.ts";
import { startPostgres } from "../../tests/support/postgres.ts";

/*
 * Durable work as a caller sees it: `run_workflow` with ten steps over HTTP until its result was read back, with one and
 * with 32 callers, on SQLite and on PostgreSQL. With `--before FOLDER`, a checkout with its node_modules, an older build
 * is measured in the same rounds.
 *   npm run bench:http [-- --before FOLDER --seconds 5 --rounds 5]
 * With `--replicas N`, one to N processes of this build share a PostgreSQL database instead, and a table is printed.
 */

const { values } = parseArgs({
  options: {
    before: { type: "string" },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "5" },
    replicas: { type: "string", default: "0" },
  },
});
const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)];
const KEY = "bench-key-with-every-right-0123456789";
const STEPS = 10;
const CALLERS = [1, 32] as const;
const STORES = ["SQLite", "PostgreSQL"] as const;
const here = fileURLToPath(new URL(".", import.meta.url));
/** What a build has to reach of the one before, by store and callers. */
const WANTED = { SQLite: [1, 1.2], PostgreSQL: [1.3, 2.5] } as const;
const builds = [
  { name: "this build", root: join(here, "../..") },
  ...(values.before === undefined ? [] : [{ name: "before", root: values.before }]),
];
const folder = mkdtempSync(join(tmpdir(), "bench-http-"));

interface Figure {
  readonly store: string;
  readonly build: string;
  readonly callers: number;
  readonly runsPerSecond: number;
  readonly p50: number;
  /** Processor time of a run, in milliseconds: of the service, and of PostgreSQL. */
  readonly serviceMs: number;
  readonly databaseMs: number;
}

type Measured = Omit<Figure, "store" | "build">;

const figures: Figure[] = [];
const server = await startPostgres({ fsync: true });
try {
  if (values.replicas !== "0") {
    await measureReplicas(Number(values.replicas));
    process.exit(0);
  }
  for (let round = 0; round < rounds; round++) {
    for (const store of STORES) {
      for (const { name, root } of round % 2 === 0 ? builds : builds.toReversed()) {
        const url =
          store === "SQLite"
            ? `sqlite:${join(folder, `${round}-${figures.length}.db`)}`
            : await server.createDatabase();
        for (const figure of await measure(root, url)) {
          figures.push({ store, build: name, ...figure });
          console.log(
            `round ${round + 1}, ${store}, ${name}, ${figure.callers} callers: ${figure.runsPerSecond.toFixed(0)} runs/s, ${figure.serviceMs.toFixed(2)} and ${figure.databaseMs.toFixed(2)} ms of processor a run`,
          );
        }
      }
    }
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
report();

/** Starts a build, makes a workflow, and runs it with few and with many callers. */
async function measure(root: string, databaseUrl: string, replicas = 1): Promise<Measured[]> {
  const children = Array.from({ length: replicas }, () =>
    spawn(process.execPath, [join(root, "src/main.ts")], {
      cwd: root,
      env: { ...process.env, PORT: "0", DATABASE_URL: databaseUrl, SVC_API_KEY: KEY, LOG_LEVEL: "error" },
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  const serviceMs = (): number => children.reduce((sum, { pid }) => sum + processorMs(pid ?? 0), 0);
  const agent = new Agent({ connections: 64, pipelining: 1 });
  try {
    const clients = await Promise.all(children.map(async (child) => caller(await addressOf(child), agent)));
    const [client] = clients;
    if (client === undefined) throw new Error("no replica");
    const nodes = Array.from({ length: STEPS }, (_, n) => ({
      id: `s${n}`,
      type: "tool",
      tool: "get_agent_platform",
      with: { id: "mcp-client" },
    }));
    const edges = nodes.slice(1).map(({ id }, n) => ({ from: `s${n}`, to: id, port: "success" }));
    const made = await client("create_workflow", { name: "bench", nodes, edges });
    const workflow = isObject(made["workflow"]) ? made["workflow"] : made;
    const id = String(workflow["id"]);
    const results = [];
    // A first start builds and signs its documents, which is not part of a run.
    await run(clients, id, 8, 5_000);
    for (const callers of CALLERS) {
      const [service, database] = [serviceMs(), processorMs(postmaster())];
      const { runs, ...measured } = await run(clients, id, callers, seconds * 1_000);
      results.push({
        ...measured,
        serviceMs: (serviceMs() - service) / runs,
        databaseMs: (processorMs(postmaster()) - database) / runs,
      });
    }
    return results;
  } finally {
    const ended = children.map((child) => new Promise((done) => child.once("exit", done)));
    for (const child of children) child.kill("SIGTERM");
    await Promise.all(ended);
    await agent.close();
  }
}

/** What more replicas bring: on one machine they share its processors, so that the processor time of a run counts. */
async function measureReplicas(most: number): Promise<void> {
  console.log(
    "| replicas | callers | runs/s | service, ms of processor a run | PostgreSQL |\n|---|---|---|---|---|",
  );
  for (let replicas = 1; replicas <= most; replicas++) {
    const all: Measured[] = [];
    const root = join(here, "../..");
    for (let round = 0; round < rounds; round++)
      all.push(...(await measure(root, await server.createDatabase(), replicas)));
    for (const callers of CALLERS) {
      const of = all.filter((one) => one.callers === callers);
      const middle = (pick: (one: Measured) => number): string => median(of.map(pick)).toFixed(1);
      console.log(
        `| ${replicas} | ${callers} | ${middle((one) => one.runsPerSecond)} | ${middle((one) => one.serviceMs)} | ${middle((one) => one.databaseMs)} |`,
      );
    }
  }
}

type Client = (tool: string, args: Record<string, unknown>) => Promise<Record<string, unknown>>;

async function run(
  clients: readonly Client[],
  id: string,
  callers: number,
  ms: number,
): Promise<Pick<Figure, "callers" | "runsPerSecond" | "p50"> & { readonly runs: number }> {
  const times: number[] = [];
  const began = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async (_, nth) => {
      const client = clients[nth % clients.length];
      if (client === undefined) throw new Error("no replica");
      while (performance.now() - began < ms) {
        const start = performance.now();
        await oneRun(client, id);
        times.push(performance.now() - start);
      }
    }),
  );
  const took = performance.now() - began;
  return { callers, runs: times.length, runsPerSecond: (times.length / took) * 1_000, p50: median(times) };
}

function postmaster(): number {
  return server.data === ""
    ? 0
    : Number(readFileSync(join(server.data, "postmaster.pid"), "utf8").split("\n")[0]);
}

/** The processor time of a process, its children and those that have ended; a clock tick is 10 ms. */
function processorMs(root: number): number {
  const ticks = new Map<number, { readonly parent: number; readonly spent: number }>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const fields = stat
        .slice(stat.lastIndexOf(")") + 2)
        .split(" ")
        .map(Number);
      const spent = [11, 12, 13, 14].reduce((sum, nth) => sum + (fields[nth] ?? 0), 0);
      ticks.set(Number(name), { parent: fields[1] ?? 0, spent });
    } catch {
      // It has ended.
    }
  }
  let total = 0;
  for (const [pid, { parent, spent }] of ticks) if (pid === root || parent === root) total += spent;
  return total * 10;
}

/** Runs the workflow and reads the run until it has its result. */
async function oneRun(client: Client, id: string): Promise<void> {
  const started = await client("run_workflow", { id });
  const runId = String(isObject(started["run"]) ? started["run"]["id"] : (started["runId"] ?? started["id"]));
  for (;;) {
    const read = await client("get_workflow_run", { id: runId });
    const shown = isObject(read["run"]) ? read["run"] : read;
    const state = shown["status"] ?? shown["state"];
    if (state === "succeeded") return;
    if (state !== "queued" && state !== "running") throw new Error(`a run is ${String(state)}`);
  }
}

function caller(url: string, agent: Agent): Client {
  return async (tool, args) => {
    const { statusCode, body } = await request(`${url}/api/mcp`, {
      method: "POST",
      dispatcher: agent,
      headers: { "content-type": "application/json", authorization: `Bearer ${KEY}` },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: tool, arguments: args },
      }),
    });
    const text = await body.text();
    const answer: unknown = JSON.parse(text);
    const result = isObject(answer) && isObject(answer["result"]) ? answer["result"] : {};
    const envelope = isObject(result["structuredContent"]) ? result["structuredContent"] : {};
    if (statusCode !== 200 || envelope["ok"] !== true || !isObject(envelope["data"])) {
      throw new Error(`${tool} answered ${statusCode}: ${text.slice(0, 500)}`);
    }
    return envelope["data"];
  };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

/** The commit of the build that was measured beside this one. */
function commitOf(folder: string): string {
  const { stdout } = spawnSync("git", ["-C", folder, "rev-parse", "--short=8", "HEAD"], { encoding: "utf8" });
  return stdout?.trim() || "unknown";
}

function report(): void {
  const rows: string[] = [];
  const bars: string[] = [];
  for (const store of STORES) {
    for (const [nth, callers] of CALLERS.entries()) {
      const of = (build: string): readonly Figure[] =>
        figures.filter((one) => one.store === store && one.callers === callers && one.build === build);
      const [now, before] = [of("this build"), of("before")];
      const ratio = median(
        now.map((one, round) => one.runsPerSecond / (before[round]?.runsPerSecond ?? Number.NaN)),
      );
      const wanted = WANTED[store][nth] ?? 1;
      // As the table shows it.
      const verdict = Number(ratio.toFixed(2)) >= wanted ? "met" : "missed";
      if (before.length > 0)
        bars.push(
          `| ${store}, callers: ${callers}, of the build before | ${ratio.toFixed(2)} | ≥ ${wanted} | ${verdict} |`,
        );
      for (const [name, all] of [
        ["this build", now],
        ["before", before],
      ] as const) {
        if (all.length === 0) continue;
        const share = name === "this build" && before.length > 0 ? ratio.toFixed(2) : "";
        rows.push(
          `| ${store} | ${callers} | ${name} | ${median(all.map((one) => one.runsPerSecond)).toFixed(0)} | ${share} | ${median(all.map((one) => one.p50)).toFixed(2)} | ${median(all.map((one) => one.serviceMs)).toFixed(2)} | ${store === "SQLite" ? "" : median(all.map((one) => one.databaseMs)).toFixed(2)} |`,
        );
      }
    }
  }
  const text = `# Durable work over HTTP

\`npm run bench:http${values.before === undefined ? "" : " -- --before FOLDER"}\` on ${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}, Node ${process.version}. \`run_workflow\` with ${STEPS} steps until the run was read back as succeeded; medians of ${rounds} rounds of ${seconds} s, ratios within a round. The callers are on the same machine.${values.before === undefined ? "" : ` The build before is commit ${commitOf(values.before)}.`}

${bars.length === 0 ? "" : `| bar | measured | wanted | |\n|---|---|---|---|\n${bars.join("\n")}\n\n`}| store | callers | build | runs/s | ratio to before | p50, ms | service, ms of processor a run | PostgreSQL |
|---|---|---|---|---|---|---|---|
${rows.join("\n")}
`;
  mkdirSync(join(here, "../results"), { recursive: true });
  writeFileSync(join(here, "../results/http.md"), text);
  console.log(text);
}
