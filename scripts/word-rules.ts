import { globSync, readFileSync } from "node:fs";
import process from "node:process";

/*
 * Words that readers outside this project would not use for the thing, with the word that they use. Looked for in
 * documents, texts, comments and names of the service and of the command line.
 */

/** A word to avoid, what to write instead. */
interface WordRule {
  readonly word: RegExp;
  readonly better: string;
}

const RULES: readonly WordRule[] = [
  { word: /\bwhoever\b/i, better: "the caller, the worker, a replica" },
  { word: /\bmend(s|ed|ing)?\b/i, better: "fix" },
  { word: /\banew\b/i, better: "again" },
  { word: /\bnow and then\b/i, better: "every N s" },
  { word: /\bas ever\b/i, better: "(leave it out)" },
  { word: /\bby then\b/i, better: "(leave it out)" },
  { word: /\bis not fit\b/i, better: "is invalid" },
  { word: /\bIt did not work\b/, better: "say what did not work" },
  { word: /rehears(e|al|ed)/i, better: "dry run" },
  { word: /\bHeirs?\b/, better: "subtypes" },
  { word: /\bSight\b/, better: "AccessLevel" },
  { word: /\bBag\b/, better: "JsonObject" },
  { word: /\bRareChanges\b/, better: "checkpoint extras" },
  { word: /\bpoke[ds]?\b/i, better: "recheck" },
  {
    word: /\b(?:class|interface|type) (?:Try|Said|Told|Happening)\b/,
    better: "a term of the glossary",
  },
];

/** Lines that may hold a word: names that callers know, and words of others. */
const ALLOWED: readonly RegExp[] = [/mend: fix|`mend`/];

const FILES = [
  "src/**/*.ts",
  "docs/**/*.md",
  "packages/{client,forms*/src}/**/*.{ts,tsx}",
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
];

/** What is wrong with a text, one line each. */
function findings(file: string, text: string): readonly string[] {
  return text.split("\n").flatMap((line, at) =>
    ALLOWED.some((allowed) => allowed.test(line))
      ? []
      : RULES.flatMap(({ word, better }) => {
          const found = word.exec(line)?.[0];
          return found === undefined ? [] : [`${file}:${at + 1}: "${found}": write ${better}`];
        }),
  );
}

// The canary: if this were let through, the check would be blind.
if (findings("canary", "// somebody mends it anew").length !== 2) throw new Error("the word check is blind");

const found = globSync(FILES).flatMap((file) => findings(file, readFileSync(file, "utf8")));
for (const line of found) console.log(line);
process.exit(found.length === 0 ? 0 : 1);
