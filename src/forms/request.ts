import type { FormSource, RequestParameter, RequestTemplate } from "./document.ts";
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
  readonly parts: readonly { readonly name: string; readonly value: string; readonly file: boolean }[];
  readonly contentType: string | null;
}

/** The request that an operation's form describes; secrets are placeholders unless `secrets` is true. */
export function buildRequest(template: RequestTemplate, value: unknown, secrets = false): BuiltRequest {
  const query: string[] = [];
  const headers: [string, string][] = [];
  const cookies: string[] = [];
  let path = template.path;
  for (const parameter of template.parameters) {
    const item = memberOf(value, parameter.in, parameter.name);
    if (item === undefined) continue;
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, pathText(parameter, item));
    else if (parameter.in === "query") query.push(...queryTexts(parameter, item));
    else if (parameter.in === "header") headers.push([parameter.name, simple(item, parameter.explode)]);
    else cookies.push(`${parameter.name}=${encodeURIComponent(simple(item, false))}`);
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
      : encodeBody(contentType, body, template.files);
  if (contentType !== null && encoded.parts.length === 0) headers.unshift(["Content-Type", contentType]);
  const url = `${serverUrl(template, value)}${path}${query.length > 0 ? `?${query.join("&")}` : ""}`;
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
function simple(value: FormValue, explode: boolean): string {
  if (Array.isArray(value)) return value.map(scalarText).join(",");
  if (!isRecord(value)) return scalarText(value);
  return Object.entries(value)
    .map(([key, item]) => `${key}${explode ? "=" : ","}${isForm(item) ? scalarText(item) : ""}`)
    .join(",");
}

function pathText(parameter: RequestParameter, value: FormValue): string {
  const text = parameter.contentType === undefined ? simple(value, parameter.explode) : stringifyExact(value);
  const safe = encodeURIComponent(text).replaceAll("%2C", ",").replaceAll("%3D", "=");
  if (parameter.style === "label") return `.${safe}`;
  return parameter.style === "matrix" ? `;${parameter.name}=${safe}` : safe;
}

function queryTexts(parameter: RequestParameter, value: FormValue): string[] {
  const name = encodeURIComponent(parameter.name);
  const safe = (text: string): string =>
    parameter.allowReserved === true ? encodeURI(text) : encodeURIComponent(text);
  if (parameter.contentType !== undefined) return [`${name}=${safe(stringifyExact(value))}`];
  if (Array.isArray(value)) {
    if (parameter.explode) return value.map((item: FormValue) => `${name}=${safe(scalarText(item))}`);
    const separator =
      parameter.style === "spaceDelimited" ? "%20" : parameter.style === "pipeDelimited" ? "|" : ",";
    return [`${name}=${value.map((item: FormValue) => safe(scalarText(item))).join(separator)}`];
  }
  if (!isRecord(value)) return [`${name}=${safe(scalarText(value))}`];
  const entries = Object.entries(value).flatMap(([key, item]) =>
    isForm(item) ? [[key, item] as const] : [],
  );
  if (parameter.style === "deepObject")
    return entries.flatMap(([key, item]) => deep(`${parameter.name}[${key}]`, item));
  if (parameter.explode)
    return entries.map(([key, item]) => `${encodeURIComponent(key)}=${safe(scalarText(item))}`);
  return [
    `${name}=${entries.map(([key, item]) => `${encodeURIComponent(key)},${safe(scalarText(item))}`).join(",")}`,
  ];
}

function deep(name: string, value: FormValue): string[] {
  if (Array.isArray(value)) return value.flatMap((item: FormValue, index) => deep(`${name}[${index}]`, item));
  if (isRecord(value))
    return Object.entries(value).flatMap(([key, item]) =>
      isForm(item) ? deep(`${name}[${key}]`, item) : [],
    );
  return [`${encodeURIComponent(name)}=${encodeURIComponent(scalarText(value))}`];
}

function encodeBody(
  contentType: string,
  body: FormValue,
  files: readonly string[],
): { text: string | null; parts: BuiltRequest["parts"] } {
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type.startsWith("multipart/") && isRecord(body)) {
    const parts = Object.entries(body).flatMap(([name, item]) =>
      isForm(item) ? partsOf(name, item, files.includes(name)) : [],
    );
    return { text: null, parts };
  }
  if (type === "application/x-www-form-urlencoded" && isRecord(body)) {
    const pairs = Object.entries(body).flatMap(([name, item]) => (isForm(item) ? deep(name, item) : []));
    return { text: pairs.join("&"), parts: [] };
  }
  if (type === "application/json" || type.endsWith("+json") || typeof body !== "string")
    return { text: stringifyExact(body), parts: [] };
  return { text: body, parts: [] };
}

function partsOf(name: string, value: FormValue, file: boolean): BuiltRequest["parts"] {
  if (Array.isArray(value)) return value.flatMap((item: FormValue) => partsOf(name, item, file));
  return [{ name, value: scalarText(value), file }];
}

/** True when a source describes an HTTP operation. */
export function hasRequest(source: FormSource): source is FormSource & { readonly request: RequestTemplate } {
  return source.request !== undefined;
}
