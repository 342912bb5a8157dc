import type { BodyEncoding, FormSource, RequestParameter, RequestTemplate } from "./document.ts";
import { stringifyExact } from "./exact.ts";
import { ExactNumber, isRecord, own, type FormValue } from "./json.ts";
import { isForm } from "./values.ts";
import { replaceBraces, withoutTrailing } from "../kernel/text.ts";

/** An HTTP request that a form's value describes. */
export interface BuiltRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  /** Text of the body; null when there is none or it is made of parts. */
  readonly body: string | null;
  /** Parts of a multipart body, in order. */
  readonly parts: readonly {
    readonly name: string;
    readonly value: string;
    readonly file: boolean;
    /** Written out where it is not the usual one. */
    readonly contentType?: string;
  }[];
  readonly contentType: string | null;
}

/** The request that an operation's form describes; secrets are placeholders unless `secrets` is true. */
export function buildRequest(template: RequestTemplate, value: unknown, secrets = false): BuiltRequest {
  const query: string[] = [];
  const headers: [string, string][] = [];
  const cookies: string[] = [];
  // Some descriptions tell operations apart by a fragment, which no request carries, or by a fixed query.
  let path = template.path.split("#")[0] ?? "";
  for (const parameter of template.parameters) {
    const isWhole = parameter.style === QUERY_STRING;
    const item = isWhole ? memberOf(value, "query") : memberOf(value, parameter.in, parameter.name);
    if (item === undefined) continue;
    if (isWhole) query.push(queryString(parameter, item));
    else if (parameter.in === "path")
      path = path.replaceAll(`{${parameter.name}}`, () => pathText(parameter, item));
    else if (parameter.in === "query") query.push(...queryTexts(parameter, item));
    else if (parameter.in === "header") headers.push([parameter.name, headerText(parameter, item)]);
    else cookies.push(...cookieTexts(parameter, item));
  }
  for (const scheme of template.security) {
    const given = memberOf(value, "security", scheme.field);
    const secret = secrets && typeof given === "string" ? given : null;
    addSecurity(scheme, secret, { query, headers, cookies });
  }
  if (cookies.length > 0) headers.push(["Cookie", cookies.join("; ")]);
  const chosen = memberOf(value, "contentType");
  const body = memberOf(value, "body");
  const contentType =
    body === undefined ? null : typeof chosen === "string" ? chosen : (template.contentTypes[0] ?? null);
  const encoded =
    body === undefined || contentType === null
      ? { text: null, parts: [] }
      : encodeBody(contentType, body, template);
  if (contentType !== null && encoded.parts.length === 0) headers.unshift(["Content-Type", contentType]);
  const mark = path.includes("?") ? "&" : "?";
  const url = `${serverUrl(template, value)}${path}${query.length > 0 ? `${mark}${query.join("&")}` : ""}`;
  return {
    method: template.method.toUpperCase(),
    url,
    headers,
    body: encoded.text,
    parts: encoded.parts,
    contentType,
  };
}

/** The request as a curl command, one argument a line. */
export function curlOf(request: BuiltRequest): string {
  const lines = [`curl -X ${request.method} ${quote(request.url)}`];
  for (const [name, text] of request.headers)
    lines.push(`-H ${text.includes("$") ? `"${name}: ${text}"` : quote(`${name}: ${text}`)}`);
  for (const part of request.parts) {
    lines.push(
      part.file
        ? `-F ${quote(`${part.name}=@${part.value}`)}`
        : `--form-string ${quote(`${part.name}=${part.value}`)}`,
    );
  }
  if (request.body !== null) lines.push(`--data-raw ${quote(request.body)}`);
  return lines.join(" \\\n  ");
}

