import type { FormSource, RequestParameter, RequestTemplate } from "../compile/document.ts";
import { stringifyExact } from "./exact.ts";
import { ExactNumber, isRecord, own, type FormValue } from "./json.ts";
import { isForm } from "./values.ts";
import { encodeBody, formPairs, type EncodedBody, type RequestPart } from "./request-body.ts";
import {
  holdsSeparator,
  isNested,
  isNothing,
  listed,
  members,
  scalarText,
  SEPARATORS,
  styledPairs,
} from "./styles.ts";
import { replaceBraces } from "./text.ts";

/** Why a value cannot be sent, and where in the value that is. */
interface RequestProblem {
  readonly pointer: string;
  readonly message: string;
}

/** An HTTP request that a form's value describes. */
export interface BuiltRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  /** Text of the body; null when there is none or it is made of parts. */
  readonly body: string | null;
  /** Parts of a multipart body, in order. */
  readonly parts: readonly RequestPart[];
  readonly contentType: string | null;
  /** What the request has no way to write. Where there is any, it must not be sent. */
  readonly problems: readonly RequestProblem[];
}

/** The request that an operation's form describes; secrets are placeholders unless `secrets` is true. */
export function buildRequest(template: RequestTemplate, value: unknown, secrets = false): BuiltRequest {
  const query: string[] = [];
  const headers: [string, string][] = [];
  const cookies: string[] = [];
  const problems: RequestProblem[] = [];
  // Some descriptions tell operations apart by a fragment, which no request carries, or by a fixed query.
  let path = template.path.split("#")[0] ?? "";
  for (const parameter of template.parameters) {
    const isWhole = parameter.style === QUERY_STRING;
    const item = isWhole ? memberOf(value, "query") : memberOf(value, parameter.in, parameter.name);
    const pointer = `/${parameter.in}${isWhole ? "" : `/${parameter.name}`}`;
    if (parameter.in === "path") {
      const text = item === undefined ? "" : pathText(parameter, item);
      // A prefix of its own, as in the styles label and matrix, is not a value.
      const isEmpty = item === undefined || isNothing(item) || text === "";
      if (isEmpty)
        problems.push({ pointer, message: `"${parameter.name}" is part of the path and is empty.` });
      path = path.replaceAll(`{${parameter.name}}`, () => text);
    } else if (item === undefined || (!isWhole && isNothing(item))) continue;
    else if (isWhole) query.push(queryString(parameter, item));
    else if (parameter.in === "query") query.push(...queryTexts(parameter, item));
    else if (parameter.in === "header") headers.push([parameter.name, headerText(parameter, item)]);
    else cookies.push(...cookieTexts(parameter, item));
    if (item !== undefined && !canNest(parameter) && isNested(item))
      problems.push({
        pointer,
        message: `"${parameter.name}" has lists or objects inside, which the style ${parameter.style} of its description has no way to write.`,
      });
  }
  for (const parameter of template.parameters) {
    const between = separatorOf(parameter);
    const item = between === null ? undefined : memberOf(value, parameter.in, parameter.name);
    if (between !== null && item !== undefined && holdsSeparator(item, between))
      problems.push({
        pointer: `/${parameter.in}/${parameter.name}`,
        message: `An item of "${parameter.name}" holds ${JSON.stringify(between)}, which parts the items here.`,
      });
  }
  const bare = path.split("?")[0] ?? "";
  if (bare.split("/").some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    problems.push({
      pointer: "/path",
      message: "A part of the path is . or .., which leads to another path.",
    });
  if (/[{}]/.test(bare))
    problems.push({
      pointer: "/path",
      message: `The path has a place without a value: ${bare.slice(0, 200)}.`,
    });
  for (const scheme of template.security) {
    const given = memberOf(value, "security", scheme.field);
    const secret = secrets && typeof given === "string" ? given : null;
    addSecurity(scheme, secret, { query, headers, cookies });
  }
  if (cookies.length > 0) headers.push(["Cookie", cookies.join("; ")]);
  const chosen = memberOf(value, "contentType");
  const body = memberOf(value, "body");
  const declared = typeof chosen === "string" ? chosen : (template.contentTypes[0] ?? null);
  const contentType = body === undefined || declared === null ? null : concreteType(declared);
  const encoded: EncodedBody =
    body === undefined || contentType === null ? { text: null } : encodeBody(contentType, body, template);
  const { text, parts = [], problem } = encoded;
  if (problem !== undefined) problems.push({ pointer: "/body", message: problem });
  if (contentType !== null && parts.length === 0) headers.unshift(["Content-Type", contentType]);
  const [server = "", ...fixed] = serverUrl(template, value).split("?");
  const [asked = "", ...more] = path.split("?");
  // An address with a query is a whole address: the path / adds nothing to it.
  const place = asked === "/" && fixed.length > 0 ? "" : asked;
  const whole = [...fixed, ...more, ...query].filter((part) => part !== "").join("&");
  let end = server.length;
  while (server[end - 1] === "/") end -= 1;
  return {
    method: template.method.toUpperCase(),
    url: `${server.slice(0, end)}${place}${whole === "" ? "" : `?${whole}`}`,
    headers,
    body: text,
    parts,
    contentType,
    problems,
  };
}

/** The request as a curl command, one argument a line. */
export function curlOf(request: BuiltRequest): string {
  const lines = [`curl -X ${request.method} ${quote(request.url)}`];
  if (request.problems.length > 0)
    return request.problems
      .map(({ pointer, message }) => `# Cannot be sent: ${pointer}: ${message}`)
      .join("\n");
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
  return filled;
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

/** A text of a parameter that is content of a media type: JSON, or the text itself. */
function contentText(contentType: string, value: FormValue): string {
  return typeof value === "string" && !/json/i.test(contentType) ? value : stringifyExact(value);
}

/** True where lists and objects inside of others can be written. */
function canNest({ style, contentType }: RequestParameter): boolean {
  return style === "deepObject" || style === QUERY_STRING || contentType !== undefined;
}

/** What parts the items of a list where items are not encoded, so that it may stand in one; null elsewhere. */
function separatorOf({ in: place, style, explode, contentType }: RequestParameter): string | null {
  if (contentType !== undefined) return null;
  if (place === "header") return ",";
  const between = explode ? undefined : SEPARATORS[style];
  return place === "query" && between !== undefined ? decodeURIComponent(between) : null;
}

/** The "simple" style: commas between items, `key=value` when exploded. */
function simple(value: FormValue, explode: boolean, encode: (text: string) => string = String): string {
  return listed(value, explode, { between: ",", encode });
}

/** Percent-encodes everything but the unreserved characters of RFC 3986. */
function strict(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase()}`,
  );
}

function headerText(parameter: RequestParameter, value: FormValue): string {
  const { contentType } = parameter;
  return contentType === undefined ? simple(value, parameter.explode) : contentText(contentType, value);
}

function pathText(parameter: RequestParameter, value: FormValue): string {
  const { name, style, explode, contentType } = parameter;
  const encode = strict;
  if (contentType !== undefined) return encode(contentText(contentType, value));
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

function queryTexts(parameter: RequestParameter, value: FormValue): string[] {
  const safe = (text: string): string =>
    parameter.allowReserved === true
      ? encodeURI(text).replaceAll("#", "%23").replaceAll("%5B", "[").replaceAll("%5D", "]")
      : encodeURIComponent(text);
  if (parameter.contentType !== undefined)
    return [`${encodeURIComponent(parameter.name)}=${safe(contentText(parameter.contentType, value))}`];
  return styledPairs(parameter.name, value, parameter, safe);
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

/** Cookies are written in the form style; an exploded list is the same cookie several times. */
function cookieTexts({ name, explode }: RequestParameter, value: FormValue): string[] {
  const encode = encodeURIComponent;
  if (explode && Array.isArray(value))
    return value.map((item: FormValue) => `${name}=${encode(scalarText(item))}`);
  if (explode && isRecord(value) && !(value instanceof ExactNumber))
    return members(value).map(([key, item]) => `${key}=${encode(scalarText(item))}`);
  return [`${name}=${simple(value, false, encode)}`];
}

/** A range of media types is no type of a body: the usual one of the range is sent. */
function concreteType(type: string): string {
  if (!type.includes("*")) return type;
  return type.startsWith("text/")
    ? "text/plain"
    : /^(?:\*|application)\//.test(type)
      ? "application/json"
      : type;
}

/** True when a source describes an HTTP operation. */
export function hasRequest(source: FormSource): source is FormSource & { readonly request: RequestTemplate } {
  return source.request !== undefined;
}
