import { spawn } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";

/*
 * Runs everything: the static checks, then the tests, one file more at a time than the machine has cores, because most
 * files also wait; and at last those that end processes and wait for others to take over, two files at a time.
 *   npm test                      everything
 *   npm test -- FILE [FILE …]     only these test files
 *
 * A file that fails beside others runs once more by itself. If it passes then, it is named at the end as unstable: it
 * depends on how busy the machine is, which is a defect of the test or of the code. More than three such files fail.
 */

const MAX_UNSTABLE = 3;
const CACHE = path.resolve("node_modules/.cache/compiled");

const chosen = process.argv.slice(2);
const began = Date.now();

if (chosen.length > 0) {
  process.exit(await run(["--test", ...chosen]));
}

const alone = globSync("tests/{chaos,conformance,engine}/*.test.ts");
const shared = globSync("{src,web/src,tests}/**/*.test.ts").filter((file) => !alone.includes(file));
const folder = mkdtempSync(path.join(tmpdir(), "tests-"));
const unstable: string[] = [];

await stage("Checks", () => run(["scripts/check.ts"]));
const beside = availableParallelism() + 1;
await stage(`Tests, ${beside} files at a time`, () => runTests(beside, shared));
await stage("Tests that wait for processes, two files at a time", () => runTests(2, alone));
rmSync(folder, { recursive: true });

for (const file of unstable)
  console.log(`\nUnstable: ${file} failed beside other tests and passed by itself.`);
console.log(`\nEverything passed in ${Math.round((Date.now() - began) / 1000)} s.`);

async function stage(title: string, work: () => Promise<number>): Promise<void> {
  console.log(`\n== ${title} ==`);
  const code = await work();
  if (code === 0) return;
  console.error(`\n${title}: failed.`);
  process.exit(code);
}

async function runTests(concurrency: number, files: readonly string[]): Promise<number> {
  const list = path.join(folder, "failed");
  const code = await run(testArgs(concurrency, files, list));
  if (code === 0) return 0;
  const failed = readFileSync(list, "utf8").split("\n").filter(Boolean);
  if (failed.length === 0 || unstable.length + failed.length > MAX_UNSTABLE) return code;
  console.log(`\n== Once more, by itself: ${failed.join(", ")} ==`);
  const again = await run(testArgs(1, failed, list));
  if (again === 0) unstable.push(...failed.map((file) => path.relative(process.cwd(), file)));
  return again;
}

function testArgs(concurrency: number, files: readonly string[], failed: string): readonly string[] {
  return [
    "--test",
    `--test-concurrency=${concurrency}`,
    "--test-timeout=180000",
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    "--test-reporter=./scripts/failed-files.ts",
    `--test-reporter-destination=${failed}`,
    ...files.toSorted(),
  ];
}

function run(args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    // Most test files load most of the service; compiled once, it costs each of them half the start.
    const env = { ...process.env, NODE_COMPILE_CACHE: CACHE };
    const child = spawn(process.execPath, args, { stdio: "inherit", env });
    child.on("exit", (code) => resolve(code ?? 1));
  });
}
