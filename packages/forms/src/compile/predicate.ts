import type { Condition, Predicate } from "./document.ts";
import { isJson, isRecord, sameJson, setOwn, type Json } from "../values/json.ts";
import type { Place, Resolver } from "./resolve.ts";
import type { Conditional } from "./shape.ts";
import { describeTest } from "./words.ts";

/** A condition under construction: the question and its words. */
export interface Gate {
  readonly when: Predicate;
  readonly text: string;
}

const COPIED = 400;
const LONGEST_TEXT = 500;

/** The gates of a conditional's two sides; null when the question refers to itself or is too large to carry along. */
export function gatesOf(conditional: Conditional, resolver: Resolver): { yes: Gate; no: Gate } | null {
  const { present, test } = conditional;
  if (present !== null) {
    const when: Predicate = { kind: "present", name: present };
    return {
      yes: { when, text: `\`${present}\` is given` },
      no: { when: { kind: "not", of: when }, text: `\`${present}\` is not given` },
    };
  }
  if (!test) return null;
  const budget = { left: COPIED };
  const schema = selfContained(test, resolver, budget, []);
  if (schema === undefined) return null;
  const when: Predicate = { kind: "matches", schema };
  const text = describeTest(schema);
  return { yes: { when, text }, no: { when: { kind: "not", of: when }, text: `not: ${text}` } };
}

/** Both gates at once. */
export function both(a: Gate | null, b: Gate): Gate {
  if (!a) return b;
  const parts = a.when.kind === "all" ? a.when.of : [a.when];
  const open = parts.filter((part) => !follows(b.when, part));
  if (open.length === 0) return b;
  const text = `${a.text}, and ${b.text}`;
  return { when: { kind: "all", of: [...open, b.when] }, text: shortened(text) };
}

/** A condition that holds when any of the gates does. */
export function anyGate(gates: readonly Gate[], on: Condition["on"] = "holder"): Condition | undefined {
  const [first] = gates;
  if (!first) return undefined;
  if (gates.length === 1) return { on, when: first.when, text: first.text };
  return {
    on,
    when: { kind: "any", of: gates.map((gate) => gate.when) },
    text: shortened(gates.map((gate) => gate.text).join("; or ")),
  };
}

function shortened(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text;
}

/**
 * True when one question being answered with yes means that another is: in an else-if chain over the values of one
 * member, "it is c" says that it is neither a nor b.
 */
function follows(given: Predicate, asked: Predicate): boolean {
  if (asked.kind !== "not" || asked.of.kind !== "matches" || given.kind !== "matches") return false;
  const is = fixedMember(given.schema);
  const other = fixedMember(asked.of.schema);
  return (
    is !== null &&
    other !== null &&
    is.name === other.name &&
    is.isRequired &&
    !is.values.some((value) => other.values.some((one) => sameJson(one, value)))
  );
}

/** The one member whose value a test fixes, when it asks for nothing else. */
function fixedMember(
  schema: Json,
): { readonly name: string; readonly values: readonly unknown[]; readonly isRequired: boolean } | null {
  if (!isRecord(schema)) return null;
  const { properties, required, type, ...rest } = schema;
  if (!isRecord(properties) || Object.keys(rest).length > 0 || (type !== undefined && type !== "object"))
    return null;
  const [member, ...more] = Object.entries(properties);
  if (!member || more.length > 0 || !isRecord(member[1])) return null;
  const names = Array.isArray(required) ? required : [];
  if (names.some((name) => name !== member[0])) return null;
  const { const: fixed, enum: listed, type: _type, ...others } = member[1];
  if (Object.keys(others).length > 0) return null;
  const values = fixed === undefined ? (Array.isArray(listed) ? listed : []) : [fixed];
  return values.length === 0 ? null : { name: member[0], values, isRequired: names.length > 0 };
}

/** A copy of a schema with its references written out; undefined when it contains itself or grows too large. */
function selfContained(
  place: Place,
  resolver: Resolver,
  budget: { left: number },
  open: readonly unknown[],
): Json | undefined {
  const { schema } = place;
  budget.left -= 1;
  if (budget.left < 0) return undefined;
  if (!isRecord(schema)) return isJson(schema) ? schema : undefined;
  if (open.includes(schema)) return undefined;
  const followed = resolver.reference(place);
  const inside = [...open, schema];
  const copy: Record<string, Json> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (
      key === "$ref" ||
      key === "$dynamicRef" ||
      key === "$recursiveRef" ||
      key === "$defs" ||
      key === "definitions" ||
      key === "description" ||
      key === "title"
    )
      continue;
    const child = copyChild(resolver.child(place, key), key, value, resolver, budget, inside);
    if (child === undefined) return undefined;
    setOwn(copy, key, child);
  }
  if (!followed) return copy;
  const { found } = followed;
  if (!("place" in found)) return undefined;
  const target = selfContained(found.place, resolver, budget, inside);
  if (target === undefined) return undefined;
  return Object.keys(copy).length === 0
    ? target
    : { ...copy, allOf: [...(Array.isArray(copy["allOf"]) ? copy["allOf"] : []), target] };
}

const SUBSCHEMAS = new Set([
  "not",
  "if",
  "then",
  "else",
  "items",
  "additionalItems",
  "contains",
  "additionalProperties",
  "propertyNames",
  "unevaluatedProperties",
  "unevaluatedItems",
]);
const SUBSCHEMA_LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems", "items"]);
const SUBSCHEMA_MAPS = new Set(["properties", "patternProperties", "dependentSchemas"]);

function copyChild(
  place: Place,
  key: string,
  value: unknown,
  resolver: Resolver,
  budget: { left: number },
  open: readonly unknown[],
): Json | undefined {
  if (SUBSCHEMA_LISTS.has(key) && Array.isArray(value)) {
    const list: Json[] = [];
    for (let index = 0; index < value.length; index++) {
      const item = selfContained(resolver.child(place, index), resolver, budget, open);
      if (item === undefined) return undefined;
      list.push(item);
    }
    return list;
  }
  if (SUBSCHEMAS.has(key)) return selfContained(place, resolver, budget, open);
  if (SUBSCHEMA_MAPS.has(key) && isRecord(value)) {
    const map: Record<string, Json> = {};
    for (const name of Object.keys(value)) {
      const item = selfContained(resolver.child(place, name), resolver, budget, open);
      if (item === undefined) return undefined;
      setOwn(map, name, item);
    }
    return map;
  }
  return isJson(value) ? value : undefined;
}
