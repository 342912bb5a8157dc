import { Checker } from "./check.ts";
import type { Dialect } from "../compile/document.ts";
import { isJson, isRecord, own, setOwn, type Json } from "../values/json.ts";
import { tupleKeyword } from "../compile/keywords.ts";
import { matchesPattern } from "./regex.ts";
import type { Place } from "../compile/resolve.ts";

/*
 * A call that checks a value carries the value's schema. What a large description says about other members, in other
 * words and for other cases would make it unreadable, so the call carries the part that concerns this one value.
 */

const KEPT = ["type", "const", "required", "nullable"];
const MOST_ENUM = 20;
const MOST_ITEMS = 20;
const MOST_PARTS = 3_000;

/**
 * The part of a schema that says which members a valid value must have, without references, remarks, and whatever the
 * value does not touch. Undefined when that part is itself too large.
 */
export function schemaForValue(schema: unknown, value: unknown, dialect: Dialect): Json | undefined {
  const builder = new ValueSchemaBuilder(schema, dialect);
  const part = builder.part(builder.checker.resolver.root(), value, []);
  return builder.left < 0 ? undefined : part;
}

class ValueSchemaBuilder {
  readonly checker: Checker;
  left = MOST_PARTS;

  constructor(schema: unknown, dialect: Dialect) {
    this.checker = new Checker(schema, { dialect });
  }

  /** `open` are the schemas that are being copied for the same value: one that leads back to itself adds nothing. */
  part(place: Place, value: unknown, open: readonly unknown[]): Json {
    const { schema } = place;
    this.left -= 1;
    if (typeof schema === "boolean") return schema;
    if (!isRecord(schema) || this.left < 0 || open.includes(schema)) return {};
    const { resolver } = this.checker;
    const inside = [...open, schema];
    const copy: Record<string, Json> = {};
    for (const key of KEPT) {
      const item = own(schema, key);
      if (isJson(item)) copy[key] = item;
    }
    const listed = own(schema, "enum");
    if (Array.isArray(listed) && listed.length <= MOST_ENUM && isJson(listed)) copy["enum"] = listed;
    const parts = this.#sides(place, schema, value).map((next) => this.part(next, value, inside));
    const followed = resolver.reference(place);
    if (followed && "place" in followed.found) parts.unshift(this.part(followed.found.place, value, inside));
    const telling = parts.filter((part) => !isRecord(part) || Object.keys(part).length > 0);
    if (isRecord(value)) this.#members(place, schema, value, copy);
    if (Array.isArray(value)) this.#items(place, schema, value, copy);
    const [only] = telling;
    if (Object.keys(copy).length === 0 && telling.length === 1 && only !== undefined) return only;
    if (telling.length > 0) copy["allOf"] = telling;
    return copy;
  }

  /** The schemas beside this one that apply to the value: all of `allOf`, the alternatives that fit, the side chosen. */
  #sides(place: Place, schema: Record<string, unknown>, value: unknown): Place[] {
    const { resolver } = this.checker;
    const sides: Place[] = [];
    for (const kind of ["allOf", "oneOf", "anyOf"]) {
      const branches = own(schema, kind);
      if (!Array.isArray(branches)) continue;
      const places = branches.map((_, index) => resolver.child(place, kind, index));
      const fitting =
        kind === "allOf" ? places : places.filter((next) => this.checker.check(value, next) === "valid");
      sides.push(...(kind === "allOf" ? fitting : fitting.slice(0, 1)));
    }
    if (own(schema, "if") !== undefined) {
      const verdict = this.checker.check(value, resolver.child(place, "if"));
      const side = verdict === "valid" ? "then" : verdict === "invalid" ? "else" : null;
      if (side !== null && own(schema, side) !== undefined) sides.push(resolver.child(place, side));
    }
    for (const keyword of ["dependentSchemas", "dependencies"]) {
      const dependent = own(schema, keyword);
      if (!isRecord(dependent) || !isRecord(value)) continue;
      for (const [name, needs] of Object.entries(dependent)) {
        if (own(value, name) !== undefined && !Array.isArray(needs))
          sides.push(resolver.child(place, keyword, name));
      }
    }
    return sides;
  }

  #members(
    place: Place,
    schema: Record<string, unknown>,
    value: Record<string, unknown>,
    copy: Record<string, Json>,
  ): void {
    const { resolver } = this.checker;
    const properties = own(schema, "properties");
    const patterns = own(schema, "patternProperties");
    const additional = own(schema, "additionalProperties");
    const named = isRecord(patterns) || isRecord(additional) ? value : isRecord(properties) ? properties : {};
    const kept: Record<string, Json> = {};
    for (const name of Object.keys(named)) {
      if (!Object.hasOwn(value, name)) continue;
      const item = own(value, name);
      const pattern = isRecord(patterns)
        ? Object.keys(patterns).find((key) => matchesPattern(key, name) === true)
        : undefined;
      if (isRecord(properties) && Object.hasOwn(properties, name))
        setOwn(kept, name, this.part(resolver.child(place, "properties", name), item, []));
      else if (pattern !== undefined)
        setOwn(kept, name, this.part(resolver.child(place, "patternProperties", pattern), item, []));
      else if (isRecord(additional))
        setOwn(kept, name, this.part(resolver.child(place, "additionalProperties"), item, []));
    }
    if (Object.keys(kept).length > 0) copy["properties"] = kept;
  }

  #items(
    place: Place,
    schema: Record<string, unknown>,
    value: readonly unknown[],
    copy: Record<string, Json>,
  ): void {
    const { resolver } = this.checker;
    const items = own(schema, "items");
    const prefix = tupleKeyword((keyword) => own(schema, keyword));
    if (prefix !== null) {
      const length = Math.min(value.length, Object.keys(own(schema, prefix) ?? []).length);
      const list = value
        .slice(0, length)
        .map((item, index) => this.part(resolver.child(place, prefix, index), item, []));
      if (list.length > 0) copy[prefix] = list;
    } else if (isRecord(items) && value.length > 0) {
      const parts = new Map<string, Json>();
      for (const item of value.slice(0, MOST_ITEMS)) {
        const part = this.part(resolver.child(place, "items"), item, []);
        parts.set(JSON.stringify(part), part);
      }
      const [only] = parts.values();
      copy["items"] = parts.size === 1 && only !== undefined ? only : { anyOf: [...parts.values()] };
    }
  }
}
