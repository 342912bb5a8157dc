import type { BodyEncoding, RequestTemplate } from "../compile/document.ts";
import { stringifyExact } from "./exact.ts";
import { ExactNumber, isRecord, type FormValue } from "./json.ts";
import {
  deepPairs,
  holdsSeparator,
  isNested,
  listed,
  members,
  scalarText,
  SEPARATORS,
  styledPairs,
} from "./styles.ts";

/** A part of a multipart body. */
export interface RequestPart {
  readonly name: string;
  readonly value: string;
  readonly file: boolean;
  /** Written out where it is not the usual one. */
  readonly contentType?: string;
}

/** A body as text or as parts, or why it cannot be written. */
export interface EncodedBody {
  readonly text: string | null;
  readonly parts?: readonly RequestPart[];
  readonly problem?: string;
}

/** Writes a body in its media type. */
export function encodeBody(contentType: string, body: FormValue, template: RequestTemplate): EncodedBody {
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  const encoding = template.encoding ?? {};
  const isObject = isRecord(body) && !(body instanceof ExactNumber);
  if (type.startsWith("multipart/")) {
    if (!isObject)
      return refused(`${type} is made of named parts, and the body is not an object with their names`);
    const unclear = members(body).find(
      ([name, item]) =>
        encoding[name]?.style !== undefined &&
        encoding[name].explode === false &&
        holdsSeparator(item, betweenIn(encoding[name].style)),
    );
    if (unclear !== undefined)
      return refused(`an item of "${unclear[0]}" holds what parts the items in the style of its description`);
    const parts = members(body).flatMap(([name, item]) =>
      partsOf(name, item, template.files.includes(name), encoding[name]),
    );
    return parts.length === 0 ? refused(`${type} needs at least one part`) : { text: null, parts };
  }
  if (type === "application/x-www-form-urlencoded" && isObject) {
    const lost = members(body).find(
      ([name, item]) =>
        isNested(item) && encoding[name]?.style !== undefined && encoding[name].style !== "deepObject",
    );
    if (lost !== undefined)
      return refused(`the style of "${lost[0]}" has no way to write lists or objects inside of others`);
    const pairs = members(body).flatMap(([name, item]) => formPairs(name, item, encoding[name]));
    return { text: pairs.join("&") };
  }
  if (type === "application/json" || type.endsWith("+json") || type === "text/json")
    return { text: stringifyExact(body) };
  if (typeof body === "string") return { text: body };
  const lines = LINES[type];
  if (lines !== undefined) {
    const items: readonly FormValue[] = Array.isArray(body) ? body : [body];
    return { text: items.map((item) => `${lines}${stringifyExact(item)}\n`).join("") };
  }
  // JSON is YAML too.
  if (!isObject && !Array.isArray(body)) return { text: scalarText(body) };
  if (/yaml/.test(type)) return { text: stringifyExact(body) };
  return refused(`a body of type ${type} is text; give it as it is to be sent`);
}

/** What stands before each value in formats of one JSON value a line; RFC 7464 puts a separator there. */
const LINES: Readonly<Record<string, string>> = {
  "application/x-ndjson": "",
  "application/ndjson": "",
  "application/jsonl": "",
  "application/x-jsonl": "",
  "application/jsonlines": "",
  "application/x-jsonlines": "",
  "application/json-seq": "\u001e",
};

function refused(reason: string): EncodedBody {
  return { text: null, problem: `The body cannot be written: ${reason}.` };
}

/** The encoding of `application/x-www-form-urlencoded` as browsers write it (WHATWG URL). */
function formText(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

/** A member of a form body: in the style that the description gives it, else lists repeat and objects nest. */
export function formPairs(name: string, value: FormValue, encoding: BodyEncoding | undefined): string[] {
  if (encoding?.contentType?.includes("json") === true)
    return [`${formText(name)}=${formText(stringifyExact(value))}`];
  if (encoding?.style !== undefined || encoding?.explode !== undefined) {
    const style = encoding.style ?? "form";
    const explode = encoding.explode ?? style === "form";
    return styledPairs(name, value, { style, explode }, formText, formText);
  }
  if (Array.isArray(value) && !isNested(value))
    return value.map((item: FormValue) => `${formText(name)}=${formText(scalarText(item))}`);
  return deepPairs(name, value, formText, formText);
}

function betweenIn(style: string): string {
  return decodeURIComponent(SEPARATORS[style] ?? ",");
}

function partsOf(
  name: string,
  value: FormValue,
  file: boolean,
  encoding: BodyEncoding | undefined,
): readonly RequestPart[] {
  const { contentType, style, explode } = encoding ?? {};
  if (Array.isArray(value) && style !== undefined && explode === false && !isNested(value)) {
    return [{ name, value: listed(value, false, { between: betweenIn(style), encode: String }), file }];
  }
  if (Array.isArray(value)) return value.flatMap((item: FormValue) => partsOf(name, item, file, encoding));
  const isObject = isRecord(value) && !(value instanceof ExactNumber);
  const type = contentType?.split(",")[0]?.trim() ?? (isObject ? "application/json" : null);
  return [
    {
      name,
      value: scalarText(value),
      file,
      ...(type !== null && !type.includes("*") && { contentType: type }),
    },
  ];
}
