import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { startPostgres } from "../../tests/support/postgres.ts";
import type { Declined, Result } from "./contest.ts";

/*
 * Runs of ten durable steps: this service against the bare limit and against peers, in one command:
 * `npm run bench:workflows [-- --short] [--n8n]`. Writes bench/results/workflows.md.
 */
const has = (flag: string): boolean => process.argv.includes(flag);
const scale = has("--short") ? 0.1 : 1;
const rounds = has("--short") ? 1 : 3;
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "bench-workflows-"));
const shim = buildShim();
const results = new Map<string, Map<string, Result[]>>();
const declined: Declined[] = [];
/** What came of `--n8n` the last time. */
const N8N_TRIED = `- n8n: only with \`--n8n\`, because installing it takes minutes. On 15 November 2026 it could not be installed where this
  was measured: 2.41.3 wants a version of one of its own packages (@n8n/agents 0.26.2) that npm does not have, 2.40.7, 2.38.7
  and 2.37.11 want packages that are not there, 2.39.10 was not done after seven minutes, and 1.121.3 wants a file from
  outside of npm.`;

interface Case {
  readonly engine: string;
  readonly concurrency: number;
  readonly runs: number;
}

const EMBEDDED: readonly Case[] = [
  { engine: "limit-sqlite", concurrency: 1, runs: 6_000 },
  { engine: "ours", concurrency: 1, runs: 4_000 },
  { engine: "limit-sqlite", concurrency: 32, runs: 30_000 },
  { engine: "ours", concurrency: 32, runs: 20_000 },
  { engine: "openworkflow", concurrency: 1, runs: 300 },
  { engine: "openworkflow", concurrency: 32, runs: 300 },
];
const POSTGRES: readonly Case[] = [
  { engine: "ours", concurrency: 32, runs: 3_000 },
  { engine: "graphile", concurrency: 32, runs: 2_000 },
  { engine: "openworkflow", concurrency: 32, runs: 300 },
  { engine: "dbos", concurrency: 32, runs: 500 },
];

for (let round = 0; round < rounds; round++) {
  for (const one of EMBEDDED) measure("Embedded, as the machine is", one, sqliteFile(), null);
  if (shim !== null) {
    for (const one of EMBEDDED) {
      const slow = { ...one, runs: one.runs / 20 };
      measure("Embedded, one millisecond added to each fsync", slow, sqliteFile(), shim);
    }
  }
}
const server = await startPostgres({ fsync: true });
for (let round = 0; round < rounds; round++) {
  for (const one of POSTGRES) measure("PostgreSQL, fsync on", one, await server.createDatabase(), null);
}
await server.stop();
if (has("--n8n")) {
  measure("Embedded, as the machine is", { engine: "n8n", concurrency: 32, runs: 500 }, "", null);
}
rmSync(folder, { recursive: true, force: true });

const report = render();
console.log(report);
mkdirSync(here("../results"), { recursive: true });
writeFileSync(here("../results/workflows.md"), report);

function sqliteFile(): string {
  return join(mkdtempSync(join(folder, "db-")), "bench.db");
}

function buildShim(): string | null {
  const library = join(folder, "slow-fsync.so");
  const source = here("../storage/slow-fsync.c");
  const made = spawnSync("cc", ["-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"]);
  return made.status === 0 ? library : null;
}

function child(script: string, args: readonly string[], preload: string | null): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [here(script), ...args], {
    encoding: "utf8",
    env: { ...process.env, ...(preload !== null && { LD_PRELOAD: preload }) },
    maxBuffer: 50_000_000,
  });
  if (status !== 0) console.error(`${script} ended with ${status}\n${stderr.slice(-2_000)}`);
  return stdout;
}

