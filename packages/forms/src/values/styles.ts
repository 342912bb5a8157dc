import { isContainer } from "./walk.ts";
import { stringifyExact } from "./exact.ts";
import { ExactNumber, isRecord, type FormValue } from "./json.ts";
import { isForm } from "./values.ts";

/** A scalar as the text that a request carries. */
export function scalarText(value: FormValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  return value instanceof ExactNumber || typeof value !== "object" ? String(value) : stringifyExact(value);
}

/** True for what RFC 6570 calls undefined, which a request leaves out: null, and a list or object with nothing in it. */
export function isNothing(value: FormValue): boolean {
  if (value === null || Array.isArray(value)) return value === null || value.every(isNull);
  return isContainer(value) && isRecord(value) && members(value).length === 0;
}

function isNull(value: FormValue): boolean {
  return value === null;
}

/** True for a list or an object that holds another one. */
export function isNested(value: FormValue): boolean {
  if (!isContainer(value)) return false;
  const items: readonly FormValue[] = Array.isArray(value)
    ? value
    : isRecord(value)
      ? members(value).map(([, item]) => item)
      : [];
  return items.some(isContainer);
}

interface Listing {
  readonly between: string;
  readonly encode: (text: string) => string;
}

/** Items or members one after another; a member is `key=value` when exploded, `key<between>value` otherwise. */
export function listed(value: FormValue, explode: boolean, { between, encode }: Listing): string {
  if (Array.isArray(value)) return value.map((item: FormValue) => encode(scalarText(item))).join(between);
  if (!isRecord(value)) return encode(scalarText(value));
  const equals = explode ? "=" : between;
  return members(value)
    .map(([key, item]) => `${encode(key)}${equals}${encode(scalarText(item))}`)
    .join(between);
}

/** The members of an object that have a value. */
export function members(value: object): (readonly [string, FormValue])[] {
  return Object.entries(value).flatMap(([key, item]) =>
    isForm(item) && item !== null ? [[key, item] as const] : [],
  );
}

/** What stands between the items of a list, percent-encoded; a comma in every other style. */
export const SEPARATORS: Readonly<Record<string, string>> = {
  spaceDelimited: "%20",
  pipeDelimited: "%7C",
  tabDelimited: "%09",
};

/** True when an item holds what stands between items: then the list would be read as another one. */
export function holdsSeparator(value: FormValue, between: string): boolean {
  if (Array.isArray(value)) return value.some((item: FormValue) => scalarText(item).includes(between));
  if (!isRecord(value) || value instanceof ExactNumber) return false;
  const texts = members(value).flatMap(([key, item]) => [key, scalarText(item)]);
  return texts.some((text) => text.includes(between));
}

/** `name=value` pairs in one of the styles of a query or a form body. */
export function styledPairs(
  name: string,
  value: FormValue,
  { style, explode }: { readonly style: string; readonly explode: boolean },
  encode: (text: string) => string,
  encodeName: (text: string) => string = encodeURIComponent,
): string[] {
  const word = encodeName(name);
  if (style === "deepObject") return deepPairs(name, value, encodeName, encode);
  if (Array.isArray(value)) {
    if (explode) return value.map((item: FormValue) => `${word}=${encode(scalarText(item))}`);
    return [`${word}=${listed(value, false, { between: SEPARATORS[style] ?? ",", encode })}`];
  }
  if (!isRecord(value) || value instanceof ExactNumber) return [`${word}=${encode(scalarText(value))}`];
  if (explode) return members(value).map(([key, item]) => `${encodeName(key)}=${encode(scalarText(item))}`);
  return [`${word}=${listed(value, false, { between: SEPARATORS[style] ?? ",", encode })}`];
}

/** `name[key][0]=value` pairs, as deep as the value is. */
export function deepPairs(
  name: string,
  value: FormValue,
  encodeName: (text: string) => string,
  encode: (text: string) => string,
): string[] {
  if (Array.isArray(value))
    return value.flatMap((item: FormValue, at) => deepPairs(`${name}[${at}]`, item, encodeName, encode));
  if (isRecord(value) && !(value instanceof ExactNumber))
    return members(value).flatMap(([key, item]) => deepPairs(`${name}[${key}]`, item, encodeName, encode));
  return [`${encodeName(name)}=${encode(scalarText(value))}`];
}
