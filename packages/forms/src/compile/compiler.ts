import type { Bounds } from "./bounds.ts";
import {
  constraintsOf,
  dress,
  isSecret,
  labelFor,
  optionLabel,
  optionsOf,
  scalarWidget,
  typeOfValue,
  type Draft,
} from "./compile-scalar.ts";
import { buildObject, listOverrides } from "./compile-object.ts";
import { resolveUnions } from "./compile-union.ts";
import { bare } from "./union-branches.ts";
import type { Condition, Field, Note, Option, RawReason } from "./document.ts";
import type { HintReader } from "./hint-reader.ts";
import { fitsTypes, inferTypes } from "./infer-types.ts";
import { isJson, isRecord, own, type Json } from "../values/json.ts";
import type { Place } from "./resolve.ts";
import { isPlainReference, type Flattener, type Shape, type TypeName } from "./shape.ts";
import { FIELD_SIZE, Sizes, TITLE_KEYS } from "./sizes.ts";
import { describeTest, labelOf, singular, typeWord } from "./words.ts";

/* Long on purpose: one class, whose methods share the bounds and the definitions of one form. */

/** Where a field is being put. */
export interface Spot {
  readonly name: string;
  readonly path: string;
  readonly required: boolean;
  /** What to call it when neither a title nor a name does. */
  readonly label: string;
  readonly depth: number;
  /** How many unions were opened on the way here; crossing several multiplies. */
  readonly unions: number;
}

/**
 * A part with more than `small` fields is written once, into `definitions`, when it is used again; so is a smaller one
 * once its copies hold more than `copies` fields together, and a definition that is first met below `depth` levels. A
 * form that is large anyway copies less.
 */
const SHARING = {
  short: { small: 12, copies: 48, depth: 8 },
  long: { small: 2, copies: 4, depth: 2 },
} as const;
const LONG_FORM = 200;
const LONG_TEXT = 150;
const NO_REMARKS: ReadonlyMap<string, unknown> = new Map();

/** Turns places in a schema into fields. One compiler makes one form document. */
export class Compiler {
  readonly flattener: Flattener;
  readonly bounds: Bounds;
  readonly hints: HintReader | undefined;
  /** Copies as little as a long form does, from the start. */
  readonly isTight: boolean;
  readonly definitions = new Map<string, Field>();
  readonly notes: Note[] = [];
  /** Something was left out because there was no room for it. */
  isCut = false;
  fields = 0;
  /** Members of objects that are being compiled and have no field yet; each will be one at least. */
  expected = 0;
  /** Characters that texts may still take; a definition that is used a thousand times is counted as often. */
  characters: number;
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #pending: { name: string; places: readonly Place[]; label: string }[] = [];
  readonly #stack = new Set<string>();
  readonly #sizes = new Sizes();
  /** How many fields the part with a key became, and how many its copies have together. */
  readonly #uses = new Map<string, { size: number; copied: number }>();

  constructor(flattener: Flattener, bounds: Bounds, hints?: HintReader, isTight = false) {
    this.flattener = flattener;
    this.bounds = bounds;
    this.hints = hints;
    this.isTight = isTight;
    this.characters = bounds.characters;
  }