function measure(section: string, one: Case, database: string, preload: string | null): void {
  const runs = Math.max(Math.round(one.runs * scale), one.concurrency);
  const stdout = child(
    `engines/${one.engine}.ts`,
    [String(one.concurrency), String(runs), database],
    preload,
  );
  const line = stdout.split("\n").findLast((text) => text.startsWith("{"));
  if (line === undefined) return;
  const result: Result | Declined = JSON.parse(line);
  if ("why" in result) {
    console.log(`${section}: ${result.engine} was not measured: ${result.why}`);
    declined.push(result);
    return;
  }
  console.log(`${section}: ${result.engine} ×${result.concurrency}: ${result.stepsPerSecond} steps/s`);
  const key = `${result.engine}|${result.concurrency}`;
  const rows = results.get(section) ?? new Map<string, Result[]>();
  rows.set(key, [...(rows.get(key) ?? []), result]);
  results.set(section, rows);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** The median of the ratios within the rounds: what else the machine did cancels out. */
function ratio(rows: ReadonlyMap<string, readonly Result[]>, key: string, base: string): number | null {
  const own = rows.get(key);
  const other = rows.get(base);
  if (own === undefined || other === undefined) return null;
  return median(own.map((result, round) => result.stepsPerSecond / (other[round]?.stepsPerSecond ?? 1)));
}

function render(): string {
  const sections = [...results].map(([title, rows]) => {
    const base = title.startsWith("PostgreSQL")
      ? "graphile-worker with a step table|32"
      : "limit: one commit a step|1";
    const lines = [...rows].map(([key, all]) => {
      const p50 = all[0]?.p50 === null ? "" : median(all.map((one) => one.p50 ?? 0)).toFixed(2);
      const p99 = all[0]?.p99 === null ? "" : median(all.map((one) => one.p99 ?? 0)).toFixed(2);
      const share = ratio(rows, key, base);
      const rate = median(all.map((one) => one.stepsPerSecond));
      const [engine, concurrency] = key.split("|");
      return `| ${engine} | ${concurrency} | ${rate} | ${share === null ? "" : share.toFixed(2)} | ${p50} | ${p99} |`;
    });
    return `## ${title}\n\n| engine | runs at a time | steps/s | ratio to ${base.split("|")[0]} | p50 of a run, ms | p99, ms |\n|---|---|---|---|---|---|\n${lines.join("\n")}\n`;
  });
  return `# Workflows: runs of ten durable steps

\`npm run bench:workflows\` on ${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"}), Node ${process.version}; medians of ${rounds} rounds, ratios within a round.
Ours has everything on: input checks, rights, an outbox event and a provenance leaf with each step, and a record for
each run, under signed checkpoints; embedded, its time ends when everything is in its tables. The limit writes one row and updates another for each step, and nothing else. Peers that
poll are measured draining a queue that was filled before.${shim === null ? " No C compiler was at hand, so the slow disk is missing." : ""}

${bars()}
${sections.join("\n")}${notMeasured()}`;
}

/** What was wanted of the figures, and whether it was reached. */
function bars(): string {
  const LIMIT = "limit: one commit a step|1";
  const [sqlite, postgres] = ["workflow-ui (SQLite)", "workflow-ui (PostgreSQL)|32"];
  const plain = results.get("Embedded, as the machine is") ?? new Map();
  const slow = results.get("Embedded, one millisecond added to each fsync") ?? new Map();
  const server = results.get("PostgreSQL, fsync on") ?? new Map();
  const p50 = median((plain.get(`${sqlite}|1`) ?? []).map((one: Result) => one.p50 ?? 0));
  const rows: readonly (readonly [
    what: string,
    measured: number | null,
    wanted: number,
    atMost?: boolean,
  ])[] = [
    ["1 ms a fsync, 1 run at a time, of one commit a step", ratio(slow, `${sqlite}|1`, LIMIT), 0.8],
    ["1 ms a fsync, 32 runs, of one commit a step", ratio(slow, `${sqlite}|32`, LIMIT), 9],
    ["as the machine is, 1 run, of one commit a step", ratio(plain, `${sqlite}|1`, LIMIT), 0.45],
    ["as the machine is, 32 runs, of one commit a step", ratio(plain, `${sqlite}|32`, LIMIT), 1],
    ["PostgreSQL, of graphile-worker", ratio(server, postgres, "graphile-worker with a step table|32"), 1],
    ["PostgreSQL, of DBOS", ratio(server, postgres, "DBOS (PostgreSQL)|32"), 4],
    ["PostgreSQL, of OpenWorkflow", ratio(server, postgres, "OpenWorkflow (PostgreSQL)|32"), 3],
    ["p50 of a run, SQLite, 1 run at a time, ms", p50, 3, true],
  ];
  const lines = rows.map(([what, measured, wanted, atMost = false]) => {
    if (measured === null || Number.isNaN(measured)) return `| ${what} | not measured | | |`;
    const met = atMost ? measured <= wanted : measured >= wanted;
    return `| ${what} | ${measured.toFixed(2)} | ${atMost ? "≤" : "≥"} ${wanted} | ${met ? "met" : "missed"} |`;
  });
  return `| bar | measured | wanted | |\n|---|---|---|---|\n${lines.join("\n")}\n`;
}

function notMeasured(): string {
  if (!has("--n8n")) return `\n## Not measured\n\n${N8N_TRIED}\n`;
  const lines = declined.map(({ engine, why }) => `- ${engine}: ${why}.`);
  return lines.length === 0 ? "" : `\n## Not measured\n\n${lines.join("\n")}\n`;
}
