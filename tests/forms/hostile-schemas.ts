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

function items(count: number, make: (index: number) => unknown): unknown[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** A condition; an object literal with `then` would look like a promise. */
function condition(test: unknown, yes: unknown, no: unknown = true): Record<string, unknown> {
  return Object.fromEntries([
    ["if", test],
    [["th", "en"].join(""), yes],
    ["else", no],
  ]);
}

/** Alternatives inside alternatives, three at each level. */
function crossed(levels: number): unknown {
  let schema: unknown = { type: "string" };
  for (let level = 0; level < levels; level++)
    schema = {
      oneOf: [
        { properties: { [`a${level}`]: schema }, required: [`a${level}`] },
        { properties: { [`b${level}`]: { type: "integer" } } },
        { type: "null" },
      ],
    };
  return schema;
}

/** Definitions by name that refer to each other, and a reference to the first. */
function definitions(count: number, make: (index: number) => unknown): Record<string, unknown> {
  return {
    $ref: "#/$defs/p0",
    $defs: members(count, make),
  };
}

function to(index: number): Record<string, unknown> {
  return { $ref: `#/$defs/p${index}` };
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
  [
    "a diamond of allOf",
    definitions(30, (n) => (n === 29 ? { properties: { a: {} } } : { allOf: [to(n + 1), to(n + 1)] })),
  ],
  [
    "wide and deep references",
    definitions(40, (n) => ({ type: "object", properties: members(20, (m) => to((n + m + 1) % 40)) })),
  ],
  [
    "references that all meet",
    {
      properties: members(390, (n) => ({
        allOf: [
          { $ref: `#/properties/p${(n * 7 + 1) % 390}` },
          { $ref: `#/properties/p${(n * 11 + 3) % 390}` },
        ],
      })),
    },
  ],
  [
    "names in other scripts",
    {
      properties: Object.fromEntries(
        Array.from({ length: 900 }, (_, n) => [
          `\u202E${String.fromCodePoint(0x1f300 + n)}\uFDFA${"e\u0301".repeat(9)}`,
          { title: "\u00DF\u0130\uFB01".repeat(5), type: "string" },
        ]),
      ),
    },
  ],
  [
    "dynamic references in a circle",
    {
      $id: "https://a.example/root",
      $dynamicAnchor: "node",
      properties: members(60, (n) => ({
        $id: `r${n}`,
        $dynamicAnchor: "node",
        properties: { next: { $dynamicRef: "#node" }, other: { $ref: `r${(n + 1) % 60}` } },
      })),
    },
  ],
  [
    "conditions in a row",
    {
      type: "object",
      allOf: items(220, (n) =>
        condition({ required: [`k${n}`] }, { properties: { [`k${n + 1}`]: { const: n } } }),
      ),
    },
  ],
  [
    "conditions on one another",
    {
      type: "object",
      allOf: items(150, (n) =>
        condition(
          { properties: { [`k${n}`]: { const: 1 } } },
          { properties: { [`k${n + 1}`]: { default: 1 } }, required: [`k${n + 1}`] },
          { required: ["k0"] },
        ),
      ),
    },
  ],
  [
    "patterns of names that backtrack",
    {
      type: "object",
      patternProperties: Object.fromEntries(
        Array.from({ length: 200 }, (_, n) => [`^(a+)+${n}$|(x*)*y`, { type: "string" }]),
      ),
      required: items(200, (n) => `${"a".repeat(60)}${n}`),
    },
  ],
  [
    "numbers at the edge",
    {
      type: "object",
      properties: members(300, (n) => ({
        type: "number",
        multipleOf: Number.MIN_VALUE,
        minimum: -Number.MAX_VALUE,
        maximum: Number.MAX_VALUE,
        default: 1e308 / (n + 1),
      })),
    },
  ],
  ["a default of many lists", { type: "object", default: { a: items(900, () => [[]]) } }],
  [
    "members of the prototype",
    JSON.parse(
      '{"required":["__proto__"],"properties":{"__proto__":{"properties":{"__proto__":{"$ref":"#"}},"default":{"__proto__":{"a":1}}},"hasOwnProperty":{"not":{"required":["__proto__"]}}}}',
    ),
  ],
  [
    "products of alternatives",
    {
      type: "object",
      unevaluatedProperties: false,
      allOf: items(14, (n) => ({
        oneOf: items(6, (m) => ({
          properties: { [`p${n}`]: { const: m }, [`q${n} ${m}`]: { type: "string" } },
          required: [`p${n}`],
        })),
      })),
    },
  ],
  ["alternatives in alternatives", crossed(7)],
  [
    "defaults that are wrong",
    {
      type: "object",
      properties: members(240, () => ({
        type: "object",
        required: ["a"],
        default: { b: [] },
        additionalProperties: false,
        properties: { a: { const: 1, default: 2 } },
      })),
    },
  ],
  [
    "definitions that require each other",
    definitions(40, (n) => ({
      type: "object",
      required: ["x", "y", "z"],
      properties: { x: to(((n * 2) % 39) + 1), y: to(((n * 3) % 39) + 1), z: { const: n } },
    })),
  ],
  [
    "objects to choose from",
    { oneOf: items(350, (n) => ({ properties: { kind: { const: `k${n}` } }, required: ["kind"] })) },
  ],
  ["a name of 60,000 characters", { type: "object", properties: { ["aB_".repeat(20_000)]: {} } }],
];
