import { AppError, type Problem } from "./errors.ts";
import { exampleOf, FORMAT_EXAMPLES, resolved } from "./example.ts";
import { isObject, parsedObject, type Json, type JsonObject } from "./json.ts";
import { nearestNames } from "./nearest.ts";
import { pointerSegments } from "./paths.ts";

/*
 * What a JSON Schema of our own asks for, in words: errors name what is allowed, not only what is wrong.
 */

const NOUNS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "an array",
  null: "null",
};
const FORMATS: Readonly<Record<string, string>> = {
  "date-time": `a time such as ${FORMAT_EXAMPLES["date-time"]}`,
  email: `an e-mail address such as ${FORMAT_EXAMPLES["email"]}`,
  uri: `an address such as ${FORMAT_EXAMPLES["uri"]}`,
};
const MOST_FIELDS = 20;

/** What a schema asks for: its type, choices, bounds and, for an object, its fields (`?` marks optional ones). */
export function expectation(schema: unknown): string {
  if (!isObject(schema)) return "a value that fits the schema";
  const { enum: allowed, const: constant, type } = schema;
  if (Array.isArray(allowed)) return `one of ${allowed.map((item) => JSON.stringify(item)).join(", ")}`;
  if (constant !== undefined) return JSON.stringify(constant);
  const branches = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(branches)) return [...new Set(branches.map(expectation))].join(" or ");
  if (typeof type !== "string") return "a value that fits the schema";
  const format = typeof schema["format"] === "string" ? FORMATS[schema["format"]] : undefined;
  if (type === "string" && format !== undefined) return format;
  const noun = NOUNS[type] ?? type;
  return `${noun}${range(schema)}${length(schema)}${itemsOf(schema)}${fieldsOf(schema)}`;
}

/** What a schema asks for and what the value is for, when the schema says so. */
export function expectationWithUse(schema: unknown): string {
  const description = isObject(schema) ? schema["description"] : undefined;
  const untyped = isObject(schema) && schema["type"] === undefined && schema["enum"] === undefined;
  const wanted = untyped && schema["const"] === undefined ? "a value" : expectation(schema);
  return typeof description === "string" && description !== ""
    ? `${wanted} (${description.replace(/\.$/, "")})`
    : wanted;
}

function range({ minimum, maximum }: Readonly<Record<string, unknown>>): string {
  const low = typeof minimum === "number" ? minimum : null;
  const high = typeof maximum === "number" ? maximum : null;
  if (low !== null && high !== null) return ` from ${low} to ${high}`;
  if (low !== null) return ` of at least ${low}`;
  return high === null ? "" : ` of at most ${high}`;
}

function length({ minLength, maxLength }: Readonly<Record<string, unknown>>): string {
  if (typeof maxLength === "number" && typeof minLength === "number")
    return ` of ${minLength} to ${maxLength} characters`;
  if (typeof maxLength === "number") return ` of at most ${maxLength} characters`;
  return typeof minLength === "number" ? ` of at least ${minLength} characters` : "";
}

function itemsOf({ type, items }: Readonly<Record<string, unknown>>): string {
  return type === "array" && isObject(items) && typeof items["type"] === "string"
    ? ` of ${items["type"]}s`
    : "";
}

function fieldsOf({ type, properties, required }: Readonly<Record<string, unknown>>): string {
  if (type !== "object" || !isObject(properties)) return "";
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  const names = Object.keys(properties);
  if (names.length === 0) return "";
  const shown = names.slice(0, MOST_FIELDS).map((name) => (needed.has(name) ? name : `${name}?`));
  return ` {${shown.join(", ")}${names.length > MOST_FIELDS ? ", …" : ""}}`;
}

/** A member that is not there and has to be. */
export function missingMember(pointer: string, message: string, name: string, schema: unknown): Problem {
  const expected = expectationWithUse(schema);
  return { pointer, message, expected, given: "nothing", fix: `Add "${name}": ${expected}.` };
}

/** A value that is not what its schema asks for. */
export function unfitValue(pointer: string, message: string, expected: string, given: string): Problem {
  return { pointer, message, expected, given, fix: `Give ${expected}.` };
}

/** Where a member is that may not be there. */
interface UnknownMember {
  readonly pointer: string;
  readonly message: string;
  readonly name: string;
  /** The schema of the object that has it, and that of everything. */
  readonly around: unknown;
  readonly root: unknown;
  /** The object that has it. */
  readonly beside: unknown;
  /** The tools that take a member of this name. */
  readonly takenBy?: readonly string[];
}

