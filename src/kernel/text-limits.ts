import type { Problem } from "./errors.ts";

/** How many characters a text may have, by what it means. Checked before anything else looks at the text. */
export const TEXT_LIMITS = {
  /** Addresses, paths, names, ids, methods, cursors: everything that names something. */
  name: 4_096,
  /** Text for people: descriptions, prompts, reasons. */
  prose: 20_000,
  /** Content in a text, bounded by the body and by its own reader. */
  content: 1_048_576,
} as const;

/** What a text means. */
export type TextKind = keyof typeof TEXT_LIMITS;

const PROSE: ReadonlySet<string> = new Set([
  "description",
  "prompt",
  "reason",
  "topic",
  "goal",
  "constraints",
  "intent",
  "observed",
  "question",
  "symptom",
]);
const CONTENT: ReadonlySet<string> = new Set([
  "image",
  "text",
  "content",
  // JSON in an argument of a prompt.
  "schema",
  "answer",
  "inputs",
]);

/** What a parameter's text means, by the parameter's name. */
export function textKindOf(parameter: string): TextKind {
  if (PROSE.has(parameter)) return "prose";
  return CONTENT.has(parameter) ? "content" : "name";
}

/** The problem of a text that is too long for what it means; null when it is not. */
export function lengthProblem(text: string, kind: TextKind, pointer: string): Problem | null {
  const limit = TEXT_LIMITS[kind];
  if (text.length <= limit) return null;
  return {
    pointer,
    message: `The text at ${pointer} has ${text.length} characters.`,
    expected: `at most ${limit} characters`,
    given: `${text.length} characters`,
    fix: "Shorten it.",
  };
}
