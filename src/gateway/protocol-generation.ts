import { AppError } from "../kernel/errors.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";

/** Revisions that are negotiated with `initialize`, newest first. */
export const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
/** Revisions whose requests carry everything themselves. */
export const MODERN_VERSIONS = ["2026-07-28"] as const;

const FIRST_MODERN = "2026-07-28";
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
/** Where requests of newer revisions name what their client can do. */
export const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_KEY = "io.modelcontextprotocol/clientInfo";

/** Which rules a message is served by. */
export type Generation = "legacy" | "modern";

/** The headers that newer clients repeat parts of the body in. */
export interface McpHeaders {
  readonly version: string | undefined;
  readonly method: string | undefined;
  readonly name: string | undefined;
  /** Those that repeat an argument of a tool: all headers, by their names in lower case. */
  readonly all: HttpHeaders;
}

type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

const NO_HEADERS: McpHeaders = { version: undefined, method: undefined, name: undefined, all: {} };

/** Reads the three headers; the name means nothing without the method. */
export function mcpHeaders(headers: HttpHeaders): McpHeaders {
  if (headers["mcp-protocol-version"] === undefined && headers["mcp-method"] === undefined) return NO_HEADERS;
  return {
    version: single(headers["mcp-protocol-version"]),
    method: single(headers["mcp-method"]),
    name: single(headers["mcp-name"]),
    all: headers,
  };
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" ? value.trim() : undefined;
}

/** True when a message names the protocol it is written in, as newer clients do. */
export function claimsEnvelope(params: unknown): boolean {
  return isObject(params) && isObject(params["_meta"]) && Object.hasOwn(params["_meta"], VERSION_KEY);
}

/** True when the header says that the message is of a newer revision. */
export function namesModern(headers: McpHeaders): boolean {
  return headers.version !== undefined && isModern(headers.version);
}

/**
 * The generation of a request. The body decides; a header that contradicts it is refused, because something between the client
 * and us may have routed by the header.
 */
export function generationOfRequest(method: string, params: unknown, headers: McpHeaders): Generation {
  const headerIsModern = namesModern(headers);
  if (claimsEnvelope(params) && !(method === "initialize" && envelopeProblems(params).length > 0)) {
    checkModernRequest(method, params, headers);
    return "modern";
  }
  if (headerIsModern) {
    if (method === "initialize") {
      throw mismatch(
        `initialize belongs to revisions before ${FIRST_MODERN}, but MCP-Protocol-Version names ${headers.version}.`,
      );
    }
    throw new AppError(
      "invalid_params",
      `A request of revision ${headers.version} must name it in params._meta.`,
      {
        problems: envelopeProblems(params),
      },
    );
  }
  if (headers.version !== undefined && method !== "initialize" && !isKnownLegacy(headers.version)) {
    throw unsupported(headers.version, LEGACY_VERSIONS);
  }
  return "legacy";
}

/** The generation of a notification: without a claim in its body the header decides. */
export function generationOfNotification(method: string, params: unknown, headers: McpHeaders): Generation {
  const headerIsModern = namesModern(headers);
  if (!claimsEnvelope(params) && !headerIsModern) return "legacy";
  if (claimsEnvelope(params)) checkVersions(params, headers);
  if (headers.method !== undefined && headers.method !== method) throw methodMismatch(method, headers.method);
  return "modern";
}

/** Revisions are dates, so their order is the order of their text. */
function isModern(version: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= FIRST_MODERN;
}

function isKnownLegacy(version: string): boolean {
  return LEGACY_VERSIONS.some((known) => known === version);
}

function checkModernRequest(method: string, params: unknown, headers: McpHeaders): void {
  const problems = envelopeProblems(params);
  if (problems.length > 0) {
    throw new AppError("invalid_params", `params._meta is not complete: ${problems[0]?.message ?? ""}`, {
      problems,
    });
  }
  if (headers.version === undefined) {
    throw mismatch("The MCP-Protocol-Version header is missing; it must repeat the version in params._meta.");
  }
  checkVersions(params, headers);
  if (headers.method === undefined) {
    throw mismatch(`The Mcp-Method header is missing; it must repeat the method "${method}".`);
  }
  if (headers.method !== method) throw methodMismatch(method, headers.method);
  checkName(method, params, headers.name);
}