  /** Compiles the root and every definition it needs. */
  compile(root: Place, label: string): Field {
    const field = this.field([root], { name: "", path: "", required: true, label, depth: 0, unions: 0 });
    for (let next = this.#pending.shift(); next; next = this.#pending.shift()) {
      const spot = { name: "", path: "", required: false, label: next.label, depth: 0, unions: 0 };
      this.definitions.set(next.name, this.#open(next.places, spot, this.#keyOf(next.places)));
    }
    return field;
  }

  /** The field for a value to which all of these schemas apply. */
  field(given: readonly Place[], spot: Spot): Field {
    let overlay = NO_REMARKS;
    let name: string | null = null;
    let places = given;
    for (let hops = 0; hops < 32 && places.length === 1; hops++) {
      const place = places[0];
      if (!place || place.skip || !isRecord(place.schema)) break;
      const reference = own(place.schema, "$ref");
      const found = typeof reference === "string" ? this.flattener.resolver.follow(reference, place) : null;
      if (!found || !("place" in found) || !isPlainReference(place.schema, found.place.schema)) break;
      this.characters -= this.#sizes.text(place.schema);
      const remarks = new Map(overlay);
      for (const key of TITLE_KEYS) {
        const value = own(place.schema, key);
        if (value !== undefined && !remarks.has(key)) remarks.set(key, value);
      }
      overlay = remarks;
      name = found.place.pointer.split("/").at(-1) ?? null;
      places = [found.place];
    }
    const key = this.#keyOf(places);
    const again = this.#stack.has(key) || this.#names.has(key);
    const { size, copied } = this.#uses.get(key) ?? { size: 0, copied: 0 };
    const isLong = this.isTight || this.fields > LONG_FORM;
    const { small, copies, depth } = isLong ? SHARING.long : SHARING.short;
    const large =
      size > small ||
      (size > 1 && copied > copies) ||
      (isLong && size > 0 && this.#sizes.text(places[0]?.schema) > LONG_TEXT);
    const deep = spot.depth > depth && name !== null && mayBeLarge(places);
    const isReference = again || large || deep;
    // A reference in a long form carries no text of its definition.
    if (!isReference || !isLong) for (const { schema } of places) this.characters -= this.#sizes.text(schema);
    if (isReference) return this.#reference(places, key, spot, overlay, name);
    const field = this.#open(places, spot, key);
    // A definition's title names a kind of value; what this one is for, the property's name says.
    const isNamed = name !== null && spot.name !== "" && !/^\d+$/.test(spot.name);
    return this.#dress(isNamed ? { ...field, label: spot.label } : field, overlay);
  }

  #keyOf(places: readonly Place[]): string {
    const { resolver } = this.flattener;
    const [first] = places;
    if (first !== undefined && places.length === 1) return resolver.keyOf(first);
    return [...new Set(places.map((place) => resolver.keyOf(place)))].sort().join("+");
  }

  #open(places: readonly Place[], spot: Spot, key: string): Field {
    const before = this.fields;
    this.#stack.add(key);
    const field = this.shape(this.flattener.shapeOf(places, key), spot);
    this.#stack.delete(key);
    const made = this.fields - before;
    const { size, copied } = this.#uses.get(key) ?? { size: 0, copied: 0 };
    this.#uses.set(key, { size: Math.max(size, made), copied: copied + made });
    return field;
  }

