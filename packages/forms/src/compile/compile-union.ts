import { optionLabel, optionsOf } from "./compile-scalar.ts";
import type { Compiler, Spot } from "./compiler.ts";
import { fitsTypes, inferTypes } from "./infer-types.ts";
import type { Field, Option, Variant } from "./document.ts";
import { isJson, isRecord, sameJson, type Json } from "../values/json.ts";
import type { Place } from "./resolve.ts";
import { partsWithout, saysNothing, type Shape, type Union } from "./shape.ts";
import { bare, findDiscriminator, variantLabel, type Branch } from "./union-branches.ts";
import { describeTest, listOf, shortJson } from "./words.ts";

const MOST_VARIANTS = 2_000;
const MOST_CROSSED = 3;
/** The longest text, in characters, that is repeated with each of the values it describes. */
const SHARED_HELP = 200;

/** Turns `oneOf` and `anyOf` into options, limits or variants; null when the shape has none. */
export function resolveUnions(compiler: Compiler, shape: Shape, spot: Spot): Field | null {
  if (shape.unions.length === 0) return conditionVariants(compiler, shape, spot);
  const [union, ...others] = orderedUnions(compiler, shape);
  if (!union) return null;
  const { live, nullable } = liveBranches(compiler, union, shape);
  const base = partsWithout(shape, union.owner, union.kind, "discriminator");
  const rest = (): Shape => {
    const flat = compiler.flattener.flatten(base);
    if (nullable) flat.nullable = true;
    return flat;
  };
  if (live.length === 0) return nullable ? nullField(compiler, shape, spot) : null;
  const [only] = live;
  if (live.length === 1 && only) {
    const merged = compiler.flattener.flatten([...base, only.place]);
    if (nullable) merged.nullable = true;
    const field = continueWith(compiler, merged, spot);
    // One value with a title is shown by its title.
    return field.widget === "constant" && only.shape.notes.has("title")
      ? { ...field, options: choiceOptions(live, shape) }
      : field;
  }
  if (live.every(isChoice))
    return compiler.options(mergeNullable(rest(), shape), choiceOptions(live, shape), spot);
  if (live.every((branch) => drawsNothing(branch.shape, shape))) {
    const plain = rest();
    const extra = {
      rules: [branchRule(union, live)],
      mentioned: live.flatMap((branch) => [...branch.shape.required]),
    };
    if (plain.unions.length === 0) return compiler.typed(plain, spot, extra);
    const field = continueWith(compiler, plain, spot);
    return { ...field, rules: [...(field.rules ?? []), ...extra.rules] };
  }
  if (live.every(isPlainText)) return textField(compiler, rest(), live, spot);
  if (canCombine(compiler, union, live, shape))
    return loose(compiler, rest(), live, spot, [branchRule(union, live)]);
  if (live.length > MOST_VARIANTS) {
    return compiler.raw(shape, spot, {
      code: "too_many_variants",
      reason: `The schema has more alternatives than a form can hold (${live.length}).`,
    });
  }
  if (spot.unions >= MOST_CROSSED && shape.properties.size + others.length > 0)
    return loose(compiler, rest(), live, spot);
  return variantsField(compiler, { shape, union, live, base, nullable }, spot);
}

/** The union whose branches say most comes first; the others are resolved inside each variant. */
function orderedUnions(compiler: Compiler, shape: Shape): Union[] {
  if (shape.unions.length < 2) return shape.unions;
  const weight = (union: Union): number =>
    union.branches.every((place) => drawsNothing(compiler.flattener.flatten([place]), shape)) ? 0 : 1;
  return shape.unions
    .map((union) => ({ union, weight: weight(union) }))
    .sort((a, b) => a.weight - b.weight)
    .map(({ union }) => union);
}

