/*
 * Schemas that are meant to hurt (T1), for the tests and for the benchmark of forms.
 */

/** References that double at every level: 1.4 KB that unfold into millions of schemas. */
export function doubling(levels: number): Record<string, unknown> {
  const definitions = Object.fromEntries(
    Array.from({ length: levels }, (_, index) => [
      `d${index}`,
      { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
    ]),
  );
  return { $ref: "#/$defs/d0", $defs: { ...definitions, [`d${levels}`]: { type: "string" } } };
}

function branching(levels: number): Record<string, unknown> {
  const definitions = Object.fromEntries(
    Array.from({ length: levels }, (_, index) => [
      `d${index}`,
      {
        type: "object",
        properties: Object.fromEntries(
          ["a", "b", "c"].map((name) => [name, { $ref: `#/$defs/d${index + 1}` }]),
        ),
        anyOf: [
          { $ref: `#/$defs/d${index + 1}` },
          { required: ["a"] },
          { properties: { z: { $ref: "#/$defs/d0" } } },
        ],
      },
    ]),
  );
  return { $ref: "#/$defs/d0", $defs: { ...definitions, [`d${levels}`]: { type: "string" } } };
}

function nested(levels: number): unknown {
  let schema: unknown = { type: "string" };
  for (let level = 0; level < levels; level++) schema = { type: "object", properties: { a: schema } };
  return schema;
}

/** That many different texts. */
function values(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `value ${index}`);
}

function members(count: number, make: (index: number) => unknown): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, make(index)]));
}

/** Refused before anything is compiled: name, schema, and the bound that it breaks. */
export const refused: readonly (readonly [string, unknown, string])[] = [
  ["33 levels", nested(17), "too_deep"],
  ["too many characters", { description: "x".repeat(66_000) }, "too_large"],
  ["too many nodes", { allOf: Array.from({ length: 2_001 }, () => ({})) }, "too_many_nodes"],
  ["a reference to a file", { properties: { a: { $ref: "file:///etc/passwd" } } }, "remote_reference"],
  ["a reference to the network", { $ref: "https://example.com/schema.json" }, "remote_reference"],
  ["a reference without a scheme", { $ref: "//example.com/schema.json" }, "remote_reference"],
];

/** Answered with a form, however they are meant. */
export const answered: readonly (readonly [string, unknown])[] = [
  ["a reference to itself", { $ref: "#" }],
  ["alternatives that are itself", { anyOf: [{ $ref: "#" }, { $ref: "#" }] }],
  ["all of itself", { allOf: [{ $ref: "#" }, { type: "object" }] }],
  ["a condition on itself", JSON.parse('{"if":{"$ref":"#"},"then":{"$ref":"#"},"else":{"$ref":"#"}}')],
  ["doubling references", doubling(24)],
  ["branching references", branching(12)],
  [
    "a backtracking pattern",
    {
      type: "object",
      required: ["a"],
      properties: { a: { type: "string", pattern: "(a+)+$", examples: [`${"a".repeat(60)}!`] } },
    },
  ],
  ["a pattern that is none", { type: "string", pattern: "[" }],
  [
    "crossed alternatives",
    {
      allOf: Array.from({ length: 12 }, (_, i) => ({
        oneOf: [{ properties: { [`a${i}`]: {} } }, { properties: { [`b${i}`]: {} } }],
      })),
    },
  ],
  [
    "crossed conditions",
    {
      allOf: Array.from({ length: 60 }, (_, i) =>
        Object.fromEntries([
          ["if", { properties: { [`p${i}`]: { const: 1 } } }],
          [["th", "en"].join(""), { properties: { q: { oneOf: [{ type: "string" }, { $ref: "#" }] } } }],
        ]),
      ),
    },
  ],
  [
    "names of the language",
    JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"},"toString":{"default":1}},"required":["__proto__","constructor"]}',
    ),
  ],
  [
    "hints on everything",
    {
      type: "object",
      properties: members(300, (n) => ({
        type: "string",
        "x-ui": { title: `Field ${n}`, visible: { field: `/p${(n + 1) % 300}`, in: values(5) } },
      })),
    },
  ],
  [
    "a layout that leads round",
    {
      $ref: "#/$defs/node",
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
      "x-ui-schema": {
        type: "VerticalLayout",
        elements: Array.from({ length: 200 }, (_, n) => ({
          type: "Control",
          scope: `#${"/properties/next".repeat((n % 24) + 1)}`,
        })),
      },
    },
  ],
  ["3,000 values", { type: "object", properties: { a: { enum: values(3_000) } } }],
  ["a long pattern", { type: "object", properties: { a: { type: "string", pattern: "a?".repeat(200) } } }],
  ["a long property pattern", { patternProperties: { ["a?".repeat(200)]: {} } }],
  ["900 members that are the root", { properties: members(900, () => ({ $ref: "#", type: "object" })) }],
  ["900 that are almost the root", { properties: members(900, (n) => ({ $ref: "#", minProperties: n })) }],
  [
    "tuples of tuples",
    { type: "array", prefixItems: Object.values(members(500, (n) => ({ $ref: "#", minItems: n }))) },
  ],
  [
    "conditions on everything",
    {
      type: "object",
      properties: members(100, () => ({ type: "string" })),
      allOf: Object.values(
        members(300, (n) =>
          Object.fromEntries([
            ["if", { properties: { p1: { const: n } } }],
            [["th", "en"].join(""), { $ref: "#", required: [`p${n}`] }],
          ]),
        ),
      ),
    },
  ],
  [
    "texts that would fill the memory",
    {
      type: "object",
      properties: {
        a: { type: "string", minLength: 2 ** 40 },
        apiKey: { type: "string", minLength: 2 ** 29 },
        b: { type: "string", pattern: "^((((a{200}){200}){200}){200}){200}$" },
        g: { type: "string", pattern: "^a+$", minLength: 2 ** 40 },
        c: {
          type: "object",
          minProperties: 1e9,
          propertyNames: { minLength: 2 ** 29 },
          additionalProperties: true,
        },
        d: { type: "array", minItems: 1e9, items: { type: "string" } },
        e: { type: "number", multipleOf: 1e-300, minimum: 1e300 },
        f: { type: "integer", multipleOf: Number.MIN_VALUE, maximum: -1e308 },
      },
      required: ["a", "apiKey", "b", "c", "d", "e", "f"],
    },
  ],
  [
    "wrong types everywhere",
    {
      properties: [],
      required: {},
      enum: "x",
      allOf: {},
      items: 3,
      $ref: 1,
      pattern: [],
      minimum: "x",
    },
  ],
];
