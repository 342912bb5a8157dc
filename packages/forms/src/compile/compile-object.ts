import type { Draft } from "./compile-scalar.ts";
import type { Compiler, Spot } from "./compiler.ts";
import type { Condition, Field, MapRule, Override } from "./document.ts";
import { isJson, pointerToken } from "../values/json.ts";
import { anyGate, both, gatesOf, type Gate } from "./predicate.ts";
import { matchesPattern } from "../check/regex.ts";
import type { Place } from "./resolve.ts";
import { partsWithout, saysNothing, type Conditional, type Shape, append } from "./shape.ts";
import { labelOf, singular } from "./words.ts";

/** What conditions add to an object. */
interface Effects {
  readonly properties: Map<string, { places: readonly Place[]; gate: Gate }[]>;
  readonly required: Map<string, Gate[]>;
  readonly hidden: Map<string, Gate[]>;
  readonly overrides: SelfOverride[];
  readonly rules: string[];
}

/** A branch that draws the whole value again; `conditional` is the outermost one it stands in. */
interface SelfOverride {
  readonly gate: Gate;
  readonly branch: Place;
  readonly conditional: Conditional;
}

const LATER = "Some rules depend on other values; they are checked on validation.";
/** Conditions inside conditions, such as the links of an else-if chain. */
const DEEPEST_CONDITION = 100;

/** The field of an object: children, conditions, and what other keys it may have. */
export function buildObject(
  compiler: Compiler,
  shape: Shape,
  draft: Draft,
  spot: Spot,
  mentioned: readonly string[],
): Field {
  // A tool without parameters lists no members; anywhere else that would be a part without any way to fill it in.
  const isEmptyRoot = compiler.fields === 1 && shape.listsMembers && shape.additional.length === 0;
  const effects = effectsOf(compiler, shape);
  for (const [name, others] of shape.dependentRequired) {
    const gate: Gate = { when: { kind: "present", name }, text: `\`${name}\` is given` };
    for (const other of others) append(effects.required, other, gate);
  }
  const children = compiler.each([...shape.properties], ([name, places]) =>
    childOf(compiler, shape, effects, name, places, spot),
  );
  const wanted = new Set([
    ...effects.properties.keys(),
    ...shape.required,
    ...effects.required.keys(),
    ...mentioned,
  ]);
  const others = [...wanted].filter((name) => !shape.properties.has(name));
  if (compiler.hasRoom(others.length, spot))
    children.push(...compiler.each(others, (name) => childOf(compiler, shape, effects, name, null, spot)));
  else effects.rules.push(LATER);
  if (effects.rules.length > 0) draft.rules = [...new Set([...(draft.rules ?? []), ...effects.rules])];
  const overrides = selfOverrides(compiler, shape, effects.overrides, spot);
  if (overrides.length > 0) draft.overrides = overrides;
  const map = mapRule(compiler, shape, spot);
  if (children.length === 0 && !map && !shape.closed && !isEmptyRoot && overrides.length === 0) {
    draft.widget = "json";
    draft.raw = { code: "free_object", reason: "The schema does not say which members this object has." };
    return draft;
  }
  if (map) draft.widget = children.length === 0 ? "map" : "group";
  draft.children = distinct(children);
  if (map) draft.map = map;
  return draft;
}

/** Siblings that would be called the same are called by their names. */
function distinct(children: readonly Field[]): readonly Field[] {
  if (new Set(children.map(({ label }) => label)).size === children.length) return children;
  const counts = new Map<string, number>();
  for (const { label } of children) counts.set(label, (counts.get(label) ?? 0) + 1);
  return children.map((child) =>
    (counts.get(child.label) ?? 0) > 1 && child.name !== child.label
      ? { ...child, label: `${child.label} (${child.name})` }
      : child,
  );
}

