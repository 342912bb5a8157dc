import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { SECURITY_ROWS } from "../tests/security/rows.ts";

/*
 * `npm run security [-- ROW …]`: runs the tests of each row of tests/security/rows.ts and writes how they went, with the
 * date, to docs/security-results.json; `npm run generate` puts it into docs/security.md.
 */

const FILE = "docs/security-results.json";
const chosen = process.argv.slice(2);
const results: Record<string, unknown> = existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : {};
const outcomes = new Map<string, boolean>();
const date = new Date().toISOString().slice(0, 10);

function passes(file: string): boolean {
  // A suite that runs on both stores is run by the files that name one.
  const run = file === "tests/engine/engine.testsuite.ts" ? "tests/engine/sqlite.test.ts" : file;
  let passed = outcomes.get(run);
  if (passed === undefined) {
    const { status } = spawnSync(process.execPath, ["--test", "--test-timeout=180000", run], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    passed = status === 0;
    outcomes.set(run, passed);
    process.stdout.write(`${passed ? "passed" : "FAILED"} ${run}\n`);
  }
  return passed;
}

for (const { id, tests } of SECURITY_ROWS) {
  if (chosen.length > 0 && !chosen.includes(id)) continue;
  const files = [...new Set(tests.map(({ file }) => file))];
  results[id] = { result: files.every(passes) ? "passed" : "failed", date };
}
writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`);
process.exit([...outcomes.values()].every(Boolean) ? 0 : 1);
