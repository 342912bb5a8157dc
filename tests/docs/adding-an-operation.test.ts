import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";

/* Does what docs/adding-an-operation.md says, block by block, in a copy of the sources. */

const COPIED = [
  "bench/results",
  "bin",
  "docs",
  "packages",
  "scripts",
  "src",
  "suite/src",
  "tests",
  "web/src",
];
const FILES = ["ARCHITECTURE.md", "README.md", "package-lock.json", "package.json", "tsconfig.json"];
const NOT_COPIED = new Set(["node_modules", "dist", "images"]);

const guide = readFileSync("docs/adding-an-operation.md", "utf8");
const blocks = [...guide.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language = "", text = ""]) => ({
  language,
  text,
}));
const copy = mkdtempSync(join(tmpdir(), "adding-an-operation-"));

async function node(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: copy });
  return stdout + stderr;
}

/** Puts each added line behind the line that stands before it in the block. */
function apply(diff: string): void {
  const [head = "", ...lines] = diff.trimEnd().split("\n");
  const file = join(copy, head.replace(/^ \/\/ /, ""));
  let text = readFileSync(file, "utf8");
  for (const [index, line] of lines.entries()) {
    const [above = ""] = lines.slice(index - 1);
    if (!line.startsWith("+")) assert.ok(text.includes(`${line.slice(1)}\n`), `${head} has no ${line}`);
    else text = text.replace(`${above.slice(1)}\n`, `${above.slice(1)}\n${line.slice(1)}\n`);
  }
  writeFileSync(file, text);
}

describe("the guide to adding an operation", () => {
  before(() => {
    for (const folder of COPIED)
      cpSync(folder, join(copy, folder), {
        recursive: true,
        filter: (from) => !NOT_COPIED.has(basename(from)),
      });
    for (const file of FILES) cpSync(file, join(copy, file));
    symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
  });
  after(() => rmSync(copy, { recursive: true, force: true }));

  it("leads to one that is served, typed, checked and documented", async () => {
    const written = blocks.flatMap(({ language, text }) => {
      const [, file] = /^\/\/ (\S+\.ts)\n/.exec(text) ?? [];
      assert.equal(file !== undefined, language === "ts", `a block does not name its file: ${text}`);
      if (file === undefined) return [];
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      writeFileSync(join(copy, file), text);
      return [file];
    });
    assert.equal(written.length, 3);
    const diffs = blocks.filter(({ language }) => language === "diff");
    assert.equal(diffs.length, 1);
    for (const { text } of diffs) apply(text);

    assert.match(await node("scripts/generate.ts"), /packages\/client\/operations\.ts/);
    assert.match(readFileSync(join(copy, "docs/reference/runs.md"), "utf8"), /get_run_duration/);
    await node("scripts/import-rules.ts");
    await node("scripts/operation-rules.ts");
    const files = [...written, "src/registry.ts"];
    writeFileSync(
      join(copy, "guide.json"),
      JSON.stringify({ extends: "./tsconfig.json", include: [], files }),
    );
    await node("node_modules/typescript/bin/tsc", "-p", "guide.json");
    await node("--test", "tests/operations/durations.test.ts", "tests/operations/operations.test.ts");
  });
});
