import { isList, type Json } from "./json.ts";

/** Texts that need no quotes: words that begin with a letter and hold nothing that means something in YAML. */
const PLAIN = /^[A-Za-z][\w ,.()/'$-]*$/;
/** Words that some reader of YAML takes for a boolean, a number or nothing. */
const RESERVED = /^(?:y|n|yes|no|on|off|true|false|null|e-?\d+)$/i;
/** What JSON leaves as it is and YAML wants escaped. */
const UNPRINTABLE = /[\u007F-\u009F\u2028\u2029\uFEFF]/g;

/**
 * JSON as YAML in block style. It is for documents of our own: it knows no comments, anchors or folded lines, and is
 * fast enough to run where others wait.
 */
export function yamlText(value: Json): string {
  const lines: string[] = [];
  write(value, "", "", lines);
  return `${lines.join("\n")}\n`;
}

/** The same of a large document, in pieces: yields after each entry down to this depth. */
export function* yamlSlices(value: Json, depth = 3): Generator<void, string> {
  const lines: string[] = [];
  yield* writeSlices(value, "", "", depth, lines);
  return `${lines.join("\n")}\n`;
}

function* writeSlices(
  value: Json,
  lead: string,
  indent: string,
  depth: number,
  lines: string[],
): Generator<void> {
  const entries =
    depth === 0 || typeof value !== "object" || value === null || isList(value) ? [] : Object.entries(value);
  if (entries.length === 0) {
    write(value, lead, indent, lines);
    yield;
    return;
  }
  if (lead !== "") lines.push(lead);
  for (const [key, item] of entries) {
    if (item !== undefined)
      yield* writeSlices(item, `${indent}${scalar(key)}:`, `${indent}  `, depth - 1, lines);
  }
}

/** Writes a value after `lead`, which is a key or a dash; what is inside stands at `indent`. */
function write(value: Json, lead: string, indent: string, lines: string[]): void {
  const space = lead === "" || lead.endsWith(" ") ? "" : " ";
  if (typeof value !== "object" || value === null) {
    lines.push(`${lead}${space}${scalar(value)}`);
    return;
  }
  if (isList(value)) {
    if (value.length === 0) lines.push(`${lead}${space}[]`);
    else if (lead !== "") lines.push(lead.trimEnd());
    for (const item of value) write(item, `${indent}- `, `${indent}  `, lines);
    return;
  }
  const entries = Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [{ key, item }]));
  if (entries.length === 0) {
    lines.push(`${lead}${space}{}`);
    return;
  }
  // The first key of an object in a list stands beside the dash.
  const isItem = lead.endsWith("- ");
  if (lead !== "" && !isItem) lines.push(lead);
  for (const [index, { key, item }] of entries.entries()) {
    const start = isItem && index === 0 ? lead : indent;
    write(item, `${start}${scalar(key)}:`, `${indent}  `, lines);
  }
}

function scalar(value: string | number | boolean | null): string {
  if (typeof value !== "string") return JSON.stringify(value);
  if (PLAIN.test(value) && !value.endsWith(" ") && !RESERVED.test(value)) return value;
  return JSON.stringify(value).replace(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
