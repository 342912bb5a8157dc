import { spawn } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import process from "node:process";
import { run as runFiles } from "node:test";
import { spec } from "node:test/reporters";
import { pathToFileURL } from "node:url";

/*
 * Runs everything: the static checks, and beside them the tests, one process more at a time than the machine has cores,
 * because most of them also wait. Files that share what they load run one after the other in one process.
 *   npm test                      everything
 *   npm test -- FILE [FILE …]     only these test files
 *
 * A file that fails beside others runs once more by itself. If it passes then, it is named at the end as unstable: it
 * depends on how busy the machine is, which is a defect of the test or of the code. When more files fail, something
 * that they share is broken, and nothing runs again.
 */

const MAX_AGAIN = 8;
/** For one process; many take a tenth of it on an idle machine. */
const TIMEOUT_MS = 600_000;

/** Tests of one service in their own process, most of them short. */
const SERVICES =
  "tests/{artifacts,connections,contract,discovery,events,forms,gateway,oauth,people,siblings,workflows}/*.test.ts";

/** What takes longest begins first, so that no long file is left over at the end; what is not named here is short. */
const FIRST = [
  "tests/web/*.test.ts",
  "tests/{chaos,conformance,engine,authorization,packages,suite}/*.test.ts",
  SERVICES,
  "tests/{cli,vault}/*.test.ts",
  "tests/**/*.test.ts",
];

/** How many files of a kind share a process: loading the service takes a second, and Chromium one more. */
const TOGETHER: readonly { readonly glob: string; readonly size: number }[] = [
  { glob: "{src,web/src}/**/*.test.ts", size: 60 },
  { glob: "tests/web/*.test.ts", size: 4 },
  { glob: SERVICES, size: 8 },
];
const GROUPS = path.resolve("node_modules/.cache/test-groups");

// Most test files load most of the service; compiled once, it costs each of them half the start.
process.env["NODE_COMPILE_CACHE"] = path.resolve("node_modules/.cache/compiled");

const chosen = process.argv.slice(2);
const began = Date.now();

if (chosen.length > 0) process.exit((await runNode(["--test", ...chosen])).code);

const files = new Set(
  [...FIRST, "{src,web/src,tests}/**/*.test.ts"].flatMap((glob) => globSync(glob).toSorted()),
);
const beside = availableParallelism() + 1;
const processes = grouped();
console.log(`== Checks, and ${files.size} test files in ${processes.size} processes, ${beside} at a time ==`);
const [checks, failedBeside] = await Promise.all([check(), runTests(processes, beside)]);
const again = checks === 0 && failedBeside.length <= MAX_AGAIN ? failedBeside.flatMap(runnable) : [];
if (again.length > 0) console.log(`\n== Once more, by itself: ${again.join(", ")} ==`);
const failed =
  again.length > 0 ? await runTests(new Map(again.map((file) => [file, [file]])), 1) : failedBeside;

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

/** The files to start, in this order, each with the test files that run in its process. */
function grouped(): ReadonlyMap<string, readonly string[]> {
  rmSync(GROUPS, { recursive: true, force: true });
  mkdirSync(GROUPS, { recursive: true });
  const groups = TOGETHER.map(({ glob, size }) => {
    const members = globSync(glob).toSorted();
    const count = Math.ceil(members.length / size);
    // Neighbours by name are alike, and often equally long: each goes to another process.
    return Array.from({ length: count }, (_, n) => members.filter((_file, index) => index % count === n));
  }).flat();
  const started = new Map<string, readonly string[]>();
  for (const file of files) {
    const group = groups.find((members) => members.includes(file));
    if (group === undefined) started.set(file, [file]);
    else if (group[0] === file) started.set(writeGroup(group), group);
  }
  return started;
}

/** Writes a test file that runs these files, each as a suite, so that its hooks stay its own. */
function writeGroup(members: readonly string[]): string {
  const suites = members.map((file) => {
    const address = JSON.stringify(pathToFileURL(path.resolve(file)).href);
    return `describe(${JSON.stringify(file)}, async () => { await import(${address}); });\n`;
  });
  const [first = ""] = members;
  const written = path.join(GROUPS, `${first.replaceAll(/[^a-z0-9]+/gi, "-")}.mjs`);
  writeFileSync(written, `import { describe } from "node:test";\n${suites.join("")}`);
  return written;
}

/** Starts processes in this order and gives the files in which a failing test is written. */
function runTests(processes: ReadonlyMap<string, readonly string[]>, concurrency: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const failed = new Set<string>();
    const stream = runFiles({ files: [...processes.keys()], concurrency, timeout: TIMEOUT_MS });
    stream.on("test:fail", ({ file, name }) => {
      if (file === undefined) return;
      const members = processes.get(file);
      // Of a group, the suite of a file that could not be loaded fails, or the process as a whole.
      if (members === undefined || !file.startsWith(GROUPS)) failed.add(path.relative(process.cwd(), file));
      else for (const member of members) if (name === member || !members.includes(name)) failed.add(member);
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
