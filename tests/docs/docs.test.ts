import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { readDocs } from "../../web/build/docs.ts";
import { linksIn, readPage } from "../../web/build/markdown.ts";

/*
 * The documentation as people read it, in the repository and at /docs: no link leads nowhere, every page is in the
 * contents, and every script that a page names is one.
 */

const docs = readDocs();
/** Pages of the site, and texts that are only read in the repository or on npm. */
const others = ["README.md", "docs/screens.md", ...globSync("{packages,suite,deploy,plugin}/**/*.md")].filter(
  (file) => !file.includes("node_modules") && readFileSync(file, "utf8").startsWith("# "),
);
const pages = [
  ...[...docs.files].map(([file, path]) => ({ file, page: docs.pages.get(path) })),
  ...others.map((file) => ({
    file,
    page: readPage(readFileSync(file, "utf8"), { file, files: docs.files }),
  })),
];
const scripts: Readonly<Record<string, string>> = JSON.parse(readFileSync("package.json", "utf8")).scripts;

function headingsOf(path: string): readonly string[] {
  const blocks = docs.pages.get(path)?.blocks ?? [];
  return blocks.flatMap((block) => ("level" in block ? [block.id] : []));
}

describe("the documentation", () => {
  it("has no link that leads nowhere", () => {
    const dead: string[] = [];
    let links = 0;
    for (const { file, page } of pages) {
      for (const { page: target, file: named } of linksIn(page?.blocks ?? [])) {
        links += 1;
        const [path = "", heading] = target?.split("#") ?? [];
        if (named !== undefined && !existsSync(named)) dead.push(`${file}: ${named}`);
        if (heading !== undefined && !headingsOf(path).includes(heading)) dead.push(`${file}: ${target}`);
      }
      const text = readFileSync(file, "utf8");
      for (const [, picture = ""] of text.matchAll(/!\[[^\]]*\]\(([^)\s]+)\)/g)) {
        if (!existsSync(new URL(picture, new URL(file, `file://${process.cwd()}/`))))
          dead.push(`${file}: ${picture}`);
      }
    }
    assert.ok(links > 300, `${links}`);
    assert.deepEqual(dead, []);
  });

  it("has every page in its contents", () => {
    const listed = docs.groups.flatMap((group) => group.pages.map(({ path }) => path));
    assert.deepEqual(listed, [...new Set(listed)], "each once");
    // The decisions and the results have a page that lists them.
    const missing = [...docs.pages.keys()].filter(
      (path) => path !== "" && !/^(?:adr|results)\/./.test(path) && !listed.includes(path),
    );
    assert.deepEqual(missing, [], "add them to docs/README.md");
  });

  it("names only scripts that there are, and says what each is for", () => {
    const unknown: string[] = [];
    for (const { file } of pages) {
      if (file === "CHANGELOG.md") continue;
      for (const [, name = ""] of readFileSync(file, "utf8").matchAll(
        /npm run ([a-z][\w:-]*)(?! -w)(?![\w:-])/g,
      ))
        if (!(name in scripts)) unknown.push(`${file}: npm run ${name}`);
    }
    assert.deepEqual(unknown, []);
    const table = readFileSync("CONTRIBUTING.md", "utf8").matchAll(/^\| `npm (?:run )?([\w:]+)[^`]*`/gm);
    const described = new Set([...table].map(([, name]) => name));
    assert.deepEqual(
      Object.keys(scripts).filter((name) => !described.has(name)),
      [],
      "add them to the tables of CONTRIBUTING.md",
    );
  });
});