/** A member that may not be there: what it was meant to be, else where it belongs. */
export function unknownMember({ pointer, message, around, root, beside, ...member }: UnknownMember): Problem {
  const { takenBy = [] } = member;
  const name = member.name.slice(0, 100);
  const properties = propertiesOf(around);
  const known = Object.keys(properties);
  const siblings = isObject(beside) ? beside : {};
  const value = siblings[member.name];
  // An object that was sent as text was meant as the object.
  const given = (typeof value === "string" ? parsedObject(value) : null) ?? value;
  // Of another type only a name with one wrong letter was meant.
  const likely = known.filter(
    (item) => takes(properties[item], given, root) || nearestNames(name, [item], 1, 1).length > 0,
  );
  const place = placeOf(name, root, "");
  const near =
    meantBy(name, likely, around, siblings, place !== null) ??
    (place === null ? nearestNames(name, likely, 1)[0] : undefined);
  const parent = pointer.slice(0, pointer.lastIndexOf("/"));
  const free = freeMemberOf(around);
  // Who leaves out what is required did not mean to fill another member.
  const isFree = free !== null && lacking(around, beside).every((item) => item === free);
  const inside = place ?? (isFree ? `${parent}/${free}/${name}` : null);
  const within = isObject(given) ? Object.keys(given).filter((item) => known.includes(item)) : [];
  const elsewhere = takenBy.length === 0 ? "" : ` It is an argument of ${takenBy.join(", ")}.`;
  const fix =
    near !== undefined
      ? `Rename "${name}" to "${near}".`
      : within.length > 0
        ? `Give ${within.slice(0, MOST_FIELDS).join(", ")} without "${name}" around them.`
        : inside !== null
          ? `Move "${name}" to ${inside}.`
          : `Remove "${name}".${elsewhere}`;
  const isElsewhere = near === undefined && within.length === 0 && inside === null && takenBy.length > 0;
  const expected = known.length === 0 ? "no parameters" : `only ${known.join(", ")}`;
  return { pointer, message, expected, given: name, fix, ...(isElsewhere && { takenBy }) };
}

/** The name that was meant, of those that are not there yet: by its letters, by the id that is given, or the one that is missing. */
function meantBy(
  name: string,
  likely: readonly string[],
  around: unknown,
  beside: Readonly<Record<string, unknown>>,
  isKnownElsewhere: boolean,
): string | undefined {
  const properties = propertiesOf(around);
  const open = likely.filter((item) => !Object.hasOwn(beside, item));
  const given = beside[name];
  // "id" where only "artifactId" is taken; "args" for "arguments".
  const longer = open.find((item) => name.length > 1 && item.toLowerCase().endsWith(name.toLowerCase()));
  const whole = open.filter((item) => isShortFor(name, item));
  const kind = typeof given === "string" ? /^([a-z]+)_[0-9a-z]{20,}$/.exec(given)?.[1] : undefined;
  const byId = kind === undefined ? undefined : [kind, `${kind}Id`, "id"].find((item) => open.includes(item));
  const found = nearestNames(name, open, 1)[0] ?? longer ?? (whole.length === 1 ? whole[0] : byId);
  if (found !== undefined || isKnownElsewhere) return found;
  const [missing = "", ...others] = lacking(around, beside);
  const fitting = Object.keys(beside).filter(
    (item) => !Object.hasOwn(properties, item) && takes(properties[missing], beside[item], around),
  );
  const isTheOne = missing !== "" && others.length === 0 && fitting.length === 1 && fitting[0] === name;
  return isTheOne ? missing : undefined;
}

/** The required members that are not there. */
function lacking(around: unknown, beside: unknown): readonly string[] {
  const { required = [] } = isObject(around) ? around : {};
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  return names.filter((name) => !isObject(beside) || !Object.hasOwn(beside, name));
}

/** "qty" for "quantity": its letters in their order, from the same first one. */
function isShortFor(short: string, name: string): boolean {
  if (short.length < 3 || short[0] !== name[0] || short.length >= name.length) return false;
  let at = 0;
  for (const letter of name) if (letter === short[at]) at += 1;
  return at === short.length;
}

/** False for a value of another type than a schema asks for, or one that is none of its choices. */
function takes(given: unknown, value: unknown, root: unknown): boolean {
  const schema = resolved(given, root);
  if (!isObject(schema) || value === undefined) return true;
  const { type, enum: choices } = schema;
  const branches = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(branches)) return branches.some((branch) => takes(branch, value, root));
  if (Array.isArray(choices)) return choices.includes(value);
  const kind = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
  return type === undefined || [type].flat().includes(kind) || (kind === "number" && type === "integer");
}

