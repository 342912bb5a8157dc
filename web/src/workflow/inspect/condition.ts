/** One comparison of a condition. */
export interface Comparison {
  /** What is looked at, as a CEL path. */
  readonly left: string;
  readonly op: Operator;
  /** What it is compared with: a value. */
  readonly right: string | number | boolean;
}

/** Comparisons that must all hold, or of which one must. */
export interface Condition {
  readonly join: "all" | "any";
  readonly rows: readonly Comparison[];
}

/** How two things are compared. */
type Operator = (typeof OPERATORS)[number]["op"];

/** How several comparisons are combined. */
export const JOINS = [
  { value: "all", label: "all of these" },
  { value: "any", label: "one of these" },
] as const;

/** The comparisons a person can choose, with the words for them. */
export const OPERATORS = [
  { op: "is", label: "is", takes: true },
  { op: "is_not", label: "is not", takes: true },
  { op: "above", label: "is more than", takes: true },
  { op: "at_least", label: "is at least", takes: true },
  { op: "below", label: "is less than", takes: true },
  { op: "at_most", label: "is at most", takes: true },
  { op: "contains", label: "contains", takes: true },
  { op: "starts", label: "starts with", takes: true },
  { op: "empty", label: "is empty", takes: false },
  { op: "filled", label: "is not empty", takes: false },
  { op: "yes", label: "is yes", takes: false },
  { op: "no", label: "is no", takes: false },
] as const;

const SIGNS: Readonly<Record<string, string>> = {
  is: "==",
  is_not: "!=",
  above: ">",
  at_least: ">=",
  below: "<",
  at_most: "<=",
};

/** A condition as CEL. */
export function toCel({ join, rows }: Condition): string {
  return rows.map(rowCel).join(join === "all" ? " && " : " || ");
}

function rowCel({ left, op, right }: Comparison): string {
  const value = JSON.stringify(right);
  const sign = SIGNS[op];
  if (sign !== undefined) return `${left} ${sign} ${value}`;
  if (op === "contains") return `${left}.contains(${JSON.stringify(String(right))})`;
  if (op === "starts") return `${left}.startsWith(${JSON.stringify(String(right))})`;
  if (op === "empty") return `size(${left}) == 0`;
  if (op === "filled") return `size(${left}) > 0`;
  return op === "yes" ? `${left} == true` : `${left} == false`;
}

/** CEL as a condition of comparisons; null when it says more than that. */
export function fromCel(source: string): Condition | null {
  const text = source.trim();
  if (text === "") return { join: "all", rows: [] };
  for (const [join, sign] of [["all", " && "] as const, ["any", " || "] as const]) {
    const rows = splitOutsideQuotes(text, sign).map(rowOf);
    if (rows.every((row) => row !== null)) return { join, rows };
  }
  return null;
}

function splitOutsideQuotes(text: string, sign: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  let quoted = false;
  for (let n = 0; n < text.length; n++) {
    if (text[n] === "\\" && quoted) n++;
    else if (text[n] === '"') quoted = !quoted;
    else if (!quoted && text.startsWith(sign, n)) {
      parts.push(text.slice(from, n));
      from = n + sign.length;
    }
  }
  return [...parts, text.slice(from)];
}

const SIGN_TEXTS = ["==", "!=", ">=", "<=", ">", "<"];

function rowOf(part: string): Comparison | null {
  if (part.startsWith("size(")) {
    const end = pathEnd(part, 5);
    const left = part.slice(5, end);
    const rest = part.slice(end);
    if (left === "" || (rest !== ") == 0" && rest !== ") > 0")) return null;
    return { left, op: rest === ") > 0" ? "filled" : "empty", right: "" };
  }
  const end = pathEnd(part, 0);
  const left = part.slice(0, end);
  const rest = part.slice(end);
  if (left === "") return null;
  for (const [call, op] of [["contains", "contains"] as const, ["startsWith", "starts"] as const]) {
    // The path reads the name of the call as a field; it is taken off again.
    if (!left.endsWith(`.${call}`) || !rest.startsWith("(") || !rest.endsWith(")")) continue;
    const right = valueOf(rest.slice(1, -1));
    return typeof right === "string" ? { left: left.slice(0, -call.length - 1), op, right } : null;
  }
  const sign = SIGN_TEXTS.find((text) => rest.startsWith(` ${text} `));
  // A path alone asks whether it is yes.
  if (rest === "" && !/^(?:true|false|null)$/.test(left)) return { left, op: "yes", right: "" };
  const right = sign === undefined ? null : valueOf(rest.slice(sign.length + 2));
  if (right === null) return null;
  const op = OPERATORS.find((item) => SIGNS[item.op] === sign)?.op ?? "is";
  if (op === "is" && typeof right === "boolean") return { left, op: right ? "yes" : "no", right: "" };
  return { left, op, right };
}

/** Where the path that begins at `from` ends: names, `.name`, `[3]` and `["a name"]`. */
function pathEnd(text: string, from: number): number {
  let at = nameEnd(text, from);
  if (at === from) return from;
  for (;;) {
    if (text[at] === ".") {
      const next = nameEnd(text, at + 1);
      if (next === at + 1) return at;
      at = next;
    } else if (text[at] === "[") {
      const close = text[at + 1] === '"' ? quoteEnd(text, at + 1) : digitsEnd(text, at + 1);
      if (close <= at + 1 || text[close] !== "]") return at;
      at = close + 1;
    } else return at;
  }
}

function nameEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\w/.test(text.charAt(at)) && (at > from || /\D/.test(text.charAt(at)))) at++;
  return at;
}

function digitsEnd(text: string, from: number): number {
  let at = from;
  while (/\d/.test(text.charAt(at))) at++;
  return at;
}

function quoteEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** A text, a number or a truth value as JSON writes it; null for anything else. */
function valueOf(text: string): string | number | boolean | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? value
      : null;
  } catch {
    return null;
  }
}

/** The comparisons that make sense for a type, in the order in which they are offered. */
export function operatorsFor(type: string): readonly (typeof OPERATORS)[number][] {
  const fits: Readonly<Record<string, readonly string[]>> = {
    text: ["is", "is_not", "contains", "starts", "empty", "filled"],
    number: ["above", "at_least", "below", "at_most", "is", "is_not"],
    "yes/no": ["yes", "no"],
    list: ["filled", "empty"],
    fields: ["filled", "empty"],
  };
  const wanted = fits[type];
  if (wanted === undefined) return OPERATORS;
  return wanted.flatMap((op) => OPERATORS.find((item) => item.op === op) ?? []);
}
