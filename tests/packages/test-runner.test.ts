import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { after, before, it } from "node:test";

/* What `npm test` says about files that fail, fail once, take their process down or are skipped. */

let folder: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "test-runner-"));
  mkdirSync(join(folder, "tests/web"), { recursive: true });
  symlinkSync(resolve("scripts"), join(folder, "scripts"));
  write("web/good.test.ts", `it("holds", () => {}); it("needs more", (t) => t.skip("no moon"));`);
  write("web/once.test.ts", `it("fails once", () => { if (isFirst()) throw new Error("too busy"); });`);
  write("web/gone.test.ts", `it("ends its process once", () => { if (isFirst()) process.exit(7); });`);
  write("web/none.test.ts", `export {};`);
  write("web/bad.test.ts", `it("never holds", () => { throw new Error("wrong"); });`);
});
after(() => rmSync(folder, { recursive: true }));

/** A test file; `isFirst` says whether this is the first time that it runs. */
function write(file: string, code: string): void {
  const head = `import { existsSync, writeFileSync } from "node:fs";
import { it } from "node:test";
const mark = ${JSON.stringify(join(folder, `${file.replaceAll("/", "-")}.mark`))};
const isFirst = () => !existsSync(mark) && (writeFileSync(mark, ""), true);
`;
  writeFileSync(join(folder, "tests", file), head + code);
}

/** Runs these files in one process, from the start, and gives the last lines. */
function run(names: readonly string[], ...flags: readonly string[]) {
  for (const name of names) rmSync(join(folder, `web-${name}.test.ts.mark`), { force: true });
  writeFileSync(join(folder, "tests/unstable.json"), "[]\n");
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const files = names.map((name) => `tests/web/${name}.test.ts`);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["scripts/test.ts", "--beside", ...flags, ...files],
    { cwd: folder, env, encoding: "utf8" },
  );
  const lines = stdout.trimEnd().split("\n");
  const kept: Record<string, string>[] = JSON.parse(
    readFileSync(join(folder, "tests/unstable.json"), "utf8"),
  );
  return { status, last: lines.at(-1) ?? "", lines, kept, output: stdout + stderr };
}

it("passes in one sentence, and names what was skipped and why", () => {
  const { status, last, lines, output } = run(["good"]);
  assert.equal(status, 0, output);
  assert.match(last, /^Everything passed in \d+ s\.$/);
  assert.ok(lines.includes("skipped: no moon: 1 in tests/web/good.test.ts"), output);
});

it("names what passes only again, keeps how it failed, and runs what a lost process took along", () => {
  const names = ["once", "gone", "good"];
  const { status, last, lines, kept, output } = run(names);
  assert.equal(status, 0, output);
  assert.match(last, /^passed, 2 unstable: /);
  for (const name of names)
    assert.ok(
      lines.some((line) => line.startsWith(`ok   tests/web/${name}`)),
      output,
    );
  const errors = Object.fromEntries(kept.map(({ test = "", error = "" }) => [test, error]));
  assert.equal(errors["fails once"], "too busy");
  assert.match(errors["tests/web/gone.test.ts"] ?? "", /^The process ended with 7 /);
  assert.ok(kept.every(({ date = "" }) => /^\d{4}-\d\d-\d\d$/.test(date)));
  const strict = run(["once"], "--strict");
  assert.equal(strict.status, 1, strict.output);
  assert.match(strict.last, /^failed after \d+ s, 1 unstable: tests\/web\/once\.test\.ts$/);
});

it("fails when a file fails twice", () => {
  const { status, last, lines, kept, output } = run(["bad", "good"]);
  assert.equal(status, 1, output);
  assert.match(last, /^failed after /);
  assert.ok(lines.includes("failed: tests/web/bad.test.ts"), output);
  assert.deepEqual(kept, []);
});

it("fails a file none of whose tests ran", () => {
  const { status, output } = run(["none", "good"]);
  assert.equal(status, 1, output);
  assert.match(output, /^failed: tests\/web\/none\.test\.ts$/m);
});