  #reference(
    places: readonly Place[],
    key: string,
    spot: Spot,
    overlay: ReadonlyMap<string, unknown>,
    hint: string | null,
  ): Field {
    let name = this.#names.get(key);
    if (name === undefined) {
      name = this.#newName(hint ?? places[0]?.pointer.split("/").at(-1) ?? "part");
      this.#names.set(key, name);
      this.#pending.push({ name, places, label: hint === null ? spot.label : labelOf(hint) });
    }
    this.fields += 1;
    this.characters -= FIELD_SIZE + spot.path.length + 2 * spot.name.length;
    const first = places[0]?.schema;
    const isNamed = spot.name !== "" && hint !== null;
    const title =
      (this.characters < 0 ? undefined : overlay.get("title")) ??
      (isRecord(first) && !isNamed ? own(first, "title") : undefined);
    // Drawn, a reference has the help of its definition; a long form does not carry it twice.
    const isShort = this.characters >= 0 && !this.isTight && this.fields <= LONG_FORM;
    const help = isRecord(first) && isShort ? own(first, "description") : undefined;
    const draft: Draft = {
      name: spot.name,
      path: spot.path,
      label: typeof title === "string" && title !== "" ? title : spot.label,
      type: "ref",
      widget: "reference",
      required: spot.required,
      nullable: false,
      ref: name,
      ...(typeof help === "string" && { help }),
    };
    return this.#dress(draft, overlay);
  }

  /** Remarks beside a reference win over those of its target, as long as there is room for them. */
  #dress(field: Field, overlay: ReadonlyMap<string, unknown>): Field {
    if (overlay.size === 0 || this.characters < 0) return field;
    const ui = this.hints?.read(overlay.get("x-ui"));
    return { ...dress(field, overlay), ...(ui && { ui }) };
  }

  #newName(hint: string): string {
    const base = hint === "" ? "root" : hint;
    let name = base;
    for (let count = 2; this.#taken.has(name); count++) name = `${base} ${count}`;
    this.#taken.add(name);
    return name;
  }

  /** True while each of `members` members of a part can have a field, and those that wait for theirs as well. */
  hasRoom(members: number, spot: Spot): boolean {
    return (
      this.fields + this.expected + members <= this.bounds.fields &&
      members * (FIELD_SIZE + spot.path.length) <= this.characters
    );
  }

  /** Compiles the members of a part in turn, and keeps room for those that are still to come. */
  each<T, R>(members: readonly T[], make: (member: T, index: number) => R): R[] {
    this.expected += members.length;
    return members.map((member, index) => {
      this.expected -= 1;
      return make(member, index);
    });
  }

  /** A condition, as long as there is room to write it down once more; its text and question are copied to each field. */
  affords(condition: Condition | undefined): Condition | undefined {
    if (condition === undefined) return undefined;
    this.characters -= this.#sizes.predicate(condition.when) + condition.text.length;
    if (this.characters >= 0) return condition;
    this.isCut = true;
    return undefined;
  }

  /** The field of a merged shape. */
  shape(shape: Shape, spot: Spot): Field {
    this.fields += 1;
    this.characters -= FIELD_SIZE + spot.path.length + 2 * spot.name.length;
    const isRoot = this.fields === 1;
    const isFull = !isRoot && !this.hasRoom(widthOf(shape), spot);
    if (this.fields > this.bounds.fields || this.flattener.steps < 0 || this.characters < 0 || isFull) {
      this.isCut = true;
      return this.raw(shape, spot, TOO_LARGE);
    }
    if (spot.depth > 60) {
      return this.raw(shape, spot, {
        code: "too_deep",
        reason: "This part is nested too deeply for a form.",
      });
    }
    if (shape.failure && nothingElse(shape)) return this.raw(shape, spot, failureReason(shape.failure));
    if (shape.never) return { ...this.draft(shape, spot), type: "never", widget: "never", required: false };
    if (shape.values !== null) return this.#choice(shape, shape.values, spot);
    return resolveUnions(this, shape, spot) ?? this.typed(shape, spot);
  }

  /** The field of a shape without alternatives, by its type. */
  typed(
    shape: Shape,
    spot: Spot,
    extra: { rules?: readonly string[]; options?: readonly Option[]; mentioned?: readonly string[] } = {},
  ): Field {
    const stated = shape.types ?? inferTypes(shape);
    // Where the type is only understood from other keywords, null satisfies the schema as well.
    const understood = shape.types === null && spot.path !== "";
    const nullable = shape.nullable || understood || (stated?.has("null") === true && stated.size > 1);
    let types = stated ? [...stated] : [];
    if (types.length > 1) types = types.filter((type) => type !== "null");
    if (types.length === 2 && types.includes("integer") && types.includes("number")) types = ["number"];
    const only = types[0];
    if (only === undefined) {
      const raw = this.raw(shape, spot, {
        code: "anything_allowed",
        reason: "The schema allows any JSON value here.",
      });
      return extra.rules ? { ...raw, rules: [...(raw.rules ?? []), ...extra.rules] } : raw;
    }
    if (types.length > 1) return { ...this.#typeVariants(shape, types, spot), nullable };
    const draft = this.draft(shape, spot);
    draft.nullable = nullable && only !== "null";
    if (extra.rules) draft.rules = [...(draft.rules ?? []), ...extra.rules];
    const built = this.#ofType(only, shape, draft, spot, extra.mentioned ?? []);
    return extra.options ? { ...built, widget: "combobox", options: extra.options } : built;
  }

  #ofType(type: TypeName, shape: Shape, draft: Draft, spot: Spot, mentioned: readonly string[]): Field {
    const secret = isSecret(shape, type, spot.name);
    draft.type = type;
    draft.widget = scalarWidget(shape, type, spot.name, secret);
    const constraints = constraintsOf(shape, type);
    if (constraints) draft.constraints = constraints;
    if (secret) draft.secret = true;
    if (type === "array") {
      const overrides = listOverrides(this, shape, spot);
      const list = this.#array(shape, draft, spot);
      return overrides.length > 0 ? { ...list, overrides } : list;
    }
    if (type === "object") return buildObject(this, shape, draft, spot, mentioned);
    return draft;
  }

  #array(shape: Shape, draft: Draft, spot: Spot): Field {
    const inner = (name: string, label: string): Spot => ({
      name,
      path: `${spot.path}/${name === "" ? "*" : name}`,
      required: false,
      label,
      depth: spot.depth + 1,
      unions: spot.unions,
    });
    if (shape.contains.length > 0) {
      const wanted = shape.contains.map((place) => describeTest(place.schema)).join("; ");
      draft.rules = [...(draft.rules ?? []), `At least one item must fit: ${wanted}.`];
      const certain = shape.contains.map(({ schema }) =>
        isRecord(schema) ? own(schema, "const") : undefined,
      );
      if (!draft.examples && certain.length > 0 && certain.every(isJson)) draft.examples = [certain];
    }
    if (shape.prefix.length > 0) {
      draft.widget = "tuple";
      const least = shape.limits.get("minItems");
      draft.tuple = this.each(shape.prefix, (places, index) => ({
        ...this.field(places, inner(String(index), `Item ${index + 1}`)),
        required: typeof least === "number" && index < least,
      }));
      const most = shape.limits.get("maxItems");
      const full = shape.itemsClosed || (typeof most === "number" && most <= shape.prefix.length);
      if (!full) draft.items = this.field(shape.items, inner("", "Item"));
      return draft;
    }
    const items = shape.items.length > 0 ? shape.items : shape.contains;
    if (items.length === 0) {
      if (shape.itemsClosed) return { ...draft, constraints: { ...draft.constraints, maxItems: 0 } };
      return this.#asRaw(draft, {
        code: "free_array",
        reason: "The schema does not say what the items are.",
      });
    }
    const item = this.field(items, inner("", singular(draft.label)));
    draft.items = item;
    if (shape.limits.get("uniqueItems") === true && item.widget === "select" && !item.nullable) {
      draft.widget = "multiselect";
      if (item.options) draft.options = item.options;
    }
    return draft;
  }

  #choice(shape: Shape, values: readonly unknown[], spot: Spot): Field {
    const allowed = values
      .filter(isJson)
      .filter((value) => shape.types === null || fitsTypes(value, shape.types) || value === null);
    if (allowed.length === 0 && !shape.nullable)
      return this.#contradiction(shape, values.filter(isJson), spot);
    return this.options(shape, optionsOf(shape, allowed), spot);
  }

  /** Values of another type than the one stated: no value fits. A list of values beside a list is meant for its items. */
  #contradiction(shape: Shape, values: readonly Json[], spot: Spot): Field {
    const listed = values.map(optionLabel).slice(0, 8).join(", ");
    if (shape.types?.has("array") !== true || values.some((value) => typeof value === "object"))
      return this.raw(shape, spot, {
        code: "contradiction",
        reason: `The schema allows only ${listed} here, and none is of its type.`,
      });
    const drawn = this.typed({ ...shape, values: null, types: new Set(["array"]) }, spot);
    return {
      ...drawn,
      ...(drawn.widget === "list" &&
        drawn.items && {
          items: { ...drawn.items, widget: "combobox", options: optionsOf(shape, values) },
        }),
      rules: [
        ...(drawn.rules ?? []),
        `The schema allows only ${listed} here, so no list is valid; they are offered for its items.`,
      ],
    };
  }

  /** A field that is one of the given options. */
  options(shape: Shape, listed: readonly Option[], spot: Spot): Field {
    const draft = this.draft(shape, spot);
    const nullable = shape.nullable || listed.some((option) => option.value === null);
    const options = listed.filter((option) => option.value !== null);
    const [only] = options;
    if (only === undefined) return { ...draft, type: "null", widget: "null", const: null };
    const types = new Set(options.map((option) => typeOfValue(option.value)));
    if (types.has("number")) types.delete("integer");
    const [type] = types;
    draft.type = types.size === 1 && type !== undefined ? type : "any";
    draft.nullable = nullable;
    draft.widget = "select";
    if (options.length > 1 || nullable) draft.options = options;
    else {
      draft.widget = "constant";
      draft.const = only.value;
    }
    return draft;
  }

  #typeVariants(shape: Shape, types: readonly TypeName[], spot: Spot): Field {
    const draft = this.draft(shape, spot);
    const inside: Spot = { ...spot, depth: spot.depth + 1, unions: spot.unions + 1 };
    const variants = this.each(types, (type) => {
      const field = this.typed({ ...shape, types: new Set([type]), nullable: false }, inside);
      const word = typeWord(type);
      return {
        id: type,
        label: word.charAt(0).toUpperCase() + word.slice(1),
        field: { ...bare(field), required: false },
      };
    });
    return { ...draft, type: "union", widget: "variants", variants };
  }

  /** A field edited as raw JSON, and why. */
  raw(shape: Shape, spot: Spot, raw: RawReason): Field {
    return this.#asRaw(this.draft(shape, spot), raw);
  }

  #asRaw(draft: Draft, raw: RawReason): Field {
    if (draft.type !== "array" && draft.type !== "object") draft.type = "any";
    draft.widget = "json";
    draft.raw = raw;
    return draft;
  }

  /** What every field of a shape begins with. */
  draft(shape: Shape, spot: Spot): Draft {
    const { notes } = shape;
    const draft: Draft = {
      name: spot.name,
      path: spot.path,
      label: labelFor(shape, spot.name, spot.label),
      type: "any",
      widget: "json",
      required: spot.required,
      nullable: shape.nullable,
    };
    if (this.characters < 0) return draft;
    const help = notes.get("description") ?? notes.get("markdownDescription");
    if (typeof help === "string" && help !== "") draft.help = help;
    const standard = notes.get("default");
    if (isJson(standard)) draft.default = standard;
    const examples = notes.get("examples");
    const example = notes.get("example");
    if (Array.isArray(examples)) draft.examples = examples.slice(0, 10).filter(isJson);
    else if (isJson(example)) draft.examples = [example];
    if (notes.get("deprecated") === true) draft.deprecated = true;
    if (notes.get("readOnly") === true) draft.readOnly = true;
    if (notes.get("writeOnly") === true) draft.writeOnly = true;
    const ui = this.hints?.read(notes.get("x-ui"));
    if (ui) draft.ui = ui;
    const rules = shape.nots.map((place) => `Must not be: ${describeTest(place.schema)}.`);
    if (rules.length > 0) draft.rules = rules;
    return draft;
  }
}

