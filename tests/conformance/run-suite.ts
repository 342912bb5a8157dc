import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** One run of the official suite against a server. */
export interface SuiteRun {
  /** The npm name of the suite: the released one, or the newest. */
  readonly suite: "@modelcontextprotocol/conformance" | "mcp-conformance-next";
  readonly url: string;
  /** The revision whose scenarios are run; the released suite runs what it has. */
  readonly revision?: "2025-11-25" | "2026-07-28";
  /** Scenarios, or single checks as `scenario:check`, that are known to fail and why. */
  readonly expected: readonly string[];
}

/** What the suite said. `status` is 0 only when exactly the expected scenarios failed. */
export interface SuiteResult {
  readonly status: number | null;
  readonly summary: string;
  readonly output: string;
}

const require = createRequire(import.meta.url);

/** Runs the suite as a process and gives its verdict. A scenario that is expected to fail but passes counts as a failure. */
export async function runSuite(run: SuiteRun): Promise<SuiteResult> {
  const folder = await mkdtemp(join(tmpdir(), "conformance-"));
  const baseline = join(folder, "expected.yml");
  await writeFile(baseline, `server:\n${run.expected.map((name) => `  - ${name}\n`).join("")}`);
  const args = ["--suite", "all"];
  if (run.revision !== undefined) args.push("--spec-version", run.revision);
  if (run.expected.length > 0) args.push("--expected-failures", baseline);
  const { status, output } = await runProgram(run.suite, run.url, args);
  await rm(folder, { recursive: true, force: true });
  return { status, output, summary: output.slice(output.indexOf("=== SUMMARY ===")) };
}

/** Runs one scenario of the newest suite, whatever set it belongs to. */
export function runScenario(scenario: string, url: string): Promise<Pick<SuiteResult, "status" | "output">> {
  return runProgram("mcp-conformance-next", url, [
    "--scenario",
    scenario,
    "--spec-version",
    "2026-07-28",
    "--force",
  ]);
}

async function runProgram(
  suite: SuiteRun["suite"],
  url: string,
  args: readonly string[],
): Promise<Pick<SuiteResult, "status" | "output">> {
  const program = join(dirname(require.resolve(`${suite}/package.json`)), "dist", "index.js");
  // A loaded machine is slow, not wrong.
  const patient = suite === "mcp-conformance-next" ? ["--timeout", "120000"] : [];
  const child = spawn(process.execPath, [program, "server", "--url", url, ...args, ...patient], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const parts: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => parts.push(text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => parts.push(text));
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { status, output: parts.join("") };
}
