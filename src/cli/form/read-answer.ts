import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { parseExact, type Field, type FormValue } from "../../../packages/forms/src/index.ts";

/** What a person typed at a question: a value (undefined leaves the field out), a wish, or a mistake. */
export type Answer =
  | { readonly kind: "value"; readonly value: FormValue | undefined }
  | { readonly kind: "help" }
  | { readonly kind: "json" }
  | { readonly kind: "wrong"; readonly message: string };

const value = (given: FormValue | undefined): Answer => ({ kind: "value", value: given });
const wrong = (message: string): Answer => ({ kind: "wrong", message });

/** Reads one line as the value of a field. */
export function readAnswer(field: Field, line: string, present: FormValue | undefined): Answer {
  const text = line.trim();
  if (text === ":help" || text === "?") return { kind: "help" };
  if (text === ":json") return { kind: "json" };
  if (text === ":null")
    return field.nullable || field.type === "any" ? value(null) : wrong("null is not allowed here.");
  if (text === ":skip") return field.required ? wrong("This field is required.") : value(undefined);
  if (text === "") {
    if (present !== undefined) return value(present);
    return field.required ? wrong("This field is required.") : value(undefined);
  }
  const escaped = text.startsWith("::") ? text.slice(1) : null;
  if (escaped === null && /^:[a-z]+$/.test(text)) return wrong(`${text} is not known; :help shows what is.`);
  return readTyped(field, escaped ?? (text === '""' ? "" : line));
}

function readTyped(field: Field, text: string): Answer {
  const widget: string = field.widget;
  switch (widget) {
    case "checkbox":
      return readBoolean(text.trim().toLowerCase());
    case "select":
      return readOption(field, text.trim());
    case "multiselect":
      return readOptions(field, text);
    case "number":
    case "integer":
    case "big-integer":
      return readNumber(field, text.trim());
    case "json":
      return readJson(text);
    case "file":
      return value(readFile(field, text));
    case "combobox":
      return value(optionNumber(field, text.trim()) ?? text);
    default:
      return field.type === "string" || field.type === "any" ? value(text) : readJson(text);
  }
}

function readBoolean(text: string): Answer {
  if (["y", "yes", "true", "1"].includes(text)) return value(true);
  if (["n", "no", "false", "0"].includes(text)) return value(false);
  return wrong("y or n, please.");
}

function optionNumber(field: Field, text: string): FormValue | undefined {
  const options = field.options ?? [];
  return /^\d+$/.test(text) ? options[Number(text) - 1]?.value : undefined;
}

function readOption(field: Field, text: string): Answer {
  const options = field.options ?? [];
  const exact = options.find(({ label, value: given }) => label === text || given === text);
  if (exact) return value(exact.value);
  const byNumber = optionNumber(field, text);
  if (byNumber !== undefined) return value(byNumber);
  const likely = options.filter(({ label }) => label.toLowerCase().startsWith(text.toLowerCase()));
  const [only] = likely;
  if (only && likely.length === 1) return value(only.value);
  return wrong(`A number from 1 to ${options.length}, or one of the values.`);
}

function readOptions(field: Field, text: string): Answer {
  const chosen: FormValue[] = [];
  for (const part of text.split(",")) {
    const answer = readOption(field, part.trim());
    if (answer.kind !== "value" || answer.value === undefined)
      return wrong("Numbers or values, with commas between them.");
    chosen.push(answer.value);
  }
  return value(chosen);
}

function readNumber(field: Field, text: string): Answer {
  const whole = field.widget !== "number";
  const looksRight = whole ? /^[+-]?\d+$/ : /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
  if (!looksRight.test(text)) return wrong(whole ? "A whole number, please." : "A number, please.");
  const plain = text
    .replace(/^\+/, "")
    .replace(/^(-?)\./, "$10.")
    .replace(/\.$/, "")
    .replace(/^(-?)0+(?=\d)/, "$1");
  try {
    return value(parseExact(plain));
  } catch {
    return value(Number(plain));
  }
}

function readJson(text: string): Answer {
  try {
    return value(parseExact(text));
  } catch {
    return wrong("That is not JSON; :json opens an editor for it. Texts need quotes here.");
  }
}

/** A path becomes the file's bytes in the form that the field asks for; other text is taken as it is. */
function readFile(field: Field, text: string): string {
  const path = text.trim().replace(/^@/, "");
  if (!existsSync(path)) return text;
  const { contentEncoding, format, contentMediaType } = field.constraints ?? {};
  const bytes = readFileSync(path);
  if (format === "data-url" || format === "binary") {
    const name = format === "binary" ? `;name=${encodeURIComponent(basename(path))}` : "";
    return `data:${contentMediaType ?? "application/octet-stream"}${name};base64,${bytes.toString("base64")}`;
  }
  const isBase64 = contentEncoding === "base64" || format === "byte";
  return isBase64 ? bytes.toString("base64") : bytes.toString("utf8");
}
