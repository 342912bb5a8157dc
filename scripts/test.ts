import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { findBrowser } from "../tests/support/browser.ts";
import { startPostgres, type TestPostgres } from "../tests/support/postgres.ts";
import type { Line } from "./test-events.ts";
import { filesOf, jobOf, jobsOf, TIMES_FILE, type Job, type Need, type TestSet } from "./test-plan.ts";

/*
 *   npm test                      the main set of test files
 *   npm run test:quick            unit tests and short service tests
 *   npm run test:all              everything, with the checks; `npm test -- --rest` is what `npm test` leaves out of it
 *   npm test -- FILE [FILE …]     only these test files
 *   --beside                      with FILEs: beside each other and scheduled, as in a whole run
 *   --strict                      one unstable file fails the run
 *   --record                      writes the measured times, by which files are scheduled
 *
 * One process more than the machine has cores, because most of them also wait; but no more Chromium processes than
 * cores. A file that fails beside others runs again under the same load. If it passes then, it is unstable: the last
 * line names it, and tests/unstable.json keeps when and how it failed.
 */

/** When more files fail, something that they share is broken, and nothing runs again. */
const MAX_AGAIN = 8;
const MAX_UNSTABLE = 4;
/** For one process; most take a twentieth of it on an idle machine. */
const TIMEOUT_MS = 900_000;
/** How long processes that a test process has started may outlive it. */
const LEFT_MS = 2_000;
const UNSTABLE_FILE = "tests/unstable.json";
const WORK = path.resolve("node_modules/.cache/test-run");
const SETS: ReadonlyMap<string, TestSet> = new Map([
  ["--quick", "quick"],
  ["--all", "all"],
  ["--rest", "rest"],
]);

interface Failure {
  readonly file: string;
  readonly test: string;
  readonly error: string;
}

interface Outcome {
  readonly failures: readonly Failure[];
  readonly skips: readonly { readonly file: string; readonly reason: string }[];
  readonly seconds: ReadonlyMap<string, number>;
  readonly notRun: readonly string[];
}

// Most test files load most of the service; compiled once, it costs each of them half the start.
process.env["NODE_COMPILE_CACHE"] = path.resolve("node_modules/.cache/compiled");

