import { MOST_PROBLEMS } from "./caps.ts";
import { scalarAnswer } from "./check-scalars.ts";
import { Checker, type CheckOptions } from "./check.ts";
import { isRecord, own, pointerToken, sameJson } from "../values/json.ts";
import { tupleKeyword } from "../compile/keywords.ts";
import type { ValueProblem } from "./messages.ts";
import { isPattern } from "./regex.ts";
import type { Place } from "../compile/resolve.ts";
import { listOf, typeWord } from "../compile/words.ts";

/*
 * What is wrong with a value, found by walking schema and value together. A validator's own list names the failures of
 * every alternative; here only the alternative that was meant speaks, as far as that is clear.
 * Long on purpose: one walk over all keywords.
 */

const MOST_STEPS = 300_000;
const SCALARS = [
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
];

/** Says what is wrong from the keyword that failed; who asks only where something is wrong needs no words. */
type Wording = (keyword: string, wanted: unknown, name?: string) => string;

/** The problems of an invalid value, by pointer, as far as they can be found within the limits. */
export function findProblems(
  schema: unknown,
  value: unknown,
  limits: CheckOptions,
  explain: Wording = (keyword) => keyword,
): readonly ValueProblem[] {
  const steps = Math.min(limits.steps ?? MOST_STEPS, MOST_STEPS);
  const explainer = new Explainer(schema, { ...limits, steps }, explain);
  explainer.walk(explainer.checker.resolver.root(), value, "", 0);
  return explainer.problems();
}

class Explainer {
  readonly checker: Checker;
  readonly #found = new Map<string, ValueProblem>();

  readonly #limits: CheckOptions;
  /** Where in the value each schema has been walked. */
  readonly #walked = new Map<unknown, Set<string>>();
  readonly #explain: Wording;

  constructor(schema: unknown, limits: CheckOptions, explain: Wording) {
    this.checker = new Checker(schema, limits);
    this.#limits = limits;
    this.#explain = explain;
  }

  problems(): ValueProblem[] {
    return [...this.#found.values()];
  }

  #add(pointer: string, keyword: string, message: string): void {
    const key = `${pointer} ${message}`;
    if (this.#found.size < MOST_PROBLEMS && !this.#found.has(key))
      this.#found.set(key, { pointer, keyword, message });
  }

  #isWrong(place: Place, value: unknown): boolean {
    return this.checker.check(value, place) === "invalid";
  }

  walk(place: Place, value: unknown, pointer: string, depth: number): void {
    // What several references lead to is reported once.
    const walked = this.#walked.get(place.schema) ?? new Set<string>();
    this.#walked.set(place.schema, walked);
    const at = `${place.scope?.key ?? ""} ${pointer}`;
    if (walked.has(at)) return;
    walked.add(at);
    if (depth > 60 || this.#found.size >= MOST_PROBLEMS || !this.#isWrong(place, value)) return;
    const { schema } = place;
    const { resolver } = this.checker;
    const before = this.#found.size;
    if (schema === false) this.#add(pointer, "false", this.#explain("false", false));
    if (!isRecord(schema)) return;
    const type = own(schema, "type");
    for (const keyword of ["type", "const", "enum"]) {
      const wanted = own(schema, keyword);
      if (wanted === undefined || fits(keyword, wanted, value)) continue;
      this.#add(pointer, keyword, this.#explain(keyword, wanted));
      // Once the kind of value is wrong, nothing else about it matters.
      return;
    }
    const followed = resolver.reference(place);
    if (followed && "place" in followed.found) this.walk(followed.found.place, value, pointer, depth + 1);
    this.#scalars(schema, value, pointer);
    const every = own(schema, "allOf");
    if (Array.isArray(every)) {
      every.forEach((_, index) =>
        this.walk(resolver.child(place, "allOf", index), value, pointer, depth + 1),
      );
    }
    for (const kind of ["oneOf", "anyOf"] as const) this.#alternatives(place, kind, value, pointer, depth);
    this.#conditions(place, schema, value, pointer, depth);
    if (isRecord(value)) this.#object(place, schema, value, pointer, depth);
    if (Array.isArray(value) && (type === undefined || fits("type", type, value)))
      this.#array(place, schema, value, pointer, depth);
    if (this.#found.size === before) this.#unevaluated(place, schema, value, pointer);
  }

  /** Members that no part of the schema names are reported when nothing else is wrong: each is tried without. */
  #unevaluated(place: Place, schema: Record<string, unknown>, value: unknown, pointer: string): void {
    if (isRecord(value) && own(schema, "unevaluatedProperties") !== undefined) {
      const names = Object.keys(value);
      const unknown = names.filter((name) => {
        const { [name]: _without, ...rest } = value;
        return !this.#isWrong(place, rest);
      });
      if (unknown.length === 0)
        this.#add(pointer, "unevaluatedProperties", this.#explain("unevaluatedProperties", false));
      for (const name of unknown)
        this.#add(
          `${pointer}/${pointerToken(name)}`,
          "unevaluatedProperties",
          this.#explain("unevaluatedProperties", false, name),
        );
    }
    if (Array.isArray(value) && own(schema, "unevaluatedItems") !== undefined)
      this.#add(pointer, "unevaluatedItems", this.#explain("unevaluatedItems", false));
  }

