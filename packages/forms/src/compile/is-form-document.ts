import { isRecord } from "../values/json.ts";
import { FORM_VERSION, type FormDocument } from "./document.ts";

/** True for a form of this version with everything that is drawn without asking: for what another program sent */
export function isFormDocument(value: unknown): value is FormDocument {
  if (!isRecord(value) || value["schemaVersion"] !== FORM_VERSION) return false;
  const { root, fields, definitions, source, validation, fallback } = value;
  return (
    hasTexts(value, ["formId", "title"]) &&
    [source, validation, fallback].every(isRecord) &&
    [value["examples"], value["notes"]].every(Array.isArray) &&
    isField(root) &&
    isListOf(fields, isField) &&
    isRecord(definitions) &&
    Object.values(definitions).every(isField)
  );
}

function isField(value: unknown): boolean {
  if (!isRecord(value) || !hasTexts(value, ["name", "path", "label", "type", "widget"])) return false;
  const { required, nullable, children = [], tuple = [], variants = [], options = [], items } = value;
  return (
    [required, nullable].every((flag) => typeof flag === "boolean") &&
    isListOf(children, isField) &&
    isListOf(tuple, isField) &&
    isListOf(variants, (one) => isRecord(one) && hasTexts(one, ["id", "label"]) && isField(one["field"])) &&
    isListOf(options, (one) => isRecord(one) && hasTexts(one, ["label"])) &&
    (items === undefined || isField(items))
  );
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function hasTexts(value: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === "string");
}
