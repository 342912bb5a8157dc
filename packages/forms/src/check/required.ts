import { isOfType } from "./check-scalars.ts";
import { Checker, type CheckOptions } from "./check.ts";
import { dialectOf, isKnownIn, refHasSiblings } from "../compile/dialect.ts";
import type { Dialect } from "../compile/document.ts";
import { isRecord, own, pointerToken, sameJson } from "../values/json.ts";
import { tupleKeyword } from "../compile/keywords.ts";
import { explain } from "./messages.ts";
import { matchesPattern } from "./regex.ts";
import type { Place } from "../compile/resolve.ts";
import { labelOf } from "../compile/words.ts";

/** A required member that is not there. */
export interface MissingField {
  /** JSON Pointer of the member that is missing. */
  readonly pointer: string;
  readonly name: string;
  readonly label: string;
  readonly message: string;
  /** Required only because of other values. */
  readonly conditional: boolean;
}

/** The outcome of a check of required fields. */
export interface RequiredCheck {
  readonly missing: readonly MissingField[];
  /** How many required members were asked for. */
  readonly checked: number;
  /** False when the value was too large to look at whole. */
  readonly complete: boolean;
}

const MOST_MISSING = 200;

/** A missing member before it gets its words: only those that are shown need them. */
interface Lacking extends Pick<MissingField, "pointer" | "name" | "conditional"> {
  readonly title: unknown;
}

/** The required fields that a value lacks: nested ones, and those that conditions or alternatives ask for. */
export function missingRequired(schema: unknown, value: unknown, options: CheckOptions = {}): RequiredCheck {
  const walker = new Walker(schema, options);
  const missing = walker.walk(walker.checker.resolver.root(), value, "", 0, false);
  const unique = new Map(missing.map((field) => [field.pointer, field]));
  return {
    missing: [...unique.values()].slice(0, MOST_MISSING).map(inWords),
    checked: walker.asked,
    complete: walker.steps >= 0,
  };
}

class Walker {
  readonly checker: Checker;
  readonly #dialect: Dialect;
  readonly #siblings: boolean;
  /** What was found for a schema at a place of the value: references that double cost nothing more. */
  readonly #known = new WeakMap<object, Map<string, Lacking[]>>();
  steps = 50_000;
  asked = 0;

  constructor(schema: unknown, options: CheckOptions) {
    this.checker = new Checker(schema, { ...options, steps: options.steps ?? 100_000 });
    this.#dialect = options.dialect ?? dialectOf(schema);
    this.#siblings = refHasSiblings(this.#dialect);
  }

  walk(place: Place, value: unknown, pointer: string, depth: number, conditional: boolean): Lacking[] {
    const { schema } = place;
    if (!isRecord(schema)) return [];
    const known = this.#known.get(schema) ?? new Map<string, Lacking[]>();
    this.#known.set(schema, known);
    const key = `${conditional ? "?" : "!"}${place.scope?.key ?? ""} ${pointer}`;
    const before = known.get(key);
    if (before) return before;
    known.set(key, []);
    const missing = this.#look(place, value, pointer, depth, conditional);
    known.set(key, missing);
    return missing;
  }