const TOO_LARGE: RawReason = {
  code: "too_large",
  reason: "The schema has more fields than a form can hold.",
};

/** How many fields a shape will have right below it. */
function widthOf(shape: Shape): number {
  let width = shape.properties.size + shape.patternProperties.size + shape.prefix.length;
  for (const { branches } of shape.unions) width += branches.length;
  return width + shape.conditionals.length;
}

function mayBeLarge(places: readonly Place[]): boolean {
  return places.some(
    ({ schema }) =>
      isRecord(schema) &&
      ["properties", "items", "prefixItems", "oneOf", "anyOf", "allOf", "additionalProperties", "$ref"].some(
        (key) => Object.hasOwn(schema, key),
      ),
  );
}

function nothingElse(shape: Shape): boolean {
  return (
    shape.types === null &&
    shape.values === null &&
    shape.properties.size === 0 &&
    shape.unions.length === 0 &&
    inferTypes(shape) === null
  );
}

function failureReason(failure: NonNullable<Shape["failure"]>): RawReason {
  const reference = failure.reference.slice(0, 200);
  return failure.code === "remote_reference"
    ? {
        code: failure.code,
        reason: `The schema refers to another document (${reference}), which is not fetched.`,
      }
    : { code: failure.code, reason: `The reference ${reference} leads nowhere in this schema.` };
}