function liveBranches(compiler: Compiler, union: Union, shape: Shape): { live: Branch[]; nullable: boolean } {
  const live: Branch[] = [];
  let nullable = false;
  const queue = [...union.branches];
  const seen = new Set<unknown>();
  for (let place = queue.shift(); place; place = queue.shift()) {
    const flat = compiler.flattener.flatten([place]);
    const nested = flat.unions[0];
    if (
      nested &&
      flat.unions.length === 1 &&
      !seen.has(nested.owner.schema) &&
      live.length + queue.length < MOST_VARIANTS &&
      onlyUnion(flat, nested)
    ) {
      seen.add(nested.owner.schema);
      queue.unshift(...nested.branches);
      if (flat.nullable) nullable = true;
      continue;
    }
    if (isNull(flat)) nullable = true;
    else if (!flat.never && overlaps(flat, shape)) live.push({ place, shape: flat });
  }
  if (shape.types && !shape.types.has("null")) nullable = shape.nullable;
  return { live, nullable };
}

/** True when a branch is nothing but another union. */
function onlyUnion(flat: Shape, nested: Union): boolean {
  return flat.values === null && partsWithout(flat, nested.owner, nested.kind).every(saysNothing);
}

function isNull(flat: Shape): boolean {
  if (flat.values) return flat.values.length > 0 && flat.values.every((value) => value === null);
  return flat.types?.size === 1 && flat.types.has("null");
}

function overlaps(flat: Shape, shape: Shape): boolean {
  const a = flat.types;
  const b = shape.types;
  if (!a || !b) return true;
  return [...a].some(
    (type) =>
      b.has(type) || (type === "integer" && b.has("number")) || (type === "number" && b.has("integer")),
  );
}

function continueWith(compiler: Compiler, merged: Shape, spot: Spot): Field {
  compiler.fields -= 1;
  // One level deeper, so that alternatives which lead back to themselves come to an end.
  return compiler.shape(merged, { ...spot, depth: spot.depth + 1 });
}

function mergeNullable(plain: Shape, shape: Shape): Shape {
  plain.nullable ||= shape.nullable;
  return plain;
}

function nullField(compiler: Compiler, shape: Shape, spot: Spot): Field {
  return { ...compiler.draft(shape, spot), type: "null", widget: "null" };
}

function isChoice({ shape }: Branch): boolean {
  return shape.values !== null && shape.unions.length === 0 && shape.properties.size === 0;
}

function choiceOptions(live: readonly Branch[], shape: Shape): Option[] {
  const options: Option[] = [];
  for (const { shape: branch } of live) {
    const listed = optionsOf(branch, (branch.values ?? []).filter(isJson));
    const title = branch.notes.get("title");
    const help = branch.notes.get("description");
    const isOne = listed.length === 1;
    for (const option of listed) {
      if (shape.types && option.value !== null && !fitsTypes(option.value, shape.types)) continue;
      if (options.some((other) => sameJson(other.value, option.value))) continue;
      options.push({
        ...option,
        ...(isOne && typeof title === "string" && { label: title }),
        ...(typeof help === "string" && (isOne || help.length <= SHARED_HELP) && { help }),
        ...(branch.notes.get("deprecated") === true && { deprecated: true }),
      });
    }
  }
  return options;
}

/** True when a branch adds limits or required names to what is drawn already, and nothing new to draw. */
function drawsNothing(branch: Shape, base: Shape): boolean {
  const sameTypes =
    branch.types === null ||
    (base.types !== null && [...base.types].every((type) => branch.types?.has(type) === true));
  const known = [...branch.properties].every(
    ([name, places]) =>
      places.every((place) => place.schema === false || saysNothing(place)) ||
      (base.properties.has(name) &&
        places.every((place) => isRecord(place.schema) && Object.hasOwn(place.schema, "not"))),
  );
  return (
    sameTypes &&
    known &&
    branch.values === null &&
    branch.unions.length === 0 &&
    branch.conditionals.length === 0 &&
    branch.items.length === 0 &&
    branch.prefix.length === 0 &&
    branch.patternProperties.size === 0 &&
    branch.additional.length === 0 &&
    !branch.failure &&
    (base.types !== null || inferTypes(base) !== null || branch.required.size > 0 || branch.nots.length > 0)
  );
}

