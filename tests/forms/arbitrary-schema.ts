import fc from "fast-check";

/** Names that trip up code which treats objects as maps without care. */
const names = fc.oneof(
  fc.constantFrom("a", "b", "c", "kind", "__proto__", "constructor", "toString", "a/b~c", ""),
  fc.string({ maxLength: 6 }),
);

const patterns = fc.constantFrom("^a", "^[a-z]+$", "(a+)+$", "[", "^\\d{2,4}$", "^(?:x|y)*$");
const references = fc.constantFrom(
  "#",
  "#/$defs/a",
  "#/$defs/b",
  "#/properties/a",
  "#/nowhere",
  "#anchor",
  "other.json",
  "#/$defs/a/items",
);
const types = fc.constantFrom(
  "string",
  "number",
  "integer",
  "boolean",
  "null",
  "object",
  "array",
  "file",
  "any",
);

/** A number or text where a keyword wants one, or something else where it does not. */
function loosely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) });
}

const dialects = fc.constantFrom(
  "https://json-schema.org/draft/2020-12/schema",
  "https://json-schema.org/draft/2019-09/schema",
  "http://json-schema.org/draft-07/schema#",
  "http://json-schema.org/draft-04/schema#",
);

/** Schemas without a statement of their dialect. */
const anySchema: fc.Arbitrary<Record<string, unknown>> = fc.letrec<{
  schema: unknown;
  object: Record<string, unknown>;
}>((tie) => {
  const schema = tie("schema");
  const map = fc.dictionary(names, schema, { maxKeys: 3 });
  const list = fc.array(schema, { minLength: 1, maxLength: 3 });
  const keyword = (name: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<[string, unknown]> =>
    fc.tuple(fc.constant(name), value);
  const scalars = fc.oneof(
    keyword("type", loosely(fc.oneof(types, fc.array(types, { maxLength: 3 })))),
    keyword("title", loosely(fc.string({ maxLength: 8 }))),
    keyword("default", fc.jsonValue({ maxDepth: 2 })),
    keyword("examples", loosely(fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 2 }))),
    keyword("enum", loosely(fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 4 }))),
    keyword("const", fc.jsonValue({ maxDepth: 1 })),
    keyword("nullable", loosely(fc.boolean())),
    keyword("required", loosely(fc.array(names, { maxLength: 3 }))),
    keyword("minProperties", loosely(fc.nat(3))),
    keyword(
      "dependentRequired",
      loosely(fc.dictionary(names, fc.array(names, { maxLength: 2 }), { maxKeys: 2 })),
    ),
    keyword("uniqueItems", loosely(fc.boolean())),
    keyword("minItems", loosely(fc.nat(3))),
    keyword("maxItems", loosely(fc.nat(3))),
    keyword("discriminator", loosely(fc.record({ propertyName: names }))),
    keyword(
      "format",
      loosely(fc.constantFrom("date", "email", "uri", "int64", "binary", "password", "nonsense")),
    ),
    keyword("pattern", loosely(patterns)),
    keyword("minLength", loosely(fc.nat(5))),
    keyword("maxLength", loosely(fc.nat(5))),
    keyword("minimum", loosely(fc.integer())),
    keyword("maximum", loosely(fc.integer())),
    keyword("exclusiveMinimum", loosely(fc.oneof(fc.integer(), fc.boolean()))),
    keyword("multipleOf", loosely(fc.constantFrom(0, 0.1, 1, 3, -1))),
    keyword("readOnly", loosely(fc.boolean())),
    keyword("writeOnly", loosely(fc.boolean())),
    keyword("deprecated", loosely(fc.boolean())),
    keyword("$anchor", fc.constant("anchor")),
    keyword("$ref", references),
    keyword("$dynamicAnchor", fc.constant("node")),
    keyword("$dynamicRef", fc.constantFrom("#node", "#anchor", "part.json#node")),
    keyword("$recursiveAnchor", loosely(fc.boolean())),
    keyword("$recursiveRef", fc.constant("#")),
    keyword("$id", loosely(fc.constantFrom("part.json", "https://schemas.example/whole", "#anchor"))),
    keyword("minContains", loosely(fc.nat(2))),
    keyword("maxContains", loosely(fc.nat(2))),
    keyword("contentEncoding", loosely(fc.constantFrom("base64", "none"))),
    keyword("contentMediaType", loosely(fc.constantFrom("image/png", "text/plain"))),
  );
  const nested = fc.oneof(
    keyword("$defs", map),
    keyword("properties", loosely(map)),
    keyword("patternProperties", loosely(fc.dictionary(patterns, schema, { maxKeys: 2 }))),
    keyword("dependentSchemas", loosely(map)),
    keyword("dependencies", loosely(map)),
    keyword("items", fc.oneof(schema, list)),
    keyword("prefixItems", loosely(list)),
    keyword("allOf", loosely(list)),
    keyword("anyOf", loosely(list)),
    keyword("oneOf", loosely(list)),
    ...[
      "additionalProperties",
      "unevaluatedProperties",
      "propertyNames",
      "additionalItems",
      "unevaluatedItems",
      "contains",
      "not",
      "if",
      "then",
      "else",
    ].map((name) => keyword(name, schema)),
    fc.tuple(schema, schema, schema).map((parts): [string, unknown] => ["allOf", [conditional(parts)]]),
  );
  return {
    schema: fc.oneof(
      { maxDepth: 5, depthSize: "small", depthIdentifier: "schema" },
      fc.record({ type: types }),
      fc.boolean(),
      fc.record({ $ref: references, title: fc.string({ maxLength: 5 }) }, { requiredKeys: ["$ref"] }),
      tie("object"),
      tie("object"),
      tie("object"),
    ),
    object: fc
      .tuple(fc.array(scalars, { maxLength: 4 }), fc.array(nested, { maxLength: 3 }))
      .map(([plain, inner]) => Object.fromEntries([...plain, ...inner])),
  };
}).object;

/** JSON Schemas of every dialect, and of all mixed together, right and wrong ones, with cycles through references. */
export const arbitrarySchema: fc.Arbitrary<unknown> = fc
  .tuple(anySchema, fc.option(dialects))
  .map(([schema, $schema]) => ($schema === null ? schema : { $schema, ...schema }));

function conditional([test, yes, no]: readonly unknown[]): Record<string, unknown> {
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return { if: test, then: yes, else: no };
}
