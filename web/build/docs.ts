import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import type { DocGroup, DocPage } from "../src/docs/model.ts";
import { linksIn, plain, readPage, sectionsOf, type DocFiles } from "./markdown.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CONTENTS = "docs/README.md";
/** Every page with what it is made of; the gallery of the app's own screens is left to the repository. */
const FILES = ["docs/**/*.md", "bench/results/*.md", "{ARCHITECTURE,CHANGELOG,CONTRIBUTING,SECURITY}.md"];
const LEFT_OUT = new Set(["docs/screens.md"]);

/** The documentation as the site has it. */
export interface Docs {
  readonly files: DocFiles;
  readonly pages: ReadonlyMap<string, DocPage>;
  readonly groups: readonly DocGroup[];
}

/** Reads all pages. The contents are those of docs/README.md, and the decisions. */
export function readDocs(): Docs {
  const names = globSync(FILES, { cwd: ROOT }).filter((file) => !LEFT_OUT.has(file));
  const files = new Map(names.toSorted().map((file) => [file, pathOf(file)]));
  const pages = new Map(
    [...files].map(([file, path]) => [path, readPage(readFileSync(ROOT + file, "utf8"), { file, files })]),
  );
  const groups: { title: string; pages: { path: string; title: string }[] }[] = [];
  for (const block of pages.get("")?.blocks ?? []) {
    if ("level" in block) groups.push({ title: plain(block.heading), pages: [] });
    else
      groups
        .at(-1)
        ?.pages.push(
          ...linksIn([block]).flatMap(({ page, link }) =>
            page === undefined || page.includes("#") ? [] : [{ path: page, title: plain(link) }],
          ),
        );
  }
  return { files, pages, groups: groups.filter((group) => group.pages.length > 0) };
}

function pathOf(file: string): string {
  if (file === CONTENTS) return "";
  // There is a page about security already.
  if (file === "SECURITY.md") return "report-a-vulnerability";
  return file
    .replace(/^docs\//, "")
    .replace(/^bench\/results\//, "results/")
    .replace(/(?:\/README)?\.md$/, "")
    .toLowerCase();
}

/** Fills src/docs/content.ts: the contents, a module for each page, and one with the text to search. */
export function docs(): Plugin {
  const PAGE = "\0docs/page/";
  const SEARCH = "\0docs/search";
  let read: Docs | undefined;
  return {
    name: "docs",
    resolveId: (id) => (id.startsWith("\0docs/") ? id : undefined),
    load(id) {
      const isContent = id.endsWith("/src/docs/content.ts");
      if (!isContent && id !== SEARCH && !id.startsWith(PAGE)) return undefined;
      read ??= readDocs();
      const { pages, groups } = read;
      if (isContent) {
        const imports = [...pages.keys()].map(
          (path) => `${JSON.stringify(path)}: () => import(${JSON.stringify(PAGE + path)})`,
        );
        return `export const groups = ${JSON.stringify(groups)};
export const pages = {${imports.join(",\n")}};
export const sections = () => import(${JSON.stringify(SEARCH)});`;
      }
      const value =
        id === SEARCH
          ? [...pages].flatMap(([path, page]) => sectionsOf(path, page))
          : pages.get(id.slice(PAGE.length));
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(value))});`;
    },
  };
}
