import { refHasSiblings } from "./dialect.ts";
import type { Dialect } from "./document.ts";
import { isRecord, own, sameJson } from "../values/json.ts";
import { tupleKeyword } from "./keywords.ts";
import { Subtypes } from "./subtypes.ts";
import { skipping, skips, type Place, type Resolver } from "./resolve.ts";
import { addLimits, addTypes, addValues, LIMIT_KEYWORDS } from "./shape-values.ts";
import { stepsOf, TITLE_KEYS } from "./sizes.ts";

/* Long on purpose: one class that merges all keywords of a schema, with the shape that it makes. */

/** The JSON types a value can have; a whole number is a number too. */
export type TypeName = "string" | "number" | "integer" | "boolean" | "null" | "object" | "array";

/** Alternatives: exactly one (`oneOf`) or at least one (`anyOf`) of the branches applies. */
export interface Union {
  readonly kind: "oneOf" | "anyOf";
  readonly owner: Place;
  readonly branches: readonly Place[];
  readonly discriminator: Record<string, unknown> | null;
}

/** An if/then/else, or a dependent schema (`present` instead of `test`). */
export interface Conditional {
  readonly owner: Place;
  readonly keyword: string;
  readonly test: Place | null;
  readonly present: string | null;
  readonly yes: Place | null;
  readonly no: Place | null;
}

/** Everything that applies to one value: a schema with its references followed and its `allOf` merged. */
export interface Shape {
  /** The schemas that were merged, references and `allOf` taken apart. */
  readonly parts: Place[];
  never: boolean;
  types: Set<TypeName> | null;
  nullable: boolean;
  values: unknown[] | null;
  isConst: boolean;
  /** Title, description, default, … of the outermost schema that has one. */
  readonly notes: Map<string, unknown>;
  /** Limits, the tightest of each. */
  readonly limits: Map<string, unknown>;
  readonly patterns: string[];
  readonly required: Set<string>;
  readonly properties: Map<string, Place[]>;
  readonly patternProperties: Map<string, Place[]>;
  readonly additional: Place[];
  closed: boolean;
  /** No members and no items beyond those that some part of the schema speaks of. */
  closedToOthers: boolean;
  itemsClosedToOthers: boolean;
  /** `properties` is there, even if empty: the author has named the members. */
  listsMembers: boolean;
  readonly propertyNames: Place[];
  readonly prefix: Place[][];
  readonly items: Place[];
  itemsClosed: boolean;
  readonly contains: Place[];
  readonly unions: Union[];
  readonly conditionals: Conditional[];
  readonly dependentRequired: Map<string, Set<string>>;
  readonly nots: Place[];
  failure: { code: "remote_reference" | "unresolved_reference"; reference: string } | null;
  /** The name of the first definition that a reference led to. */
  name: string | null;
  /** The title is that of a definition: it names a kind of value, not the place where one is used. */
  titledByDefinition: boolean;
}

const ANNOTATIONS = [
  ...TITLE_KEYS,
  "markdownDescription",
  "x-enumNames",
  "enumNames",
  "x-enum-varnames",
  "enumDescriptions",
  "x-enum-descriptions",
  "markdownEnumDescriptions",
  "x-secret",
];
const IGNORED_BESIDE_REF = new Set([
  ...ANNOTATIONS,
  "$ref",
  "$comment",
  "$schema",
  "$id",
  "id",
  "$defs",
  "definitions",
  "$anchor",
  "$dynamicAnchor",
  "$recursiveAnchor",
  "$vocabulary",
  "externalDocs",
]);
const REMARKS = 1;
const TYPES = 2;
const VALUES = 4;
const LIMITS = 8;
const MEMBERS = 16;
const ITEMS = 32;
const ALTERNATIVES = 64;
const CONDITIONS = 128;

