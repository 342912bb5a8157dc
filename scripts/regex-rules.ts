import { globSync, readFileSync } from "node:fs";
import process from "node:process";
import { parseSync, Visitor } from "oxc-parser";
import { isObject } from "../src/kernel/json.ts";

/*
 * Every regular expression in the sources takes time in proportion to its text: one that backtracks lets a caller stop
 * the service with a few kilobytes. `recheck` decides it, from the automaton where it can and by searching for an
 * attack otherwise; both count steps and not time. A decision takes seconds, so decisions are kept in a generated file
 * and only new patterns are looked at.
 */

/** Files that build a pattern at run time, and why that is safe. */
const BUILT: Readonly<Record<string, string>> = {
  "packages/forms/src/compile/acronyms.ts": "a list of words without repetitions",
  "packages/forms/src/check/formats.ts":
    "put together from constants: every repetition is over characters that what follows it does not begin with",
  "packages/forms/src/check/regex.ts":
    "patterns of schemas: tried only on texts so short that the worst case is cheap",
  "src/gateway/edge.ts": "made of our own route templates; each variable is [^/]+ between literal slashes",
  "src/handoffs/packet-problems.ts":
    "the patterns of the packet's schema, which are looked at as members named pattern",
  "src/workflows/graph-parser.ts": "one constant, shared with the schema of workflow documents",
  "packages/forms-react/src/languages/language.ts":
    "made of our own phrases, at most three parts between literals; tried on texts of at most 2,000 characters",
};
const SOURCES = [
  "src/**/*.ts",
  "packages/forms*/src/**/*.{ts,tsx}",
  "web/src/**/*.{ts,tsx}",
  "suite/*.ts",
  "suite/src/**/*.ts",
];
const TESTS = /\.test\.tsx?$/;
const AUTOMATON_MS = 5_000;
const SEARCH_MS = 60_000;

interface Pattern {
  readonly source: string;
  readonly flags: string;
  readonly place: string;
}

/** A call or `new` in the syntax tree. */
interface Call {
  readonly callee: { readonly type: string; readonly name?: unknown };
  readonly start: number;
}

/** scripts/regex-verdicts.json: how each pattern in the sources was found to be linear. Throws when one is not. */
export async function renderRegexVerdicts(present: string): Promise<string> {
  const { patterns, problems } = patternsIn(globSync(SOURCES).filter((file) => !TESTS.test(file)));
  const known = knownVerdicts(present);
  const verdicts = new Map<string, string>();
  for (const { source, flags, place } of patterns) {
    const key = `/${source}/${flags}`;
    if (verdicts.has(key)) continue;
    const { linear, how } = known.has(key)
      ? { linear: true, how: known.get(key) ?? "" }
      : await decide(source, flags);
    if (linear) verdicts.set(key, how);
    else problems.push(`${place}: ${key} is not linear: ${how}`);
  }
  if (problems.length > 0) {
    throw new Error(
      `${problems.join("\n")}\nUse a pattern without repetitions that can start or end at many places, or a function of src/kernel/text.ts.`,
    );
  }
  const sorted = [...verdicts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`;
}

function knownVerdicts(present: string): ReadonlyMap<string, string> {
  const value: unknown = present === "" ? {} : JSON.parse(present);
  return new Map(
    Object.entries(isObject(value) ? value : {}).map(([pattern, how]): [string, string] => [
      pattern,
      String(how),
    ]),
  );
}

/** The regular expressions in these files, and the places where one is built in a way that cannot be decided. */
function patternsIn(files: readonly string[]): { patterns: Pattern[]; problems: string[] } {
  const patterns: Pattern[] = [];
  const problems: string[] = [];
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    const place = (at: number): string => `${file}:${text.slice(0, at).split("\n").length}`;
    const built = ({ callee, start }: Call): void => {
      if (callee.type !== "Identifier" || callee.name !== "RegExp" || BUILT[file] !== undefined) return;
      problems.push(
        `${place(start)}: a pattern is built at run time; name the file in scripts/regex-rules.ts`,
      );
    };
    new Visitor({
      Literal(node) {
        if (!("regex" in node)) return;
        patterns.push({
          source: node.regex.pattern,
          flags: node.regex.flags,
          place: place(node.start),
        });
      },
      // The schemas of parameters, packets and documents hold patterns as text.
      Property({ key, value }) {
        const isPattern = key.type === "Identifier" && key.name === "pattern";
        if (isPattern && value.type === "Literal" && typeof value.value === "string")
          patterns.push({ source: value.value, flags: "u", place: place(value.start) });
      },
      NewExpression: built,
      CallExpression: built,
    }).visit(parseSync(file, text).program);
  }
  return { patterns, problems };
}

async function decide(source: string, flags: string): Promise<{ linear: boolean; how: string }> {
  // Its other backends are programs of their own; the answer is the same.
  process.env["RECHECK_SYNC_BACKEND"] = "pure";
  const { checkSync } = await import("recheck");
  const exact = checkSync(source, flags, { checker: "automaton", timeout: AUTOMATON_MS });
  if (exact.status === "safe") return { linear: true, how: "automaton" };
  const found =
    exact.status === "vulnerable" ? exact : checkSync(source, flags, { checker: "fuzz", timeout: SEARCH_MS });
  if (found.status === "safe") return { linear: true, how: "no attack found" };
  if (found.status === "unknown") return { linear: false, how: `not decided (${found.error.kind})` };
  return {
    linear: false,
    how: `${found.complexity.summary}, for example on ${JSON.stringify(found.attack.string.slice(0, 40))}`,
  };
}
