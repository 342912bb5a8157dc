import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import process from "node:process";

/*
 * Runs everything: the static checks, then the tests two files at a time, and at last those that end processes and
 * wait for others to take over, one file at a time.
 *   npm test                      everything
 *   npm test -- FILE [FILE …]     only these test files
 */

const chosen = process.argv.slice(2);
const began = Date.now();

if (chosen.length > 0) {
  process.exit(await run(["--test", ...chosen]));
}

const alone = globSync("tests/{chaos,conformance,engine}/*.test.ts");
const shared = globSync("{src,web/src,tests}/**/*.test.ts").filter((file) => !alone.includes(file));

const stages: readonly { readonly title: string; readonly args: readonly string[] }[] = [
  { title: "Checks", args: ["scripts/check.ts"] },
  { title: "Tests, two files at a time", args: testArgs(2, shared) },
  { title: "Tests, one file at a time", args: testArgs(1, alone) },
];

for (const { title, args } of stages) {
  console.log(`\n== ${title} ==`);
  const code = await run(args);
  if (code !== 0) {
    console.error(`\n${title}: failed.`);
    process.exit(code);
  }
}
console.log(`\nEverything passed in ${Math.round((Date.now() - began) / 1000)} s.`);

function testArgs(concurrency: number, files: readonly string[]): readonly string[] {
  return [
    "--test",
    `--test-concurrency=${concurrency}`,
    "--test-timeout=180000",
    "--test-reporter=spec",
    ...files.toSorted(),
  ];
}

function run(args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: "inherit" });
    child.on("exit", (code) => resolve(code ?? 1));
  });
}
