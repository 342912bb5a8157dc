import type { Draft } from "./compile-scalar.ts";
import { singular, type Compiler, type Spot } from "./compiler.ts";
import type { Field, MapRule, Override } from "./document.ts";
import { isJson, pointerToken } from "./json.ts";
import { anyGate, both, gatesOf, type Gate } from "./predicate.ts";
import { matchesPattern } from "./regex.ts";
import { skipping, type Place } from "./resolve.ts";
import { saysNothing, type Conditional, type Shape } from "./shape.ts";
import { labelOf } from "./words.ts";

/** What conditions add to an object. */
interface Effects {
  readonly properties: Map<string, { places: readonly Place[]; gate: Gate }[]>;
  readonly required: Map<string, Gate[]>;
  readonly hidden: Map<string, Gate[]>;
  readonly overrides: { gate: Gate; branch: Place; conditional: Conditional }[];
  readonly rules: string[];
}

/** The field of an object: children, conditions, and what other keys it may have. */
export function buildObject(
  compiler: Compiler,
  shape: Shape,
  draft: Draft,
  spot: Spot,
  mentioned: readonly string[],
): Field {
  const { size } = shape.properties;
  if (compiler.fields > 1 && compiler.fields + compiler.expected + size > compiler.bounds.fields) {
    return compiler.raw(shape, spot, {
      code: "too_large",
      reason: "The schema has more fields than a form can hold; this part is edited as JSON.",
    });
  }
  const effects = effectsOf(compiler, shape);
  for (const [name, others] of shape.dependentRequired) {
    const gate: Gate = { when: { kind: "present", name }, text: `\`${name}\` is given` };
    for (const other of others) push(effects.required, other, gate);
  }
  const children: Field[] = [];
  compiler.expected += size;
  for (const [name, places] of shape.properties) {
    compiler.expected -= 1;
    children.push(childOf(compiler, shape, effects, name, places, spot));
  }
  const wanted = new Set([
    ...effects.properties.keys(),
    ...shape.required,
    ...effects.required.keys(),
    ...mentioned,
  ]);
  for (const name of wanted) {
    if (!shape.properties.has(name)) children.push(childOf(compiler, shape, effects, name, null, spot));
  }
  if (effects.rules.length > 0) draft.rules = [...(draft.rules ?? []), ...effects.rules];
  const overrides = selfOverrides(compiler, shape, effects, spot);
  if (overrides.length > 0) draft.overrides = overrides;
  const map = mapRule(compiler, shape, spot);
  if (children.length === 0 && !map) {
    if (!shape.closed && !shape.listsMembers && overrides.length === 0) {
      return {
        ...draft,
        widget: "json",
        raw: { code: "free_object", reason: "The schema does not say which members this object has." },
      };
    }
    return { ...draft, children };
  }
  return {
    ...draft,
    widget: children.length === 0 ? "map" : "group",
    children,
    ...(map && { map }),
  };
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
  const draft: Draft = { ...compiler.field(first ? first.places : base, inner) };
  const overrides: Override[] = [];
  for (const { places: more, gate } of added) {
    if (more.every(saysNothing) || (first && added.length === 1)) continue;
    const condition = anyGate([gate]);
    if (condition) overrides.push({ condition, field: { ...compiler.field([...more, ...base], inner) } });
  }
  if (overrides.length > 0) draft.overrides = [...overrides, ...(draft.overrides ?? [])];
  if (first) {
    const condition = anyGate(added.map(({ gate }) => gate));
    if (condition) draft.condition = condition;
  }
  const hidden = effects.hidden.get(name);
  if (hidden && !first) {
    const condition = anyGate(hidden);
    if (condition)
      draft.condition = {
        on: "holder",
        when: { kind: "not", of: condition.when },
        text: `not: ${condition.text}`,
      };
  }
  const requiredWhen = anyGate(effects.required.get(name) ?? []);
  if (requiredWhen && !draft.required) draft.requiredWhen = requiredWhen;
  return draft;
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
  const seen = new Set<unknown>();
  for (const conditional of shape.conditionals)
    addConditional(compiler, shape, conditional, null, effects, 0, seen);
  return effects;
}

