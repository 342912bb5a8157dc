import { countAnswer, isUnique, scalarAnswer } from "./check-scalars.ts";
import { dialectOf, isKnownIn, refHasSiblings } from "../compile/dialect.ts";
import type { Dialect, Predicate } from "../compile/document.ts";
import { isRecord, own } from "../values/json.ts";
import { tupleKeyword } from "../compile/keywords.ts";
import { isPattern, matchesAtAnyCost, matchesPattern } from "./regex.ts";
import { Resolver, type Place } from "../compile/resolve.ts";
import { shortJson } from "../compile/words.ts";

/* Long on purpose: one walk over all keywords, whose answers are remembered in one place. */

/** Three answers: a pattern that is not safe to try, or a reference that leads nowhere, makes it "unknown". */
export type Verdict = "valid" | "invalid" | "unknown";

type Answer = boolean | null;

/**
 * Members and items that some keyword has looked at; `unevaluated…` concerns the rest. False for those of alternatives
 * of which it is not known whether they apply.
 */
type Seen = Map<string | number, boolean>;

/** Answers by schema and value. */
type Answers = Map<object, Map<unknown, { answer: Answer; seen: Seen }>>;

/** Options of a check. */
export interface CheckOptions {
  readonly dialect?: Dialect;
  /** Whether `format` counts; it does unless switched off, as in the validators. */
  readonly formats?: boolean;
  readonly steps?: number;
  /** Matches patterns however long that takes: for a thread that can be ended. */
  readonly allPatterns?: boolean;
}

const MOST_REASONS = 5;
/** Keywords that concern every member of an object. */
const ABOUT_ALL = [
  "patternProperties",
  "additionalProperties",
  "propertyNames",
  "minProperties",
  "maxProperties",
  "unevaluatedProperties",
];
/** Levels of schema and value together; deeper ones would end the stack. */
const DEEPEST = 200;

/**
 * Checks values against a schema by walking both: no code generation, patterns only where they are cheap, and a limit
 * on steps. It answers questions on the way (conditions, defaults, examples); final verdicts come from a validator.
 */
export class Checker {
  readonly resolver: Resolver;
  readonly #dialect: Dialect;
  readonly #formats: boolean;
  readonly #newest: boolean;
  readonly #allPatterns: boolean;
  readonly #reasons = new Set<string>();
  #steps: number;
  /** Answers of referenced schemas on the values they met: references that double cost nothing more. */
  #known = new Map<string, Answers>();

