import { matchesFormat, matchesNumberFormat } from "./formats.ts";
import { ExactNumber, isRecord, own, sameJson } from "../values/json.ts";
import { isMultipleOf } from "../values/numbers.ts";

/*
 * The keywords that look at one value and at nothing inside it.
 */

/** Whether a value satisfies `type`, `enum`, `const`, its limits and, when they count, its format. */
export function scalarAnswer(get: (keyword: string) => unknown, value: unknown, formats: boolean): boolean {
  const answers: boolean[] = [];
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
    const format = get("format");
    if (formats && typeof format === "string") answers.push(matchesFormat(format, value));
  }
  if (typeof value === "number" || value instanceof ExactNumber) {
    answers.push(numberAnswer(get, typeof value === "number" ? value : value.text));
    const format = get("format");
    if (formats && typeof format === "string") answers.push(matchesNumberFormat(format, Number(value)));
  }
  return !answers.includes(false);
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

/** Whether a count is within its limits. */
export function countAnswer(count: number, least: unknown, most: unknown): boolean {
  return !(isCount(least) && count < least) && !(isCount(most) && count > most);
}

/** Anything else in place of a count means nothing. */
function isCount(limit: unknown): limit is number {
  return typeof limit === "number" && Number.isInteger(limit) && limit >= 0;
}

/** True when no item of a list is there twice. */
export function isUnique(items: readonly unknown[]): boolean {
  const keys = new Set<string>();
  for (const item of items) {
    const key = keyOf(item);
    if (keys.has(key)) return false;
    keys.add(key);
  }
  return true;
}

/** The same text for values that are the same JSON, whatever the order of their members. */
function keyOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(keyOf).join()}]`;
  if (isRecord(value))
    return `{${Object.keys(value)
      .filter((key) => own(value, key) !== undefined)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${keyOf(own(value, key))}`)
      .join()}}`;
  if (value instanceof ExactNumber)
    return /^-?\d+$/.test(value.text) ? String(BigInt(value.text)) : String(Number(value.text));
  return JSON.stringify(value) ?? "null";
}
