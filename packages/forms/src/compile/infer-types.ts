import { typeOfValue } from "./compile-scalar.ts";
import { isRecord, type Json } from "../values/json.ts";
import type { Conditional, Shape, TypeName } from "./shape.ts";

/** The types that a shape's keywords are about, when it does not state any. */
export function inferTypes(shape: Shape): Set<TypeName> | null {
  const found = new Set<TypeName>();
  const { limits } = shape;
  if (
    shape.properties.size > 0 ||
    shape.patternProperties.size > 0 ||
    shape.required.size > 0 ||
    shape.additional.length > 0 ||
    shape.closed ||
    shape.propertyNames.length > 0 ||
    shape.dependentRequired.size > 0 ||
    shape.conditionals.some(concernsObjects) ||
    limits.has("minProperties") ||
    limits.has("maxProperties")
  ) {
    found.add("object");
  }
  if (shape.items.length > 0 || shape.prefix.length > 0 || shape.contains.length > 0 || shape.itemsClosed)
    found.add("array");
  if (limits.has("minItems") || limits.has("maxItems") || limits.has("uniqueItems")) found.add("array");
  if (
    shape.patterns.length > 0 ||
    limits.has("minLength") ||
    limits.has("maxLength") ||
    limits.has("contentEncoding")
  ) {
    found.add("string");
  }
  if (
    ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"].some((key) =>
      limits.has(key),
    )
  ) {
    found.add("number");
  }
  const format = limits.get("format");
  if (typeof format === "string" && found.size === 0) {
    if (/^u?int(?:8|16|32|64)?$/.test(format)) found.add("integer");
    else found.add(/^(?:float|double|decimal)$/.test(format) ? "number" : "string");
  }
  return found.size === 0 ? null : found;
}

function concernsObjects({ present, test, yes, no }: Conditional): boolean {
  const places = [test, yes, no];
  return (
    present !== null ||
    places.some(
      (place) =>
        isRecord(place?.schema) &&
        (Object.hasOwn(place.schema, "properties") || Object.hasOwn(place.schema, "required")),
    )
  );
}

/** True when a value is of one of the types. */
export function fitsTypes(value: Json, types: ReadonlySet<TypeName>): boolean {
  const type = typeOfValue(value);
  return types.has(type) || (type === "integer" && types.has("number"));
}
