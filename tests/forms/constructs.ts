import type { Field, FormValue, Widget } from "../../packages/forms/src/index.ts";

/*
 * One small schema for every construct that a form has to draw. Long on purpose: it is a table. The form tests hold
 * each entry against the compiler and the validators, the browser tests draw each one.
 */

type ExpectedField = Pick<Field, "widget"> & Partial<Field>;

/** A schema that shows one construct, with what must become of it. */
export interface Construct {
  readonly name: string;
  readonly schema: unknown;
  /** By path: the widget of the field, and what else the form must say of it. */
  readonly fields: Readonly<Record<string, Widget | ExpectedField>>;
  /** Data that fits the schema. */
  readonly valid: FormValue;
  /** Data that the construct refuses; absent where it refuses nothing. */
  readonly invalid?: FormValue;
}

const DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema";
const DRAFT_7 = "http://json-schema.org/draft-07/schema#";

/** A construct whose schema has one property, `item`. */
function oneField(
  name: string,
  schema: unknown,
  field: Widget | ExpectedField,
  valid: FormValue,
  invalid?: FormValue,
): Construct {
  return {
    name,
    schema: { type: "object", properties: { item: schema } },
    fields: { "/item": field },
    valid: { item: valid },
    ...(invalid !== undefined && { invalid: { item: invalid } }),
  };
}

const TEXTS: readonly Construct[] = [
  oneField(
    "text with length and pattern",
    { type: "string", minLength: 2, maxLength: 8, pattern: "^[A-Z]{2}-[0-9]+$" },
    { widget: "text", constraints: { minLength: 2, maxLength: 8, pattern: "^[A-Z]{2}-[0-9]+$" } },
    "QX-17",
    "qx-17",
  ),
  oneField(
    "description",
    { type: "string", description: "Printed on the label." },
    { widget: "text", help: "Printed on the label." },
    "fragile",
    4,
  ),
  oneField(
    "default",
    { type: "string", default: "standard" },
    { widget: "text", default: "standard" },
    "express",
    4,
  ),
  oneField(
    "examples",
    { type: "string", examples: ["Berlin", "Lyon"] },
    { widget: "text", examples: ["Berlin", "Lyon"] },
    "Porto",
    false,
  ),
  oneField(
    "deprecated",
    { type: "string", deprecated: true },
    { widget: "text", deprecated: true },
    "old",
    4,
  ),
  oneField(
    "readOnly",
    { type: "string", readOnly: true },
    { widget: "text", readOnly: true },
    "2026-0017",
    4,
  ),
  oneField(
    "writeOnly",
    { type: "string", writeOnly: true },
    { widget: "password", writeOnly: true },
    "opensesame",
    4,
  ),
  oneField("format date", { type: "string", format: "date" }, "date", "2026-02-28", "2026-02-30"),
  oneField("format time", { type: "string", format: "time" }, "time", "07:30:00Z", "half past"),
  oneField(
    "format date-time",
    { type: "string", format: "date-time" },
    "datetime",
    "2026-02-28T07:30:00+01:00",
    "today",
  ),
  oneField("format duration", { type: "string", format: "duration" }, "duration", "PT45M", "45 minutes"),
  oneField("format email", { type: "string", format: "email" }, "email", "dock@example.org", "dock"),
  oneField("format uri", { type: "string", format: "uri" }, "url", "https://example.org/a?b=c", "no address"),
  oneField(
    "format uuid",
    { type: "string", format: "uuid" },
    "uuid",
    "0b8f5f2e-6a1f-4c59-9a0e-3f4f0d3a7c11",
    "17",
  ),
  oneField("format password", { type: "string", format: "password" }, "password", "opensesame", 4),
  oneField("format color", { type: "string", format: "color" }, "color", "#1f6feb"),
  oneField("format binary (OpenAPI file)", { type: "string", format: "binary" }, "file", "bytes"),
  oneField("format data-url", { type: "string", format: "data-url" }, "file", "data:text/plain;base64,aGk="),
  oneField(
    "contentMediaType and contentEncoding",
    { type: "string", contentMediaType: "image/png", contentEncoding: "base64" },
    "file",
    "iVBORw0KGgo=",
    4,
  ),
];

