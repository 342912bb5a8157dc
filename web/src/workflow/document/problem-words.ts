import type { WorkflowProblem } from "@workflow-ui/client";
import { sampleOfPattern } from "@workflow-ui/forms/sample";
import { words } from "../../lib/format.ts";

/** What people read instead of the text for programs, which names members, ports and expressions. */
const TEXTS: Readonly<Record<string, string>> = {
  no_nodes: "There is nothing to run yet. Add a step.",
  argument_missing: "Fill this in.",
  missing_field: "Fill this in.",
  approval_no_question: "Fill this in.",
  ref_syntax: "This is not data of an input or a step. Choose it from the list.",
  ref_unknown_step: "The step that this came from is gone. Choose other data.",
  ref_unknown_input: "This input does not exist. Choose another one, or add it to the workflow.",
  ref_not_upstream:
    "The step that this comes from does not surely run before. Connect it before this step, or choose other data.",
  ref_scope: "An item is known only inside a map. Choose other data.",
  ref_optional: "This need not be there, and a run without it stops here.",
  ref_fixed_item: "Each round gets the same item of the list. Choose a field of “This item”.",
  switch_no_default: "“Otherwise” leads nowhere. Connect it with a step, or let the path end.",
  switch_case_unwired: "This path leads nowhere. Add a step after it, or remove it.",
  switch_case_duplicate: "Another path has this name.",
  retry_without_key: "A retry could do this twice. Send a key that stays the same, or do not retry.",
  destructive_without_approval: "This deletes something. Put an approval before it.",
  node_id_invalid: "Begin with a letter; then letters, digits, _ and -, for example send_mail_2.",
};

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "yes or no",
  array: "a list",
  object: "fields",
  null: "nothing",
};

/** A problem as the form would say it; `describe` says what a reference means. */
export function problemWords(
  { code, message, fix }: Pick<WorkflowProblem, "code" | "message" | "fix">,
  describe: (ref: string) => string,
): string {
  const text = TEXTS[code];
  if (text !== undefined) return text;
  if (message.endsWith('given is "".')) return "Fill this in.";
  const pattern = patternIn(message);
  if (pattern !== undefined) {
    const example = sampleOfPattern(pattern);
    return `This is not written as it must be${example === undefined ? "" : `, for example ${example}`}.`;
  }
  const translated = message
    // Members of what does not fit.
    .replace(/fit: “(\w{1,100})”/, (_, name: string) => `fit: “${words(name)}”`)
    .replaceAll(/"(\$?(?:steps|inputs|item|run)\b[^"]*)"/g, (_, ref: string) =>
      ref.endsWith("…") ? "This data" : `“${describe(ref)}”`,
    )
    .replaceAll(/`([^`]+)`|"([A-Za-z_][A-Za-z0-9_-]*)"/g, (_, name?: string, quoted?: string) =>
      name !== undefined && /[^A-Za-z0-9_-]/.test(name) ? name : `“${words(name ?? quoted ?? "")}”`,
    )
    .replaceAll(
      /\b(?:string|integer|number|boolean|array|object|null)\b(?= (?:or|is)\b|[.;,])/g,
      (type) => TYPES[type] ?? type,
    );
  const advice = code === "argument_type" ? "Choose other data." : fix;
  return advice === "" || /[`{]|CEL|port/.test(advice) ? translated : `${translated} ${advice}`;
}

const PATTERN = "must match pattern ";

/** The pattern that a message names, without the quotes around it. */
function patternIn(message: string): string | undefined {
  const [, translated] = message.split(PATTERN, 2);
  const [pattern = ""] = translated?.split("; given is ", 1) ?? [];
  return translated === undefined ? undefined : pattern.replace(/^["'`]/, "").replace(/["'`]?\.?$/, "");
}
