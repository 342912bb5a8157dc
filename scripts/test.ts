import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import process from "node:process";

/*
 * Runs everything: the static checks, then two files at a time the unit tests and the end-to-end tests that can share
 * the machine, then the others one file at a time (they start services and browsers, and some of them measure time).
 *   npm test                      everything
 *   npm test -- FILE [FILE …]     only these test files
 */

const chosen = process.argv.slice(2);
const began = Date.now();

if (chosen.length > 0) {
  process.exit(await run(["--test", ...chosen]));
}

const shared = globSync("tests/{artifacts,cli,discovery,events,logbook,provenance,storage}/*.test.ts", {
  // It measures how long a command takes.
  exclude: ["tests/cli/conventions.test.ts"],
});
const alone = globSync("tests/**/*.test.ts").filter((file) => !shared.includes(file));

const stages: readonly { readonly title: string; readonly args: readonly string[] }[] = [
  { title: "Checks", args: ["scripts/check.ts"] },
  { title: "Unit tests", args: testArgs(2, globSync("{src,web/src}/**/*.test.ts")) },
  { title: "End-to-end tests, two at a time", args: testArgs(2, shared) },
  { title: "End-to-end tests, one at a time", args: testArgs(1, alone) },
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