/** A text as one word of a shell command. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function memberOf(value: unknown, ...names: string[]): FormValue | undefined {
  let current: unknown = value;
  for (const name of names) current = isRecord(current) ? own(current, name) : undefined;
  return isForm(current) ? current : undefined;
}

function serverUrl(template: RequestTemplate, value: unknown): string {
  const chosen = memberOf(value, "server", "url");
  const url = typeof chosen === "string" ? chosen : (template.servers[0] ?? "");
  const filled = replaceBraces(url, (name, whole) => {
    const item = memberOf(value, "server", name);
    if (typeof item === "string" || typeof item === "number") return String(item);
    return Object.hasOwn(template.variables, name) ? (template.variables[name] ?? whole) : whole;
  });
  return withoutTrailing(filled, "/");
}

function addSecurity(
  scheme: RequestTemplate["security"][number],
  secret: string | null,
  into: { query: string[]; headers: [string, string][]; cookies: string[] },
): void {
  const placeholder = secret ?? `$${scheme.field.replace(/\W+/g, "_").toUpperCase()}`;
  if (scheme.kind === "apiKey") {
    const name = scheme.name ?? scheme.field;
    if (scheme.in === "query") into.query.push(`${encodeURIComponent(name)}=${placeholder}`);
    else if (scheme.in === "cookie") into.cookies.push(`${name}=${placeholder}`);
    else into.headers.push([name, placeholder]);
    return;
  }
  if (scheme.kind === "mutualTLS") return;
  const word = scheme.kind === "http" && scheme.scheme !== undefined ? scheme.scheme : "bearer";
  into.headers.push(["Authorization", `${word.charAt(0).toUpperCase()}${word.slice(1)} ${placeholder}`]);
}

function scalarText(value: FormValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  return value instanceof ExactNumber || typeof value !== "object" ? String(value) : stringifyExact(value);
}

/** The "simple" style: commas between items, `key=value` when exploded. */
function simple(value: FormValue, explode: boolean, encode: (text: string) => string = String): string {
  return listed(value, explode, { between: ",", encode });
}

interface Listing {
  readonly between: string;
  readonly encode: (text: string) => string;
}

/** Items or members one after another; a member is `key=value` when exploded, `key<between>value` otherwise. */
function listed(value: FormValue, explode: boolean, { between, encode }: Listing): string {
  if (Array.isArray(value)) return value.map((item: FormValue) => encode(scalarText(item))).join(between);
  if (!isRecord(value)) return encode(scalarText(value));
  const equals = explode ? "=" : between;
  return members(value)
    .map(([key, item]) => `${encode(key)}${equals}${encode(scalarText(item))}`)
    .join(between);
}

function members(value: object): (readonly [string, FormValue])[] {
  return Object.entries(value).flatMap(([key, item]) => (isForm(item) ? [[key, item] as const] : []));
}

function headerText(parameter: RequestParameter, value: FormValue): string {
  return parameter.contentType === undefined ? simple(value, parameter.explode) : stringifyExact(value);
}

function pathText(parameter: RequestParameter, value: FormValue): string {
  const { name, style, explode, contentType } = parameter;
  const encode = encodeURIComponent;
  if (contentType !== undefined) return encode(stringifyExact(value));
  if (style === "label") {
    return `.${listed(value, explode, { between: explode ? "." : ",", encode })}`;
  }
  if (style !== "matrix") return simple(value, explode, encode);
  const word = encode(name);
  if (!explode || (!Array.isArray(value) && !isRecord(value))) {
    const text = simple(value, false, encode);
    return text === "" ? `;${word}` : `;${word}=${text}`;
  }
  const pairs = Array.isArray(value)
    ? value.map((item: FormValue) => [word, item] as const)
    : members(value).map(([key, item]) => [encode(key), item] as const);
  return pairs.map(([key, item]) => `;${key}=${encode(scalarText(item))}`).join("");
}

const SEPARATORS: Readonly<Record<string, string>> = {
  spaceDelimited: "%20",
  pipeDelimited: "%7C",
  tabDelimited: "%09",
};

function queryTexts(parameter: RequestParameter, value: FormValue): string[] {
  const safe = (text: string): string =>
    parameter.allowReserved === true ? encodeURI(text).replaceAll("#", "%23") : encodeURIComponent(text);
  if (parameter.contentType !== undefined)
    return [`${encodeURIComponent(parameter.name)}=${safe(stringifyExact(value))}`];
  return styledPairs(parameter.name, value, parameter.style, parameter.explode, safe);
}

/** The style of a parameter that is the whole query string (`in: querystring` of OpenAPI 3.2). */
export const QUERY_STRING = "querystring";

function queryString({ contentType = "" }: RequestParameter, value: FormValue): string {
  const isForm = contentType.startsWith("application/x-www-form-urlencoded") && isRecord(value);
  if (isForm)
    return members(value)
      .flatMap(([name, item]) => formPairs(name, item, undefined))
      .join("&");
  return encodeURIComponent(typeof value === "string" ? value : stringifyExact(value));
}