/** The same problems, each with the smallest correct value at its place, or around it where nothing may be. */
export function withExamples(
  problems: readonly Problem[],
  schema: unknown,
  whole: Json | undefined = exampleOf(schema),
): Problem[] {
  return problems.map((problem) => {
    const path = pointerSegments(problem.pointer) ?? [];
    const isKnown = schemaAt(schema, path) !== undefined;
    // What is to go although it is known needs no example.
    if (isKnown && problem.fix?.startsWith("Remove ") === true) return problem;
    const place = isKnown ? path : path.slice(0, -1);
    const shown = valueAt(whole, place);
    const wanted = shown === undefined ? schemaAt(schema, place) : { const: shown };
    const example = exampleOf(wanted, schema);
    // An empty object says something only where no names are allowed.
    const saysNothing = !isKnown && JSON.stringify(example) === "{}" && !isEmpty(schemaAt(schema, place));
    const isLeftOut = example === undefined || problem.example !== undefined || saysNothing;
    return isLeftOut ? problem : { ...problem, example };
  });
}

function isEmpty(schema: unknown): boolean {
  const isClosed = isObject(schema) && schema["additionalProperties"] === false;
  return isClosed && Object.keys(propertiesOf(schema)).length === 0;
}

/** What is wrong with arguments, with what is allowed there and how to fix it. */
export function argumentProblems(
  schema: JsonObject,
  value: unknown,
  errors: readonly { readonly pointer: string; readonly message: string }[],
): Problem[] {
  const problems = errors.slice(0, 50).map(({ pointer, message }) => {
    const path = pointerSegments(pointer) ?? [];
    const name = path.at(-1) ?? "";
    const around = schemaAt(schema, path.slice(0, -1));
    const wanted = schemaAt(schema, path);
    const given = valueAt(value, path);
    const namesAre = Object.keys(propertiesOf(around)).length > 0 || isEmpty(around);
    if (wanted === undefined && given !== undefined && namesAre) {
      const beside = valueAt(value, path.slice(0, -1));
      return unknownMember({ pointer, message, name, around, root: schema, beside });
    }
    return given === undefined
      ? missingMember(pointer, message, name, wanted)
      : unfitValue(pointer, message, expectationWithUse(wanted), described(given));
  });
  return withExamples(problems, schema);
}

/** What is invalid, in one sentence: where the first problem is, and how many follow. */
export function invalidBecause(
  what: string,
  errors: readonly { readonly pointer: string; readonly message: string }[],
): string {
  const [{ pointer, message } = { pointer: "", message: "not what is asked for." }, ...more] = errors;
  const rest =
    more.length === 0 ? "" : ` ${more.length} more ${more.length === 1 ? "problem" : "problems"} below.`;
  return `${what}: ${pointer === "" ? "" : `${pointer}: `}${message}${rest}`;
}

/** The refusal of inputs of a run, with the same problems. */
export function unfitInputs(
  schema: JsonObject,
  inputs: JsonObject,
  errors: readonly { readonly pointer: string; readonly message: string }[],
  nextAction?: string,
): AppError {
  const problems = argumentProblems(schema, inputs, errors);
  return new AppError("invalid_input", invalidBecause("The inputs of the workflow are invalid", errors), {
    problems: problems.map((problem) => ({
      ...problem,
      pointer: `/inputs${problem.pointer}`,
      ...(problem.fix?.startsWith("Move ") && { fix: problem.fix.replace('" to /', '" to /inputs/') }),
    })),
    ...(nextAction !== undefined && { nextAction }),
  });
}

/** What was given, without a text that may be a secret. */
function described(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  return typeof value === "string" ? "a string" : isObject(value) ? "an object" : JSON.stringify(value);
}

/** The members that a schema names. */
export function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  return isObject(schema) && isObject(schema["properties"]) ? schema["properties"] : {};
}

function schemaAt(schema: unknown, path: readonly string[]): unknown {
  let found = resolved(schema, schema);
  for (const name of path) {
    const items = isObject(found) && /^\d+$/.test(name) ? found["items"] : undefined;
    found = resolved(items ?? propertiesOf(found)[name], schema);
  }
  return found;
}

/** The value at a path. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const name of path)
    found = Array.isArray(found)
      ? found[Number(name)]
      : isObject(found) && Object.hasOwn(found, name)
        ? found[name]
        : undefined;
  return found;
}

/** Where a name that is not known in one place is known: one or two levels below. */
function placeOf(name: string, schema: unknown, at: string): string | null {
  for (const [group, inner] of Object.entries(propertiesOf(schema))) {
    if (Object.hasOwn(propertiesOf(inner), name)) return `${at}/${group}/${name}`;
    const deeper = at === "" ? placeOf(name, inner, `/${group}`) : null;
    if (deeper !== null) return deeper;
  }
  return null;
}

/** The one member that takes any names, such as `arguments`; null where there is not one. */
function freeMemberOf(around: unknown): string | null {
  const [only, ...more] = Object.entries(propertiesOf(around)).filter(
    ([group, member]) =>
      isObject(member) &&
      member["type"] === "object" &&
      group !== "schema" &&
      !isObject(member["properties"]),
  );
  return only === undefined || more.length > 0 ? null : only[0];
}
