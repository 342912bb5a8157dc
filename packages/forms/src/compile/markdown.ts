/*
 * The part of Markdown that authors of schemas use in descriptions, read into plain data: a renderer makes elements of
 * it and never markup from text. Everything else stays the text that it is. Reading takes time in proportion to the
 * length: every repetition is bounded.
 */

/** A run of text inside a block. */
export type Inline =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "strong" | "em"; readonly children: readonly Inline[] }
  | { readonly kind: "link"; readonly href: string; readonly children: readonly Inline[] };

/** A block of a description. */
export type Block =
  | { readonly kind: "paragraph" | "heading" | "quote"; readonly children: readonly Inline[] }
  | { readonly kind: "list"; readonly ordered: boolean; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: "code"; readonly text: string };

const MOST = 20_000;
/** Characters between the two marks of a run. */
const MOST_RUN = 500;
const MOST_ADDRESS = 2_000;

/** The blocks of a description. */
export function parseMarkdown(source: string): readonly Block[] {
  const lines = unwrapped(source.slice(0, MOST)).split("\n");
  const blocks: Block[] = [];
  let text: string[] = [];
  const flush = (kind: "paragraph" | "quote" = "paragraph"): void => {
    const joined = text.join("\n").trim();
    if (joined !== "") blocks.push({ kind, children: inlines(joined) });
    text = [];
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const fence = /^ {0,3}(```|~~~)/.exec(line)?.[1];
    if (fence !== undefined) {
      flush();
      const end = lines.findIndex((other, index) => index > at && other.trimStart().startsWith(fence));
      const last = end === -1 ? lines.length : end;
      blocks.push({ kind: "code", text: lines.slice(at + 1, last).join("\n") });
      at = last;
      continue;
    }
    const heading = /^ {0,3}#{1,6} +(\S.*)$/.exec(line)?.[1];
    if (heading !== undefined) {
      flush();
      blocks.push({ kind: "heading", children: inlines(heading) });
      continue;
    }
    if (isItem(line)) {
      flush();
      at = list(lines, at, blocks);
      continue;
    }
    if (/^ {0,3}> ?/.test(line)) {
      flush();
      for (; /^ {0,3}> ?/.test(lines[at] ?? ""); at++) text.push((lines[at] ?? "").replace(/^ {0,3}> ?/, ""));
      at -= 1;
      flush("quote");
      continue;
    }
    if (line.trim() === "") flush();
    else text.push(line);
  }
  flush();
  return blocks;
}

/** A description as one line of plain text, for places that have no room for more. */
export function plainText(source: string): string {
  return parseMarkdown(source)
    .map((block) =>
      block.kind === "code"
        ? block.text
        : block.kind === "list"
          ? block.items.map(textOf).join(", ")
          : textOf(block.children),
    )
    .join(" ")
    .replace(/\s+/g, " ")
    .trim();
}

const ITEM = /^ {0,8}(?:[-*+]|(\d{1,3})[.)]) +(?=\S)/;

function isItem(line: string): boolean {
  return ITEM.test(line);
}

/** Reads a list; lines that are indented belong to the item before them. Returns the last line that was read. */
function list(lines: readonly string[], start: number, blocks: Block[]): number {
  const items: string[] = [];
  let at = start;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (isItem(line)) items.push(line.replace(ITEM, ""));
    else if (/^\s+\S/.test(line)) items.push(`${items.pop() ?? ""} ${line.trim()}`);
    else break;
  }
  const ordered = ITEM.exec(lines[start] ?? "")?.[1] !== undefined;
  blocks.push({ kind: "list", ordered, items: items.map((item) => inlines(item)) });
  return at - 1;
}

/** A run that was read, and where the text goes on; text that is no run goes on as text. */
interface Run {
  readonly inline: Inline | string;
  readonly end: number;
}

function inlines(text: string, depth = 0): readonly Inline[] {
  const found: Inline[] = [];
  let plain = "";
  for (let at = 0; at < text.length;) {
    const run = depth > 3 ? null : runAt(text, at, depth);
    const inline = run?.inline ?? text.charAt(at);
    if (typeof inline === "string") plain += inline;
    else {
      if (plain !== "") found.push({ kind: "text", text: plain });
      plain = "";
      found.push(inline);
    }
    at = run?.end ?? at + 1;
  }
  if (plain !== "") found.push({ kind: "text", text: plain });
  return found;
}

function runAt(text: string, at: number, depth: number): Run | null {
  switch (text.charAt(at)) {
    case "`":
      return codeAt(text, at);
    case "*":
    case "_":
      return emphasisAt(text, at, depth);
    case "[":
      return linkAt(text, at, depth);
    case "!":
      return text.charAt(at + 1) === "[" ? linkAt(text, at + 1, depth) : null;
    case "<":
      return addressAt(text, at);
    case "h":
      // A link has no link in its text.
      return depth === 0 ? bareAt(text, at) : null;
    case "\\": {
      const next = text.charAt(at + 1);
      return next !== "" && "\\`*_[]()#+.!{}<>-".includes(next) ? { inline: next, end: at + 2 } : null;
    }
    default:
      return null;
  }
}

function codeAt(text: string, at: number): Run | null {
  const mark = text.startsWith("``", at) ? "``" : "`";
  const end = closing(text, mark, at + mark.length);
  if (end === -1) return null;
  return { inline: { kind: "code", text: text.slice(at + mark.length, end) }, end: end + mark.length };
}

/** Emphasis begins and ends at the edge of a word, so that globs, products and names_with_underscores are none. */
function emphasisAt(text: string, at: number, depth: number): Run | null {
  const sign = text.charAt(at);
  const mark = text.startsWith(sign + sign, at) ? sign + sign : sign;
  const begin = at + mark.length;
  if (/[\w/*.]/.test(text.charAt(at - 1)) || !/[^\s*_/]/.test(text.charAt(begin))) return null;
  const end = closing(text, mark, begin);
  const after = end + mark.length;
  if (end === -1 || /\s/.test(text.charAt(end - 1)) || /[\w*/]/.test(text.charAt(after))) return null;
  const children = inlines(text.slice(begin, end), depth + 1);
  return { inline: { kind: mark.length === 2 ? "strong" : "em", children }, end: after };
}

function linkAt(text: string, at: number, depth: number): Run | null {
  const middle = closing(text, "](", at + 1);
  if (middle === -1 || text.slice(at + 1, middle).includes("[")) return null;
  const end = closing(text, ")", middle + 2, MOST_ADDRESS);
  const [href = ""] = text.slice(middle + 2, end).split(/\s/, 1);
  if (end === -1 || href === "") return null;
  const label = text.slice(at + 1, middle);
  if (isWebAddress(href))
    return { inline: { kind: "link", href, children: inlines(label, depth + 1) }, end: end + 1 };
  // A place in the author's own pages leads nowhere from here: its text is enough. Anything else stays as it is.
  return /^[#./\w-]/.test(href) && !href.includes(":") ? { inline: label, end: end + 1 } : null;
}

function addressAt(text: string, at: number): Run | null {
  const end = closing(text, ">", at + 1, MOST_ADDRESS);
  const href = text.slice(at + 1, end);
  if (end === -1 || !/^https?:\/\/\S+$/.test(href)) return null;
  return { inline: addressLink(href), end: end + 1 };
}

/** An address without any mark. What ends the sentence is no part of it. */
function bareAt(text: string, at: number): Run | null {
  if (/[\w/]/.test(text.charAt(at - 1))) return null;
  const [word = ""] = /^https?:\/\/[^\s<>"'`]+/.exec(text.slice(at, at + MOST_ADDRESS)) ?? [];
  let { length } = word;
  while (length > 0 && ".,;:!?)]}*_".includes(word.charAt(length - 1))) length -= 1;
  return length < 10 ? null : { inline: addressLink(word.slice(0, length)), end: at + length };
}

function addressLink(href: string): Inline {
  return { kind: "link", href, children: [{ kind: "text", text: href }] };
}

/** Where a run ends: on the same line, not empty, and not too far away. */
function closing(text: string, mark: string, from: number, most = MOST_RUN): number {
  const part = text.slice(from, from + most);
  const end = part.indexOf(mark);
  return end < 1 || part.slice(0, end).includes("\n") ? -1 : from + end;
}

/** The only addresses that become links. */
function isWebAddress(href: string): boolean {
  return /^(?:https?:\/\/|mailto:)[^\s]/i.test(href);
}

/** Descriptions of APIs have paragraphs and line breaks as tags, and nothing else that can be dropped unseen. */
function unwrapped(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/<br ?\/?>/gi, "\n")
    .replace(/<\/p>/gi, "\n\n")
    .replace(/<p>/gi, "");
}

function textOf(children: readonly Inline[]): string {
  return children.map((child) => ("text" in child ? child.text : textOf(child.children))).join("");
}