  constructor(schema: unknown, options: CheckOptions = {}) {
    this.#dialect = options.dialect ?? dialectOf(schema);
    this.resolver = new Resolver(schema, this.#dialect);
    this.#formats = options.formats ?? true;
    this.#newest = isKnownIn(this.#dialect, "prefixItems");
    this.#steps = options.steps ?? 200_000;
    this.#allPatterns = options.allPatterns ?? false;
  }

  /** What could not be decided on the way, and why. */
  get reasons(): readonly string[] {
    return [...this.#reasons];
  }

  #unknown(reason: string): null {
    if (this.#reasons.size < MOST_REASONS) this.#reasons.add(reason);
    return null;
  }

  /** Whether a text matches a pattern. What is no pattern says nothing; null where trying it could take long. */
  matches(pattern: string, text: string): Answer {
    const hit = this.#allPatterns ? matchesAtAnyCost(pattern, text) : matchesPattern(pattern, text);
    if (hit !== null || !isPattern(pattern)) return hit ?? true;
    return this.#unknown(
      `Trying the pattern ${shortJson(pattern)} on a text of this length could take too long.`,
    );
  }

  /** How many subschemas may still be looked at. */
  get stepsLeft(): number {
    return this.#steps;
  }

  /** The verdict on a value, against the whole schema or one place in it. */
  check(value: unknown, place: Place = this.resolver.root()): Verdict {
    this.#known = new Map();
    const answer = this.answer(place, value, 0, new Map());
    return answer === null ? "unknown" : answer ? "valid" : "invalid";
  }

  /** True, false or unknown. */
  answer(place: Place, value: unknown, depth: number, outer: Seen): Answer {
    const { schema } = place;
    if (typeof schema === "boolean") return schema;
    this.#steps -= 1;
    if (!isRecord(schema)) return true;
    // A schema that asks for the rest knows what its own parts have looked at, not what those beside it have.
    if (!Object.hasOwn(schema, "unevaluatedProperties") && !Object.hasOwn(schema, "unevaluatedItems"))
      return this.#answer(place, schema, value, depth, outer);
    const seen: Seen = new Map();
    const answer = this.#answer(place, schema, value, depth, seen);
    addSeen(outer, seen);
    return answer;
  }

  #answer(place: Place, schema: Record<string, unknown>, value: unknown, depth: number, seen: Seen): Answer {
    if (this.#steps < 0 || depth > DEEPEST) {
      addAllMaybe(seen, value);
      return this.#unknown(
        depth > DEEPEST
          ? "The value or the schema is nested too deeply."
          : "The schema asks for more steps than a check may take.",
      );
    }
    const answers: Answer[] = [];
    const get = this.#newest
      ? (keyword: string): unknown => own(schema, keyword)
      : (keyword: string): unknown => (isKnownIn(this.#dialect, keyword) ? own(schema, keyword) : undefined);
    const followed = this.resolver.reference(place);
    if (followed) {
      const { found, reference } = followed;
      if (!("place" in found)) addAllMaybe(seen, value);
      answers.push(
        "place" in found
          ? this.#referenced(found.place, value, depth + 1, seen)
          : this.#unknown(
              found.failure === "remote_reference"
                ? `The reference ${shortJson(reference)} leads to another document, which is not fetched.`
                : `The reference ${shortJson(reference)} leads nowhere in this schema.`,
            ),
      );
      if (typeof get("$ref") === "string" && !refHasSiblings(this.#dialect)) return answers[0] ?? null;
    }
    // OpenAPI's way to allow null, whatever the rest of the schema allows.
    if (value === null && get("nullable") === true) return true;
    answers.push(scalarAnswer(get, value, this.#formats));
    const pattern = typeof value === "string" ? get("pattern") : undefined;
    if (typeof value === "string" && typeof pattern === "string") answers.push(this.matches(pattern, value));
    if (answers.includes(false)) return false;
    answers.push(this.#logic(place, get, value, depth, seen));
    if (Array.isArray(value)) answers.push(this.#array(place, get, value, depth, seen));
    else if (isRecord(value)) answers.push(this.#object(place, get, value, depth, seen));
    return all(answers);
  }

  #referenced(place: Place, value: unknown, depth: number, seen: Seen): Answer {
    const { schema } = place;
    if (!isRecord(schema)) return this.answer(place, value, depth, seen);
    const key = place.scope?.key ?? "";
    const inScope = this.#known.get(key) ?? new Map();
    this.#known.set(key, inScope);
    const answers = inScope.get(schema) ?? new Map<unknown, { answer: Answer; seen: Seen }>();
    inScope.set(schema, answers);
    const known = answers.get(value);
    if (known) {
      addSeen(seen, known.seen);
      return known.answer;
    }
    // A schema that asks itself about the same value gets no answer from the one that is being worked out.
    const entry: { answer: Answer; seen: Seen } = { answer: null, seen: new Map() };
    answers.set(value, entry);
    entry.answer = this.answer(place, value, depth, entry.seen);
    addSeen(seen, entry.seen);
    return entry.answer;
  }

  #logic(place: Place, get: (keyword: string) => unknown, value: unknown, depth: number, seen: Seen): Answer {
    const answers: Answer[] = [];
    const sub = (next: Place, into: Seen): Answer => this.answer(next, value, depth + 1, into);
    const every = get("allOf");
    if (Array.isArray(every)) {
      every.forEach((_, index) => answers.push(sub(this.resolver.child(place, "allOf", index), seen)));
    }
    for (const kind of ["anyOf", "oneOf"] as const) {
      const branches = get(kind);
      if (!Array.isArray(branches) || branches.length === 0) continue;
      const results = branches.map((_, index) => {
        const inner: Seen = new Map();
        const answer = sub(this.resolver.child(place, kind, index), inner);
        if (answer === true) addSeen(seen, inner);
        else if (answer === null) addMaybe(seen, inner.keys());
        return answer;
      });
      const yes = results.filter((answer) => answer === true).length;
      const maybe = results.includes(null);
      if (kind === "anyOf") answers.push(yes > 0 ? true : maybe ? null : false);
      else answers.push(yes > 1 ? false : maybe ? null : yes === 1);
    }
    if (get("not") !== undefined) answers.push(negate(sub(this.resolver.child(place, "not"), new Map())));
    if (get("if") !== undefined) {
      const tested: Seen = new Map();
      const answer = sub(this.resolver.child(place, "if"), tested);
      if (answer === true) addSeen(seen, tested);
      else if (answer === null) addMaybe(seen, tested.keys());
      const side = answer === null ? null : answer ? "then" : "else";
      if (side === null) answers.push(this.#either(place, get, value, depth, seen));
      else if (get(side) !== undefined) answers.push(sub(this.resolver.child(place, side), seen));
    }
    return all(answers);
  }

  /** Both sides of a condition that could not be decided: what they agree on holds all the same. */
  #either(
    place: Place,
    get: (keyword: string) => unknown,
    value: unknown,
    depth: number,
    seen: Seen,
  ): Answer {
    const sides = ["then", "else"].map((side): Answer => {
      if (get(side) === undefined) return true;
      const inner: Seen = new Map();
      const answer = this.answer(this.resolver.child(place, side), value, depth + 1, inner);
      addMaybe(seen, inner.keys());
      return answer;
    });
    return sides[0] === sides[1] ? (sides[0] ?? null) : null;
  }

  #object(
    place: Place,
    get: (keyword: string) => unknown,
    value: Record<string, unknown>,
    depth: number,
    seen: Seen,
  ): Answer {
    const answers: Answer[] = [];
    const has = (name: unknown): boolean => typeof name !== "string" || own(value, name) !== undefined;
    const required = get("required");
    if (Array.isArray(required)) answers.push(required.every(has));
    const properties = get("properties");
    const patterns = get("patternProperties");
    // A condition on one member of hundreds is asked hundreds of times: it looks at that one alone.
    const members = Object.keys(value);
    const listed = isRecord(properties) ? Object.keys(properties) : [];
    const isAboutAll = listed.length > members.length || ABOUT_ALL.some((word) => get(word) !== undefined);
    const names = (isAboutAll ? members : listed).filter(has);
    const matched = new Set<string>();
    const sub = (name: string, next: Place): void => {
      matched.add(name);
      answers.push(this.answer(next, own(value, name), depth + 1, new Map()));
    };
    for (const name of names) {
      if (isRecord(properties) && Object.hasOwn(properties, name))
        sub(name, this.resolver.child(place, "properties", name));
      if (!isRecord(patterns)) continue;
      for (const pattern of Object.keys(patterns)) {
        const hit = isPattern(pattern) ? this.matches(pattern, name) : false;
        if (hit === true) sub(name, this.resolver.child(place, "patternProperties", pattern));
        else if (hit === null) {
          matched.add(name);
          answers.push(null);
        }
      }
    }
    if (get("additionalProperties") !== undefined) {
      for (const name of names)
        if (!matched.has(name)) sub(name, this.resolver.child(place, "additionalProperties"));
    }
    for (const name of matched) seen.set(name, true);
    if (get("propertyNames") !== undefined) {
      for (const name of names)
        answers.push(this.answer(this.resolver.child(place, "propertyNames"), name, depth + 1, new Map()));
    }
    answers.push(countAnswer(names.length, get("minProperties"), get("maxProperties")));
    for (const keyword of ["dependentSchemas", "dependentRequired", "dependencies"]) {
      const dependent = get(keyword);
      if (!isRecord(dependent)) continue;
      for (const [name, needs] of Object.entries(dependent)) {
        if (!has(name)) continue;
        if (Array.isArray(needs)) answers.push(needs.every(has));
        else if (keyword !== "dependentRequired")
          answers.push(this.answer(this.resolver.child(place, keyword, name), value, depth + 1, seen));
      }
    }
    if (get("unevaluatedProperties") !== undefined) {
      const rest = this.resolver.child(place, "unevaluatedProperties");
      for (const name of names) {
        if (seen.get(name) === true) continue;
        const answer = this.answer(rest, own(value, name), depth + 1, new Map());
        answers.push(answer === false && seen.has(name) ? null : answer);
        seen.set(name, true);
      }
    }
    return all(answers);
  }

  #array(
    place: Place,
    get: (keyword: string) => unknown,
    value: readonly unknown[],
    depth: number,
    seen: Seen,
  ): Answer {
    const answers: Answer[] = [countAnswer(value.length, get("minItems"), get("maxItems"))];
    if (get("uniqueItems") === true) answers.push(isUnique(value));
    const prefixKeyword = tupleKeyword(get);
    const prefix = prefixKeyword === null ? [] : get(prefixKeyword);
    const length = Array.isArray(prefix) ? prefix.length : 0;
    const restKeyword = prefixKeyword === "items" ? "additionalItems" : "items";
    value.forEach((item, index) => {
      const keyword = index < length ? prefixKeyword : restKeyword;
      if (
        keyword === null ||
        (index >= length && (get(restKeyword) === undefined || Array.isArray(get(restKeyword))))
      )
        return;
      seen.set(index, true);
      const next =
        index < length ? this.resolver.child(place, keyword, index) : this.resolver.child(place, keyword);
      answers.push(this.answer(next, item, depth + 1, new Map()));
    });
    if (get("contains") !== undefined) answers.push(this.#contains(place, get, value, depth, seen));
    if (get("unevaluatedItems") !== undefined) {
      const rest = this.resolver.child(place, "unevaluatedItems");
      value.forEach((item, index) => {
        if (seen.get(index) === true) return;
        const answer = this.answer(rest, item, depth + 1, new Map());
        answers.push(answer === false && seen.has(index) ? null : answer);
        seen.set(index, true);
      });
    }
    return all(answers);
  }

  #contains(
    place: Place,
    get: (keyword: string) => unknown,
    value: readonly unknown[],
    depth: number,
    seen: Seen,
  ): Answer {
    const least = get("minContains");
    const most = get("maxContains");
    let yes = 0;
    let maybe = 0;
    value.forEach((item, index) => {
      const answer = this.answer(this.resolver.child(place, "contains"), item, depth + 1, new Map());
      if (answer === true) yes += 1;
      else if (answer === null) maybe += 1;
      // Before 2020-12 an item that `contains` has found still counts as not looked at.
      if (answer === true && this.#newest) seen.set(index, true);
      else if (answer === null) addMaybe(seen, [index]);
    });
    const low = typeof least === "number" ? least : 1;
    if (yes + maybe < low || (typeof most === "number" && yes > most)) return false;
    return maybe === 0 ? true : null;
  }
}

/** The verdict on a value against a schema. */
export function checkValue(schema: unknown, value: unknown, options: CheckOptions = {}): Verdict {
  return new Checker(schema, options).check(value);
}

/** Answers a condition's question about a value; what cannot be known counts as not holding. */
export function evaluate(predicate: Predicate, value: unknown): boolean {
  return ask(predicate, value) === true;
}

function ask(predicate: Predicate, value: unknown): Answer {
  switch (predicate.kind) {
    case "present":
      return isRecord(value) && own(value, predicate.name) !== undefined;
    case "matches": {
      const verdict = checkValue(predicate.schema, value, { steps: 20_000 });
      return verdict === "unknown" ? null : verdict === "valid";
    }
    case "not":
      return negate(ask(predicate.of, value));
    case "all":
      return all(predicate.of.map((part) => ask(part, value)));
    case "any": {
      const answers = predicate.of.map((part) => ask(part, value));
      return answers.includes(true) ? true : answers.includes(null) ? null : false;
    }
  }
}

function all(answers: readonly Answer[]): Answer {
  return answers.includes(false) ? false : answers.includes(null) ? null : true;
}

function negate(answer: Answer): Answer {
  return answer === null ? null : !answer;
}

/** What was seen under a condition that is not known. */
function addMaybe(into: Seen, keys: Iterable<string | number>): void {
  for (const key of keys) if (!into.has(key)) into.set(key, false);
}

/** What a schema that was not looked at may have seen: everything. */
function addAllMaybe(into: Seen, value: unknown): void {
  if (Array.isArray(value)) addMaybe(into, value.keys());
  else if (isRecord(value)) addMaybe(into, Object.keys(value));
}

function addSeen(into: Seen, from: Seen): void {
  for (const [key, isCertain] of from) if (isCertain || !into.has(key)) into.set(key, isCertain);
}
