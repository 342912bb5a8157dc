import { isJsonRecord, type Json, type JsonObject } from "../kernel/json.ts";
import { listOf } from "../kernel/json.ts";
import { mayLack, typesOf, typeText, type SchemaOrNull } from "./schema-types.ts";

/**
 * How sure it is that a value fits: always; always but for limits such as a length; nothing is known of it; only some
 * values do; none does. From best to worst.
 */
export const VERDICTS = ["fits", "limits", "unknown", "maybe", "misfit"] as const;

/** Whether what one schema describes can be used where another one is wanted, and what stands in the way. */
export interface Fit {
  readonly verdict: (typeof VERDICTS)[number];
  /** The members that lead to what does not fit; `[]` stands for the items of a list. */
  readonly path: readonly string[];
  /** What does not fit there, as the end of a sentence; empty when nothing is known to be wrong. */
  readonly reason: string;
}

const FITS: Fit = { verdict: "fits", path: [], reason: "" };
const UNKNOWN: Fit = { verdict: "unknown", path: [], reason: "" };
const MAX_DEPTH = 12;

/** Compares two schemas without local references, member by member. */
export function fit(given: SchemaOrNull, wanted: SchemaOrNull, depth = 0): Fit {
  if (wanted === null || Object.keys(wanted).length === 0) return FITS;
  if (given === null || Object.keys(given).length === 0) return isFree(wanted) ? FITS : UNKNOWN;
  if (depth > MAX_DEPTH) return UNKNOWN;
  const sources = branches(given);
  if (sources.length > 0) {
    const fits = sources.map((branch) => fit(branch, wanted, depth + 1));
    const best = Math.min(...fits.map(rank));
    const found = worst(fits);
    // Some of what may come fits, and some does not.
    return found.verdict === "misfit" && best < rank(found) ? { ...found, verdict: "maybe" } : found;
  }
  const targets = branches(wanted);
  if (targets.length > 0) {
    const fits = targets.map((branch) => fit(given, branch, depth + 1));
    return fits.toSorted((a, b) => rank(a) - rank(b))[0] ?? FITS;
  }
  const types = fitTypes(given, wanted);
  if (types.verdict === "misfit") return types;
  return worst([
    types,
    fitChoices(given, wanted),
    fitLimits(given, wanted),
    ...fitMembers(given, wanted, depth),
    ...fitItems(given, wanted, depth),
  ]);
}

function rank({ verdict }: Fit): number {
  return VERDICTS.indexOf(verdict);
}

function worst(fits: readonly Fit[]): Fit {
  return fits.reduce((found, next) => (rank(next) > rank(found) ? next : found), FITS);
}

/** Schemas that only name things take every value. */
function isFree(schema: JsonObject): boolean {
  return Object.keys(schema).every((key) => ["title", "description", "default", "examples"].includes(key));
}

/** The alternatives of a schema, each with what stands beside them. */
function branches(schema: JsonObject): readonly JsonObject[] {
  const key = ["anyOf", "oneOf"].find((name) => listOf(schema[name]).length > 0);
  if (key === undefined) return [];
  const { [key]: alternatives, ...rest } = schema;
  return listOf(alternatives).map((branch) => ({ ...rest, ...(isJsonRecord(branch) ? branch : {}) }));
}

function fitTypes(given: JsonObject, wanted: JsonObject): Fit {
  const to = typesOf(wanted);
  if (to === null) return FITS;
  const from = typesOf(given);
  if (from === null) return UNKNOWN;
  const taken = [...from].filter((type) => to.has(type) || (type === "integer" && to.has("number")));
  if (taken.length === from.size) return FITS;
  const isMaybe = taken.length > 0 || (from.has("number") && to.has("integer"));
  const reason = `${typeText(given)} is given, ${typeText(wanted)} is needed`;
  return { verdict: isMaybe ? "maybe" : "misfit", path: [], reason };
}

