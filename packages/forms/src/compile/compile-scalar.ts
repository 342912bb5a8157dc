import type { Constraints, Field, Option, Widget } from "./document.ts";
import type { Json } from "../values/json.ts";
import { isJson, isRecord } from "../values/json.ts";
import type { Shape, TypeName } from "./shape.ts";
import { labelOf, shortJson } from "./words.ts";

/** A field while it is being put together. */
export type Draft = { -readonly [K in keyof Field]: Field[K] };

const FORMAT_WIDGETS: Readonly<Record<string, Widget>> = {
  date: "date",
  "full-date": "date",
  time: "time",
  "partial-time": "time",
  "date-time": "datetime",
  datetime: "datetime",
  duration: "duration",
  email: "email",
  "idn-email": "email",
  uri: "url",
  url: "url",
  iri: "url",
  "uri-reference": "url",
  "iri-reference": "url",
  uuid: "uuid",
  hostname: "hostname",
  "idn-hostname": "hostname",
  ipv4: "ipv4",
  ip: "ipv4",
  ipv6: "ipv6",
  regex: "regex",
  "json-pointer": "json-pointer",
  "relative-json-pointer": "json-pointer",
  color: "color",
  colour: "color",
  "hex-color": "color",
  password: "password",
  binary: "file",
  byte: "file",
  base64: "file",
  "data-url": "file",
  file: "file",
  textarea: "multiline",
  multiline: "multiline",
  markdown: "multiline",
  html: "multiline",
  json: "multiline",
  yaml: "multiline",
  xml: "multiline",
  sql: "multiline",
  code: "multiline",
};
const LONG_TEXT =
  /^(?:description|body|content|text|message|prompt|comment|notes?|summary|instructions?|markdown|html|script|code|sql)$/i;
const SECRET_NAME =
  /(?:^|[_\-.]|[a-z](?=[A-Z]))(?:password|passwd|passphrase|secret|api_?-?key|apikey|access_?token|auth_?token|private_?key|client_?secret)$/i;
const MACHINE_TITLE = /^[a-z0-9]+(?:_[a-z0-9]+)+$/;
const LIMITS_OF: Readonly<Record<TypeName, readonly (keyof Constraints)[]>> = {
  string: ["minLength", "maxLength", "format", "contentEncoding", "contentMediaType"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"],
  integer: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"],
  array: ["minItems", "maxItems", "uniqueItems", "minContains", "maxContains"],
  object: ["minProperties", "maxProperties"],
  boolean: [],
  null: [],
};

/** The limits of a shape that concern one type, or undefined. */
export function constraintsOf(shape: Shape, type: TypeName): Constraints | undefined {
  if (shape.limits.size + shape.patterns.length === 0) return undefined;
  const found: Record<string, unknown> = {};
  for (const name of LIMITS_OF[type]) {
    const value = shape.limits.get(name);
    if (value !== undefined) found[name] = value;
  }
  if (type === "string" && shape.patterns.length > 0) {
    found["pattern"] = shape.patterns[0];
    if (shape.patterns.length > 1) found["patterns"] = shape.patterns.slice(1);
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

/** The widget of a text, number or boolean. */
export function scalarWidget(shape: Shape, type: TypeName, name: string, secret: boolean): Widget {
  const format = shape.limits.get("format");
  switch (type) {
    case "string": {
      const known =
        typeof format === "string" && Object.hasOwn(FORMAT_WIDGETS, format)
          ? FORMAT_WIDGETS[format]
          : undefined;
      if (known) return known;
      if (secret) return "password";
      const encoding = shape.limits.get("contentEncoding");
      const media = shape.limits.get("contentMediaType");
      if (typeof encoding === "string" && encoding.startsWith("base")) return "file";
      if (typeof media === "string")
        return media.startsWith("text/") || media.includes("json") ? "multiline" : "file";
      const longest = shape.limits.get("maxLength");
      const isShort = typeof longest === "number" && longest <= 120;
      return LONG_TEXT.test(name) && !isShort ? "multiline" : "text";
    }
    case "integer": {
      const far = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].some((limit) => {
        const bound = shape.limits.get(limit);
        return typeof bound === "number" && Math.abs(bound) > Number.MAX_SAFE_INTEGER;
      });
      return far || format === "int64" || format === "uint64" || format === "bigint"
        ? "big-integer"
        : "integer";
    }
    case "number":
      return "number";
    case "boolean":
      return "checkbox";
    case "null":
      return "null";
    case "object":
      return "group";
    case "array":
      return "list";
  }
}

/** True for text that should not be shown: passwords, write-only values, keys and tokens by their usual names. */
export function isSecret(shape: Shape, type: TypeName, name: string): boolean {
  if (type !== "string") return false;
  return (
    shape.limits.get("format") === "password" ||
    shape.notes.get("writeOnly") === true ||
    shape.notes.get("x-secret") === true ||
    SECRET_NAME.test(name)
  );
}

/** The options of an enum, with the names that the usual extensions give them. */
export function optionsOf(shape: Shape, values: readonly Json[]): Option[] {
  const names = firstList(shape, ["x-enumNames", "enumNames", "x-enum-varnames"]);
  const helps = firstList(shape, ["enumDescriptions", "x-enum-descriptions", "markdownEnumDescriptions"]);
  return values.map((value, index) => {
    const name = names[index];
    const help = helps[index];
    return {
      value,
      label: typeof name === "string" ? name : optionLabel(value),
      ...(typeof help === "string" && { help }),
    };
  });
}

/** How a value is called in a list of options. */
export function optionLabel(value: Json): string {
  if (value === "") return "(empty text)";
  return shortJson(value);
}

function firstList(shape: Shape, keys: readonly string[]): readonly unknown[] {
  for (const key of keys) {
    const list = shape.notes.get(key);
    if (Array.isArray(list)) return list;
    if (isRecord(list)) return Object.values(list);
  }
  return [];
}

/** The JSON type of a value. */
export function typeOfValue(value: unknown): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "string" || typeof value === "boolean")
    return typeof value === "string" ? "string" : "boolean";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return "object";
}

/** A label for a field: its title, or its name in words. */
export function labelFor(shape: Shape, name: string, fallback: string): string {
  const title = shape.notes.get("title");
  const isPosition = name === "" || /^\d+$/.test(name);
  if (typeof title !== "string" || title.trim() === "") return isPosition ? fallback : labelOf(name);
  if (shape.titledByDefinition && !isPosition) return labelOf(name);
  // Generated schemas carry the names of types as titles; a person reads the property's own name better.
  if (MACHINE_TITLE.test(title)) return labelOf(name === "" ? title : name);
  return title.slice(0, 500);
}

/** A field with what stands beside its reference. */
export function dress(field: Field, overlay: ReadonlyMap<string, unknown>): Field {
  const draft: Draft = { ...field };
  const title = overlay.get("title");
  if (typeof title === "string" && title !== "") draft.label = title;
  const help = overlay.get("description");
  if (typeof help === "string" && help !== "") draft.help = help;
  const standard = overlay.get("default");
  if (isJson(standard)) draft.default = standard;
  const examples = overlay.get("examples");
  const example = overlay.get("example");
  if (Array.isArray(examples)) draft.examples = examples.slice(0, 10).filter(isJson);
  else if (isJson(example)) draft.examples = [example];
  for (const flag of ["deprecated", "readOnly", "writeOnly"] as const) {
    if (overlay.get(flag) === true) draft[flag] = true;
  }
  return draft;
}
