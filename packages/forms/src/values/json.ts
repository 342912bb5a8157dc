/** Any value that JSON text can hold. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. Keys come from outside, so a missing key is always possible. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** True for a JSON object: not null, not an array, not a number kept as text. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

/** A number whose text says more than a double can hold, or says it differently (`1.0`, `1e2`, 2^53 + 1). */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The nearest double. */
  valueOf(): number {
    return Number(this.text);
  }

  toString(): string {
    return this.text;
  }

  /** What `JSON.stringify` writes for it: the nearest double. `stringifyExact` writes the text itself. */
  toJSON(): number {
    return Number(this.text);
  }
}

/** A value held in a form: JSON, with numbers that a double cannot hold kept as their text. */
export type FormValue = null | boolean | number | string | ExactNumber | readonly FormValue[] | FormObject;

/** An object held in a form. */
export interface FormObject {
  readonly [key: string]: FormValue | undefined;
}

/** An object's own member; inherited names such as `constructor` are plain data that may be missing. */
export function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets an own member whatever its name is; plain assignment would treat `__proto__` as special. */
export function setOwn<T>(object: Record<string, T>, key: string, value: T): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** One reference token of a JSON Pointer, escaped. */
export function pointerToken(key: string | number): string {
  const text = String(key);
  return text.includes("~") || text.includes("/") ? text.replaceAll("~", "~0").replaceAll("/", "~1") : text;
}

/** The tokens of a JSON Pointer. */
export function pointerTokens(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .replace(/^\//, "")
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value a JSON Pointer leads to, or undefined. */
export function valueAt(value: unknown, pointer: string): unknown {
  let current = value;
  for (const token of pointerTokens(pointer)) {
    if (Array.isArray(current)) current = /^(0|[1-9]\d*)$/.test(token) ? current[Number(token)] : undefined;
    else if (isRecord(current)) current = own(current, token);
    else return undefined;
  }
  return current;
}

/** Deep equality of JSON values; numbers compare by value, absent and undefined members are the same. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a instanceof ExactNumber || b instanceof ExactNumber) return sameNumber(a, b);
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a).filter((key) => own(a, key) !== undefined);
  const others = Object.keys(b).filter((key) => own(b, key) !== undefined);
  return (
    keys.length === others.length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(own(a, key), own(b, key)))
  );
}

function sameNumber(a: unknown, b: unknown): boolean {
  const left = numberText(a);
  const right = numberText(b);
  if (left === null || right === null) return false;
  if (left === right) return true;
  const integer = /^-?\d+$/;
  if (integer.test(left) && integer.test(right)) return BigInt(left) === BigInt(right);
  return Number(left) === Number(right);
}

function numberText(value: unknown): string | null {
  if (value instanceof ExactNumber) return value.text;
  return typeof value === "number" ? String(value) : null;
}

/** True when a value consists of JSON types only. */
export function isJson(value: unknown): value is Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  return isRecord(value) && Object.values(value).every((item) => item === undefined || isJson(item));
}