const CHOICES: readonly Construct[] = [
  oneField("const", { const: "parcel" }, "constant", "parcel", "letter"),
  oneField("enum", { enum: ["road", "rail", "sea"] }, "select", "rail", "air"),
  oneField("enum of numbers", { type: "integer", enum: [10, 20] }, "select", 20, 30),
  oneField(
    "oneOf of titled constants",
    {
      type: "string",
      oneOf: [
        { const: "eu", title: "European Union" },
        { const: "ch", title: "Switzerland" },
      ],
    },
    "select",
    "ch",
    "us",
  ),
  oneField(
    "array of different enum values",
    { type: "array", uniqueItems: true, items: { enum: ["mon", "wed", "fri"] } },
    "multiselect",
    ["wed", "mon"],
    ["mon", "mon"],
  ),
  oneField(
    "enum or other text",
    { anyOf: [{ enum: ["glass", "steel"] }, { type: "string" }] },
    "combobox",
    "cork",
    4,
  ),
  oneField("boolean", { type: "boolean" }, "checkbox", true, "yes"),
  oneField(
    "number with limits and step",
    { type: "number", minimum: 0.5, maximum: 30, multipleOf: 0.5 },
    { widget: "number", constraints: { minimum: 0.5, maximum: 30, multipleOf: 0.5 } },
    2.5,
    2.7,
  ),
  oneField(
    "integer with exclusive limits",
    { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 10 },
    "integer",
    1,
    0,
  ),
  oneField("not", { type: "string", not: { const: "unknown" } }, "text", "known", "unknown"),
];

const KINDS: readonly Construct[] = [
  oneField("type with null", { type: ["string", "null"] }, { widget: "text", nullable: true }, null, 4),
  oneField(
    "anyOf with null",
    { anyOf: [{ type: "integer" }, { type: "null" }] },
    { widget: "integer", nullable: true },
    null,
    "4",
  ),
  oneField(
    "nullable (OpenAPI 3.0)",
    { type: "string", nullable: true },
    { widget: "text", nullable: true },
    null,
    4,
  ),
  oneField("several types", { type: ["string", "number"] }, "variants", "12 kg", true),
  oneField("anyOf of scalars", { anyOf: [{ type: "boolean" }, { type: "number" }] }, "variants", 3, "3"),
  oneField(
    "oneOf of objects",
    {
      oneOf: [
        {
          title: "Pick-up",
          type: "object",
          required: ["shelf"],
          properties: { shelf: { type: "string" } },
          additionalProperties: false,
        },
        {
          title: "Delivery",
          type: "object",
          required: ["street"],
          properties: { street: { type: "string" } },
          additionalProperties: false,
        },
      ],
    },
    "variants",
    { street: "Kai 4" },
    { shelf: "B2", street: "Kai 4" },
  ),
  oneField(
    "discriminator",
    {
      discriminator: { propertyName: "vehicle" },
      oneOf: [
        {
          title: "Van",
          type: "object",
          required: ["vehicle", "doors"],
          properties: { vehicle: { const: "van" }, doors: { type: "integer" } },
        },
        {
          title: "Bicycle",
          type: "object",
          required: ["vehicle"],
          properties: { vehicle: { const: "bicycle" }, basket: { type: "boolean" } },
        },
      ],
    },
    "variants",
    { vehicle: "bicycle", basket: true },
    { vehicle: "van" },
  ),
];

