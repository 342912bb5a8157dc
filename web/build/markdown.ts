import { posix } from "node:path";
import type { Block, DocLink, DocPage, DocSection, Inline } from "../src/docs/model.ts";

/*
 * Reads the Markdown of our own documentation: headings, paragraphs, lists, tables, code, quotes and links. It runs
 * while the web app is built and in the test of the links, never on text of others.
 */

/** The pages of the site: the path of each by its file in the repository. */
export type DocFiles = ReadonlyMap<string, string>;

interface Place {
  readonly file: string;
  readonly files: DocFiles;
}

/** A page from the text of its file. */
export function readPage(text: string, place: Place): DocPage {
  const [first, ...blocks] = readBlocks(text.replaceAll(/^<!--.*-->\n?/gm, "").split("\n"), place, new Map());
  if (first === undefined || !("level" in first)) throw new Error(`${place.file} has no title`);
  return { title: plain(first.heading), blocks };
}

/** The text under each heading of a page, for the search. */
export function sectionsOf(path: string, { title, blocks }: DocPage): readonly DocSection[] {
  const sections = [{ id: path, page: path, title, heading: title, text: "" }];
  for (const block of blocks) {
    if ("level" in block)
      sections.push({
        id: `${path}#${block.id}`,
        page: path,
        title,
        heading: plain(block.heading),
        text: "",
      });
    else {
      const last = sections.at(-1);
      if (last !== undefined) last.text += `${textOf(block)}\n`;
    }
  }
  return sections;
}

/** The links of a page's blocks. */
export function linksIn(blocks: readonly Block[]): readonly DocLink[] {
  const inLine = (line: readonly Inline[]): readonly DocLink[] =>
    line.flatMap((each) =>
      typeof each === "string"
        ? []
        : "link" in each
          ? [each]
          : inLine("strong" in each ? each.strong : "em" in each ? each.em : []),
    );
  return blocks.flatMap((block) => linesOf(block).flatMap(inLine));
}

/** What a line says without its marks. */
export function plain(line: readonly Inline[]): string {
  return line
    .map((each) =>
      typeof each === "string"
        ? each
        : "code" in each
          ? each.code
          : plain("link" in each ? each.link : "strong" in each ? each.strong : each.em),
    )
    .join("");
}

function linesOf(block: Block): readonly (readonly Inline[])[] {
  if ("level" in block) return [block.heading];
  if ("text" in block) return [block.text];
  if ("quote" in block) return [block.quote];
  if ("items" in block) return block.items.flatMap((item) => item.flatMap(linesOf));
  return "head" in block ? [...block.head, ...block.rows.flat()] : [];
}

function textOf(block: Block): string {
  return "code" in block ? block.code : linesOf(block).map(plain).join(" ");
}

const ITEM = /^(\s*)(?:[-*]|\d+\.) +/;

function readBlocks(lines: readonly string[], place: Place, used: Map<string, number>): readonly Block[] {
  const blocks: Block[] = [];
  /** Takes the lines from `at` for as long as they belong to what begins there. */
  const take = (from: number, belongs: (line: string) => boolean): readonly string[] => {
    const length = lines.slice(from).findIndex((line) => !belongs(line));
    return lines.slice(from, length === -1 ? lines.length : from + length);
  };
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    const fence = /^(`{3,})(\w*)/.exec(line);
    const heading = /^(#{1,6}) +(.*)$/.exec(line);
    if (line.trim() === "") at += 1;
    else if (fence !== null) {
      const code = take(at + 1, (each) => each !== fence[1]);
      blocks.push({ code: code.join("\n"), language: fence[2] ?? "" });
      at += code.length + 2;
    } else if (heading !== null) {
      const words = readInline(heading[2] ?? "", place);
      blocks.push({ heading: words, level: heading[1]?.length ?? 1, id: idOf(plain(words), used) });
      at += 1;
    } else if (line.startsWith("|")) {
      const [head = [], , ...rows] = take(at, (each) => each.startsWith("|")).map((row) =>
        cellsOf(row).map((cell) => readInline(cell, place)),
      );
      blocks.push({ head, rows });
      at += rows.length + 2;
    } else if (line.startsWith(">")) {
      const quoted = take(at, (each) => each.startsWith(">"));
      blocks.push({ quote: readInline(quoted.map((each) => each.replace(/^> ?/, "")).join(" "), place) });
      at += quoted.length;
    } else if (ITEM.test(line)) {
      const all = take(at, (each) => ITEM.test(each) || /^\s+\S/.test(each));
      const starts = [...all.entries()].filter(([, each]) => ITEM.exec(each)?.[1] === "").map(([n]) => n);
      const items = starts.map((start, nth) => {
        const [first = "", ...others] = all.slice(start, starts[nth + 1]);
        return readBlocks(
          [first.replace(ITEM, ""), ...others.map((each) => each.replace(/^ {1,4}/, ""))],
          place,
          used,
        );
      });
      blocks.push({ items, ordered: /^\d/.test(line) });
      at += all.length;
    } else {
      const words = take(
        at,
        (each) => each.trim() !== "" && !/^(?:`{3}|#{1,6} |\||>)/.test(each) && !ITEM.test(each),
      );
      blocks.push({ text: readInline(words.join(" "), place) });
      at += words.length;
    }
  }
  return blocks;
}

/** The cells of a row; a bar with a backslash before it is part of the cell. */
function cellsOf(row: string): readonly string[] {
  const cells = row.trim().split(/(?<!\\)\|/);
  return cells.slice(1, -1).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

const RUN =
  /(`+)(.+?)\1|!\[([^\]]*)\]\([^)\s]+\)|\[((?:`[^`]*`|[^\][`]|\[[^\]]*\])+)\]\(([^)\s]+)\)|\*\*(.+?)\*\*|(?<![\w*])\*(\S(?:[^*]*\S)?)\*|<(https?:[^>]+)>|\\([\\`*_[\]<>#])/g;

function readInline(text: string, place: Place): readonly Inline[] {
  const line: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(RUN)) {
    const [whole, , code, alt, label, target, strong, em, address, escaped] = match;
    if (match.index > end) line.push(text.slice(end, match.index));
    end = match.index + whole.length;
    if (code !== undefined) line.push({ code });
    // Pictures of the app are not shown inside the app.
    else if (alt !== undefined) line.push({ em: [alt] });
    else if (label !== undefined) line.push(linkTo(target ?? "", readInline(label, place), place));
    else if (strong !== undefined) line.push({ strong: readInline(strong, place) });
    else if (em !== undefined) line.push({ em: readInline(em, place) });
    else if (address !== undefined) line.push({ link: [address], href: address });
    else line.push(escaped ?? whole);
  }
  if (end < text.length) line.push(text.slice(end));
  return line;
}

function linkTo(target: string, link: readonly Inline[], { file, files }: Place): Inline {
  if (/^[a-z]+:/.test(target)) return { link, href: target };
  const [path = "", id] = target.split("#");
  const found =
    path === "" ? file : posix.normalize(posix.join(posix.dirname(file), path)).replace(/\/$/, "");
  const page = files.get(found) ?? files.get(`${found}/README.md`);
  if (page === undefined) return { link, file: found };
  return { link, page: id === undefined ? page : `${page}#${id}` };
}

/** The id of a heading as code hosts make it, so that a link works there and here. */
function idOf(text: string, used: Map<string, number>): string {
  const id = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
  const times = used.get(id) ?? 0;
  used.set(id, times + 1);
  return times === 0 ? id : `${id}-${times}`;
}
