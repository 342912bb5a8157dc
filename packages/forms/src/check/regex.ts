import { replaceEnclosed } from "../values/text.ts";

/*
 * Patterns come with schemas from strangers, and a backtracking engine can be made to hang. A pattern is tried only on
 * text so short that even its worst case is cheap; otherwise the answer is "unknown".
 */

const STEPS = 1_000_000;
const SHORTEST = 16;
const cache = new Map<string, { readonly regex: RegExp; readonly longest: number } | null>();

/** Whether a text matches a pattern; null when the pattern is not valid or trying it could take long. */
export function matchesPattern(pattern: string, text: string): boolean | null {
  const entry = prepared(pattern);
  return entry === null || text.length > entry.longest ? null : entry.regex.test(text);
}

/** The same however long it takes, for a thread that can be ended; null when the pattern is not valid. */
export function matchesAtAnyCost(pattern: string, text: string): boolean | null {
  return prepared(pattern)?.regex.test(text) ?? null;
}

/** False for a text that is no regular expression. */
export function isPattern(pattern: string): boolean {
  return prepared(pattern) !== null;
}

function prepared(pattern: string): { readonly regex: RegExp; readonly longest: number } | null {
  let entry = cache.get(pattern);
  if (entry === undefined) {
    entry = prepare(pattern);
    if (cache.size > 2_000) cache.clear();
    cache.set(pattern, entry);
  }
  return entry;
}

function prepare(pattern: string): { regex: RegExp; longest: number } | null {
  const regex = compile(pattern);
  return regex && { regex, longest: longestFor(pattern) };
}

/** A pattern as ECMA-262 reads it; null when it is not valid. */
function compile(pattern: string): RegExp | null {
  const text = ecmaPattern(pattern);
  return text === null ? null : (regexOf(text, "u") ?? regexOf(text, ""));
}

function regexOf(pattern: string, flags: string): RegExp | null {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return null;
  }
}

const CLASSES: Readonly<Record<string, string>> = {
  alpha: "a-zA-Z",
  digit: "0-9",
  alnum: "a-zA-Z0-9",
  upper: "A-Z",
  lower: "a-z",
  space: "\\s",
  xdigit: "0-9a-fA-F",
  word: "\\w",
};

/**
 * A pattern in the words of ECMA-262. Schemas written for other languages say `\A`, `\z`, `(?P<name>…)`, `(?i)` or
 * `[[:alpha:]]`; read literally these would mean something else, or nothing. Null when it is no pattern at all.
 */
export function ecmaPattern(pattern: string): string | null {
  if (pattern.length > 65_536) return null;
  const foreign = /\\[AZz]|\(\?P<|^\(\?[ims]+\)|\[:[a-z]+:\]/.test(pattern);
  if (!foreign) return regexOf(pattern, "u") || regexOf(pattern, "") ? pattern : null;
  const flags = /^\(\?([ims]+)\)/.exec(pattern)?.[1];
  const text = pattern
    .replace(/^\(\?[ims]+\)/, "")
    .replace(/\[:([a-z]+):\]/g, (whole, name: string) =>
      Object.hasOwn(CLASSES, name) ? (CLASSES[name] ?? whole) : whole,
    )
    .replaceAll("(?P<", "(?<")
    .replace(/\\([\s\S])/g, (whole, char: string) =>
      char === "A" ? "^" : char === "Z" || char === "z" ? "$" : whole,
    );
  const flagged = flags === undefined ? text : `(?${flags}:${text})`;
  return regexOf(flagged, "u") || regexOf(flagged, "") ? flagged : null;
}

/** How long a text may be: nested repetition can double with each character, and each repetition adds a factor. */
function longestFor(pattern: string): number {
  // A fixed count leaves nothing to try.
  const plain = replaceEnclosed(pattern.replace(/\\./g, "_"), "[", "]", () => "c");
  const bare = plain.replace(/([^)])\{\d+\}/g, "$1");
  if (!onlyFlatGroups(bare)) return SHORTEST;
  const found = (bare.match(/[*+]|\{\d+(?:,\d*)?\}/g) ?? []).length;
  const repeats = found > 0 && !bare.startsWith("^") ? found + 1 : found;
  if (repeats <= 1) return 100_000;
  // `ways` is the number of ways to split a text of this length between the repetitions.
  let ways = 1;
  let longest = 0;
  while (ways <= STEPS) {
    longest += 1;
    ways *= (longest + repeats) / longest;
  }
  return Math.max(SHORTEST, longest - 1);
}

/** True when no repeated group holds a repetition or an alternative itself. */
function onlyFlatGroups(bare: string): boolean {
  for (const match of bare.matchAll(/\(([^()]*)\)(?:[*+]|\{\d+(?:,\d*)?\})/g)) {
    if (/[*+{|]|[^(]\?/.test(match[1] ?? "")) return false;
  }
  return !/\)[^()]*\)(?:[*+]|\{)/.test(bare);
}
