import { globSync, readFileSync } from "node:fs";
import process from "node:process";

/*
 * Words that readers outside this project would not use for the thing, with the word that they use. Looked for in
 * documents, texts, comments and names of the service, the command line and the web app.
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
  { word: /\bas ever\b|\bmeanwhile\b|\bby then\b/i, better: "(leave it out)" },
  { word: /\bsomebody\b/i, better: "a person, the caller, a worker" },
  { word: /\btold\b|\bhear[ds]?\b/i, better: "is logged, returned, notified, known" },
  { word: /\bis said\b/i, better: "is reported" },
  { word: /\bjudge[ds]?\b/i, better: "check, validator" },
  { word: /\bshall\b/i, better: "must, can" },
  { word: /\bis not fit\b/i, better: "is invalid" },
  { word: /\bIt did not work\b/, better: "say what did not work" },
  { word: /rehears(e|al|ed)/i, better: "dry run" },
  { word: /\bHeirs?\b/, better: "subtypes" },
  { word: /\bSight\b/, better: "AccessLevel" },
  { word: /\bBag\b/, better: "JsonObject" },
  { word: /\bRareChanges\b/, better: "checkpoint extras" },
  { word: /\bpoke[ds]?\b/i, better: "recheck" },
  {
    word: /\b(?:class|interface|type|enum) (?:[A-Z]\w*?)?(?:Try|Said|Told|News|Happening|Beside|Held|Seat|Standing|Known|Found|Asked|Kept|Wanted|Lean|Hole|Taken|Own)(?![a-z])/,
    better: "what the thing is, in the terms of the glossary",
  },
  {
    word: /\b(?:const|let|function) (?:said|told|heard|hears?|news|poke|mend|judge)\b/,
    better: "what the value is, in the terms of the glossary",
  },
];

/** Names of files that say nothing of what is in them. */
const FILE_RULE =
  /(?:^|\/)(?:own|who|turns|era|room|rooms|making|said|told|kept|held|lean|holes|seat|standing|happening|beside|news|utils?|helpers?|misc)(?:-[^/]*)?\.[^/]+$/;

/** Texts that people read, with the words that other products have there. */
const TEXT_RULES: readonly WordRule[] = [
  { word: /\bDraw one\b|\bLook inside\b|[Ww]orking graph/, better: "Preview, Ready-made workflows" },
  { word: />\s*Read again\b|"Read again"/, better: "Refresh" },
  {
    word: /\bWhat (?:went in|came out|came of it|it worked with)\b/,
    better: "Input, Output, Result, Context",
  },
  { word: /\bSend for real\b/, better: "Send now" },
  { word: /\bthings? gets? lost\b/i, better: "Not imported: N" },
  { word: /\brepeated request harmless\b/, better: "Idempotency header" },
  { word: /\bshall decide\b|\bMembers beside\b/, better: "Allow…, Additional fields" },
  { word: /\bMake (?:group|the token|ten|public|private|a draft|a workflow)\b/, better: "Create, Publish" },
  { word: /\bNeeds you\b|\bneeds a person,/, better: "Your approvals" },
  { word: /\bLeft empty,/, better: "optional" },
  { word: /\bcan destroy\b|\bsends out\b|\bonly reads"/, better: "reads, writes, deletes, sends" },
];

/** What pages of the web app do not show: people read what a right lets them do, and no addresses for programs. */
const PAGE_RULES: readonly WordRule[] = [
  { word: /\bscopes?\.join\(|\bneeds \{[\w.]*scope\}/, better: "SCOPE_WORDS" },
  { word: /\b(?:GET|POST|PUT|PATCH|DELETE) \/api\/svc\b/, better: "what it does, without the path" },
];

/** The name of a member that the contract gives a record's state is made in one place (ADR 0004). */
const STATE_RULE: WordRule = {
  word: /\bstatus: (?:\w+\.)*state\b(?! ===|\.)|\bstate: status\b(?!\.)/,
  better: "...statusOf(record) or ...stateFrom(status) of src/model/status.ts",
};

/** The rules of a file beyond those for all. */
function rulesOf(file: string): readonly WordRule[] {
  if (file.startsWith("web/src")) return PAGE_RULES;
  const isServer = file.startsWith("src/") && !file.startsWith("src/cli/") && file !== "src/model/status.ts";
  return isServer ? [STATE_RULE] : [];
}

/** Lines that may hold a word: names that callers know, and words of others. */
const ALLOWED: readonly RegExp[] = [
  /mend: fix|`mend`/,
  /Greet somebody|somebody\\?\.else@?/,
  /- told: \{|pointer\.includes\("told"\)/,
];

const FILES = [
  "src/**/*.ts",
  "web/src/**/*.{ts,tsx}",
  "{tests,bench,suite,scripts}/**/*.{ts,tsx,mjs}",
  "{docs,plugin}/**/*.md",
  "packages/{client,forms*/src}/**/*.{ts,tsx}",
  "packages/*/README.md",
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
      : [...RULES, ...TEXT_RULES, ...rulesOf(file)].flatMap(({ word, better }) => {
          const found = word.exec(line)?.[0];
          return found === undefined ? [] : [`${file}:${at + 1}: "${found}": write ${better}`];
        }),
  );
}

// The canary: if this were let through, the check would be blind.
if (
  findings("canary", "// somebody mends it anew; Draw one").length !== 4 ||
  findings("canary", "interface KeptForm {\ntype NotFound = string;\nconst said = 1;\nclass Unknown {")
    .length !== 3 ||
  findings("src/canary", "status: run.state,").length !== 1 ||
  findings("web/src/canary", "needs {step.scope}, POST /api/svc/runs").length !== 2
)
  throw new Error("the word check is blind");

const found = globSync(FILES, { exclude: (path) => /(?:^|\/)(?:node_modules|dist(?:-\w+)?)$/.test(path) })
  .filter((file) => file !== "scripts/word-rules.ts")
  .flatMap((file) => [
    ...(FILE_RULE.test(file) ? [`${file}: name it after what is in it`] : []),
    ...findings(file, readFileSync(file, "utf8")),
  ]);
for (const line of found) console.log(line);
process.exit(found.length === 0 ? 0 : 1);