const OBJECTS: readonly Construct[] = [
  {
    name: "$ref to $defs",
    schema: {
      $defs: { place: { type: "object", required: ["town"], properties: { town: { type: "string" } } } },
      type: "object",
      properties: { from: { $ref: "#/$defs/place" } },
    },
    fields: { "/from": "group", "/from/town": "text" },
    valid: { from: { town: "Lyon" } },
    invalid: { from: {} },
  },
  {
    name: "$ref with keywords beside it",
    schema: {
      $schema: DRAFT_2020,
      $defs: { text: { type: "string" } },
      type: "object",
      properties: { note: { $ref: "#/$defs/text", title: "Note for the driver", maxLength: 20 } },
    },
    fields: { "/note": { widget: "text", label: "Note for the driver" } },
    valid: { note: "ring twice" },
    invalid: { note: "ring twice and then wait" },
  },
  {
    name: "$anchor",
    schema: {
      $schema: DRAFT_2020,
      $defs: { box: { $anchor: "box", type: "object", properties: { weight: { type: "number" } } } },
      type: "object",
      properties: { first: { $ref: "#box" } },
    },
    fields: { "/first": "group", "/first/weight": "number" },
    valid: { first: { weight: 2.5 } },
    invalid: { first: { weight: "heavy" } },
  },
  {
    name: "$id and a relative $ref",
    schema: {
      $schema: DRAFT_2020,
      $id: "https://example.org/schemas/order",
      $defs: { line: { $id: "line", type: "object", properties: { sku: { type: "string" } } } },
      type: "object",
      properties: { line: { $ref: "line" } },
    },
    fields: { "/line/sku": "text" },
    valid: { line: { sku: "A-1" } },
    invalid: { line: { sku: 1 } },
  },
  {
    name: "recursion",
    schema: {
      $defs: {
        crate: {
          type: "object",
          required: ["label"],
          properties: {
            label: { type: "string" },
            holds: { type: "array", items: { $ref: "#/$defs/crate" } },
          },
        },
      },
      $ref: "#/$defs/crate",
    },
    fields: { "/label": "text", "/holds": "list" },
    valid: { label: "outer", holds: [{ label: "middle", holds: [{ label: "inner" }] }] },
    invalid: { label: "outer", holds: [{ holds: [] }] },
  },
  {
    name: "$dynamicRef",
    schema: {
      $schema: DRAFT_2020,
      $id: "https://example.org/schemas/route",
      $dynamicAnchor: "stop",
      type: "object",
      required: ["place"],
      properties: { place: { type: "string" }, next: { type: "array", items: { $dynamicRef: "#stop" } } },
    },
    fields: { "/place": "text", "/next": "list" },
    valid: { place: "Riga", next: [{ place: "Turku" }] },
    invalid: { place: "Riga", next: [{}] },
  },
  {
    name: "allOf",
    schema: {
      allOf: [
        { type: "object", required: ["sender"], properties: { sender: { type: "string" } } },
        { type: "object", properties: { insured: { type: "boolean" } } },
      ],
    },
    fields: { "/sender": "text", "/insured": "checkbox" },
    valid: { sender: "Mill", insured: false },
    invalid: { insured: false },
  },
  {
    name: "if, then and else",
    schema: {
      type: "object",
      required: ["country"],
      properties: { country: { enum: ["DE", "GB"] } },
      if: { required: ["country"], properties: { country: { const: "GB" } } },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ["postcode"], properties: { postcode: { type: "string" } } },
      else: { properties: { plz: { type: "string", pattern: "^[0-9]{5}$" } } },
    },
    fields: { "/country": "select", "/postcode": "text", "/plz": "text" },
    valid: { country: "GB", postcode: "EC1A 1BB" },
    invalid: { country: "GB" },
  },
  {
    name: "dependencies (draft-07)",
    schema: {
      $schema: DRAFT_7,
      type: "object",
      properties: { invoice: { type: "boolean" } },
      dependencies: { invoice: { required: ["taxId"], properties: { taxId: { type: "string" } } } },
    },
    fields: { "/invoice": "checkbox", "/taxId": "text" },
    valid: { invoice: true, taxId: "DE123" },
    invalid: { invoice: true },
  },
  {
    name: "dependentSchemas",
    schema: {
      $schema: DRAFT_2020,
      type: "object",
      properties: { cold: { type: "boolean" } },
      dependentSchemas: { cold: { properties: { celsius: { type: "number", maximum: 8 } } } },
    },
    fields: { "/cold": "checkbox", "/celsius": "number" },
    valid: { cold: true, celsius: 4 },
    invalid: { cold: true, celsius: 40 },
  },
  {
    name: "dependentRequired",
    schema: {
      $schema: DRAFT_2020,
      type: "object",
      properties: { phone: { type: "string" }, callFrom: { type: "string", format: "time" } },
      dependentRequired: { phone: ["callFrom"] },
    },
    fields: { "/phone": "text", "/callFrom": "time" },
    valid: { phone: "112", callFrom: "09:00:00Z" },
    invalid: { phone: "112" },
  },
  {
    name: "patternProperties",
    schema: {
      type: "object",
      patternProperties: { "^label-": { type: "string" } },
      additionalProperties: false,
    },
    fields: { "": "map" },
    valid: { "label-colour": "blue" },
    invalid: { colour: "blue" },
  },
  {
    name: "additionalProperties as a map",
    schema: { type: "object", additionalProperties: { type: "integer", minimum: 0 } },
    fields: { "": "map" },
    valid: { apples: 3, "pears/ripe": 0 },
    invalid: { apples: -1 },
  },
  {
    name: "propertyNames",
    schema: {
      type: "object",
      propertyNames: { pattern: "^[a-z]+$" },
      additionalProperties: { type: "string" },
    },
    fields: { "": "map" },
    valid: { north: "open" },
    invalid: { North: "open" },
  },
  {
    name: "unevaluatedProperties",
    schema: {
      $schema: DRAFT_2020,
      type: "object",
      allOf: [{ properties: { length: { type: "number" } } }],
      properties: { width: { type: "number" } },
      unevaluatedProperties: false,
    },
    fields: { "/length": "number", "/width": "number" },
    valid: { length: 3, width: 4 },
    invalid: { length: 3, depth: 5 },
  },
  oneField("free object", { type: "object" }, "json", { anything: ["goes", 1] }, "text"),
  oneField("free array", { type: "array" }, "json", [1, "two", null], "text"),
  oneField("anything", {}, "json", { deep: [true] }),
  oneField("boolean schema", true, "json", [0]),
];