function branchRule(union: Union, live: readonly Branch[]): string {
  const named = live.every(({ shape }) => shape.required.size > 0);
  const texts = live.map(({ place, shape }) => {
    const title = shape.notes.get("title");
    const names = [...shape.required].map((name) => `\`${name}\``);
    if (names.length > 0) return named ? listOf(names) : `${listOf(names)} given`;
    if (typeof title === "string") return title;
    const format = shape.limits.get("format");
    if (typeof format === "string") return `the format ${format}`;
    const described = describeTest(place.schema);
    return described === "a condition holds" ? "a further rule" : described;
  });
  const quantity = union.kind === "oneOf" ? "exactly one" : "at least one";
  return `${named ? "Fill in" : "Must fit"} ${quantity} of: ${listOf([...new Set(texts)], "or")}.`;
}

function isPlainText({ shape }: Branch): boolean {
  return (
    (shape.types?.size === 1 && shape.types.has("string") && shape.unions.length === 0) ||
    (shape.values !== null && shape.values.every((value) => typeof value === "string"))
  );
}

/** Several kinds of text are one text field: its known values are suggestions, its forms are named as a rule. */
function textField(compiler: Compiler, plain: Shape, live: readonly Branch[], spot: Spot): Field {
  plain.types = new Set(plain.nullable ? ["string", "null"] : ["string"]);
  const options = choiceOptions(live.filter(isChoice), plain);
  const open = live.filter((branch) => !isChoice(branch));
  const rules = open.map(({ shape }) => {
    const title =
      shape.notes.get("title") ??
      shape.notes.get("description") ??
      shape.limits.get("format") ??
      shape.patterns[0];
    return typeof title === "string" ? shortJson(title) : "";
  });
  const described = [...new Set(rules.filter((rule) => rule !== ""))];
  const [single] = open;
  if (options.length === 0 && single) {
    const formats = new Set(open.map(({ shape }) => shape.limits.get("format")));
    const [format] = formats;
    if (formats.size === 1 && format !== undefined) plain.limits.set("format", format);
  }
  const extra =
    described.length > 0 ? { rules: [`Takes one of these forms: ${listOf(described, "or")}.`] } : {};
  return compiler.typed(plain, spot, options.length > 0 ? { ...extra, options } : extra);
}

/**
 * True for alternatives of which several may apply at once: members that an object may have beside its own, the same
 * name never with another meaning, and nothing that tells one alternative from the other.
 */
function canCombine(compiler: Compiler, union: Union, live: readonly Branch[], base: Shape): boolean {
  if (union.kind !== "anyOf" || union.discriminator || base.closed || base.properties.size === 0)
    return false;
  const { resolver } = compiler.flattener;
  const meaningOf = (places: readonly Place[]): string => places.map((place) => resolver.keyOf(place)).join();
  const meanings = new Map([...base.properties].map(([name, places]) => [name, meaningOf(places)] as const));
  for (const { shape } of live) {
    const isObject = shape.types === null ? inferTypes(shape)?.has("object") : shape.types.has("object");
    const isPlain =
      isObject === true &&
      !shape.closed &&
      shape.values === null &&
      shape.unions.length === 0 &&
      shape.conditionals.length === 0 &&
      shape.additional.length === 0 &&
      shape.nots.length === 0 &&
      shape.patternProperties.size === 0;
    if (!isPlain) return false;
    for (const [name, places] of shape.properties) {
      const meaning = meaningOf(places);
      const known = meanings.get(name);
      if (known !== undefined && known !== meaning) return false;
      meanings.set(name, meaning);
    }
  }
  return true;
}

