import {
  QUERY_STRING,
  type Dialect,
  type RequestParameter,
  type RequestSecurity,
  type RequestTemplate,
} from "../../packages/forms/src/index.ts";
import { AppError } from "../kernel/errors.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { Bundler, bundled, dereferenced } from "./bundle.ts";
import { exampleOf, styleOf } from "./openapi-parts.ts";
import { bodyOf, type OperationBody } from "./openapi-body.ts";
import { securityOf } from "./openapi-security.ts";
import { serversOf } from "./openapi-servers.ts";
import { replaceBraces } from "../../packages/forms/src/values/text.ts";
import { withoutTrailing } from "../kernel/text.ts";

/** An OpenAPI or Swagger document, read once. */
export interface ApiDescription {
  readonly document: Record<string, unknown>;
  readonly dialect: Dialect;
  readonly title: string;
  readonly operations: readonly Operation[];
  readonly webhooks: readonly Operation[];
  readonly baseUrl: string;
}

/** One operation of an API. */
export interface Operation {
  readonly id: string | null;
  readonly method: string;
  readonly path: string;
  readonly item: Record<string, unknown>;
  readonly definition: Record<string, unknown>;
}

/** Which operation is wanted. */
export interface OperationQuery {
  readonly operationId?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
}

/** What a form of an operation is made from. */
export interface OperationSchema {
  readonly title: string;
  readonly schema: JsonObject;
  readonly request: RequestTemplate;
  readonly isProtected: boolean;
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/** Reads a parsed document. Throws when it is no OpenAPI or Swagger document. */
export function readApi(document: unknown, baseUrl: string): ApiDescription {
  if (!isObject(document)) throw notOpenapi();
  const dialect = apiDialect(document);
  if (!dialect) throw notOpenapi();
  const info = document["info"];
  const title = isObject(info) && typeof info["title"] === "string" ? info["title"] : "API";
  return {
    document,
    dialect,
    title,
    operations: operationsOf(document, document["paths"]),
    webhooks: operationsOf(document, document["webhooks"] ?? document["x-webhooks"]),
    baseUrl,
  };
}

function notOpenapi(): AppError {
  return new AppError("invalid_input", "The document is not an OpenAPI 3.x or Swagger 2.0 description.");
}

function apiDialect(document: Record<string, unknown>): Dialect | null {
  const { openapi, swagger } = document;
  if (typeof swagger === "string" && swagger.startsWith("2.")) return "swagger-2.0";
  if (typeof openapi !== "string") return null;
  return openapi.startsWith("3.0") ? "openapi-3.0" : openapi.startsWith("3.") ? "openapi-3.1" : null;
}

function operationsOf(document: Record<string, unknown>, paths: unknown): Operation[] {
  if (!isObject(paths)) return [];
  return Object.entries(paths).flatMap(([path, given]) => {
    const item = dereferenced(document, given);
    if (!item) return [];
    const more = isObject(item["additionalOperations"]) ? item["additionalOperations"] : {};
    const operations = METHODS.map((method) => [method, item] as const).concat(
      Object.keys(more).map((method) => [method, more] as const),
    );
    return operations.flatMap(([method, from]): Operation[] => {
      const definition = Object.hasOwn(from, method) ? from[method] : undefined;
      if (!isObject(definition)) return [];
      const id = definition["operationId"];
      return [{ id: typeof id === "string" ? id : null, method, path, item, definition }];
    });
  });
}

function briefly({ id, method, path, definition }: Operation): JsonObject {
  const { summary } = definition;
  return {
    id,
    method: method.toUpperCase(),
    path,
    title: typeof summary === "string" ? summary.slice(0, 200) : null,
  };
}

const LISTED = 20;
const LISTED_WHOLE = 5_000;

/**
 * The operation a caller asks for, or `not_found` with the nearest names. Without a question the first names come back;
 * `whole` adds every operation with its method, path and summary, for a person who looks around.
 */
export function findOperation(api: ApiDescription, query: OperationQuery, whole = false): Operation {
  const { operationId, method, path } = query;
  if (operationId !== undefined) {
    const found = api.operations.find((operation) => operation.id === operationId);
    if (found) return found;
    const near = nearestNames(
      operationId,
      api.operations.flatMap(({ id }) => id ?? []),
    );
    throw new AppError("not_found", `${api.title} has no operation "${operationId.slice(0, 100)}".`, {
      nextAction:
        near.length > 0
          ? `Did you mean ${near.join(", ")}?`
          : "Name an operation by method and path instead.",
      details: { nearest: near },
    });
  }
  if (path === undefined) {
    const [only] = api.operations;
    if (only && api.operations.length === 1) return only;
    throw new AppError("invalid_input", "Name the operation: give operationId, or method and path.", {
      details: {
        operations: api.operations
          .slice(0, LISTED)
          .map(({ id, method: verb, path: at }) => id ?? `${verb.toUpperCase()} ${at}`),
        total: api.operations.length,
        ...(whole && {
          title: api.title,
          whole: api.operations.slice(0, LISTED_WHOLE).map(briefly),
        }),
      },
    });
  }
  const verb = method?.toLowerCase();
  const fits = api.operations.filter(
    (operation) => samePath(operation.path, path) && (verb === undefined || operation.method === verb),
  );
  const [found] = fits;
  if (found && (fits.length === 1 || verb !== undefined)) return found;
  if (found) {
    throw new AppError(
      "invalid_input",
      `${path.slice(0, 200)} has several operations; give the method too.`,
      {
        details: { methods: fits.map((operation) => operation.method.toUpperCase()) },
      },
    );
  }
  const near = nearestNames(path, new Set(api.operations.map((operation) => operation.path)));
  throw new AppError(
    "not_found",
    `${api.title} has no operation ${verb ? `${verb.toUpperCase()} ` : ""}${path.slice(0, 200)}.`,
    {
      nextAction:
        near.length > 0 ? `Did you mean ${near.join(", ")}?` : "Look the path up in the API description.",
      details: { nearest: near },
    },
  );
}

/** The same path whatever its variables are called. */
function samePath(template: string, path: string): boolean {
  if (template === path) return true;
  const plain = (text: string): string => replaceBraces(withoutTrailing(text, "/"), () => "{}");
  return plain(template) === plain(path);
}

/** The schema of an operation's request: one group for each place a value goes to. */
export function operationSchema(api: ApiDescription, operation: Operation): OperationSchema {
  const bundler = new Bundler(api.document, true);
  const parameters = parametersOf(api, operation);
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  const template: RequestParameter[] = [];
  for (const place of ["path", "query", "header", "cookie"] as const) {
    const own = parameters.filter((parameter) => parameter["in"] === place);
    if (own.length === 0) continue;
    const group = parameterGroup(own, place, bundler, template);
    properties[place] = group.schema;
    if (group.required) required.push(place);
  }
  const whole = parameters.find((parameter) => parameter["in"] === QUERY_STRING);
  if (whole !== undefined && properties["query"] === undefined) {
    const { schema, contentType } = parameterSchema(whole, bundler);
    properties["query"] = { title: "Query", ...asObject(schema) };
    if (whole["required"] === true) required.push("query");
    template.push({
      name: String(whole["name"]),
      in: "query",
      style: QUERY_STRING,
      explode: false,
      contentType: contentType ?? "application/x-www-form-urlencoded",
    });
  }
  const body: OperationBody | null = bodyOf(api, operation, parameters, bundler);
  if (body) {
    Object.assign(properties, body.properties);
    required.push(...body.required);
  }
  const security = securityOf(api, operation);
  if (security.schema) properties["security"] = security.schema;
  const server = serversOf(api, operation);
  if (server.schema) properties["server"] = server.schema;
  const { summary, description } = operation.definition;
  const root = {
    type: "object",
    ...(typeof description === "string" && { description }),
    properties,
    required,
    additionalProperties: false,
    ...body?.conditions,
  };
  const first = typeof summary === "string" ? (summary.trim().split("\n")[0] ?? "").slice(0, 120) : "";
  const title =
    first === "" ? (operation.id ?? `${operation.method.toUpperCase()} ${operation.path}`) : first;
  return {
    title,
    schema: bundled(root, bundler, api.dialect),
    request: {
      method: operation.method.toUpperCase(),
      path: operation.path,
      servers: server.urls,
      variables: server.variables,
      parameters: template,
      security: security.schemes satisfies readonly RequestSecurity[],
      contentTypes: body?.contentTypes ?? [],
      files: body?.files ?? [],
      ...(body?.encoding && { encoding: body.encoding }),
    },
    isProtected: security.required,
  };
}

/** Parameters of the path and of the operation; the operation's own win. */
function parametersOf(api: ApiDescription, operation: Operation): Record<string, unknown>[] {
  const found = new Map<string, Record<string, unknown>>();
  for (const list of [operation.item["parameters"], operation.definition["parameters"]]) {
    if (!Array.isArray(list)) continue;
    for (const given of list) {
      const parameter = dereferenced(api.document, given);
      if (parameter && typeof parameter["name"] === "string")
        found.set(`${String(parameter["in"])} ${parameter["name"]}`, parameter);
    }
  }
  return [...found.values()];
}

function parameterGroup(
  parameters: readonly Record<string, unknown>[],
  place: "path" | "query" | "header" | "cookie",
  bundler: Bundler,
  template: RequestParameter[],
): { schema: Record<string, unknown>; required: boolean } {
  const entries: [string, unknown][] = [];
  const required: string[] = [];
  for (const parameter of parameters) {
    const name = String(parameter["name"]);
    // These three are set by the request itself, whatever the description says.
    if (place === "header" && /^(?:accept|content-type|authorization)$/i.test(name)) continue;
    const { schema, contentType } = parameterSchema(parameter, bundler);
    entries.push([name, schema]);
    if (parameter["required"] === true || place === "path") required.push(name);
    template.push({
      name,
      in: place,
      ...styleOf(parameter, place),
      ...(contentType !== undefined && { contentType }),
    });
  }
  const title = { path: "Path", query: "Query", header: "Headers", cookie: "Cookies" }[place];
  return {
    schema: {
      type: "object",
      title,
      properties: Object.fromEntries(entries),
      required,
      additionalProperties: false,
    },
    required: required.length > 0,
  };
}

const PARAMETER_ONLY = new Set([
  "name",
  "in",
  "required",
  "schema",
  "content",
  "style",
  "explode",
  "allowReserved",
  "allowEmptyValue",
  "collectionFormat",
  "examples",
  "example",
  "description",
  "deprecated",
]);

function parameterSchema(
  parameter: Record<string, unknown>,
  bundler: Bundler,
): { schema: unknown; contentType?: string } {
  const { description, deprecated, example, examples, content } = parameter;
  const remarks = {
    ...(typeof description === "string" && { description }),
    ...(deprecated === true && { deprecated }),
    ...exampleOf(example, examples),
  };
  const [media] = isObject(content) ? Object.entries(content) : [];
  const given = media ? (isObject(media[1]) ? media[1]["schema"] : undefined) : parameter["schema"];
  const contentType = media?.[0];
  if (given === undefined) {
    // Swagger 2.0 writes the schema's keywords into the parameter itself.
    const inline = Object.fromEntries(Object.entries(parameter).filter(([key]) => !PARAMETER_ONLY.has(key)));
    return {
      schema: { ...remarks, ...asObject(bundler.copy(inline)) },
      ...(contentType !== undefined && { contentType }),
    };
  }
  const copy = bundler.copy(given);
  const isRef = isObject(copy) && typeof copy["$ref"] === "string";
  const schema = isRef ? { allOf: [copy], ...remarks } : { ...asObject(copy), ...remarks };
  return { schema, ...(contentType !== undefined && { contentType }) };
}

function asObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