const LISTS: readonly Construct[] = [
  oneField(
    "list with limits",
    { type: "array", minItems: 1, maxItems: 3, items: { type: "string", minLength: 1 } },
    "list",
    ["first", "second"],
    [],
  ),
  oneField(
    "list of objects",
    {
      type: "array",
      items: {
        type: "object",
        required: ["sku"],
        properties: { sku: { type: "string" }, count: { type: "integer", default: 1 } },
      },
    },
    "list",
    [{ sku: "A-1", count: 2 }, { sku: "B-2" }],
    [{ count: 2 }],
  ),
  oneField(
    "tuple (prefixItems)",
    { type: "array", prefixItems: [{ type: "number" }, { enum: ["kg", "lb"] }], items: false },
    "tuple",
    [12.5, "kg"],
    ["kg", 12.5],
  ),
  {
    name: "tuple (items of draft-07)",
    schema: {
      $schema: DRAFT_7,
      type: "object",
      properties: {
        at: {
          type: "array",
          items: [
            { type: "number", title: "Latitude" },
            { type: "number", title: "Longitude" },
          ],
        },
      },
    },
    fields: { "/at": "tuple", "/at/0": "number", "/at/1": "number" },
    valid: { at: [56.95, 24.1] },
    invalid: { at: ["north", "east"] },
  },
];

/** Every construct. */
export const CONSTRUCTS: readonly Construct[] = [...TEXTS, ...CHOICES, ...KINDS, ...OBJECTS, ...LISTS];
