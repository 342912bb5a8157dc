import { isRecord, own, pointerToken, pointerTokens, sameJson, setOwn, type FormValue } from "./json.ts";
import { isForm } from "./values.ts";

/** One difference between two values, as a JSON Patch operation (RFC 6902). */
export interface Change {
  readonly op: "add" | "remove" | "replace";
  readonly path: string;
  readonly value?: FormValue;
}

/** What turns one value into another. Absent, null and empty are different; `1.0` and `1` are the same number. */
export function diff(from: FormValue, to: FormValue): Change[] {
  const changes: Change[] = [];
  compare(from, to, "", changes);
  return changes;
}

function compare(from: FormValue, to: FormValue, path: string, changes: Change[]): void {
  if (sameJson(from, to)) return;
  if (isList(from) && isList(to)) {
    const shared = Math.min(from.length, to.length);
    for (let index = 0; index < shared; index++)
      compare(from[index] ?? null, to[index] ?? null, `${path}/${index}`, changes);
    for (let index = from.length - 1; index >= shared; index--)
      changes.push({ op: "remove", path: `${path}/${index}` });
    for (const item of to.slice(shared)) changes.push({ op: "add", path: `${path}/-`, value: item });
    return;
  }
  if (!isRecord(from) || !isRecord(to)) {
    changes.push({ op: "replace", path, value: to });
    return;
  }
  for (const key of Object.keys(from)) {
    const at = `${path}/${pointerToken(key)}`;
    const [old, next] = [own(from, key), own(to, key)];
    if (!isForm(old) || old === undefined) continue;
    if (next === undefined) changes.push({ op: "remove", path: at });
    else if (isForm(next)) compare(old, next, at, changes);
  }
  for (const key of Object.keys(to)) {
    const next = own(to, key);
    if (own(from, key) === undefined && next !== undefined && isForm(next)) {
      changes.push({ op: "add", path: `${path}/${pointerToken(key)}`, value: next });
    }
  }
}

function isList(value: FormValue): value is readonly FormValue[] {
  return Array.isArray(value);
}

/** The value with the changes made. Parts that no change touches are the same objects as before. */
export function merge(value: FormValue, changes: readonly Change[]): FormValue {
  let current = value;
  for (const change of changes) {
    const next = apply(current, pointerTokens(change.path), change);
    current = next ?? null;
  }
  return current;
}

function apply(
  value: FormValue | undefined,
  tokens: readonly string[],
  change: Change,
): FormValue | undefined {
  const [token, ...rest] = tokens;
  if (token === undefined) return change.op === "remove" ? undefined : (change.value ?? null);
  if (value !== undefined && isList(value)) {
    const index = token === "-" ? value.length : Number(token);
    if (!Number.isInteger(index) || index < 0 || index > value.length) return value;
    const next = apply(value[index], rest, change);
    const removed = rest.length === 0 && change.op !== "add" ? 1 : rest.length === 0 ? 0 : 1;
    return value.toSpliced(index, removed, ...(next === undefined ? [] : [next]));
  }
  if (!isRecord(value)) return value;
  const copy: Record<string, FormValue> = {};
  for (const [key, item] of Object.entries(value))
    if (item !== undefined && isForm(item)) setOwn(copy, key, item);
  const before = own(value, token);
  const next = apply(isForm(before) ? before : undefined, rest, change);
  if (next === undefined) Reflect.deleteProperty(copy, token);
  else setOwn(copy, token, next);
  return copy;
}