/** `name=value` pairs in one of the styles of a query or a form body. */
function styledPairs(
  name: string,
  value: FormValue,
  style: string,
  explode: boolean,
  encode: (text: string) => string,
): string[] {
  const word = encodeURIComponent(name);
  if (Array.isArray(value)) {
    if (explode) return value.map((item: FormValue) => `${word}=${encode(scalarText(item))}`);
    return [`${word}=${listed(value, false, { between: SEPARATORS[style] ?? ",", encode })}`];
  }
  if (!isRecord(value)) return [`${word}=${encode(scalarText(value))}`];
  const entries = members(value);
  if (style === "deepObject") return entries.flatMap(([key, item]) => deep(`${name}[${key}]`, item));
  if (explode) return entries.map(([key, item]) => `${encodeURIComponent(key)}=${encode(scalarText(item))}`);
  return [`${word}=${listed(value, false, { between: SEPARATORS[style] ?? ",", encode })}`];
}

/** Cookies are written in the form style; an exploded list is the same cookie several times. */
function cookieTexts({ name, explode }: RequestParameter, value: FormValue): string[] {
  const encode = encodeURIComponent;
  if (explode && Array.isArray(value))
    return value.map((item: FormValue) => `${name}=${encode(scalarText(item))}`);
  if (explode && isRecord(value) && !(value instanceof ExactNumber))
    return members(value).map(([key, item]) => `${key}=${encode(scalarText(item))}`);
  return [`${name}=${simple(value, false, encode)}`];
}

function deep(name: string, value: FormValue): string[] {
  if (Array.isArray(value)) return value.flatMap((item: FormValue, index) => deep(`${name}[${index}]`, item));
  if (isRecord(value)) return members(value).flatMap(([key, item]) => deep(`${name}[${key}]`, item));
  return [`${encodeURIComponent(name)}=${encodeURIComponent(scalarText(value))}`];
}

function encodeBody(
  contentType: string,
  body: FormValue,
  template: RequestTemplate,
): { text: string | null; parts: BuiltRequest["parts"] } {
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  const encoding = template.encoding ?? {};
  if (type.startsWith("multipart/") && isRecord(body)) {
    const parts = members(body).flatMap(([name, item]) =>
      partsOf(name, item, template.files.includes(name), encoding[name]?.contentType),
    );
    return { text: null, parts };
  }
  if (type === "application/x-www-form-urlencoded" && isRecord(body)) {
    const pairs = members(body).flatMap(([name, item]) => formPairs(name, item, encoding[name]));
    return { text: pairs.join("&"), parts: [] };
  }
  if (type === "application/json" || type.endsWith("+json") || typeof body !== "string")
    return { text: stringifyExact(body), parts: [] };
  return { text: body, parts: [] };
}

/** A member of a form body: in the style that the description gives it, else lists repeat and objects nest. */
function formPairs(name: string, value: FormValue, encoding: BodyEncoding | undefined): string[] {
  const encode = encodeURIComponent;
  if (encoding?.contentType?.includes("json") === true)
    return [`${encode(name)}=${encode(stringifyExact(value))}`];
  if (encoding?.style !== undefined || encoding?.explode !== undefined) {
    const style = encoding.style ?? "form";
    return styledPairs(name, value, style, encoding.explode ?? style === "form", encode);
  }
  if (Array.isArray(value) && value.every((item) => item === null || typeof item !== "object"))
    return value.map((item: FormValue) => `${encode(name)}=${encode(scalarText(item))}`);
  return deep(name, value);
}

function partsOf(
  name: string,
  value: FormValue,
  file: boolean,
  contentType: string | undefined,
): BuiltRequest["parts"] {
  if (Array.isArray(value)) return value.flatMap((item: FormValue) => partsOf(name, item, file, contentType));
  const isNested = isRecord(value) && !(value instanceof ExactNumber);
  const type = contentType?.split(",")[0]?.trim() ?? (isNested ? "application/json" : null);
  return [
    {
      name,
      value: scalarText(value),
      file,
      ...(type !== null && !type.includes("*") && { contentType: type }),
    },
  ];
}

/** True when a source describes an HTTP operation. */
export function hasRequest(source: FormSource): source is FormSource & { readonly request: RequestTemplate } {
  return source.request !== undefined;
}
