/** Keywords whose value is data rather than schemas. */
export const PLAIN_DATA: ReadonlySet<string> = new Set([
  "const",
  "enum",
  "default",
  "examples",
  "example",
  "x-examples",
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