  #holds(part: Record<string, unknown>, value: unknown): boolean {
    const { allPatterns = false } = this.#limits;
    return new Checker(part, { dialect: "2020-12", steps: 2_000, allPatterns }).check(value) !== "invalid";
  }

  #scalars(schema: Record<string, unknown>, value: unknown, pointer: string): void {
    for (const keyword of SCALARS) {
      const wanted = own(schema, keyword);
      if (wanted === undefined) continue;
      // Old dialects write an exclusive bound as a flag beside the bound.
      const flag =
        keyword === "minimum" ? "exclusiveMinimum" : keyword === "maximum" ? "exclusiveMaximum" : null;
      const isFlagged = flag !== null && own(schema, flag) === true;
      const part = isFlagged ? { [flag]: wanted } : { [keyword]: wanted };
      if (!this.#holds(part, value))
        this.#add(pointer, isFlagged ? flag : keyword, this.#explain(isFlagged ? flag : keyword, wanted));
    }
  }

  #conditions(
    place: Place,
    schema: Record<string, unknown>,
    value: unknown,
    pointer: string,
    depth: number,
  ): void {
    const { resolver } = this.checker;
    if (
      own(schema, "not") !== undefined &&
      this.checker.check(value, resolver.child(place, "not")) === "valid"
    )
      this.#add(pointer, "not", this.#explain("not", null));
    if (own(schema, "if") !== undefined) {
      const verdict = this.checker.check(value, resolver.child(place, "if"));
      const side = verdict === "valid" ? "then" : verdict === "invalid" ? "else" : null;
      if (side !== null && own(schema, side) !== undefined)
        this.walk(resolver.child(place, side), value, pointer, depth + 1);
    }
    for (const keyword of ["dependentSchemas", "dependentRequired", "dependencies"]) {
      const dependent = own(schema, keyword);
      if (!isRecord(dependent) || !isRecord(value)) continue;
      for (const [name, needs] of Object.entries(dependent)) {
        if (own(value, name) === undefined) continue;
        if (!Array.isArray(needs)) {
          if (keyword === "dependentRequired") continue;
          this.walk(resolver.child(place, keyword, name), value, pointer, depth + 1);
          continue;
        }
        for (const other of needs)
          if (typeof other === "string" && own(value, other) === undefined)
            this.#add(
              `${pointer}/${pointerToken(other)}`,
              "dependentRequired",
              `“${other}” is required when “${name}” is given.`,
            );
      }
    }
  }

  #alternatives(place: Place, kind: "oneOf" | "anyOf", value: unknown, pointer: string, depth: number): void {
    const branches = isRecord(place.schema) ? own(place.schema, kind) : undefined;
    if (!Array.isArray(branches) || branches.length === 0) return;
    const places = branches.map((_, index) => this.checker.resolver.child(place, kind, index));
    const fitting = places.filter((next) => !this.#isWrong(next, value)).length;
    if (fitting === 1 || (fitting > 1 && kind === "anyOf")) return;
    if (fitting > 1) {
      this.#add(pointer, kind, `Fits ${fitting} of the alternatives; it must fit exactly one.`);
      return;
    }
    const tag = isRecord(value) ? this.#tag(places, value) : null;
    if (tag) {
      this.#add(`${pointer}/${pointerToken(tag.name)}`, "enum", this.#explain("enum", tag.options));
      return;
    }
    const ranked = places.map((next) => ({ next, distance: this.#distance(next, value, 0) }));
    const nearest = Math.min(...ranked.map(({ distance }) => distance));
    const meant = ranked.filter(({ distance }) => distance === nearest);
    const [only] = meant;
    if (only && meant.length === 1 && nearest < FAR) this.walk(only.next, value, pointer, depth + 1);
    else
      this.#add(
        pointer,
        kind,
        this.#choices(
          places,
          meant.map(({ next }) => next),
          value,
          kind,
        ),
      );
  }

  /** The member whose value every alternative fixes, when the value has one that none of them allows. */
  #tag(
    places: readonly Place[],
    value: Record<string, unknown>,
  ): { readonly name: string; readonly options: readonly unknown[] } | null {
    for (const [name, item] of Object.entries(value)) {
      const fixed = places.map((next) => this.#fixed(next, name, 0));
      const options = fixed.flat();
      const isTag = fixed.every((list) => list.length > 0);
      if (isTag && !options.some((option) => sameJson(option, item))) return { name, options };
    }
    return null;
  }

  #fixed(place: Place, name: string, depth: number): readonly unknown[] {
    const opened = this.#opened(place);
    const { schema } = opened;
    if (!isRecord(schema) || depth > 4) return [];
    const properties = own(schema, "properties");
    const options = isRecord(properties) ? optionsOf(own(properties, name)) : [];
    const every = own(schema, "allOf");
    if (options.length > 0 || !Array.isArray(every)) return options;
    return every.flatMap((_, index) =>
      this.#fixed(this.checker.resolver.child(opened, "allOf", index), name, depth + 1),
    );
  }

  /** What would do, in one sentence: the types, the values, or the members that the alternatives ask for. */
  #choices(places: readonly Place[], meant: readonly Place[], value: unknown, kind: string): string {
    const schemas = places.map((next) => this.#opened(next).schema);
    const fixed = schemas.map((schema) =>
      isRecord(schema) ? (own(schema, "const") ?? own(schema, "enum")) : undefined,
    );
    if (fixed.every((item) => item !== undefined)) return this.#explain("enum", fixed.flat());
    if (isRecord(value)) {
      const missing = meant.map((next) => this.#missing(next, value));
      if (missing.every((names) => names.length > 0)) {
        const texts = [...new Set(missing.map((names) => listOf(names.map((name) => `“${name}”`))))];
        return `${listOf(texts, "or")} ${texts.length === 1 && missing[0]?.length !== 1 ? "are" : "is"} required.`;
      }
    }
    const types = schemas.map((schema) => (isRecord(schema) ? own(schema, "type") : undefined));
    const isOther = fits("type", types.flat(), value);
    if (!isOther && types.every((type) => type !== undefined))
      return `Must be ${listOf([...new Set(types.flat().map((type) => typeWord(typeof type === "string" ? type : "value")))], "or")}.`;
    return this.#explain(kind, null);
  }

  #missing(place: Place, value: Record<string, unknown>): string[] {
    const { schema } = this.#opened(place);
    const required = isRecord(schema) ? own(schema, "required") : undefined;
    return Array.isArray(required)
      ? required.filter((name): name is string => typeof name === "string" && own(value, name) === undefined)
      : [];
  }

  #opened(place: Place): Place {
    let current = place;
    for (let hop = 0; hop < 8; hop++) {
      const followed = this.checker.resolver.reference(current);
      if (!followed || !("place" in followed.found)) return current;
      current = followed.found.place;
    }
    return current;
  }

  /** How far a value is from an alternative: another type is farthest, then another value of a fixed member. */
  #distance(place: Place, value: unknown, depth: number): number {
    const { schema } = this.#opened(place);
    if (schema === false) return FAR * 2;
    if (!isRecord(schema) || depth > 8) return 0;
    let distance = 0;
    const type = own(schema, "type");
    if (type !== undefined && !fits("type", type, value)) distance += FAR;
    const wanted = optionsOf(schema);
    if (wanted.length > 0 && !wanted.some((option) => sameJson(option, value)))
      distance += wanted.some((option) => typeof option === typeof value) ? FAR / 2 : FAR;
    const properties = own(schema, "properties");
    if (isRecord(value) && isRecord(properties)) {
      for (const [name, item] of Object.entries(value)) {
        const property = own(properties, name);
        if (property === undefined) {
          if (own(schema, "additionalProperties") === false) distance += 2;
          continue;
        }
        const options = optionsOf(property);
        // A member that can have one value only is there to tell alternatives apart.
        if (options.length > 0 && !options.some((option) => sameJson(option, item)))
          distance += options.length === 1 ? 30 : 10;
      }
      distance += this.#missing(place, value).length;
    }
    const every = own(schema, "allOf");
    if (Array.isArray(every)) {
      const opened = this.#opened(place);
      for (let index = 0; index < every.length; index++)
        distance += this.#distance(this.checker.resolver.child(opened, "allOf", index), value, depth + 1);
    }
    return distance;
  }

  #object(
    place: Place,
    schema: Record<string, unknown>,
    value: Record<string, unknown>,
    pointer: string,
    depth: number,
  ): void {
    const { resolver } = this.checker;
    const properties = own(schema, "properties");
    const patterns = own(schema, "patternProperties");
    const required = own(schema, "required");
    for (const name of Array.isArray(required) ? required : []) {
      if (typeof name !== "string" || own(value, name) !== undefined) continue;
      this.#add(`${pointer}/${pointerToken(name)}`, "required", this.#explain("required", true, name));
    }
    for (const [name, item] of Object.entries(value)) {
      const at = `${pointer}/${pointerToken(name)}`;
      let isKnown = false;
      if (isRecord(properties) && Object.hasOwn(properties, name)) {
        isKnown = true;
        this.walk(resolver.child(place, "properties", name), item, at, depth + 1);
      }
      for (const pattern of isRecord(patterns) ? Object.keys(patterns) : []) {
        if (!isPattern(pattern) || this.checker.matches(pattern, name) !== true) continue;
        isKnown = true;
        this.walk(resolver.child(place, "patternProperties", pattern), item, at, depth + 1);
      }
      const extra = own(schema, "additionalProperties");
      if (!isKnown && extra === false)
        this.#add(at, "additionalProperties", this.#explain("additionalProperties", false, name));
      else if (!isKnown && extra !== undefined)
        this.walk(resolver.child(place, "additionalProperties"), item, at, depth + 1);
      if (
        own(schema, "propertyNames") !== undefined &&
        this.#isWrong(resolver.child(place, "propertyNames"), name)
      )
        this.#add(at, "propertyNames", this.#explain("propertyNames", null, name));
    }
  }

  #array(
    place: Place,
    schema: Record<string, unknown>,
    value: readonly unknown[],
    pointer: string,
    depth: number,
  ): void {
    const { resolver } = this.checker;
    const prefix = tupleKeyword((keyword) => own(schema, keyword));
    const first = prefix === null ? undefined : own(schema, prefix);
    const length = Array.isArray(first) ? first.length : 0;
    const rest = prefix === "items" ? "additionalItems" : "items";
    value.forEach((item, index) => {
      const at = `${pointer}/${index}`;
      if (prefix !== null && index < length)
        this.walk(resolver.child(place, prefix, index), item, at, depth + 1);
      else if (own(schema, rest) === false)
        this.#add(at, "additionalItems", this.#explain("additionalItems", false));
      else if (own(schema, rest) !== undefined) this.walk(resolver.child(place, rest), item, at, depth + 1);
    });
    if (own(schema, "contains") === undefined) return;
    const inner = resolver.child(place, "contains");
    const hits = value.filter((item) => !this.#isWrong(inner, item)).length;
    const [least, most] = [own(schema, "minContains") ?? 1, own(schema, "maxContains")];
    if (typeof least === "number" && hits < least)
      this.#add(pointer, "contains", this.#explain("contains", null));
    if (typeof most === "number" && hits > most)
      this.#add(pointer, "maxContains", this.#explain("maxContains", most));
  }
}

/** Whether a value satisfies one keyword that looks at nothing inside it. */
function fits(keyword: string, wanted: unknown, value: unknown): boolean {
  return scalarAnswer((word) => (word === keyword ? wanted : undefined), value, false);
}

/** So far off that no alternative is the one that is meant. */
const FAR = 100;

/** The values that a schema lists or fixes. */
function optionsOf(schema: unknown): readonly unknown[] {
  if (!isRecord(schema)) return [];
  const fixed = own(schema, "const");
  if (fixed !== undefined) return [fixed];
  const listed = own(schema, "enum");
  return Array.isArray(listed) ? listed : [];
}
