import type { Json } from "../values/json.ts";

/*
 * The form document: plain JSON that says what to draw, for any renderer. It is complete in itself: recursion goes
 * through `definitions`, rules that depend on data are conditions that `evaluate` answers, and `validation.schema` is
 * what the value is checked against in the end.
 * Long on purpose: the whole format in one place.
 */

/** The version every form document carries. */
export const FORM_VERSION = "svc.form.v1";

/** Every widget a field can ask for, and what it means. */
export const WIDGETS = {
  text: "one line of text",
  multiline: "several lines of text",
  password: "text that is not shown",
  email: "an e-mail address",
  url: "an absolute or relative address",
  uuid: "a UUID",
  hostname: "a host name",
  ipv4: "an IPv4 address",
  ipv6: "an IPv6 address",
  regex: "a regular expression",
  "json-pointer": "a JSON Pointer",
  date: "a calendar date, YYYY-MM-DD",
  time: "a time of day",
  datetime: "a date and time with an offset (RFC 3339)",
  duration: "an ISO 8601 duration such as PT15M",
  color: "a colour, #rrggbb",
  file: "a file; `constraints.contentEncoding` and `format` say how its bytes become text",
  combobox: "text with suggestions in `options`; other text is allowed",
  number: "a number",
  integer: "a whole number",
  "big-integer": "a whole number that may pass 2^53: edited as text, kept as ExactNumber",
  checkbox: "true or false; when the field is optional, absent is a third state",
  select: "one of `options`",
  multiselect: "an array of different values out of `options`",
  constant: "the one value in `const`; shown, not edited",
  null: "null and nothing else",
  group: "an object with `children`, and more members as `map` allows",
  map: "an object whose keys the person names; see `map`",
  list: "an array of `items`",
  tuple: "an array that begins with `tuple`, and goes on with `items` when there are any",
  variants: "one of several alternatives; see `variants`",
  reference: "the same as `definitions[ref]`; expanded when it is opened",
  json: "raw JSON; `raw` says why",
  never: "no value is allowed; shown as a note when data has one all the same",
} as const;

/** The name of a widget. */
export type Widget = keyof typeof WIDGETS;

/** What kind of value a field holds. `any` is edited as JSON, `union` through its variants, `ref` by its definition. */
export type FieldType =
  | "string"
  | "number"
  | "integer"
  | "boolean"
  | "null"
  | "object"
  | "array"
  | "any"
  | "union"
  | "ref"
  | "never";

/** One value that can be chosen. */
export interface Option {
  readonly value: Json;
  readonly label: string;
  readonly help?: string;
  readonly deprecated?: boolean;
}

