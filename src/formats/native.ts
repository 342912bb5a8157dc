import { stringify } from "yaml";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { readYaml } from "../kernel/yaml.ts";
import { documentJson, parseDocument } from "../workflows/document.ts";
import { slug, type Exported, type Imported, type Portable } from "./format.ts";

const MAX_TEXT = 2_000_000;

/** Our own document with the names beside it: what export writes and import reads, without loss. */
export function nativeForm({ name, description, tags, document }: Portable): JsonObject {
  const { schemaVersion, ...rest } = documentJson(document);
  return { schemaVersion: schemaVersion ?? null, name, description, tags, ...rest };
}

/** Writes our own format as JSON or YAML. */
export function exportNative(workflow: Portable, format: "json" | "yaml"): Exported {
  const form = nativeForm(workflow);
  const text =
    format === "json"
      ? `${JSON.stringify(form, null, 2)}\n`
      : stringify(form, { lineWidth: 0, aliasDuplicateObjects: false });
  const mediaType = format === "json" ? "application/json" : "application/yaml";
  return { format, mediaType, fileName: `${slug(workflow.name)}.workflow.${format}`, text, losses: [] };
}

/** A text that is short enough to be read. */
export function boundedText(text: string): string {
  if (text.length > MAX_TEXT)
    throw new AppError("too_large", `The text has more than ${MAX_TEXT} characters.`);
  return text;
}

/** Reads JSON or YAML text into a JSON object, within bounds. */
export function readText(given: string): JsonObject {
  const text = boundedText(given);
  let value: unknown;
  try {
    value = /^\s*[{[]/.test(text) ? JSON.parse(text) : readYaml(text, { maxAliasCount: 100 });
  } catch {
    throw new AppError("invalid_input", "The text is neither JSON nor YAML.");
  }
  // Some tools export a list with one workflow in it.
  const [only] = Array.isArray(value) && value.length === 1 ? value : [value];
  value = only;
  if (!isJsonObject(value)) throw new AppError("invalid_input", "The text does not hold a JSON object.");
  return value;
}

/** Reads our own format. The document is kept as it was given, so that validation speaks of what the author wrote. */
export function importNative(given: JsonObject, format: "json" | "yaml"): Imported {
  const { name: _name, description: _description, tags: _tags, ...document } = given;
  const { meta } = parseDocument(given);
  return {
    format,
    name: meta.name ?? "Imported workflow",
    description: meta.description ?? "",
    tags: meta.tags ?? [],
    document,
    losses: [],
  };
}
