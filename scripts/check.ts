import { spawn } from "node:child_process";
import process from "node:process";

/*
 * `npm run check`: format, lint, types, dead code, import rules, declarations, generated files. All of them run, all failures are
 * shown; `npm run check -- --fix` formats and regenerates first.
 */

interface Check {
  readonly name: string;
  readonly command: readonly string[];
  readonly fix?: readonly string[];
}

const bin = (name: string): string => `node_modules/.bin/${name}`;
const node = process.execPath;
/** Checks the types of a project; what has not changed since the last time is not checked again. */
const types = (project: string, name: string): Check => ({
  name,
  command: [
    bin("tsc"),
    "-p",
    project,
    "--incremental",
    "--tsBuildInfoFile",
    `node_modules/.cache/types/${project.replaceAll(/\W+/g, "-")}.json`,
  ],
});

const checks: readonly Check[] = [
  { name: "format", command: [bin("oxfmt"), "--check"], fix: [bin("oxfmt")] },
  { name: "lint", command: [bin("oxlint"), "--quiet"] },
  types(".", "types"),
  types("web", "types of the web app"),
  types("web/tsconfig.node.json", "types of its build"),
  types("suite", "types of the reference suite"),
  { name: "dead code", command: [bin("knip")] },
  { name: "import rules", command: [node, "scripts/import-rules.ts"] },
  { name: "words", command: [node, "scripts/word-rules.ts"] },
  { name: "declarations of operations", command: [node, "scripts/operation-rules.ts"] },
  {
    name: "generated files",
    command: [node, "scripts/generate.ts", "--check"],
    fix: [node, "scripts/generate.ts"],
  },
];

const fix = process.argv.includes("--fix");
let failures = 0;
for (const check of checks) {
  if (fix && check.fix) await run(check.fix);
  const began = Date.now();
  const { code, output } = await run(check.command);
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  console.log(`${code === 0 ? "ok  " : "FAIL"} ${check.name} (${seconds} s)`);
  if (code !== 0) {
    failures += 1;
    console.log(output.trimEnd());
  }
}
process.exit(failures === 0 ? 0 : 1);

function run(command: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const [file = "", ...args] = command;
    const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.on("error", (error) => resolve({ code: 1, output: error.message }));
    child.on("exit", (code) => resolve({ code: code ?? 1, output }));
  });
}