function fitChoices(given: JsonObject, wanted: JsonObject): Fit {
  const to = choices(wanted);
  if (to === null) return FITS;
  const from = choices(given);
  const reason = `only ${to.slice(0, 8).join(", ")} ${to.length === 1 ? "is" : "are"} taken`;
  if (from === null) return { verdict: "limits", path: [], reason };
  const taken = from.filter((choice) => to.includes(choice));
  if (taken.length === from.length) return FITS;
  return { verdict: taken.length === 0 ? "misfit" : "limits", path: [], reason };
}

function choices(schema: JsonObject): readonly string[] | null {
  if (schema["const"] !== undefined) return [JSON.stringify(schema["const"])];
  const list = schema["enum"];
  return Array.isArray(list) ? list.map((choice: Json) => JSON.stringify(choice)) : null;
}

/** Limits of values. No value is looked at, so one that is not given in the same words is not surely kept. */
const LIMITS = [
  "pattern format minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf",
  "minItems maxItems uniqueItems contains minProperties maxProperties patternProperties propertyNames",
  "not if then else dependentRequired dependentSchemas prefixItems allOf $ref",
].flatMap((names) => names.split(" "));

function fitLimits(given: JsonObject, wanted: JsonObject): Fit {
  const limit = LIMITS.find((name) => {
    const asked = wanted[name];
    return asked !== undefined && JSON.stringify(given[name]) !== JSON.stringify(asked);
  });
  return limit === undefined ? FITS : { verdict: "limits", path: [], reason: "" };
}

function fitMembers(given: JsonObject, wanted: JsonObject, depth: number): readonly Fit[] {
  if (typesOf(given)?.has("object") !== true) return [];
  const has = isJsonRecord(given["properties"]) ? given["properties"] : {};
  const takes = isJsonRecord(wanted["properties"]) ? wanted["properties"] : {};
  const extra = wanted["additionalProperties"];
  const fits: Fit[] = [];
  for (const name of listOf(wanted["required"])) {
    if (typeof name !== "string") continue;
    if (!Object.hasOwn(has, name))
      fits.push(isOpen(given) ? UNKNOWN : { verdict: "misfit", path: [name], reason: "is missing" });
    else if (mayLack(given, name)) fits.push({ verdict: "maybe", path: [name], reason: "may be missing" });
  }
  for (const [name, property] of Object.entries(has)) {
    const target = Object.hasOwn(takes, name) ? takes[name] : extra;
    if (target === false && !isJsonRecord(wanted["patternProperties"])) {
      fits.push({ verdict: mayLack(given, name) ? "maybe" : "misfit", path: [name], reason: "is not taken" });
    } else {
      const inner = fit(record(property), record(target), depth + 1);
      fits.push({ ...inner, path: [name, ...inner.path] });
    }
  }
  if (isOpen(given) && (extra === false || isJsonRecord(extra))) fits.push(UNKNOWN);
  return fits;
}

function record(schema: Json | undefined): SchemaOrNull {
  return isJsonRecord(schema) ? schema : null;
}

/** A description that lists members and says nothing of others is taken as complete. */
function isOpen(schema: JsonObject): boolean {
  const extra = schema["additionalProperties"];
  return (extra !== undefined && extra !== false) || !isJsonRecord(schema["properties"]);
}

function fitItems(given: JsonObject, wanted: JsonObject, depth: number): readonly Fit[] {
  if (typesOf(given)?.has("array") !== true) return [];
  const inner = fit(record(given["items"]), record(wanted["items"]), depth + 1);
  return [{ ...inner, path: ["[]", ...inner.path] }];
}

/** What is wrong with a fit, as a sentence for the person who chose the data. */
export function fitText({ path, reason }: Fit): string {
  const named = path.filter((part) => part !== "[]");
  const [last = ""] = named.slice(-1);
  if (last === "") return `${path.length > 0 ? "In each item, " : ""}${reason}.`;
  const where = path.includes("[]") ? " in each item" : "";
  return reason.startsWith("is ") || reason.startsWith("may ")
    ? `“${last}” ${reason}${where}.`
    : `“${last}”${where}: ${reason}.`;
}