/** Limits on a value, as the schema states them. */
export interface Constraints {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** Further patterns, when several apply at once. */
  readonly patterns?: readonly string[];
  readonly format?: string;
  readonly contentEncoding?: string;
  readonly contentMediaType?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

/** A question about data, answered by `evaluate`. */
export type Predicate =
  | { readonly kind: "present"; readonly name: string }
  | { readonly kind: "matches"; readonly schema: Json }
  | { readonly kind: "all"; readonly of: readonly Predicate[] }
  | { readonly kind: "any"; readonly of: readonly Predicate[] }
  | { readonly kind: "not"; readonly of: Predicate };

/** When something applies. `holder` asks the object that holds the field, `self` the field's own value. */
export interface Condition {
  readonly on: "holder" | "self";
  readonly when: Predicate;
  /** The condition as a person reads it. */
  readonly text: string;
}

/** The field to draw instead, while a condition holds. */
export interface Override {
  readonly condition: Condition;
  readonly field: Field;
}

/** Which keys an object may have beyond `children`, and what their values look like. */
export interface MapRule {
  /** Keys that match a pattern take the pattern's field; the first match wins. */
  readonly patterns: readonly { readonly pattern: string; readonly field: Field }[];
  /** The field of every other key; null when other keys are not allowed. */
  readonly additional: Field | null;
  readonly key?: {
    readonly minLength?: number;
    readonly maxLength?: number;
    readonly pattern?: string;
    readonly format?: string;
    readonly options?: readonly string[];
  };
}

/** One alternative of a union. */
export interface Variant {
  readonly id: string;
  readonly label: string;
  readonly help?: string;
  readonly deprecated?: boolean;
  readonly field: Field;
  /** Values of the discriminator property that choose this variant. */
  readonly values?: readonly Json[];
}

/** The property whose value says which variant applies. */
export interface Discriminator {
  readonly property: string;
}

/** Why a part is edited as raw JSON. */
export interface RawReason {
  readonly code:
    | "anything_allowed"
    | "free_object"
    | "free_array"
    | "remote_reference"
    | "unresolved_reference"
    | "too_deep"
    | "too_large"
    | "too_many_variants"
    | "not_a_schema"
    | "contradiction";
  readonly reason: string;
}

/** Where a field's value goes in an HTTP request. */
export type FieldLocation = "server" | "path" | "query" | "header" | "cookie" | "body" | "security";

/** When a hint applies. `root` asks the whole value, `holder` the object that holds the field. */
export interface HintCondition {
  readonly on: "holder" | "root";
  readonly when: Predicate;
  /** The condition as a person reads it. */
  readonly text: string;
}

/** Texts of a field in one language; what is left out is shown as the schema has it. */
export interface HintTexts {
  readonly label?: string;
  readonly help?: string;
  readonly placeholder?: string;
  /** Labels of `options`, in their order. */
  readonly options?: readonly string[];
  /** Titles of `sections`, in their order. */
  readonly sections?: readonly string[];
}

/** Children of a group that are drawn together. */
export interface HintSection {
  readonly title?: string;
  readonly help?: string;
  /** Names of the children; those that no section names are drawn after the last one. */
  readonly fields: readonly string[];
  readonly columns?: number;
  readonly collapsed?: boolean;
  readonly visible?: HintCondition;
  readonly key?: string;
}

/**
 * How an author wants a field to be drawn. A renderer may ignore all of it: nothing here changes what is valid. Order,
 * titles and help are not here, they are in the field itself.
 */
export interface FieldHints {
  /** A widget that the page may have under this name; without one the field's own `widget` is drawn. */
  readonly widget?: string;
  /** For that widget; what the standard ones read is in docs/forms.md. */
  readonly options?: Readonly<Record<string, Json>>;
  readonly placeholder?: string;
  /** Not drawn while nothing is wrong with its value. */
  readonly hidden?: boolean;
  /** Drawn only while this holds, or while there is a value. */
  readonly visible?: HintCondition;
  /** Can be changed only while this holds. */
  readonly enabled?: HintCondition;
  /** Of a group: how many columns its children have where there is room. */
  readonly columns?: number;
  /** How many columns the field takes. */
  readonly span?: number;
  readonly sections?: readonly HintSection[];
  /** Under which a page finds translations of the field's texts. */
  readonly key?: string;
  /** By language, such as `de` or `pt-BR`. */
  readonly i18n?: Readonly<Record<string, HintTexts>>;
}

/** One field: what it holds, how to draw it, and what is under it. */
export interface Field {
  /** Property name; the position in a tuple; empty for the root, items and variants. */
  readonly name: string;
  /** JSON Pointer from the root, or from the definition it is in; `*` stands for any index or key. */
  readonly path: string;
  readonly label: string;
  readonly type: FieldType;
  readonly widget: Widget;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly help?: string;
  readonly default?: Json;
  readonly const?: Json;
  readonly options?: readonly Option[];
  readonly constraints?: Constraints;
  readonly examples?: readonly Json[];
  readonly deprecated?: boolean;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly secret?: boolean;
  readonly children?: readonly Field[];
  readonly map?: MapRule;
  readonly items?: Field;
  readonly tuple?: readonly Field[];
  readonly variants?: readonly Variant[];
  readonly discriminator?: Discriminator;
  /** Key into `definitions`. */
  readonly ref?: string;
  /** The field is shown only while this holds. */
  readonly condition?: Condition;
  /** The field is required while this holds, even when `required` is false. */
  readonly requiredWhen?: Condition;
  /** The first override whose condition holds replaces this field (its name, path and `required` stay). */
  readonly overrides?: readonly Override[];
  /** Why the widget is `json`. */
  readonly raw?: RawReason;
  /** Rules that no widget shows, as sentences. Validation checks them. */
  readonly rules?: readonly string[];
  readonly location?: FieldLocation;
  readonly ui?: FieldHints;
}

/** How one OpenAPI parameter is written into the request. */
export interface RequestParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly style: string;
  readonly explode: boolean;
  readonly allowReserved?: boolean;
  /** Media type when the parameter's value is serialised as content. */
  readonly contentType?: string;
}