/** Which part of the work a keyword asks for; most schemas have a few keywords of one or two groups. */
const GROUP_OF: ReadonlyMap<string, number> = new Map([
  ...ANNOTATIONS.map((keyword): [string, number] => [keyword, REMARKS]),
  ...LIMIT_KEYWORDS.map((keyword): [string, number] => [keyword, LIMITS]),
  ...[
    "properties",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "required",
  ].map((keyword): [string, number] => [keyword, MEMBERS]),
  ...["items", "prefixItems", "additionalItems", "unevaluatedItems", "contains"].map(
    (keyword): [string, number] => [keyword, ITEMS],
  ),
  ...["not", "oneOf", "anyOf", "discriminator"].map((keyword): [string, number] => [keyword, ALTERNATIVES]),
  ...["if", "dependentSchemas", "dependentRequired", "dependencies"].map((keyword): [string, number] => [
    keyword,
    CONDITIONS,
  ]),
  ...["type", "nullable"].map((keyword): [string, number] => [keyword, TYPES]),
  ...["enum", "const"].map((keyword): [string, number] => [keyword, VALUES]),
]);

function groupsIn(schema: Record<string, unknown>): number {
  let groups = 0;
  for (const key of Object.keys(schema)) groups |= GROUP_OF.get(key) ?? 0;
  return groups;
}

/** Merges schemas into shapes, within a number of steps. */
export class Flattener {
  readonly resolver: Resolver;
  readonly dialect: Dialect;
  readonly #subtypes: Subtypes;
  readonly #leaves = new Map<string, { readonly shape: Shape; readonly cost: number }>();
  steps: number;

  constructor(resolver: Resolver, dialect: Dialect, steps: number) {
    this.resolver = resolver;
    this.dialect = dialect;
    this.#subtypes = new Subtypes(resolver);
    this.steps = steps;
  }

  /** The shape of places with this key. Many fields are the same text or number: these share theirs. */
  shapeOf(places: readonly Place[], key: string): Shape {
    const known = this.#leaves.get(key);
    if (known) {
      this.steps -= known.cost;
      return known.shape;
    }
    const before = this.steps;
    const shape = this.flatten(places);
    if (isLeaf(shape)) this.#leaves.set(key, { shape, cost: before - this.steps });
    return shape;
  }

  /** One shape for a value to which all these schemas apply. */
  flatten(places: readonly Place[]): Shape {
    const shape = emptyShape();
    const seen = new Set<string>();
    for (const place of places) this.#add(place, shape, seen, 0, false);
    // A part that says what other members are like has spoken of all of them.
    if (shape.closedToOthers && shape.additional.length === 0) shape.closed = true;
    if (shape.itemsClosedToOthers && shape.items.length === 0) shape.itemsClosed = true;
    return shape;
  }

