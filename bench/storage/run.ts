import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Result } from "./measure.ts";

/*
 * Durable writes through the store against the bare driver, in one run: `npm run bench:storage [-- --short]`. Once as
 * the machine is, and once with a millisecond added to each fsync, where a C compiler is at hand to build the shim.
 * Writes bench/results/storage.md.
 */
const [rounds, roundMs] = process.argv.includes("--short") ? ["5", "150"] : ["15", "400"];
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "workflow-ui-bench-"));
const shim = buildShim();
const sections = [
  section("SQLite, as the machine is", run("sqlite", null)),
  ...(shim === null ? [] : [section("SQLite, one millisecond added to each fsync", run("sqlite", shim))]),
  section("PostgreSQL, as the machine is", run("postgres", null)),
  ...(shim === null
    ? []
    : [section("PostgreSQL, one millisecond added to each fsync", run("postgres", shim))]),
];
rmSync(folder, { recursive: true, force: true });

const report = `# Storage: durable writes

\`npm run bench:storage\` on ${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"}), Node ${process.version}. Rates are medians of
${rounds} rounds in which the cases take turns; a ratio is the median of the ratios within the rounds. "Bare" is the
driver alone with prepared statements and one commit for each write, on the same tables with the same settings
(WAL, synchronous FULL). A step is a run's new state, a step's checkpoint, an event and a provenance leaf in one
transaction.${shim === null ? " No C compiler was at hand, so the slow disk is missing." : ""}

${sections.join("\n")}`;
console.log(report);
mkdirSync(here("../results"), { recursive: true });
writeFileSync(here("../results/storage.md"), report);

function buildShim(): string | null {
  const library = join(folder, "slow-fsync.so");
  const made = spawnSync("cc", ["-shared", "-fPIC", "-O2", "-o", library, here("slow-fsync.c"), "-ldl"]);
  return made.status === 0 ? library : null;
}

function run(kind: "sqlite" | "postgres", preload: string | null): readonly Result[] {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [here("run-once.ts"), kind, rounds ?? "15", roundMs ?? "400"],
    {
      encoding: "utf8",
      // The server's own processes inherit it.
      env: {
        ...process.env,
        ...(preload !== null && { [kind === "sqlite" ? "LD_PRELOAD" : "BENCH_PRELOAD"]: preload }),
      },
    },
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

function section(title: string, results: readonly Result[]): string {
  const rows = results.map(({ name, perSecond, ratio, bar }) => {
    const shown = ratio === null ? "" : ratio.toFixed(2);
    const wanted = bar === null || ratio === null ? "" : `${ratio >= bar ? "✓" : "✗"} ${bar}`;
    return `| ${name} | ${Math.round(perSecond).toLocaleString("en")} | ${shown} | ${wanted} |`;
  });
  return `## ${title}\n\n| case | per second | of bare | bar |\n|---|---:|---:|---|\n${rows.join("\n")}\n`;
}