/** How one security scheme is written into the request. */
export interface RequestSecurity {
  readonly field: string;
  readonly kind: "apiKey" | "http" | "oauth2" | "openIdConnect" | "mutualTLS";
  readonly in?: "query" | "header" | "cookie";
  readonly name?: string;
  readonly scheme?: string;
}

/** What is needed to turn the value of an operation's form into an HTTP request. */
export interface RequestTemplate {
  readonly method: string;
  readonly path: string;
  /** Server URL templates; `{variables}` come from the `server` group. */
  readonly servers: readonly string[];
  /** Values of the variables that the form leaves open. */
  readonly variables: Readonly<Record<string, string>>;
  readonly parameters: readonly RequestParameter[];
  readonly security: readonly RequestSecurity[];
  readonly contentTypes: readonly string[];
  /** Members of a multipart body that are files. */
  readonly files: readonly string[];
  /** How members of a form or multipart body are written, where the description says so. */
  readonly encoding?: Readonly<Record<string, BodyEncoding>>;
}

/** How one member of a form or multipart body is written. */
export interface BodyEncoding {
  readonly contentType?: string;
  readonly style?: string;
  readonly explode?: boolean;
}

/** Where a form came from. */
export interface FormSource {
  readonly kind: "json_schema" | "mcp_tool" | "openapi_operation" | "webhook" | "ascii_conversion";
  /** What the caller calls it: a tool name, an operation id, an event name, a reference. */
  readonly ref?: string;
  /** The service or MCP server it belongs to. */
  readonly server?: string;
  /** `sha256:…` of the definition, when it is pinned. */
  readonly digest?: string;
  /** The tool or operation wants a key. */
  readonly protected?: boolean;
  readonly request?: RequestTemplate;
}

/** One way to send the example value. */
export interface FormExample {
  readonly kind: "json" | "json-rpc" | "curl" | "suitectl";
  readonly title: string;
  readonly text: string;
}

/** What is checked, and against what. */
export interface ValidationPreview {
  readonly dialect: Dialect;
  /** Pointers of the fields that are always required. */
  readonly required: readonly string[];
  /** How many fields carry limits, how many parts depend on conditions, how many offer variants. */
  readonly counts: {
    readonly fields: number;
    readonly limits: number;
    readonly conditions: number;
    readonly variants: number;
  };
  /** The schema the value must satisfy, complete in itself. */
  readonly schema: Json;
}

/** The schema languages that are understood. */
export type Dialect =
  | "2020-12"
  | "2019-09"
  | "draft-07"
  | "draft-06"
  | "draft-04"
  | "openapi-3.1"
  | "openapi-3.0"
  | "swagger-2.0";

/** One part that is edited as raw JSON. */
export interface FallbackPart extends RawReason {
  readonly path: string;
}

/** Which parts are raw JSON; `whole` when all of it is. */
export interface Fallback {
  readonly whole: boolean;
  readonly parts: readonly FallbackPart[];
}

/** A remark: what a form cannot show, or what will trouble which MCP clients. */
export interface Note {
  readonly code: string;
  readonly severity: "info" | "warning";
  /** JSON Pointer into the schema. */
  readonly schemaPath: string;
  readonly message: string;
  /** The kinds of clients that are troubled. */
  readonly clients?: readonly string[];
}

/** A form, ready to draw. */
export interface FormDocument {
  readonly schemaVersion: typeof FORM_VERSION;
  readonly formId: string;
  readonly title: string;
  readonly description?: string;
  readonly source: FormSource;
  /** The whole value as one field, without its parts, which are in `fields`: see `rootField`. */
  readonly root: Field;
  /** The root's children when it is a group, otherwise the root alone. */
  readonly fields: readonly Field[];
  /** Fields that are used in several places or contain themselves; paths in them begin where they are used. */
  readonly definitions: Readonly<Record<string, Field>>;
  readonly initialValue: Json;
  /** Made from one value that is valid against the schema; empty when none could be made. */
  readonly examples: readonly FormExample[];
  readonly exampleValue?: Json;
  readonly validation: ValidationPreview;
  readonly fallback: Fallback;
  readonly notes: readonly Note[];
}