function childOf(
  compiler: Compiler,
  shape: Shape,
  effects: Effects,
  name: string,
  places: readonly Place[] | null,
  spot: Spot,
): Field {
  const inner: Spot = {
    name,
    path: `${spot.path}/${pointerToken(name)}`,
    required: shape.required.has(name),
    label: labelOf(name),
    depth: spot.depth + 1,
    unions: spot.unions,
  };
  const added = effects.properties.get(name) ?? [];
  const base = places ?? keyPlaces(shape, name);
  const first = base.length === 0 && !inner.required ? added[0] : undefined;
  let field = compiler.field(first ? first.places : base, inner);
  const overrides: Override[] = [];
  for (const { places: more, gate } of added) {
    // A branch that leads back to this object says nothing new about its members.
    const isSame = more.every(
      (place) => saysNothing(place) || base.some(({ schema }) => schema === place.schema),
    );
    if (isSame || (first && added.length === 1)) continue;
    const condition = compiler.affords(anyGate([gate]));
    if (condition) overrides.push({ condition, field: compiler.field([...more, ...base], inner) });
  }
  if (overrides.length > 0) field = { ...field, overrides: [...overrides, ...(field.overrides ?? [])] };
  if (first) {
    const condition = compiler.affords(anyGate(added.map(({ gate }) => gate)));
    if (condition) field = { ...field, condition };
  }
  const hidden = effects.hidden.get(name);
  if (hidden && !first) {
    const condition = compiler.affords(anyGate(hidden));
    if (condition) field = { ...field, condition: opposite(condition) };
  }
  const requiredWhen = field.required
    ? undefined
    : compiler.affords(anyGate(effects.required.get(name) ?? []));
  return requiredWhen ? { ...field, requiredWhen } : field;
}

function opposite({ when, text }: Condition): Condition {
  return { on: "holder", when: { kind: "not", of: when }, text: `not: ${text}` };
}

/** The schemas that apply to a key which is not listed under `properties`. */
function keyPlaces(shape: Shape, name: string): readonly Place[] {
  const places: Place[] = [];
  for (const [pattern, more] of shape.patternProperties)
    if (matchesPattern(pattern, name) === true) places.push(...more);
  return places.length > 0 ? places : shape.additional;
}

function effectsOf(compiler: Compiler, shape: Shape): Effects {
  const effects: Effects = {
    properties: new Map(),
    required: new Map(),
    hidden: new Map(),
    overrides: [],
    rules: [],
  };
  const own = new Set(shape.conditionals.flatMap(({ yes, no }) => [yes?.schema, no?.schema]));
  const walk: Walk = { compiler, shape, effects, seen: new Set(), own };
  for (const conditional of shape.conditionals) addConditional(walk, conditional, conditional, null, 0);
  return effects;
}

/** What stays the same while the conditions of one shape are looked at. */
interface Walk {
  readonly compiler: Compiler;
  readonly shape: Shape;
  readonly effects: Effects;
  readonly seen: Set<unknown>;
  /** The branches of the shape's own conditions: a branch that leads back to them asks for nothing more. */
  readonly own: ReadonlySet<unknown>;
}

function addConditional(
  walk: Walk,
  conditional: Conditional,
  outermost: Conditional,
  outer: Gate | null,
  depth: number,
): void {
  const { compiler, shape, effects, seen, own } = walk;
  const gates = depth > DEEPEST_CONDITION ? null : gatesOf(conditional, compiler.flattener.resolver);
  for (const [branch, gate] of [
    [conditional.yes, gates?.yes],
    [conditional.no, gates?.no],
  ] as const) {
    if (!branch || seen.has(branch.schema) || (outer && own.has(branch.schema))) continue;
    if (typeof branch.schema === "object") seen.add(branch.schema);
    // A question that cannot be carried along is answered "maybe": its fields are always offered.
    const all = gate ? both(outer, gate) : outer;
    const inner = compiler.flattener.flatten([branch]);
    if (all === null || depth > DEEPEST_CONDITION) {
      for (const [name, places] of inner.properties)
        if (!shape.properties.has(name)) shape.properties.set(name, places);
      effects.rules.push(LATER);
      continue;
    }
    addBranch(walk, outermost, { branch, inner, gate: all }, depth);
  }
}

interface Branch {
  readonly branch: Place;
  readonly inner: Shape;
  readonly gate: Gate;
}

function addBranch(walk: Walk, outermost: Conditional, { branch, inner, gate }: Branch, depth: number): void {
  const { compiler, shape, effects } = walk;
  if (inner.never && inner.properties.size === 0) effects.rules.push(`Not allowed when ${gate.text}.`);
  const drawing = inner.unions.some((union) =>
    union.branches.some((place) => drawsSomething(compiler.flattener.flatten([place]))),
  );
  const otherTypes =
    inner.items.length > 0 ||
    inner.prefix.length > 0 ||
    inner.additional.some((place) => !saysNothing(place));
  if (drawing || otherTypes || inner.patternProperties.size > 0)
    effects.overrides.push({ gate, branch, conditional: outermost });
  for (const [name, places] of inner.properties) {
    if (places.some((place) => place.schema === false)) append(effects.hidden, name, gate);
    else append(effects.properties, name, { places, gate });
  }
  for (const name of inner.required) append(effects.required, name, gate);
  for (const [name, others] of inner.dependentRequired) {
    const together = both(gate, { when: { kind: "present", name }, text: `\`${name}\` is given` });
    for (const other of others) append(effects.required, other, together);
  }
  for (const place of inner.nots) {
    const names = onlyRequired(place.schema);
    if (names.length === 1 && names[0] !== undefined && !shape.required.has(names[0]))
      append(effects.hidden, names[0], gate);
    else effects.rules.push(`When ${gate.text}, a further rule applies.`);
  }
  for (const nested of inner.conditionals) addConditional(walk, nested, outermost, gate, depth + 1);
}

