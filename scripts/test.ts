import { spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import process from "node:process";
import { run as runFiles } from "node:test";
import { spec } from "node:test/reporters";

/*
 * Runs everything: the static checks, and beside them the tests, one file more at a time than the machine has cores,
 * because most files also wait.
 *   npm test                      everything
 *   npm test -- FILE [FILE …]     only these test files
 *
 * A file that fails beside others runs once more by itself. If it passes then, it is named at the end as unstable: it
 * depends on how busy the machine is, which is a defect of the test or of the code. More than three such files fail.
 */

const MAX_UNSTABLE = 3;
/** For one file; many take a tenth of it on an idle machine. */
const TIMEOUT_MS = 300_000;

/** What takes longest begins first, so that no long file is left over at the end; what is not named here is short. */
const FIRST = [
  "tests/{chaos,conformance,engine}/*.test.ts",
  "tests/{authorization,packages,suite}/*.test.ts",
  "tests/web/*.test.ts",
  "tests/{cli,storage,vault,security}/*.test.ts",
  "tests/**/*.test.ts",
];

// Most test files load most of the service; compiled once, it costs each of them half the start.
process.env["NODE_COMPILE_CACHE"] = path.resolve("node_modules/.cache/compiled");

const chosen = process.argv.slice(2);
const began = Date.now();

if (chosen.length > 0) process.exit((await runNode(["--test", ...chosen])).code);

const files = new Set(
  [...FIRST, "{src,web/src,tests}/**/*.test.ts"].flatMap((glob) => globSync(glob).toSorted()),
);
const beside = availableParallelism() + 1;
console.log(`== Checks, and ${files.size} test files, ${beside} at a time ==`);
const [checks, failedBeside] = await Promise.all([check(), runTests([...files], beside)]);
const again = checks === 0 && failedBeside.length <= MAX_UNSTABLE ? failedBeside.flatMap(runnable) : [];
if (again.length > 0) console.log(`\n== Once more, by itself: ${again.join(", ")} ==`);
const failed = again.length > 0 ? await runTests(again, 1) : failedBeside;

const seconds = Math.round((Date.now() - began) / 1000);
for (const file of failedBeside.filter((file) => again.length > 0 && !failed.includes(file)))
  console.log(`\nUnstable: ${file} failed beside other tests and passed by itself.`);
for (const file of failed) console.log(`\nFailed: ${file}`);
if (checks !== 0) console.log("\nThe checks failed; they say above what they found.");
if (checks === 0 && failed.length === 0) console.log(`\nEverything passed in ${seconds} s.`);
else {
  console.log(`\nFailed after ${seconds} s.`);
  process.exit(1);
}

/** The static checks; their output comes in one piece. */
async function check(): Promise<number> {
  const { code, output } = await runNode(["scripts/check.ts"], "pipe");
  console.log(`\n== Checks ==\n${output}`);
  return code;
}

/** Runs test files in this order and gives those in which a failing test is written. */
function runTests(files: readonly string[], concurrency: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const failed = new Set<string>();
    const stream = runFiles({ files: [...files], concurrency, timeout: TIMEOUT_MS });
    stream.on("test:fail", ({ file }) => {
      if (file !== undefined) failed.add(path.relative(process.cwd(), file));
    });
    stream.once("end", () => resolve([...failed]));
    stream.once("error", reject);
    stream.compose(new spec()).pipe(process.stdout, { end: false });
  });
}

/** The test files to run for a failure: tests that several files share are written in a file of their own. */
function runnable(file: string): readonly string[] {
  if (files.has(file)) return [file];
  const users = [...files].filter((each) => readFileSync(each, "utf8").includes(path.basename(file)));
  return users.length > 0 ? users : [file];
}

function runNode(
  args: readonly string[],
  stdio: "inherit" | "pipe" = "inherit",
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: ["inherit", stdio, "inherit"] });
    let output = "";
    child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}
