import { FORM_VERSION, WIDGETS } from "./document.ts";
import type { Json, JsonObject } from "../values/json.ts";
import { TYPE_NAMES } from "./shape-values.ts";

/*
 * The JSON Schema of a form document, for those who draw forms without our types. `document.ts` says the same in
 * TypeScript; a property test holds every compiled form to this schema.
 */

const text: JsonObject = { type: "string" };
const flag: JsonObject = { type: "boolean" };
const count: JsonObject = { type: "integer", minimum: 0 };
const anything: Json = true;
const field: JsonObject = { $ref: "#/$defs/field" };
const condition: JsonObject = { $ref: "#/$defs/condition" };
const predicate: JsonObject = { $ref: "#/$defs/predicate" };

function list(items: Json): JsonObject {
  return { type: "array", items };
}

/** A closed object: the first members are required, the others optional. */
function object(required: JsonObject, optional: JsonObject = {}): JsonObject {
  return {
    type: "object",
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

function kind(name: string, rest: JsonObject): JsonObject {
  return object({ kind: { const: name }, ...rest });
}

const constraints: JsonObject = object(
  {},
  {
    minLength: { type: "number" },
    maxLength: { type: "number" },
    pattern: text,
    patterns: list(text),
    format: text,
    contentEncoding: text,
    contentMediaType: text,
    minimum: { type: "number" },
    maximum: { type: "number" },
    exclusiveMinimum: { type: "number" },
    exclusiveMaximum: { type: "number" },
    multipleOf: { type: "number" },
    minItems: { type: "number" },
    maxItems: { type: "number" },
    uniqueItems: flag,
    minContains: { type: "number" },
    maxContains: { type: "number" },
    minProperties: { type: "number" },
    maxProperties: { type: "number" },
  },
);

const raw: JsonObject = object({
  code: {
    enum: [
      "anything_allowed",
      "free_object",
      "free_array",
      "remote_reference",
      "unresolved_reference",
      "too_deep",
      "too_large",
      "too_many_variants",
      "not_a_schema",
      "contradiction",
    ],
  },
  reason: text,
});

const hintCondition: JsonObject = object({ on: { enum: ["holder", "root"] }, when: predicate, text });

const hints: JsonObject = object(
  {},
  {
    widget: text,
    options: { type: "object" },
    placeholder: text,
    hidden: flag,
    visible: hintCondition,
    enabled: hintCondition,
    columns: { type: "integer", minimum: 1 },
    span: { type: "integer", minimum: 1 },
    sections: list(
      object(
        { fields: list(text) },
        {
          title: text,
          help: text,
          columns: { type: "integer", minimum: 1 },
          collapsed: flag,
          visible: hintCondition,
          key: text,
        },
      ),
    ),
    key: text,
    i18n: {
      type: "object",
      additionalProperties: object(
        {},
        { label: text, help: text, placeholder: text, options: list(text), sections: list(text) },
      ),
    },
  },
);

const fieldSchema: JsonObject = object(
  {
    name: text,
    path: text,
    label: text,
    type: {
      enum: [...TYPE_NAMES, "any", "union", "ref", "never"],
    },
    widget: { enum: Object.keys(WIDGETS) },
    required: flag,
    nullable: flag,
  },
  {
    help: text,
    default: anything,
    const: anything,
    options: list(object({ value: anything, label: text }, { help: text, deprecated: flag })),
    constraints,
    examples: list(anything),
    deprecated: flag,
    readOnly: flag,
    writeOnly: flag,
    secret: flag,
    children: list(field),
    map: object(
      { patterns: list(object({ pattern: text, field })), additional: { anyOf: [field, { type: "null" }] } },
      {
        key: object(
          {},
          {
            minLength: { type: "number" },
            maxLength: { type: "number" },
            pattern: text,
            format: text,
            options: list(text),
          },
        ),
      },
    ),
    items: field,
    tuple: list(field),
    variants: list(
      object({ id: text, label: text, field }, { help: text, deprecated: flag, values: list(anything) }),
    ),
    discriminator: object({ property: text }),
    ref: text,
    condition,
    requiredWhen: condition,
    overrides: list(object({ condition, field })),
    raw,
    rules: list(text),
    location: { enum: ["server", "path", "query", "header", "cookie", "body", "security"] },
    ui: hints,
  },
);

const request: JsonObject = object({
  method: text,
  path: text,
  servers: list(text),
  variables: { type: "object", additionalProperties: text },
  parameters: list(
    object(
      { name: text, in: { enum: ["path", "query", "header", "cookie"] }, style: text, explode: flag },
      { allowReserved: flag, contentType: text },
    ),
  ),
  security: list(
    object(
      { field: text, kind: { enum: ["apiKey", "http", "oauth2", "openIdConnect", "mutualTLS"] } },
      { in: { enum: ["query", "header", "cookie"] }, name: text, scheme: text },
    ),
  ),
  contentTypes: list(text),
  files: list(text),
});

const DIALECTS = [
  "2020-12",
  "2019-09",
  "draft-07",
  "draft-06",
  "draft-04",
  "openapi-3.1",
  "openapi-3.0",
  "swagger-2.0",
];

/** The JSON Schema (2020-12) of `svc.form.v1`. */
export const formDocumentSchema: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Form document",
  ...object(
    {
      schemaVersion: { const: FORM_VERSION },
      formId: text,
      title: text,
      source: object(
        { kind: { enum: ["json_schema", "mcp_tool", "openapi_operation", "webhook", "ascii_conversion"] } },
        { ref: text, server: text, digest: text, protected: flag, request },
      ),
      root: field,
      fields: list(field),
      definitions: { type: "object", additionalProperties: field },
      initialValue: anything,
      examples: list(object({ kind: { enum: ["json", "json-rpc", "curl", "suitectl"] }, title: text, text })),
      validation: object({
        dialect: { enum: DIALECTS },
        required: list(text),
        counts: object({ fields: count, limits: count, conditions: count, variants: count }),
        schema: anything,
      }),
      fallback: object({
        whole: flag,
        parts: list(object({ path: text, code: text, reason: text })),
      }),
      notes: list(
        object(
          { code: text, severity: { enum: ["info", "warning"] }, schemaPath: text, message: text },
          { clients: list(text) },
        ),
      ),
    },
    { description: text, exampleValue: anything },
  ),
  $defs: {
    field: fieldSchema,
    condition: object({ on: { enum: ["holder", "self"] }, when: predicate, text }),
    predicate: {
      oneOf: [
        kind("present", { name: text }),
        kind("matches", { schema: anything }),
        kind("all", { of: list(predicate) }),
        kind("any", { of: list(predicate) }),
        kind("not", { of: predicate }),
      ],
    },
  },
};