function addConditional(
  compiler: Compiler,
  shape: Shape,
  conditional: Conditional,
  outer: Gate | null,
  effects: Effects,
  depth: number,
  seen: Set<unknown>,
): void {
  const gates = gatesOf(conditional, compiler.flattener.resolver);
  for (const [branch, gate] of [
    [conditional.yes, gates?.yes],
    [conditional.no, gates?.no],
  ] as const) {
    if (!branch || seen.has(branch.schema)) continue;
    if (typeof branch.schema === "object") seen.add(branch.schema);
    // A question that cannot be carried along is answered "maybe": its fields are always offered.
    const all = gate ? both(outer, gate) : outer;
    const inner = compiler.flattener.flatten([branch]);
    if (all === null) {
      for (const [name, places] of inner.properties)
        if (!shape.properties.has(name)) shape.properties.set(name, places);
      effects.rules.push("Some rules depend on other values; they are checked when the form is validated.");
      continue;
    }
    addBranch(compiler, shape, conditional, { branch, inner, gate: all, outer }, effects, depth, seen);
  }
}

interface Branch {
  readonly branch: Place;
  readonly inner: Shape;
  readonly gate: Gate;
  readonly outer: Gate | null;
}

function addBranch(
  compiler: Compiler,
  shape: Shape,
  conditional: Conditional,
  { branch, inner, gate, outer }: Branch,
  effects: Effects,
  depth: number,
  seen: Set<unknown>,
): void {
  if (inner.never && inner.properties.size === 0) effects.rules.push(`Not allowed when ${gate.text}.`);
  const drawing = inner.unions.some((union) =>
    union.branches.some((place) => drawsSomething(compiler.flattener.flatten([place]))),
  );
  const otherTypes =
    inner.items.length > 0 ||
    inner.prefix.length > 0 ||
    inner.additional.some((place) => !saysNothing(place));
  if ((drawing || otherTypes || inner.patternProperties.size > 0) && outer === null && depth === 0) {
    effects.overrides.push({ gate, branch, conditional });
  }
  for (const [name, places] of inner.properties) {
    if (places.some((place) => place.schema === false)) push(effects.hidden, name, gate);
    else push(effects.properties, name, { places, gate });
  }
  for (const name of inner.required) push(effects.required, name, gate);
  for (const [name, others] of inner.dependentRequired) {
    const together = both(gate, { when: { kind: "present", name }, text: `\`${name}\` is given` });
    for (const other of others) push(effects.required, other, together);
  }
  for (const place of inner.nots) {
    const names = onlyRequired(place.schema);
    if (names.length === 1 && names[0] !== undefined && !shape.required.has(names[0]))
      push(effects.hidden, names[0], gate);
    else effects.rules.push(`When ${gate.text}, a further rule applies.`);
  }
  if (depth < 8) {
    for (const nested of inner.conditionals)
      addConditional(compiler, shape, nested, gate, effects, depth + 1, seen);
  }
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

function selfOverrides(compiler: Compiler, shape: Shape, effects: Effects, spot: Spot): Override[] {
  if (spot.unions > 2) return [];
  return effects.overrides.slice(0, 40).flatMap(({ gate, branch, conditional }) => {
    const skipped = conditional.keyword === "if" ? ["if", "then", "else"] : [conditional.keyword];
    const parts = shape.parts.map((part) =>
      part.schema === conditional.owner.schema ? skipping(part, ...skipped) : part,
    );
    const condition = anyGate([gate], "self");
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
  const patterns = [...shape.patternProperties].map(([pattern, places]) => ({
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

function push<T>(map: Map<string, T[]>, key: string, item: T): void {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}
