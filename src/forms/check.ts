import { dialectOf, isKnownIn, refHasSiblings } from "./dialect.ts";
import type { Dialect, Predicate } from "./document.ts";
import { matchesFormat } from "./formats.ts";
import { ExactNumber, isRecord, own, sameJson } from "./json.ts";
import { tupleKeyword } from "./keywords.ts";
import { isMultipleOf } from "./numbers.ts";
import { matchesPattern } from "./regex.ts";
import { Resolver, type Place } from "./resolve.ts";

/** Three answers: a pattern that is not safe to try, or a reference that leads nowhere, makes it "unknown". */
export type Verdict = "valid" | "invalid" | "unknown";

type Answer = boolean | null;

/** Members and items that some keyword has looked at; `unevaluated…` concerns the rest. */
interface Seen {
  readonly names: Set<string>;
  readonly items: Set<number>;
}

/** Answers by schema and value. */
type Answers = Map<object, Map<unknown, { answer: Answer; seen: Seen }>>;

/** Options of a check. */
export interface CheckOptions {
  readonly dialect?: Dialect;
  /** Whether `format` counts; it does unless said otherwise, as to the validators. */
  readonly formats?: boolean;
  readonly steps?: number;
}

/**
 * Checks values against a schema by walking both: no code generation, patterns only where they are cheap, and a limit
 * on steps. It answers questions on the way (conditions, defaults, examples); final verdicts come from a validator.
 */
export class Checker {
  readonly resolver: Resolver;
  readonly #dialect: Dialect;
  readonly #formats: boolean;
  readonly #newest: boolean;
  #steps: number;
  /** Answers of referenced schemas on the values they met: references that double cost nothing more. */
  #known = new Map<string, Answers>();

