import { pointerSegment } from "../../kernel/paths.ts";
import type { FormValue } from "../../../packages/forms/src/index.ts";
import { isRecord, pointerTokens, setOwn } from "../../../packages/forms/src/values/json.ts";
import { isForm } from "../../../packages/forms/src/values/values.ts";

/** A copy of a value with another one at a JSON Pointer; undefined takes the member or item away. */
export function withValue(
  root: FormValue | undefined,
  pointer: string,
  value: FormValue | undefined,
): FormValue | undefined {
  const [token, ...rest] = pointerTokens(pointer);
  if (token === undefined) return value;
  const inner = rest.map((part) => `/${pointerSegment(part)}`).join("");
  if (Array.isArray(root)) {
    const items = root.filter(isForm);
    const index = Number(token);
    const next = withValue(items[index], inner, value);
    if (next === undefined) return items.filter((_, position) => position !== index);
    return Object.assign([...items], { [index]: next });
  }
  const members = isRecord(root) ? root : {};
  const copy: Record<string, FormValue> = {};
  for (const [key, item] of Object.entries(members)) if (isForm(item)) setOwn(copy, key, item);
  const before = Object.hasOwn(copy, token) ? copy[token] : undefined;
  const next = withValue(before, inner, value);
  if (next === undefined) delete copy[token];
  else setOwn(copy, token, next);
  return copy;
}
