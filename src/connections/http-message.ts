import { randomBytes } from "node:crypto";
import { buildRequest, type BuiltRequest, type RequestTemplate } from "../../packages/forms/src/index.ts";
import { AppError } from "../kernel/errors.ts";
import { fileContent, isDataUrl } from "../kernel/file-value.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import { replaceBraces } from "../../packages/forms/src/values/text.ts";
import { withoutTrailing } from "../kernel/text.ts";
import { HTTP_METHODS, type HttpMethod } from "../ports/platform.ts";

/** A request as it goes out, without what a credential adds. */
export interface HttpMessage {
  readonly method: HttpMethod;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | null;
}

const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** The stored request template of a definition. */
export function templateOf(definition: JsonObject): RequestTemplate {
  const { request } = definition;
  if (!isTemplate(request)) throw new AppError("internal", "A stored definition has no request.");
  return request;
}

function isTemplate(value: unknown): value is RequestTemplate {
  if (!isObject(value)) return false;
  const { method, path, variables, servers, parameters, security, contentTypes, files } = value;
  return (
    typeof method === "string" &&
    typeof path === "string" &&
    isObject(variables) &&
    [servers, parameters, security, contentTypes, files].every(Array.isArray)
  );
}

/** The address that requests of a definition go to. */
export function baseOf(template: RequestTemplate, baseUrl: string | null): URL {
  const text = replaceBraces(
    baseUrl ?? template.servers[0] ?? "",
    (name, whole) => template.variables[name] ?? whole,
  );
  const url = URL.parse(text);
  if (url === null || /[{}]/.test(text) || !/^https?:$/.test(url.protocol)) {
    throw new AppError(
      "invalid_input",
      `The API description names no address that can be called: "${text}".`,
      {
        nextAction: "Set baseUrl of the connection to the address of the API.",
      },
    );
  }
  return url;
}

/** Builds the request of a call. Throws `invalid_arguments` for values that would leave their place. */
export function buildMessage(template: RequestTemplate, args: JsonObject, base: URL): HttpMessage {
  const method = HTTP_METHODS.find((known) => known === template.method.toUpperCase());
  if (method === undefined) {
    throw new AppError("invalid_input", `The method ${template.method.slice(0, 20)} cannot be sent.`);
  }
  const built = buildRequest({ ...template, servers: [base.href], variables: {}, security: [] }, args);
  const [problem] = built.problems;
  if (problem !== undefined) {
    throw new AppError("invalid_arguments", `Not sent: ${problem.message}`, { problems: built.problems });
  }
  const url = URL.parse(built.url);
  const root = withoutTrailing(base.pathname, "/");
  if (url === null || url.origin !== base.origin || !`${url.pathname}/`.startsWith(`${root}/`)) {
    throw new AppError("invalid_arguments", "The arguments lead out of the API's address.");
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of built.headers) headers[name.toLowerCase()] = headerValue(name, value);
  const body = bodyOf(built, headers);
  if (body !== null && body.length > MAX_BODY_BYTES) {
    throw new AppError("too_large", `The request's body is larger than ${MAX_BODY_BYTES} bytes.`);
  }
  return {
    method,
    url,
    headers: { accept: "application/json, text/plain;q=0.9, */*;q=0.5", ...headers },
    body,
  };
}

function headerValue(name: string, value: string): string {
  // oxlint-disable-next-line no-control-regex -- finding them is the point
  if (!/[\u0000-\u0008\u000A-\u001F\u007F]/.test(value) && !/[^\u0000-\u00FF]/.test(value)) return value;
  throw new AppError("invalid_arguments", `The value of the header ${name} cannot be sent.`, {
    problems: [
      {
        pointer: `/header/${name}`,
        message: "A header holds no line breaks, control characters or characters beyond Latin-1.",
      },
    ],
  });
}

function bodyOf(built: BuiltRequest, headers: Record<string, string>): Uint8Array | string | null {
  if (built.parts.length > 0) {
    const boundary = `svc-${randomBytes(16).toString("hex")}`;
    const type = built.contentType?.split(";")[0]?.trim() ?? "multipart/form-data";
    headers["content-type"] = `${type}; boundary=${boundary}`;
    return multipart(built, boundary);
  }
  if (built.body === null) return null;
  // A chosen file is given as a data URL, whatever its type.
  const isFile = isBinary(built.contentType ?? "") || isDataUrl(built.body);
  return isFile && !isStructured(built.contentType ?? "") ? fileContent(built.body).bytes : built.body;
}

function isBinary(type: string): boolean {
  return !/^text\/|json|xml|x-www-form-urlencoded|yaml|graphql|javascript/i.test(type);
}

function isStructured(type: string): boolean {
  return /json|x-www-form-urlencoded/i.test(type);
}

function multipart(built: BuiltRequest, boundary: string): Uint8Array {
  const chunks: Uint8Array[] = [];
  const text = (value: string): void => void chunks.push(Buffer.from(value));
  for (const { name, value, file, contentType } of built.parts) {
    const content = file ? fileContent(value) : { bytes: Buffer.from(value), type: null, fileName: null };
    const type = contentType ?? content.type ?? (file ? "application/octet-stream" : null);
    const fileName = file ? `; filename="${quoted(content.fileName ?? name)}"` : "";
    text(`--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"${fileName}\r\n`);
    if (type !== null) text(`content-type: ${type.replaceAll(/[\r\n]/g, "")}\r\n`);
    text("\r\n");
    chunks.push(content.bytes);
    text("\r\n");
  }
  text(`--${boundary}--\r\n`);
  return Buffer.concat(chunks);
}

function quoted(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