  constructor(schema: unknown, options: CheckOptions = {}) {
    this.#dialect = options.dialect ?? dialectOf(schema);
    this.resolver = new Resolver(schema, this.#dialect);
    this.#formats = options.formats ?? true;
    this.#newest = isKnownIn(this.#dialect, "prefixItems");
    this.#steps = options.steps ?? 200_000;
  }

  /** How many subschemas may still be looked at. */
  get stepsLeft(): number {
    return this.#steps;
  }

  /** The verdict on a value, against the whole schema or one place in it. */
  check(value: unknown, place: Place = this.resolver.root()): Verdict {
    this.#known = new Map();
    const answer = this.answer(place, value, 0, newSeen());
    return answer === null ? "unknown" : answer ? "valid" : "invalid";
  }

  /** True, false or unknown. */
  answer(place: Place, value: unknown, depth: number, seen: Seen): Answer {
    const { schema } = place;
    if (typeof schema === "boolean") return schema;
    this.#steps -= 1;
    if (!isRecord(schema) || depth > 200 || this.#steps < 0) return isRecord(schema) ? null : true;
    const answers: Answer[] = [];
    const get = this.#newest
      ? (keyword: string): unknown => own(schema, keyword)
      : (keyword: string): unknown => (isKnownIn(this.#dialect, keyword) ? own(schema, keyword) : undefined);
    const followed = this.resolver.reference(place);
    if (followed) {
      const { found } = followed;
      answers.push("place" in found ? this.#referenced(found.place, value, depth + 1, seen) : null);
      if (typeof get("$ref") === "string" && !refHasSiblings(this.#dialect)) return answers[0] ?? null;
    }
    // OpenAPI's way to allow null, whatever else is said.
    if (value === null && get("nullable") === true) return true;
    answers.push(scalarAnswer(get, value, this.#formats));
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
    const entry: { answer: Answer; seen: Seen } = { answer: null, seen: newSeen() };
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
        const inner = newSeen();
        const answer = sub(this.resolver.child(place, kind, index), inner);
        if (answer !== false) addSeen(seen, inner);
        return answer;
      });
      const yes = results.filter((answer) => answer === true).length;
      const maybe = results.includes(null);
      if (kind === "anyOf") answers.push(yes > 0 ? true : maybe ? null : false);
      else answers.push(yes > 1 ? false : maybe ? null : yes === 1);
    }
    if (get("not") !== undefined) answers.push(negate(sub(this.resolver.child(place, "not"), newSeen())));
    if (get("if") !== undefined) {
      const tested = newSeen();
      const answer = sub(this.resolver.child(place, "if"), tested);
      if (answer === true) addSeen(seen, tested);
      const side = answer === null ? null : answer ? "then" : "else";
      if (side === null) answers.push(get("then") === undefined && get("else") === undefined ? true : null);
      else if (get(side) !== undefined) answers.push(sub(this.resolver.child(place, side), seen));
    }
    return all(answers);
  }

  #object(
    place: Place,
    get: (keyword: string) => unknown,
    value: Record<string, unknown>,
    depth: number,
    seen: Seen,
  ): Answer {
    const answers: Answer[] = [];
    const names = Object.keys(value).filter((name) => own(value, name) !== undefined);
    const required = get("required");
    if (Array.isArray(required))
      answers.push(required.every((name) => typeof name !== "string" || names.includes(name)));
    const properties = get("properties");
    const patterns = get("patternProperties");
    const matched = new Set<string>();
    const sub = (name: string, next: Place): void => {
      matched.add(name);
      answers.push(this.answer(next, own(value, name), depth + 1, newSeen()));
    };
    for (const name of names) {
      if (isRecord(properties) && Object.hasOwn(properties, name))
        sub(name, this.resolver.child(place, "properties", name));
      if (!isRecord(patterns)) continue;
      for (const pattern of Object.keys(patterns)) {
        const hit = matchesPattern(pattern, name);
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
    for (const name of matched) seen.names.add(name);
    if (get("propertyNames") !== undefined) {
      for (const name of names)
        answers.push(this.answer(this.resolver.child(place, "propertyNames"), name, depth + 1, newSeen()));
    }
    answers.push(countAnswer(names.length, get("minProperties"), get("maxProperties")));
    for (const keyword of ["dependentSchemas", "dependentRequired", "dependencies"]) {
      const dependent = get(keyword);
      if (!isRecord(dependent)) continue;
      for (const [name, needs] of Object.entries(dependent)) {
        if (!names.includes(name)) continue;
        if (Array.isArray(needs))
          answers.push(needs.every((other) => typeof other !== "string" || names.includes(other)));
        else answers.push(this.answer(this.resolver.child(place, keyword, name), value, depth + 1, seen));
      }
    }
    if (get("unevaluatedProperties") !== undefined) {
      for (const name of names) {
        if (seen.names.has(name)) continue;
        answers.push(
          this.answer(
            this.resolver.child(place, "unevaluatedProperties"),
            own(value, name),
            depth + 1,
            newSeen(),
          ),
        );
        seen.names.add(name);
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
      seen.items.add(index);
      const next =
        index < length ? this.resolver.child(place, keyword, index) : this.resolver.child(place, keyword);
      answers.push(this.answer(next, item, depth + 1, newSeen()));
    });
    if (get("contains") !== undefined) answers.push(this.#contains(place, get, value, depth, seen));
    if (get("unevaluatedItems") !== undefined) {
      value.forEach((item, index) => {
        if (!seen.items.has(index)) {
          answers.push(
            this.answer(this.resolver.child(place, "unevaluatedItems"), item, depth + 1, newSeen()),
          );
          seen.items.add(index);
        }
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
      const answer = this.answer(this.resolver.child(place, "contains"), item, depth + 1, newSeen());
      if (answer === true) {
        yes += 1;
        seen.items.add(index);
      } else if (answer === null) maybe += 1;
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

function scalarAnswer(get: (keyword: string) => unknown, value: unknown, formats: boolean): Answer {
  const answers: Answer[] = [];
  const type = get("type");
  const names = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (names.length > 0) answers.push(names.some((name) => isOfType(name, value)));
  const listed = get("enum");
  if (Array.isArray(listed)) answers.push(listed.some((option) => sameJson(option, value)));
  const fixed = get("const");
  if (fixed !== undefined) answers.push(sameJson(fixed, value));
  if (typeof value === "string") {
    const needsLength = get("minLength") !== undefined || get("maxLength") !== undefined;
    if (needsLength) answers.push(countAnswer(Array.from(value).length, get("minLength"), get("maxLength")));
    const pattern = get("pattern");
    if (typeof pattern === "string") answers.push(matchesPattern(pattern, value));
    const format = get("format");
    if (formats && typeof format === "string") answers.push(matchesFormat(format, value));
  }
  if (typeof value === "number" || value instanceof ExactNumber)
    answers.push(numberAnswer(get, typeof value === "number" ? value : value.text));
  return all(answers);
}

function numberAnswer(get: (keyword: string) => unknown, text: number | string): boolean {
  const value = Number(text);
  const [low, high] = [get("minimum"), get("maximum")];
  const [above, below] = [get("exclusiveMinimum"), get("exclusiveMaximum")];
  const step = get("multipleOf");
  if (typeof low === "number" && (value < low || (above === true && value === low))) return false;
  if (typeof high === "number" && (value > high || (below === true && value === high))) return false;
  if (typeof above === "number" && value <= above) return false;
  if (typeof below === "number" && value >= below) return false;
  return typeof step !== "number" || isMultipleOf(text, step);
}

/** True when a value is of the named JSON type. */
export function isOfType(name: unknown, value: unknown): boolean {
  switch (name) {
    case "string":
    case "file":
      return typeof value === "string";
    case "number":
      return typeof value === "number" || value instanceof ExactNumber;
    case "integer":
      return value instanceof ExactNumber ? Number.isInteger(Number(value.text)) : Number.isInteger(value);
    case "boolean":
      return typeof value === "boolean";
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    default:
      return true;
  }
}

function countAnswer(count: number, least: unknown, most: unknown): boolean {
  return !(isCount(least) && count < least) && !(isCount(most) && count > most);
}

/** Anything else in place of a count means nothing. */
function isCount(limit: unknown): limit is number {
  return typeof limit === "number" && Number.isInteger(limit) && limit >= 0;
}

function isUnique(items: readonly unknown[]): Answer {
  if (items.length > 2_000) return null;
  const scalars = new Set<string>();
  const rest: unknown[] = [];
  for (const item of items) {
    if (typeof item === "object" && item !== null) {
      if (rest.some((other) => sameJson(other, item))) return false;
      rest.push(item);
    } else {
      const key = `${typeof item}:${String(item)}`;
      if (scalars.has(key)) return false;
      scalars.add(key);
    }
  }
  return true;
}

function all(answers: readonly Answer[]): Answer {
  return answers.includes(false) ? false : answers.includes(null) ? null : true;
}

function negate(answer: Answer): Answer {
  return answer === null ? null : !answer;
}

function newSeen(): Seen {
  return { names: new Set(), items: new Set() };
}

function addSeen(into: Seen, from: Seen): void {
  for (const name of from.names) into.names.add(name);
  for (const index of from.items) into.items.add(index);
}