  #look(place: Place, value: unknown, pointer: string, depth: number, conditional: boolean): Lacking[] {
    const { schema } = place;
    this.steps -= 1;
    if (!isRecord(schema) || depth > 100 || this.steps < 0) return [];
    const { resolver } = this.checker;
    const get = (keyword: string): unknown =>
      isKnownIn(this.#dialect, keyword) ? own(schema, keyword) : undefined;
    const missing: Lacking[] = [];
    const same = (next: Place, because = conditional): void => {
      missing.push(...this.walk(next, value, pointer, depth + 1, because));
    };
    const followed = resolver.reference(place);
    if (followed) {
      const { found } = followed;
      if ("place" in found) same(found.place);
      if (typeof get("$ref") === "string" && !this.#siblings) return missing;
    }
    const every = get("allOf");
    if (Array.isArray(every)) every.forEach((_, index) => same(resolver.child(place, "allOf", index)));
    for (const kind of ["oneOf", "anyOf"]) {
      const branches = get(kind);
      if (Array.isArray(branches)) {
        const places = branches.map((_, index) => resolver.child(place, kind, index));
        missing.push(...this.#alternatives(places, value, pointer, depth));
      }
    }
    if (get("if") !== undefined) {
      const verdict = this.checker.check(value, resolver.child(place, "if"));
      const side = verdict === "valid" ? "then" : verdict === "invalid" ? "else" : null;
      if (side !== null && get(side) !== undefined) same(resolver.child(place, side), true);
    }
    if (isRecord(value)) missing.push(...this.#object(place, get, value, pointer, depth, conditional));
    if (Array.isArray(value)) missing.push(...this.#array(place, get, value, pointer, depth));
    return missing;
  }

  #object(
    place: Place,
    get: (keyword: string) => unknown,
    value: Record<string, unknown>,
    pointer: string,
    depth: number,
    conditional: boolean,
  ): Lacking[] {
    const { resolver } = this.checker;
    const missing: Lacking[] = [];
    const properties = get("properties");
    const patterns = get("patternProperties");
    const ask = (name: unknown, because: boolean): void => {
      if (typeof name !== "string" || this.steps < 0) return;
      this.steps -= 1;
      this.asked += 1;
      if (own(value, name) !== undefined) return;
      const property = isRecord(properties) ? own(properties, name) : undefined;
      const title = isRecord(property) ? own(property, "title") : undefined;
      missing.push({ pointer: `${pointer}/${pointerToken(name)}`, name, title, conditional: because });
    };
    const required = get("required");
    if (Array.isArray(required)) required.forEach((name) => ask(name, conditional));
    for (const keyword of ["dependentRequired", "dependentSchemas", "dependencies"]) {
      const dependent = get(keyword);
      if (!isRecord(dependent)) continue;
      for (const [name, needs] of Object.entries(dependent)) {
        if (own(value, name) === undefined) continue;
        if (Array.isArray(needs)) needs.forEach((other) => ask(other, true));
        else
          missing.push(...this.walk(resolver.child(place, keyword, name), value, pointer, depth + 1, true));
      }
    }
    for (const [name, item] of Object.entries(value)) {
      const at = `${pointer}/${pointerToken(name)}`;
      let known = false;
      if (isRecord(properties) && Object.hasOwn(properties, name)) {
        known = true;
        if (own(properties, name) !== undefined)
          missing.push(...this.walk(resolver.child(place, "properties", name), item, at, depth + 1, false));
      }
      for (const pattern of isRecord(patterns) ? Object.keys(patterns) : []) {
        if (matchesPattern(pattern, name) !== true) continue;
        known = true;
        missing.push(
          ...this.walk(resolver.child(place, "patternProperties", pattern), item, at, depth + 1, false),
        );
      }
      if (!known && isRecord(get("additionalProperties"))) {
        missing.push(...this.walk(resolver.child(place, "additionalProperties"), item, at, depth + 1, false));
      }
    }
    // Draft-03 style: a property that marks itself as required.
    if (isRecord(properties)) {
      for (const [name, property] of Object.entries(properties)) {
        if (isRecord(property) && own(property, "required") === true) ask(name, false);
      }
    }
    return missing;
  }

  #array(
    place: Place,
    get: (keyword: string) => unknown,
    value: readonly unknown[],
    pointer: string,
    depth: number,
  ): Lacking[] {
    const { resolver } = this.checker;
    const prefixKeyword = tupleKeyword(get);
    const prefix = prefixKeyword === null ? [] : get(prefixKeyword);
    const length = Array.isArray(prefix) ? prefix.length : 0;
    const rest = prefixKeyword === "items" ? "additionalItems" : "items";
    return value.flatMap((item, index) => {
      const at = `${pointer}/${index}`;
      if (prefixKeyword !== null && index < length)
        return this.walk(resolver.child(place, prefixKeyword, index), item, at, depth + 1, false);
      return isRecord(get(rest)) ? this.walk(resolver.child(place, rest), item, at, depth + 1, false) : [];
    });
  }

  /** Nothing is missing when one alternative has all it needs; otherwise the closest one says what is. */
  #alternatives(places: readonly Place[], value: unknown, pointer: string, depth: number): Lacking[] {
    let best: { missing: Lacking[]; conflicts: number } | null = null;
    for (const place of places) {
      const conflicts = this.#conflicts(place, value, 0);
      const missing = this.walk(place, value, pointer, depth + 1, true);
      if (conflicts === 0 && missing.length === 0) return [];
      const better =
        !best ||
        conflicts < best.conflicts ||
        (conflicts === best.conflicts && missing.length < best.missing.length);
      if (better) best = { missing, conflicts };
    }
    return best?.missing ?? [];
  }

  /** How plainly an alternative is not the one meant: wrong type, or another value of a fixed member. */
  #conflicts(place: Place, value: unknown, depth: number): number {
    const { schema } = place;
    if (schema === false) return 100;
    if (!isRecord(schema) || depth > 10) return 0;
    const followed = this.checker.resolver.reference(place);
    if (followed) {
      const { found } = followed;
      return "place" in found ? this.#conflicts(found.place, value, depth + 1) : 0;
    }
    const type = own(schema, "type");
    const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
    let conflicts = types.length > 0 && !types.some((name) => isOfType(name, value)) ? 50 : 0;
    const properties = own(schema, "properties");
    if (isRecord(properties) && isRecord(value)) {
      for (const [name, property] of Object.entries(properties)) {
        const item = own(value, name);
        if (item === undefined || !isRecord(property)) continue;
        const fixed = own(property, "const");
        const listed = own(property, "enum");
        if (fixed !== undefined && !sameJson(fixed, item)) conflicts += 1;
        else if (Array.isArray(listed) && !listed.some((option) => sameJson(option, item))) conflicts += 1;
      }
    }
    return conflicts;
  }
}

function inWords({ title, ...field }: Lacking): MissingField {
  const label = typeof title === "string" && title !== "" ? title : labelOf(field.name);
  return { ...field, label, message: explain("required", true, label) };
}
