import { argument, option, type ArgumentSpec, type OptionSpec } from "./spec.ts";

/** The name of the program. */
export const PROGRAM = "suitectl";

/** Where the service is looked for when nothing says otherwise. */
export const DEFAULT_URL = "http://127.0.0.1:8080";

/** Options that every command takes. */
export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  option("--url <URL>", "Address of the service; else SUITE_URL, then the one of the last login."),
  option("--json", "Print the whole answer as JSON."),
  option("--yaml", "Print the whole answer as YAML."),
  option("-q, --quiet", "Print ids only, or nothing; errors are still shown."),
  option("--no-color", "No colours; NO_COLOR in the environment does the same."),
];

/** One class of exit statuses. */
export interface ExitCode {
  readonly code: number;
  readonly name: string;
  readonly meaning: string;
}

/** How a command can end. The only list: docs and the program both use it. */
export const EXIT_CODES = {
  ok: { code: 0, name: "ok", meaning: "What was asked happened." },
  failed: {
    code: 1,
    name: "failed",
    meaning:
      "It did not: the service answered with an error, a check found problems, or the run did not succeed.",
  },
  usage: {
    code: 2,
    name: "usage",
    meaning: "The command line, the input or its arguments are wrong; nothing was done.",
  },
  missing: { code: 3, name: "not found", meaning: "There is no such record, tool or file." },
  refused: { code: 4, name: "refused", meaning: "The key is missing, not valid, or lacks the scope." },
  conflict: {
    code: 5,
    name: "conflict",
    meaning: "The record has changed, or is in a state that does not allow it.",
  },
  degraded: {
    code: 6,
    name: "degraded",
    meaning: "An adapter is missing or did not confirm; nothing is claimed.",
  },
  unavailable: {
    code: 7,
    name: "unavailable",
    meaning: "The service cannot be reached, is overloaded, limits the rate or cannot write.",
  },
  interrupted: { code: 130, name: "interrupted", meaning: "Ctrl-C, or a question was left with Ctrl-D." },
} as const satisfies Readonly<Record<string, ExitCode>>;

/** The name of a class of exit statuses. */
export type ExitClass = keyof typeof EXIT_CODES;

/** An environment variable that the program reads. */
export interface VariableSpec {
  readonly name: string;
  readonly meaning: string;
}

/** Every environment variable that the program reads. */
export const VARIABLES: readonly VariableSpec[] = [
  { name: "SUITE_API_KEY", meaning: "The API key; wins over the one that login keeps." },
  { name: "SUITE_URL", meaning: "Address of the service; --url wins over it." },
  { name: "DATABASE_URL", meaning: "The database of the `db` commands, as the service reads it." },
  {
    name: "XDG_CONFIG_HOME",
    meaning: "Where login keeps the key: workflow-ui/suitectl.json in it, mode 600.",
  },
  { name: "VISUAL, EDITOR", meaning: "The editor for raw JSON in `form fill`." },
  { name: "NO_COLOR", meaning: "Any value: no colours." },
];

/** The argument that names a record. */
export function recordId(what: string): ArgumentSpec {
  return argument("id", `The id of the ${what}; \`latest\` is the newest one.`);
}

/** The option that bounds a list. */
export const limitOption = option("--limit <N>", "How many at most, 1 to 100.");

/** The option that goes on with a list. */
export const cursorOption = option("--cursor <CURSOR>", "Go on where the page before ended (nextCursor).");

/** The option that answers questions in advance. */
export const yesOption = option("-y, --yes", "Do not ask.");
