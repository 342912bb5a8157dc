import { pointerSegment } from "../../kernel/paths.ts";
import { isJsonObject, type Json, type JsonObject } from "../../kernel/json.ts";
import { LIMITS } from "../../workflows/schema.ts";

/** A place in an imported text where a value of the run goes. */
export interface Placeholder {
  readonly root: "inputs" | "steps";
  /** The name of the input (empty for all of them), or the id of the step. */
  readonly id: string;
  /** The path into the input, or into the outputs of the step. */
  readonly path: readonly string[];
  /** What is used when there is no such value. */
  readonly default?: Json;
  readonly isList?: boolean;
}

/** A text with placeholders in it. */
export type Template = readonly (string | Placeholder)[];

/** CEL does not let these stand after a dot. */
const RESERVED = new Set(
  "as break const continue else false for function if import in let loop namespace null package return true var void while".split(
    " ",
  ),
);
const OPEN = "\uE000";
const CLOSE = "\uE001";

/** A reference as our documents write it. */
export function referenceTo(placeholder: Placeholder): JsonObject {
  const pointer = placeholder.path.map((part) => `/${pointerSegment(part)}`).join("");
  const named = placeholder.id === "" ? "$inputs" : `$inputs.${placeholder.id}`;
  const head = placeholder.root === "inputs" ? named : `$steps.${placeholder.id}.outputs`;
  return {
    $ref: pointer === "" ? head : `${head}#${pointer}`,
    ...(placeholder.default !== undefined && { default: placeholder.default }),
  };
}

/** The same reference inside an expression, with what is used when there is no such value. */
export function celValue(placeholder: Placeholder): string {
  const path = celPath(placeholder);
  if (placeholder.default === undefined || placeholder.path.length > 0) return path;
  return `(has(${path}) ? ${path} : ${JSON.stringify(placeholder.default)})`;
}

/** The same as text inside an expression. */
export function celText(placeholder: Placeholder): string {
  const value = celValue(placeholder);
  return placeholder.isList === true ? `${value}.join(",")` : `string(${value})`;
}

/** The place of a reference inside an expression. */
export function celPath(placeholder: Placeholder): string {
  const named = placeholder.id === "" ? ["inputs"] : ["inputs", placeholder.id];
  const head = placeholder.root === "inputs" ? named : ["steps", placeholder.id, "outputs"];
  return [...head, ...placeholder.path]
    .map((part, index) => {
      if (index === 0) return part;
      if (/^[A-Za-z_]\w*$/.test(part) && !RESERVED.has(part)) return `.${part}`;
      return /^\d{1,9}$/.test(part) ? `[${part}]` : `[${JSON.stringify(part)}]`;
    })
    .join("");
}

/** The value of a template: its text, a reference, or an expression that joins both. */
export function valueOf(template: Template, onTooLong: () => void): Json {
  const parts = template.filter((part) => part !== "");
  const [only] = parts;
  if (only === undefined) return "";
  if (parts.every((part) => typeof part === "string")) return parts.join("");
  if (parts.length === 1 && typeof only !== "string") return referenceTo(only);
  const cel = parts
    .map((part) => (typeof part === "string" ? JSON.stringify(part) : celText(part)))
    .join(" + ");
  if (cel.length <= LIMITS.expressionLength) return { $expr: cel };
  onTooLong();
  return parts.map((part) => (typeof part === "string" ? part : `{${celPath(part)}}`)).join("");
}

/** A template whose texts that stand side by side are one. */
export function merged(template: Template): Template {
  const parts: (string | Placeholder)[] = [];
  for (const part of template) {
    const last = parts.at(-1);
    if (typeof part === "string" && typeof last === "string") parts[parts.length - 1] = last + part;
    else parts.push(part);
  }
  return parts;
}

/** The text of a template without placeholders; null when it has one. */
export function plainText(template: Template): string | null {
  return template.every((part) => typeof part === "string") ? template.join("") : null;
}

/** The placeholders of a template as they appear in a text, to be put back by `fill`. */
export function marked(template: Template): {
  readonly text: string;
  readonly placeholders: readonly Placeholder[];
} {
  const placeholders: Placeholder[] = [];
  const text = template
    .map((part) => {
      if (typeof part === "string") return part.replaceAll(/[\uE000\uE001]/g, "");
      placeholders.push(part);
      return `${OPEN}${placeholders.length - 1}${CLOSE}`;
    })
    .join("");
  return { text, placeholders };
}

/** The template that a part of a marked text stands for. */
export function unmarked(text: string, placeholders: readonly Placeholder[]): Template {
  return text.split(/(\uE000\d+\uE001)/).flatMap((part): Template => {
    if (!part.startsWith(OPEN)) return part === "" ? [] : [part];
    const placeholder = placeholders[Number(part.slice(1, -1))];
    return placeholder === undefined ? [] : [placeholder];
  });
}

/** Reads JSON text with placeholders, quoted or not; undefined when it is no JSON. */
export function jsonOf(template: Template, onTooLong: () => void): Json | undefined {
  const { text, placeholders } = marked(template);
  let value: unknown;
  try {
    value = JSON.parse(quoted(text));
  } catch {
    return undefined;
  }
  return filled(value, placeholders, onTooLong);
}

/** The same text in which every placeholder outside a string is a string of its own. */
function quoted(text: string): string {
  let inside = false;
  let result = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (inside && character === "\\") {
      result += character + (text[at + 1] ?? "");
      at += 1;
      continue;
    }
    if (character === '"') inside = !inside;
    if (!inside && character === OPEN) result += `"${OPEN}`;
    else if (!inside && character === CLOSE) result += `${CLOSE}"`;
    else result += character;
  }
  return result;
}

/** A value in which marked texts are references again; what looks like a reference of ours is kept as data. */
function filled(value: unknown, placeholders: readonly Placeholder[], onTooLong: () => void): Json {
  if (typeof value === "string") return valueOf(unmarked(value, placeholders), onTooLong);
  if (Array.isArray(value)) return value.map((item: unknown) => filled(item, placeholders, onTooLong));
  if (!isJsonObject(value)) return typeof value === "number" || typeof value === "boolean" ? value : null;
  const members = Object.entries(value).map(
    ([key, item]) =>
      [key.replaceAll(/[\uE000\uE001]/g, ""), filled(item ?? null, placeholders, onTooLong)] as const,
  );
  const object = Object.fromEntries(members);
  return isTagged(value) ? { $literal: value } : object;
}

/** True for an object that our documents would read as a reference or an expression. */
function isTagged(value: JsonObject): boolean {
  return ["$ref", "$expr", "$literal"].some((key) => value[key] !== undefined);
}
