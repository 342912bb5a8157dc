import type { Json } from "@workflow-ui/client";
import { isJsonRecord } from "#kernel/json.ts";
import { deref, typesOf, type SchemaOrNull } from "#workflows/schema-types.ts";

/** The shapes a fixed value can have. */
export type ValueKind = "text" | "number" | "flag" | "choice" | "fields" | "list" | "none" | "any";

/** The shape that a schema asks for; `any` when it leaves that open. */
export function kindOfSchema(schema: SchemaOrNull): ValueKind {
  if (schema === null) return "any";
  if (Array.isArray(schema["enum"]) || titledChoices(schema).length > 0) return "choice";
  const types = typesOf(schema);
  const known = types === null ? [] : [...types].filter((type) => type !== "null");
  if (known.length === 2 && known.includes("integer") && known.includes("number")) return "number";
  if (known.length !== 1) return "any";
  const [type] = known;
  if (type === "string") return "text";
  if (type === "number" || type === "integer") return "number";
  if (type === "boolean") return "flag";
  if (type === "array") return "list";
  return type === "object" ? "fields" : "any";
}

/** The choices of a schema of the form `oneOf: [{const, title}]`. */
function titledChoices(
  schema: SchemaOrNull,
): readonly { readonly value: Json | undefined; readonly label: string }[] {
  const options = schema?.["oneOf"] ?? schema?.["anyOf"];
  if (!Array.isArray(options) || options.length === 0) return [];
  const choices = options.flatMap((option: Json) =>
    isJsonRecord(option) && Object.hasOwn(option, "const")
      ? [
          {
            value: option["const"],
            label: typeof option["title"] === "string" ? option["title"] : labelOf(option["const"] ?? null),
          },
        ]
      : [],
  );
  return choices.length === options.length ? choices : [];
}

function labelOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The choices of a schema. */
export function choicesOf(
  schema: SchemaOrNull,
): readonly { readonly value: Json | undefined; readonly label: string }[] {
  const list = schema?.["enum"];
  if (Array.isArray(list)) return list.map((value: Json) => ({ value, label: labelOf(value) }));
  return titledChoices(schema);
}

/** The shape that a value has. */
export function kindOfValue(value: Json | undefined): ValueKind {
  if (value === undefined || value === null) return "none";
  if (typeof value === "string") return "text";
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "flag";
  return Array.isArray(value) ? "list" : "fields";
}

/** What a value of this schema begins with; undefined leaves it out. */
export function startOf(schema: SchemaOrNull, root: SchemaOrNull, required: boolean): Json | undefined {
  const target = deref(schema, root);
  if (target !== null && Object.hasOwn(target, "default")) return target["default"];
  const kind = kindOfSchema(target);
  if (kind === "list") return [];
  if (kind === "fields") return {};
  if (!required) return undefined;
  if (kind === "flag") return false;
  if (kind === "choice") return choicesOf(target)[0]?.value;
  return kind === "number" ? undefined : "";
}