  #add(place: Place, shape: Shape, seen: Set<string>, depth: number, isReferred: boolean): void {
    const { schema } = place;
    if (this.steps >= 0) this.steps -= stepsOf(schema);
    if (schema === false) shape.never = true;
    if (!isRecord(schema) || this.steps < 0 || depth > 64) return;
    const key = this.resolver.keyOf(place);
    if (seen.has(key)) return;
    seen.add(key);
    const get = (keyword: string): unknown => (skips(place, keyword) ? undefined : own(schema, keyword));
    const groups = groupsIn(schema);
    if ((groups & REMARKS) !== 0) addRemarks(shape, schema, isReferred);
    const followed = this.resolver.reference(place);
    const siblings = !followed || refHasSiblings(this.dialect) || typeof get("$ref") !== "string";
    if (siblings) this.#keywords(place, shape, get, groups, seen);
    if (followed) {
      const { found, reference } = followed;
      shape.name ??= nameOf(reference);
      if ("place" in found) {
        this.#add(found.place, shape, seen, depth + 1, true);
      } else shape.failure ??= { code: found.failure, reference };
    }
    const all = siblings ? get("allOf") : undefined;
    if (Array.isArray(all)) {
      for (let index = 0; index < all.length; index++) {
        this.#add(this.resolver.child(place, "allOf", index), shape, seen, depth + 1, isReferred);
      }
    }
    if (siblings) shape.parts.push(place);
  }

  #keywords(
    place: Place,
    shape: Shape,
    get: (keyword: string) => unknown,
    groups: number,
    seen: ReadonlySet<string>,
  ): void {
    if ((groups & TYPES) !== 0) addTypes(shape, get);
    if ((groups & VALUES) !== 0) addValues(shape, get);
    if ((groups & LIMITS) !== 0) addLimits(shape, get);
    if ((groups & MEMBERS) !== 0) this.#members(place, shape, get);
    if ((groups & ITEMS) !== 0) this.#arrays(place, shape, get);
    if ((groups & ALTERNATIVES) !== 0) this.#alternatives(place, shape, get, seen);
    if ((groups & CONDITIONS) !== 0) this.#conditionals(place, shape, get);
  }

  #members(place: Place, shape: Shape, get: (keyword: string) => unknown): void {
    const { resolver } = this;
    const required = get("required");
    if (Array.isArray(required))
      for (const name of required) if (typeof name === "string") shape.required.add(name);
    if (isRecord(get("properties"))) shape.listsMembers = true;
    eachKey(get("properties"), (name, value) => {
      append(shape.properties, name, resolver.child(place, "properties", name));
      // Draft-03, and many hand-written draft-04 schemas, mark a property as required inside itself.
      if (isRecord(value) && own(value, "required") === true) shape.required.add(name);
    });
    eachKey(get("patternProperties"), (pattern) =>
      append(shape.patternProperties, pattern, resolver.child(place, "patternProperties", pattern)),
    );
    for (const keyword of ["additionalProperties", "unevaluatedProperties"]) {
      const extra = get(keyword);
      if (extra === false && keyword === "unevaluatedProperties") shape.closedToOthers = true;
      else if (extra === false) shape.closed = true;
      else if (extra !== undefined) shape.additional.push(resolver.child(place, keyword));
    }
    if (get("propertyNames") !== undefined) shape.propertyNames.push(resolver.child(place, "propertyNames"));
  }

  #alternatives(
    place: Place,
    shape: Shape,
    get: (keyword: string) => unknown,
    seen: ReadonlySet<string>,
  ): void {
    const { resolver } = this;
    const subtypes =
      get("oneOf") === undefined && get("anyOf") === undefined ? this.#subtypes.of(place, get, seen) : null;
    if (subtypes) shape.unions.push(subtypes);
    if (get("not") !== undefined) {
      const not = resolver.child(place, "not");
      // "Not anything": how some generators write a value that must be left out.
      if (saysNothing(not)) shape.never = true;
      else shape.nots.push(not);
    }
    for (const kind of ["oneOf", "anyOf"] as const) {
      const branches = get(kind);
      if (!Array.isArray(branches) || branches.length === 0) continue;
      const discriminator = get("discriminator");
      shape.unions.push({
        kind,
        owner: place,
        branches: branches.map((_, index) => resolver.child(place, kind, index)),
        discriminator: isRecord(discriminator) ? discriminator : null,
      });
    }
  }

  #arrays(place: Place, shape: Shape, get: (keyword: string) => unknown): void {
    const { resolver } = this;
    const prefixKeyword = tupleKeyword(get);
    const restKeyword = prefixKeyword === "items" ? "additionalItems" : "items";
    if (prefixKeyword !== null) {
      const prefix = get(prefixKeyword);
      const length = Array.isArray(prefix) ? prefix.length : 0;
      for (let index = 0; index < length; index++) {
        (shape.prefix[index] ??= []).push(resolver.child(place, prefixKeyword, index));
      }
    }
    for (const keyword of [restKeyword, "unevaluatedItems"]) {
      const rest = get(keyword);
      if (rest === false && keyword === "unevaluatedItems") shape.itemsClosedToOthers = true;
      else if (rest === false) shape.itemsClosed = true;
      else if (rest !== undefined && !Array.isArray(rest)) shape.items.push(resolver.child(place, keyword));
    }
    if (get("contains") !== undefined) shape.contains.push(resolver.child(place, "contains"));
  }

  #conditionals(place: Place, shape: Shape, get: (keyword: string) => unknown): void {
    const { resolver } = this;
    if (get("if") !== undefined && (get("then") !== undefined || get("else") !== undefined)) {
      shape.conditionals.push({
        owner: place,
        keyword: "if",
        test: resolver.child(place, "if"),
        present: null,
        yes: get("then") === undefined ? null : resolver.child(place, "then"),
        no: get("else") === undefined ? null : resolver.child(place, "else"),
      });
    }
    for (const keyword of ["dependentSchemas", "dependencies"]) {
      eachKey(get(keyword), (name, value) => {
        if (Array.isArray(value)) addDependent(shape, name, value);
        else {
          const yes = resolver.child(place, keyword, name);
          shape.conditionals.push({ owner: place, keyword, test: null, present: name, yes, no: null });
        }
      });
    }
    eachKey(get("dependentRequired"), (name, value) => {
      if (Array.isArray(value)) addDependent(shape, name, value);
    });
  }
}

