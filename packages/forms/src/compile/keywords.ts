/** Keywords whose value is data rather than schemas. */
export const PLAIN_DATA: ReadonlySet<string> = new Set([
  "const",
  "enum",
  "default",
  "examples",
  "example",
  "x-examples",
  "x-ui",
  "x-ui-schema",
]);

/** Keywords whose value maps names to schemas. */
export const NAME_MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
  "schemas",
]);

/** Keywords whose value is a schema, or a list of schemas. */
export const SCHEMAS: ReadonlySet<string> = new Set([
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "items",
  "prefixItems",
  "additionalItems",
  "unevaluatedItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "contentSchema",
]);

/** The keyword that lists the schemas of an array's first items; null when each item has the same one. */
export function tupleKeyword(get: (keyword: string) => unknown): "prefixItems" | "items" | null {
  if (Array.isArray(get("prefixItems"))) return "prefixItems";
  return Array.isArray(get("items")) ? "items" : null;
}