/** The branches' members side by side, all optional. */
function loose(
  compiler: Compiler,
  plain: Shape,
  live: readonly Branch[],
  spot: Spot,
  rules: readonly string[] = [UNTOLD],
): Field {
  for (const { shape } of live) {
    for (const [name, places] of shape.properties) {
      if (!plain.properties.has(name)) plain.properties.set(name, places);
    }
  }
  plain.types ??= new Set(["object"]);
  const own = plain.unions.length > 0 ? [UNTOLD] : [];
  return compiler.typed({ ...plain, unions: [] }, spot, { rules: [...new Set([...rules, ...own])] });
}

const UNTOLD = "Some rules depend on other members; they are checked on validation.";

interface Variants {
  readonly shape: Shape;
  readonly union: Union;
  readonly live: readonly Branch[];
  readonly base: readonly Place[];
  readonly nullable: boolean;
}

function variantsField(
  compiler: Compiler,
  { shape, union, live, base, nullable }: Variants,
  spot: Spot,
): Field {
  const draft = compiler.draft(shape, spot);
  const inner: Spot = {
    ...spot,
    depth: spot.depth + 1,
    unions: spot.unions + (shape.properties.size > 0 || shape.unions.length > 1 ? 1 : 0),
  };
  const kept = base.filter((part) => !saysNothing(part));
  const found = findDiscriminator(union, live);
  const ids = new Set<string>();
  const variants = compiler.each(live, (branch, index): Variant => {
    const field = compiler.field([branch.place, ...kept], { ...inner, required: false, label: draft.label });
    const values = found?.values[index];
    const label = variantLabel(compiler, branch, values, index);
    const help = branch.shape.notes.get("description");
    let id = label;
    for (let count = 2; ids.has(id); count++) id = `${label} ${count}`;
    ids.add(id);
    return {
      id,
      label: id,
      ...(typeof help === "string" && { help }),
      ...(branch.shape.notes.get("deprecated") === true && { deprecated: true }),
      field: tagged(bare(field), found?.discriminator.property, values),
      ...(values && values.length > 0 && { values }),
    };
  });
  return {
    ...draft,
    type: "union",
    widget: "variants",
    nullable: nullable || draft.nullable,
    variants,
    ...(found && { discriminator: found.discriminator }),
  };
}

/** Inside a variant, an open text that tells it from the others has the values of that variant. */
function tagged(field: Field, property: string | undefined, values: readonly Json[] | undefined): Field {
  const [only] = values ?? [];
  if (property === undefined || only === undefined || !values) return field;
  const children = field.children?.map((child) =>
    child.name !== property || child.widget !== "text"
      ? child
      : values.length === 1
        ? { ...child, widget: "constant" as const, const: only }
        : {
            ...child,
            widget: "select" as const,
            options: values.map((value) => ({ value, label: optionLabel(value) })),
          },
  );
  return children ? { ...field, children } : field;
}

/** An if/then/else about the type of the whole value is a choice between its two sides. */
function conditionVariants(compiler: Compiler, shape: Shape, spot: Spot): Field | null {
  const [conditional] = shape.conditionals;
  if (!conditional?.test || shape.types !== null || inferTypes(shape) !== null || spot.unions >= MOST_CROSSED)
    return null;
  const { test, yes, no } = conditional;
  const kept = partsWithout(shape, conditional.owner, "if", "then", "else").filter(
    (part) => !saysNothing(part),
  );
  const inner: Spot = { ...spot, depth: spot.depth + 1, unions: spot.unions + 1, required: false };
  const sides = [
    { label: "When it applies", places: yes ? [test, yes] : [test] },
    { label: "Otherwise", places: no ? [no] : [] },
  ];
  const variants = sides.map(({ label, places }) => {
    const flat = compiler.flattener.flatten(places);
    const [first] = places;
    const name = first ? variantLabel(compiler, { place: first, shape: flat }, undefined, 0) : label;
    return {
      id: label,
      label: name === "Option 1" ? label : name,
      field: bare(compiler.field([...places, ...kept], inner)),
    };
  });
  return { ...compiler.draft(shape, spot), type: "union", widget: "variants", variants };
}
