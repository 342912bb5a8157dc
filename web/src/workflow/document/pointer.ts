import { isObject } from "#kernel/json.ts";
import { pointerSegments } from "#kernel/paths.ts";

/** What stands at a JSON Pointer; undefined when nothing does. */
export function valueAt(root: unknown, pointer: string): unknown {
  let current = root;
  for (const part of pointerSegments(pointer) ?? []) {
    if (Array.isArray(current)) current = current[Number(part)];
    else if (isObject(current) && Object.hasOwn(current, part)) current = current[part];
    else return undefined;
  }
  return current;
}

/** A copy with another value at a JSON Pointer; without one, what stands there is removed. */
export function withValueAt<T>(root: T, pointer: string, value: unknown): T;
export function withValueAt(root: unknown, pointer: string, value: unknown): unknown {
  return write(root, pointerSegments(pointer) ?? [], value);
}

function write(current: unknown, parts: readonly string[], value: unknown): unknown {
  const [part, ...rest] = parts;
  if (part === undefined) return value;
  if (Array.isArray(current)) {
    const index = Number(part);
    if (rest.length === 0 && value === undefined) return current.toSpliced(index, 1);
    const items: readonly unknown[] = current;
    return items.map((item, at) => (at === index ? write(item, rest, value) : item));
  }
  const bag = isObject(current) ? current : {};
  if (rest.length > 0 || value !== undefined)
    return { ...bag, [part]: write(Object.hasOwn(bag, part) ? bag[part] : undefined, rest, value) };
  return Object.fromEntries(Object.entries(bag).filter(([name]) => name !== part));
}
