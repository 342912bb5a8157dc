import { setApart, spelling } from "./acronyms.ts";
import { isRecord, own } from "../values/json.ts";

/** A property name as a label: `workflowTitle` → `Workflow title`, `max_items` → `Max items`. */
export function labelOf(name: string): string {
  const known = labels.get(name);
  if (known !== undefined) return known;
  if (labels.size > 5_000) labels.clear();
  const label = makeLabel(name);
  labels.set(name, label);
  return label;
}

const labels = new Map<string, string>();

function makeLabel(name: string): string {
  const given = name.slice(0, 200);
  // MAX_ITEMS shouts; URL does not.
  const calm = /[_\-\s]/.test(given) && !/[a-z]/.test(given) ? given.toLowerCase() : given;
  const words = setApart(calm)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z](?!s(?:[^a-z]|$))[a-z])/g, "$1 $2")
    .replace(/[_\-\s]+/g, " ")
    .trim();
  if (words === "") return name === "" ? "Value" : name;
  const [first = "", ...rest] = words
    .split(" ")
    .map((word) => spelling(word) ?? (/^[A-Z]{2,}s?$/.test(word) ? word : word.toLowerCase()));
  const begun = /^[a-z][A-Z]|^mac[A-Z]/.test(first) ? first : first.charAt(0).toUpperCase() + first.slice(1);
  return [begun, ...rest].join(" ");
}

/** A JSON value, short enough to stand in a sentence. */
export function shortJson(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** "a, b and c", or with another last word; long lists end with how many are left out. */
export function listOf(items: readonly string[], last = "and"): string {
  if (items.length <= 1) return items[0] ?? "";
  const shown = items.slice(0, 8);
  if (items.length > shown.length) return `${shown.join(", ")} ${last} ${items.length - shown.length} more`;
  return `${shown.slice(0, -1).join(", ")} ${last} ${shown.at(-1)}`;
}

/** The name of a JSON type as a person says it. */
export function typeWord(type: string): string {
  switch (type) {
    case "string":
      return "text";
    case "integer":
      return "a whole number";
    case "number":
      return "a number";
    case "boolean":
      return "true or false";
    case "null":
      return "null";
    case "array":
      return "a list";
    case "object":
      return "an object";
    default:
      return type;
  }
}

/** What a schema asks of a value, in a few words: "`c` is DE", "`a` is given". Bounded in depth and length. */
export function describeTest(schema: unknown, depth = 0): string {
  if (!isRecord(schema) || depth > 4) return schema === false ? "never" : "a condition holds";
  const parts: string[] = [];
  const fixed = own(schema, "const");
  const values = own(schema, "enum");
  if (fixed !== undefined) parts.push(`is ${shortJson(fixed)}`);
  else if (Array.isArray(values)) parts.push(`is ${listOf(values.slice(0, 12).map(shortJson), "or")}`);
  const properties = own(schema, "properties");
  const reported = new Set<string>();
  if (isRecord(properties)) {
    for (const [name, sub] of Object.entries(properties).slice(0, 6)) {
      const text = describeTest(sub, depth + 1);
      if (text === "a condition holds") continue;
      reported.add(name);
      parts.push(`\`${name}\` ${text}`);
    }
  }
  const required = own(schema, "required");
  if (Array.isArray(required)) {
    const missing = required.filter((name) => typeof name === "string" && !reported.has(name));
    if (missing.length > 0)
      parts.push(
        `${listOf(missing.map((name) => `\`${String(name)}\``))} ${missing.length > 1 ? "are" : "is"} given`,
      );
  }
  const type = own(schema, "type");
  if (parts.length === 0 && typeof type === "string" && !isRecord(properties))
    parts.push(`is ${typeWord(type)}`);
  const pattern = own(schema, "pattern");
  if (typeof pattern === "string") parts.push(`matches ${shortJson(pattern)}`);
  const not = own(schema, "not");
  if (not !== undefined) parts.push(`not (${describeTest(not, depth + 1)})`);
  for (const [keyword, word] of [
    ["allOf", "and"],
    ["anyOf", "or"],
    ["oneOf", "or"],
  ] as const) {
    const branches = own(schema, keyword);
    if (!Array.isArray(branches)) continue;
    const texts = branches.slice(0, 6).map((branch) => describeTest(branch, depth + 1));
    parts.push(texts.length > 1 ? `(${texts.join(` ${word} `)})` : (texts[0] ?? ""));
  }
  for (const [keyword, word] of [
    ["minimum", "is at least"],
    ["maximum", "is at most"],
    ["exclusiveMinimum", "is more than"],
    ["exclusiveMaximum", "is less than"],
  ] as const) {
    const bound = own(schema, keyword);
    if (typeof bound === "number") parts.push(`${word} ${bound}`);
  }
  const text = parts.filter((part) => part !== "").join(" and ");
  return text === "" ? "a condition holds" : text.slice(0, 240);
}

/** What one of many is called. */
export function singular(given: string): string {
  const kind = given.replace(/^(an? |the )?(list|array|set) of /i, "");
  const label = kind === given ? given : kind.charAt(0).toUpperCase() + kind.slice(1);
  if (/[^aeiou]ies$/.test(label)) return `${label.slice(0, -3)}y`;
  if (/(?:ch|sh|x|ss|zz)es$/.test(label)) return label.slice(0, -2);
  return /[^sui]s$/.test(label) ? label.slice(0, -1) : label;
}
