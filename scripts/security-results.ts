import { spawnSync } from "node:child_process";
import process from "node:process";
import { writeResults } from "../tests/security/results.ts";
import { SECURITY_ROWS } from "../tests/security/rows.ts";

/*
 * `npm run security [-- ROW …]`: runs the test files of each row of tests/security/rows.ts and writes how they went, with
 * the number of tests and the date, to docs/security-results.json; `npm run generate` puts it into docs/security.md.
 */

interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Figures that tests note as diagnostics, such as the size of a matrix. */
  readonly measured: readonly string[];
}

const chosen = process.argv.slice(2);
const outcomes = new Map<string, Outcome>();

function outcomeOf(file: string): Outcome {
  // A suite that runs on both stores is run by the files that name one.
  const run = file === "tests/engine/engine.testsuite.ts" ? "tests/engine/sqlite.test.ts" : file;
  let outcome = outcomes.get(run);
  if (outcome === undefined) {
    const { status, stdout } = spawnSync(
      process.execPath,
      ["--test", "--test-reporter=tap", "--test-timeout=600000", run],
      { stdio: ["ignore", "pipe", "inherit"], encoding: "utf8", maxBuffer: 2 ** 28 },
    );
    const count = (what: string): number =>
      Number(new RegExp(`^# ${what} (\\d+)$`, "m").exec(stdout)?.[1] ?? 0);
    const failed = count("fail") + count("cancelled");
    outcome = {
      passed: count("pass"),
      failed: status === 0 ? failed : Math.max(1, failed),
      skipped: count("skipped"),
      measured: [...stdout.matchAll(/^\s*# measured: (.*)$/gm)].map(([, figure = ""]) => figure),
    };
    outcomes.set(run, outcome);
    process.stdout.write(
      `${outcome.failed === 0 ? "passed" : "FAILED"} ${run}: ${outcome.passed} passed, ${outcome.failed} failed, ${outcome.skipped} skipped\n`,
    );
    if (outcome.failed > 0) for (const line of stdout.matchAll(/^\s*not ok .*$/gm)) console.log(line[0]);
  }
  return outcome;
}

for (const { id, tests } of SECURITY_ROWS) {
  if (chosen.length > 0 && !chosen.includes(id)) continue;
  const all = [...new Set(tests.map(({ file }) => file))].map(outcomeOf);
  const sum = (of: (outcome: Outcome) => number): number =>
    all.reduce((total, outcome) => total + of(outcome), 0);
  const failed = sum((outcome) => outcome.failed);
  const skipped = sum((outcome) => outcome.skipped);
  const parts = [
    `${sum((outcome) => outcome.passed)} tests of ${all.length} ${all.length === 1 ? "file" : "files"}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...all.flatMap(({ measured }) => measured),
  ];
  // After each row: a run that is stopped keeps what it has.
  writeResults({ [id]: { passed: failed === 0, detail: parts.join(", ") } });
}
process.exit([...outcomes.values()].every(({ failed }) => failed === 0) ? 0 : 1);