function checkVersions(params: unknown, headers: McpHeaders): void {
  const claimed = isObject(params) && isObject(params["_meta"]) ? params["_meta"][VERSION_KEY] : undefined;
  if (typeof claimed !== "string") {
    throw new AppError("invalid_params", `params._meta["${VERSION_KEY}"] must be a string.`, {
      problems: [missingKey(VERSION_KEY)],
    });
  }
  if (headers.version !== undefined && headers.version !== claimed) {
    throw mismatch(
      `MCP-Protocol-Version names ${headers.version.slice(0, 40)}, but params._meta names ${claimed.slice(0, 40)}.`,
    );
  }
  if (!MODERN_VERSIONS.some((known) => known === claimed)) throw unsupported(claimed, MODERN_VERSIONS);
}

const NAME_SOURCE: Readonly<Record<string, "name" | "uri" | "taskId">> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

function checkName(method: string, params: unknown, header: string | undefined): void {
  const source = NAME_SOURCE[method];
  if (source === undefined || !isObject(params)) return;
  const named = params[source];
  if (typeof named !== "string") return;
  // Any replica knows every task, so a client that does not route by it is served all the same.
  if (header === undefined && source === "taskId") return;
  checkRepeats("Mcp-Name", header, named, `params.${source}`);
}

/** Checks the headers that repeat arguments: a schema names them with `x-mcp-header`. */
export function checkArgumentHeaders(schema: unknown, args: JsonObject, { all }: McpHeaders): void {
  const properties = isObject(schema) ? schema["properties"] : undefined;
  for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
    const wanted = isObject(property) ? property["x-mcp-header"] : undefined;
    if (typeof wanted !== "string") continue;
    const header = single(all[`mcp-param-${wanted.toLowerCase()}`]);
    const value = args[name] ?? null;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (value !== null) checkRepeats(`Mcp-Param-${wanted}`, header, text, `params.arguments.${name}`);
    else if (header !== undefined)
      throw mismatch(`The Mcp-Param-${wanted} header repeats params.arguments.${name}, which is not there.`);
  }
}

function checkRepeats(name: string, header: string | undefined, value: string, source: string): void {
  if (header === undefined) throw mismatch(`The ${name} header is missing; it must repeat ${source}.`);
  const decoded = decodeHeaderValue(header);
  if (decoded === undefined)
    throw mismatch(`The ${name} header is not valid Base64 between =?base64? and ?=.`);
  if (decoded !== value) throw mismatch(`The ${name} header does not match ${source}.`);
}

/** A header value as it was meant: text that headers cannot carry comes as `=?base64?…?=`. Undefined when malformed. */
function decodeHeaderValue(value: string): string | undefined {
  const match = /^=\?base64\?(.*)\?=$/is.exec(value);
  const encoded = match?.[1];
  if (encoded === undefined) return value;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded)) return undefined;
  const bytes = Buffer.from(encoded, "base64");
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? text : undefined;
}

function envelopeProblems(params: unknown): ReturnType<typeof missingKey>[] {
  const meta = isObject(params) ? params["_meta"] : undefined;
  if (!isObject(meta)) return [missingKey(VERSION_KEY), missingKey(CAPABILITIES_KEY, "an object")];
  const problems = [];
  if (typeof meta[VERSION_KEY] !== "string") problems.push(missingKey(VERSION_KEY));
  if (!isObject(meta[CAPABILITIES_KEY])) problems.push(missingKey(CAPABILITIES_KEY, "an object"));
  if (meta[CLIENT_KEY] !== undefined && !isImplementation(meta[CLIENT_KEY])) {
    problems.push(missingKey(CLIENT_KEY, "an object with name and version"));
  }
  return problems;
}

function isImplementation(value: unknown): boolean {
  return isObject(value) && typeof value["name"] === "string" && typeof value["version"] === "string";
}

function missingKey(key: string, expected = "a string") {
  return {
    pointer: `/_meta/${key.replaceAll("/", "~1")}`,
    message: `"${key}" must be ${expected}.`,
    expected,
    fix: `Set params._meta["${key}"].`,
  };
}

function mismatch(message: string): AppError {
  return new AppError("header_mismatch", message);
}

function methodMismatch(method: string, header: string): AppError {
  return mismatch(
    `Mcp-Method names ${header.slice(0, 60)}, but the body's method is ${method.slice(0, 60)}.`,
  );
}

function unsupported(requested: string, supported: readonly string[]): AppError {
  return new AppError(
    "unsupported_version",
    `Protocol revision "${requested.slice(0, 40)}" is not served here.`,
    {
      details: { supported: [...supported], requested: requested.slice(0, 40) },
    },
  );
}