/** The names in a schema that says `required` and nothing else. */
function onlyRequired(schema: unknown): string[] {
  if (
    typeof schema !== "object" ||
    schema === null ||
    !("required" in schema) ||
    Object.keys(schema).length !== 1
  )
    return [];
  return Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === "string") : [];
}

function drawsSomething(inner: Shape): boolean {
  return (
    inner.properties.size > 0 ||
    inner.items.length > 0 ||
    inner.unions.length > 0 ||
    inner.values !== null ||
    inner.additional.length > 0
  );
}

/** What a list looks like while one of its conditions holds. */
export function listOverrides(compiler: Compiler, shape: Shape, spot: Spot): Override[] {
  const drawn = shape.conditionals.flatMap((conditional): SelfOverride[] => {
    const gates = gatesOf(conditional, compiler.flattener.resolver);
    const sides = [
      { branch: conditional.yes, gate: gates?.yes },
      { branch: conditional.no, gate: gates?.no },
    ];
    return sides.flatMap(({ branch, gate }) => {
      const inner = branch && compiler.flattener.flatten([branch]);
      return branch && gate && inner && inner.items.length + inner.prefix.length > 0
        ? [{ gate, branch, conditional }]
        : [];
    });
  });
  return selfOverrides(compiler, shape, drawn, spot);
}

function selfOverrides(
  compiler: Compiler,
  shape: Shape,
  drawn: readonly SelfOverride[],
  spot: Spot,
): Override[] {
  if (spot.unions > 2) return [];
  return drawn.slice(0, 40).flatMap(({ gate, branch, conditional }) => {
    const skipped = conditional.keyword === "if" ? ["if", "then", "else"] : [conditional.keyword];
    const parts = partsWithout(shape, conditional.owner, ...skipped);
    const condition = compiler.affords(anyGate([gate], "self"));
    if (!condition) return [];
    const field = compiler.field([...parts, branch], {
      ...spot,
      depth: spot.depth + 1,
      unions: spot.unions + 1,
    });
    return [{ condition, field }];
  });
}

function mapRule(compiler: Compiler, shape: Shape, spot: Spot): MapRule | undefined {
  const inner = (label: string): Spot => ({
    name: "",
    path: `${spot.path}/*`,
    required: false,
    label,
    depth: spot.depth + 1,
    unions: spot.unions,
  });
  const one = singular(spot.label);
  const member = one === spot.label ? "Member" : one;
  const patterns = compiler.each([...shape.patternProperties], ([pattern, places]) => ({
    pattern,
    field: compiler.field(
      places,
      inner(shape.patternProperties.size === 1 ? member : `${member} matching ${pattern}`.slice(0, 80)),
    ),
  }));
  const stated = shape.additional.length > 0;
  const key = keyRule(compiler, shape);
  if (patterns.length === 0 && !stated && !key) return undefined;
  if (patterns.length === 0 && !key && shape.additional.every(saysNothing) && shape.properties.size === 0)
    return undefined;
  const open = !shape.closed && (stated || key !== undefined || patterns.length > 0);
  return {
    patterns,
    additional: open ? compiler.field(shape.additional, inner(member)) : null,
    ...(key && { key }),
  };
}

function keyRule(compiler: Compiler, shape: Shape): MapRule["key"] | undefined {
  if (shape.propertyNames.length === 0) return undefined;
  const names = compiler.flattener.flatten(shape.propertyNames);
  const rule: Record<string, unknown> = {};
  for (const limit of ["minLength", "maxLength", "format"]) {
    const value = names.limits.get(limit);
    if (value !== undefined) rule[limit] = value;
  }
  if (names.patterns[0] !== undefined) rule["pattern"] = names.patterns[0];
  if (names.values)
    rule["options"] = names.values.filter(isJson).filter((value) => typeof value === "string");
  return Object.keys(rule).length === 0 ? undefined : rule;
}
