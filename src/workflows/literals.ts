import { isList, isObject, type Json, type JsonObject, listOf } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { expectationWithUse } from "../kernel/schema-words.ts";
import { excerpt, quoted, segment } from "./problems.ts";
import { deref, typeName, typesOf, typeText, type SchemaOrNull } from "./schema-types.ts";
import { classify, type Tagged } from "./values.ts";

/** What does not fit, where, and of which kind. */
export interface Misfit {
  readonly kind: "invalid" | "missing" | "unknown";
  readonly pointer: string;
  readonly message: string;
}

/** Called for each tagged value with the schema of the place it stands in. */
export type OnTagged = (
  tagged: Exclude<Tagged, { kind: "plain" }>,
  schema: SchemaOrNull,
  pointer: string,
) => void;

const MAX_DEPTH = 24;
/** Enough to fix by; a hostile document could hold hundreds of thousands. */
const MAX_MISFITS = 500;

/**
 * Checks a value that may hold references and expressions against a schema: literals are checked, holes are reported
 * to `onTagged`. No pattern or format of the schema is run, so nothing here can hang; the dispatcher checks everything
 * again with real arguments.
 */
export function checkLiteral(
  value: Json,
  schema: Json | undefined,
  root: SchemaOrNull,
  pointer: string,
  onTagged: OnTagged,
): readonly Misfit[] {
  const misfits: Misfit[] = [];
  check(value, schema, { root, onTagged, misfits }, pointer, 0);
  return misfits;
}

interface Task {
  readonly root: SchemaOrNull;
  readonly onTagged: OnTagged;
  readonly misfits: Misfit[];
}

function check(value: Json, given: Json | undefined, task: Task, pointer: string, depth: number): void {
  if (task.misfits.length >= MAX_MISFITS) return;
  const schema = deref(given, task.root);
  const tagged = classify(value);
  if (tagged.kind !== "plain" && tagged.kind !== "literal") {
    task.onTagged(tagged, schema, pointer);
    return;
  }
  const plain = tagged.kind === "literal" ? tagged.value : value;
  const invalid = (message: string): void => {
    task.misfits.push({ kind: "invalid", pointer, message });
  };
  if (schema === null || depth > MAX_DEPTH) {
    // Nothing is known of this place, but holes below it still have to be looked at.
    descend(plain, null, task, pointer, depth);
    return;
  }
  const types = typesOf(schema);
  const type = typeName(plain);
  if (types !== null && !types.has(type) && !(type === "integer" && types.has("number"))) {
    invalid(`${typeText(schema)} is expected; ${excerpt(plain)} is given.`);
    return;
  }
  const choices = schema["enum"];
  if (Array.isArray(choices) && !choices.some((choice) => same(choice, plain))) {
    invalid(
      `One of ${choices.slice(0, 12).map(excerpt).join(", ")} is expected; ${excerpt(plain)} is given.`,
    );
  }
  if (schema["const"] !== undefined && !same(schema["const"], plain)) {
    invalid(`${excerpt(schema["const"])} is expected; ${excerpt(plain)} is given.`);
  }
  const bound = boundOf(plain, schema);
  if (bound !== null) invalid(bound);
  checkBranches(plain, schema, task, pointer, depth);
  descend(plain, schema, task, pointer, depth);
}

function boundOf(value: Json, schema: JsonObject): string | null {
  if (typeof value === "number") {
    if (lessThan(value, schema["minimum"]))
      return `At least ${excerpt(schema["minimum"] ?? null)} is expected.`;
    if (lessThan(schema["maximum"], value))
      return `At most ${excerpt(schema["maximum"] ?? null)} is expected.`;
    return null;
  }
  if (typeof value === "string")
    return sizeOf(Array.from(value).length, schema, "minLength", "maxLength", "characters");
  if (Array.isArray(value)) return sizeOf(value.length, schema, "minItems", "maxItems", "items");
  return null;
}

function lessThan(a: unknown, b: unknown): boolean {
  return typeof a === "number" && typeof b === "number" && a < b;
}

function sizeOf(size: number, schema: JsonObject, least: string, most: string, what: string): string | null {
  if (lessThan(size, schema[least]))
    return `At least ${excerpt(schema[least] ?? null)} ${what} are expected; ${size} are given.`;
  if (lessThan(schema[most], size))
    return `At most ${excerpt(schema[most] ?? null)} ${what} are expected; ${size} are given.`;
  return null;
}

function checkBranches(value: Json, schema: JsonObject, task: Task, pointer: string, depth: number): void {
  const quiet = (branch: Json): boolean => {
    const misfits: Misfit[] = [];
    check(value, branch, { root: task.root, onTagged: () => undefined, misfits }, pointer, depth + 8);
    return misfits.length === 0;
  };
  for (const branch of listOf(schema["allOf"])) {
    check(value, branch, { ...task, onTagged: () => undefined }, pointer, depth + 8);
  }
  for (const key of ["anyOf", "oneOf"]) {
    const branches = listOf(schema[key]);
    if (branches.length > 0 && branches.length <= 50 && !branches.some(quiet)) {
      task.misfits.push({
        kind: "invalid",
        pointer,
        message: `${excerpt(value)} fits none of the alternatives.`,
      });
    }
  }
}

function descend(value: Json, schema: SchemaOrNull, task: Task, pointer: string, depth: number): void {
  if (value === null || typeof value !== "object" || depth > MAX_DEPTH * 3) return;
  if (isList(value)) {
    const prefix = listOf(schema?.["prefixItems"]);
    value.forEach((item, index) =>
      check(item, prefix[index] ?? schema?.["items"] ?? null, task, `${pointer}/${index}`, depth + 1),
    );
    return;
  }
  const properties = isObject(schema?.["properties"]) ? schema["properties"] : {};
  for (const name of listOf(schema?.["required"])) {
    if (typeof name === "string" && !Object.hasOwn(value, name)) {
      task.misfits.push({
        kind: "missing",
        pointer: pointer + segment(name),
        message: `${quoted(name)} is required: ${expectationWithUse(properties[name])}.`,
      });
    }
  }
  const extra = schema?.["additionalProperties"];
  const patterns = isObject(schema?.["patternProperties"]);
  for (const [name, item] of Object.entries(value)) {
    if (task.misfits.length >= MAX_MISFITS) return;
    if (item === undefined) continue;
    const place = pointer + segment(name);
    if (Object.hasOwn(properties, name)) {
      check(item, properties[name], task, place, depth + 1);
    } else {
      if (extra === false && !patterns) {
        task.misfits.push({
          kind: "unknown",
          pointer: place,
          message: `There is no ${quoted(name)}${nearest(name, properties)}.`,
        });
      }
      check(item, isObject(extra) ? extra : null, task, place, depth + 1);
    }
  }
}

function nearest(name: string, properties: Record<string, unknown>): string {
  const names = Object.keys(properties);
  if (names.length === 0) return "; no arguments are taken here";
  const [near] = nearestNames(name, names, 1);
  const meant = near === undefined ? "" : `; did you mean ${quoted(near)}`;
  return `${meant}; allowed: ${names.slice(0, 20).join(", ")}${names.length > 20 ? ", …" : ""}`;
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