/** True for a text, a number, a flag: nothing of it is looked at by another part of the form, or changed. */
function isLeaf(shape: Shape): boolean {
  const { types } = shape;
  return (
    types !== null &&
    !types.has("object") &&
    !types.has("array") &&
    shape.unions.length + shape.conditionals.length + shape.nots.length === 0 &&
    shape.failure === null
  );
}

/** A shape that allows everything. */
function emptyShape(): Shape {
  return {
    parts: [],
    never: false,
    types: null,
    nullable: false,
    values: null,
    isConst: false,
    notes: new Map(),
    limits: new Map(),
    patterns: [],
    required: new Set(),
    properties: new Map(),
    patternProperties: new Map(),
    additional: [],
    closed: false,
    closedToOthers: false,
    itemsClosedToOthers: false,
    listsMembers: false,
    propertyNames: [],
    prefix: [],
    items: [],
    itemsClosed: false,
    contains: [],
    unions: [],
    conditionals: [],
    dependentRequired: new Map(),
    nots: [],
    failure: null,
    name: null,
    titledByDefinition: false,
  };
}

/** True when a schema says nothing beside its reference but remarks and what its target says as well. */
export function isPlainReference(schema: Record<string, unknown>, target: unknown): boolean {
  return Object.keys(schema).every(
    (key) =>
      IGNORED_BESIDE_REF.has(key) ||
      key.startsWith("x-") ||
      (REPEATABLE.has(key) && isRecord(target) && sameJson(own(schema, key), own(target, key))),
  );
}

/** Keywords that say nothing new when they say the same again. */
const REPEATABLE = new Set(["type", "nullable", "format", "enum", "const", "required"]);

/** The parts of a shape without references and `allOf`, which were taken apart, and without keywords of their owner. */
export function partsWithout(shape: Shape, owner: Place, ...keywords: readonly string[]): Place[] {
  return shape.parts.map((part) =>
    skipping(part, ...TAKEN_APART, ...(part.schema === owner.schema ? keywords : [])),
  );
}

const TAKEN_APART = ["$ref", "$dynamicRef", "$recursiveRef", "allOf"];

/** True when a schema says nothing about values beyond remarks. */
export function saysNothing(place: Place): boolean {
  const { schema } = place;
  if (schema === true) return true;
  return (
    isRecord(schema) &&
    Object.keys(schema).every(
      (key) =>
        skips(place, key) ||
        (IGNORED_BESIDE_REF.has(key) && key !== "$ref") ||
        key.startsWith("x-") ||
        key === "discriminator",
    )
  );
}

/** The definition's own name in `#/$defs/Name`, `#Name` or `name.json`. */
function nameOf(reference: string): string | null {
  const bare = reference.endsWith("#") ? reference.slice(0, -1) : reference;
  const last = bare.slice(Math.max(bare.lastIndexOf("/"), bare.lastIndexOf("#")) + 1);
  const name = last.endsWith(".json") && last !== ".json" ? last.slice(0, -".json".length) : last;
  return name === "" ? null : name.replaceAll("~1", "/").replaceAll("~0", "~");
}

function addRemarks(shape: Shape, schema: Record<string, unknown>, isReferred: boolean): void {
  for (const key of Object.keys(schema)) {
    if (GROUP_OF.get(key) !== REMARKS || schema[key] === undefined || shape.notes.has(key)) continue;
    if (key === "title" && isReferred) shape.titledByDefinition = true;
    shape.notes.set(key, schema[key]);
  }
}

function addDependent(shape: Shape, name: string, others: readonly unknown[]): void {
  const set = shape.dependentRequired.get(name) ?? new Set<string>();
  for (const other of others) if (typeof other === "string") set.add(other);
  shape.dependentRequired.set(name, set);
}

function eachKey(value: unknown, visit: (key: string, value: unknown) => void): void {
  if (isRecord(value)) for (const key of Object.keys(value)) visit(key, value[key]);
}

/** Adds to the list under a key. */
export function append<T>(map: Map<string, T[]>, key: string, place: T): void {
  const list = map.get(key);
  if (list) list.push(place);
  else map.set(key, [place]);
}