const args = process.argv.slice(2);
const flags = new Set(args.filter((arg) => arg.startsWith("--")));
const chosen = args.filter((arg) => !arg.startsWith("--"));
const allowed = [...SETS.keys(), "--beside", "--strict", "--record"];
const unknown = [...flags].filter((flag) => !allowed.includes(flag));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(", ")}. There are ${allowed.join(", ")}.`);
  process.exit(2);
}

const running = new Set<ChildProcess>();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    for (const child of running) end(child);
    process.exit(130);
  });
}

if (chosen.length > 0 && !flags.has("--beside")) {
  process.exit((await runNode(["--test", ...chosen], "inherit")).code);
}

const began = Date.now();
const set = [...SETS].find(([flag]) => flags.has(flag))?.[1] ?? "main";
const beside = availableParallelism() + 1;
const skipped: string[] = [];
const missing = new Set<Need>();
const files = chosen.length > 0 ? chosen : filesOf(set);
await findBrowser().catch(() => missing.add("Chromium"));
const server = await sharedServer();
const jobs = jobsOf(files.filter(canRun));
rmSync(WORK, { recursive: true, force: true });
mkdirSync(WORK, { recursive: true });

// Formatting, lint and types take a third of the time of `npm test`: they are `npm run check`, and part of the rest.
const isChecked = chosen.length === 0 && (set === "rest" || set === "all");
console.log(
  `== ${isChecked ? "Checks, and " : ""}${jobs.flatMap((job) => job.files).length} test files in ${jobs.length} processes, ${beside} at a time ==`,
);
const outcome: Outcome[] = [];
let checks = 0;
const waiting = [...jobs];
const browsers = { running: 0 };
await Promise.all(
  Array.from({ length: beside }, async (_, nth) => {
    if (nth === 0 && isChecked) checks = await check();
    for (let job = next(); job !== undefined; job = await nextOrWait()) outcome.push(await runJob(job));
  }),
);
const failures = outcome.flatMap((each) => each.failures);
const failedFiles = [...new Set(failures.map(({ file }) => file))];
const still = await runAgain(failedFiles);
const unstable = failedFiles.filter((file) => !still.includes(file));
await server?.stop();
report();

/** The server of this run; what finds it in its environment starts none of its own. */
async function sharedServer(): Promise<TestPostgres | undefined> {
  if (!jobOf(files).needs.has("PostgreSQL")) return undefined;
  try {
    const started = await startPostgres({ settings: ["max_connections=500"] });
    process.env["TEST_POSTGRES_OF_RUN"] = started.url;
    return started;
  } catch (error) {
    missing.add("PostgreSQL");
    console.log(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

/** Whether a file finds what it needs; why not is reported at the end. */
function canRun(file: string): boolean {
  const lacks = [...jobOf([file]).needs].filter((need) => missing.has(need));
  for (const need of lacks) skipped.push(`skipped: no ${need}: ${file}`);
  return lacks.length === 0;
}

/** The longest process that may start now. */
function next(): Job | undefined {
  const index = waiting.findIndex((job) => !isBrowser(job) || browsers.running < availableParallelism());
  const [job] = index < 0 ? [] : waiting.splice(index, 1);
  if (job !== undefined && isBrowser(job)) browsers.running += 1;
  return job;
}

async function nextOrWait(): Promise<Job | undefined> {
  for (;;) {
    const job = next();
    if (job !== undefined || waiting.length === 0) return job;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function isBrowser({ needs }: Job): boolean {
  return needs.has("Chromium");
}

/** The static checks; their output comes in one piece. */
async function check(): Promise<number> {
  const { code, output } = await runNode(["scripts/check.ts"], "pipe");
  console.log(output.trimEnd());
  return code;
}

/** Runs the files of a job in one process, and prints what it says when one of them failed. */
async function runJob(job: Job): Promise<Outcome> {
  const start = Date.now();
  const [first = ""] = job.files;
  const place = path.join(WORK, first.replaceAll(/[^a-z0-9]+/gi, "-"));
  const entry = job.files.length === 1 ? first : writeGroup(place, job.files);
  const { code, output } = await runNode(
    [
      // What a library leaves open, say the timer of a request that has ended, would keep the process for half a minute.
      "--test-force-exit",
      "--test-reporter=spec",
      "--test-reporter-destination=stdout",
      `--test-reporter=${pathToFileURL(path.resolve("scripts/test-events.ts")).href}`,
      `--test-reporter-destination=${place}.jsonl`,
      entry,
    ],
    "pipe",
  );
  if (isBrowser(job)) browsers.running -= 1;
  const took = (Date.now() - start) / 1_000;
  const result = readOutcome(job, place, code, took);
  waiting.push(...result.notRun.map((file) => jobOf([file])));
  for (const file of job.files.filter((each) => !result.notRun.includes(each))) {
    const isBad = result.failures.some((failure) => failure.file === file);
    console.log(`${isBad ? "FAIL" : "ok  "} ${file} (${(result.seconds.get(file) ?? took).toFixed(1)} s)`);
  }
  if (result.failures.length > 0) console.log(output);
  return result;
}

/** Writes a test file that runs these files, each as a suite, so that its hooks stay its own. */
function writeGroup(place: string, members: readonly string[]): string {
  const suites = members.map((file) => {
    const name = JSON.stringify(file);
    const address = JSON.stringify(pathToFileURL(path.resolve(file)).href);
    // The reporter's lines are late; this is not, should the process go down.
    return `describe(${name}, async () => {
  before(() => writeFileSync(${JSON.stringify(`${place}.begun`)}, ${name}));
  await import(${address});
});
`;
  });
  const imports = `import { writeFileSync } from "node:fs";\nimport { before, describe } from "node:test";\n`;
  writeFileSync(`${place}.mjs`, imports + suites.join(""));
  return `${place}.mjs`;
}

/** What the lines of the reporter say about each file. */
function readOutcome({ files }: Job, place: string, code: number, took: number): Outcome {
  const failures: Failure[] = [];
  const skips: { file: string; reason: string }[] = [];
  const seconds = new Map<string, number>();
  let [file = ""] = files;
  let tests = 0;
  for (const text of readIfThere(`${place}.jsonl`).split("\n")) {
    if (!text.endsWith("}")) continue;
    const line: Line = JSON.parse(text);
    if (line.kind === "began" && files.includes(line.name)) file = line.name;
    else if (line.kind === "ended") {
      tests += line.tests;
      if (!files.includes(line.name)) continue;
      seconds.set(line.name, line.seconds);
      if (line.tests === 0) failures.push({ file, test: file, error: "No test of this file ran." });
    } else if (line.kind === "failed") failures.push({ file, test: line.name, error: line.error });
    else if (line.kind === "skipped") skips.push({ file, reason: line.reason });
  }
  if (files.length === 1 && code === 0 && tests === 0)
    failures.push({ file, test: file, error: "No test of this file ran." });
  if (files.length === 1 && (code === 0 || failures.length > 0)) seconds.set(file, took);
  // Of several files, the one that began last took the process down; the others are run in processes of their own.
  const cut = files.filter((each) => !seconds.has(each));
  const error = `The process ended with ${code} after ${Math.round(took)} s.`;
  const guilty = files.length === 1 ? file : readIfThere(`${place}.begun`);
  if (cut.includes(guilty)) failures.push({ file: guilty, test: guilty, error });
  return { failures, skips, seconds, notRun: cut.filter((each) => each !== guilty) };
}

function readIfThere(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** Runs failed files again, one at a time beside processes that keep the other cores busy; gives those that fail again. */
async function runAgain(files: readonly string[]): Promise<readonly string[]> {
  if (files.length === 0 || files.length > MAX_AGAIN) return files;
  console.log(`\n== Again, under the same load: ${files.join(", ")} ==`);
  const load = Array.from({ length: beside - 1 }, () => startNode(["-e", "for (;;);"], "ignore"));
  const failed: string[] = [];
  for (const file of files) {
    const job = jobOf([file]);
    if (isBrowser(job)) browsers.running += 1;
    if ((await runJob(job)).failures.length > 0) failed.push(file);
  }
  for (const child of load) end(child);
  return failed;
}

function report(): void {
  const reasons = Map.groupBy(
    outcome.flatMap(({ skips }) => skips),
    ({ reason }) => reason,
  );
  for (const [reason, tests] of reasons) {
    const where = [...new Set(tests.map(({ file }) => file))].join(", ");
    skipped.push(`skipped: ${reason}: ${tests.length} in ${where}`);
  }
  keepUnstable();
  if (flags.has("--record")) recordTimes();
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log("");
  for (const line of skipped) console.log(line);
  for (const file of still) console.log(`failed: ${file}`);
  if (checks !== 0) console.log("failed: the checks, which say above what they found");
  const isTooMany = unstable.length > (flags.has("--strict") ? 0 : MAX_UNSTABLE);
  const names = unstable.length === 0 ? "" : `, ${unstable.length} unstable: ${unstable.join(", ")}`;
  if (checks !== 0 || still.length > 0 || isTooMany) {
    console.log(`failed after ${seconds} s${names}`);
    process.exit(1);
  }
  console.log(names === "" ? `Everything passed in ${seconds} s.` : `passed${names} (${seconds} s)`);
  process.exit(0);
}

/** Appends what was unstable to the committed list; who is in it twice is to be repaired. */
function keepUnstable(): void {
  const fresh = failures.filter(({ file }) => unstable.includes(file));
  if (fresh.length === 0) return;
  const kept: Record<string, string>[] = JSON.parse(readFileSync(UNSTABLE_FILE, "utf8"));
  const date = new Date().toISOString().slice(0, 10);
  const all = [...kept, ...fresh.map((each) => ({ ...each, date }))];
  writeFileSync(UNSTABLE_FILE, `${JSON.stringify(all, null, 2)}\n`);
  for (const { file, test } of fresh) {
    const times = all.filter((each) => each["file"] === file && each["test"] === test).length;
    if (times > 1) console.log(`\n${file}, "${test}", was unstable ${times} times: repair it.`);
  }
}

function recordTimes(): void {
  const kept: Record<string, number> = existsSync(TIMES_FILE)
    ? JSON.parse(readFileSync(TIMES_FILE, "utf8"))
    : {};
  for (const { seconds } of outcome)
    for (const [file, each] of seconds) kept[file] = Math.round(each * 10) / 10;
  const there = Object.entries(kept).filter(([file]) => existsSync(file));
  const sorted = there.toSorted(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(TIMES_FILE, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

function startNode(argv: readonly string[], stdio: "inherit" | "pipe" | "ignore"): ChildProcess {
  // A group of its own, so that what a test has left running ends with it.
  const child = spawn(process.execPath, argv, {
    stdio: [stdio === "inherit" ? "inherit" : "ignore", stdio, stdio],
    detached: stdio !== "inherit",
  });
  running.add(child);
  child.once("close", () => running.delete(child));
  return child;
}

function end(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}

function runNode(
  argv: readonly string[],
  stdio: "inherit" | "pipe",
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    const child = startNode(argv, stdio);
    let output = "";
    child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const timer = stdio === "pipe" ? setTimeout(() => end(child), TIMEOUT_MS) : undefined;
    // What the process has left running ends too; it would keep the output open.
    child.on("exit", () => {
      clearTimeout(timer);
      if (stdio === "pipe") setTimeout(() => end(child), LEFT_MS).unref();
    });
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}
