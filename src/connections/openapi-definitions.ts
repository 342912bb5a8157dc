import { AppError } from "../kernel/errors.ts";
import { isJsonObject, isObject, type Json, type JsonObject } from "../kernel/json.ts";
import { withoutSurrounding } from "../kernel/text.ts";
import { Bundler, bundled, BundleSizes, dereferenced } from "../sources/bundle.ts";
import { operationSchema, readApi, type ApiDescription, type Operation } from "../sources/openapi.ts";
import type { ListedDefinition } from "./pinning.ts";
import { sanitized } from "../siblings/sanitize.ts";

/** The largest schemas of answers that are kept beside an operation; larger ones are not checked against. */
const MAX_RESPONSE_CHARS = 192 * 1024;
/** Schemas nest deeper than other values. */
const MAX_DEPTH = 200;
const READS = new Set(["get", "head", "options", "trace", "query"]);
const REPEATABLE = new Set(["put", "delete"]);
const IDEMPOTENCY = /^(?:x-)?idempotency-key$/i;

/** Every operation of an API description as a definition. */
export function openapiDefinitions(document: unknown, documentUrl: string): readonly ListedDefinition[] {
  const api = readApi(document, documentUrl);
  if (api.operations.length === 0) {
    throw new AppError("invalid_input", "The API description has no operations.", {
      nextAction: "Give a description whose paths have operations.",
    });
  }
  const names = new Set<string>();
  const sizes = new BundleSizes(api.document);
  return api.operations.map((operation) => {
    const name = uniqueName(nameOf(operation), names);
    return { name, definition: definitionOf(api, operation, name, sizes) };
  });
}

/** What a description says of itself. */
export function titleOfApi(document: unknown): string | null {
  const info = isObject(document) ? document["info"] : undefined;
  const title = isObject(info) ? info["title"] : undefined;
  return typeof title === "string" && title.trim() !== "" ? title.trim().slice(0, 200) : null;
}

function nameOf({ id, method, path }: Operation): string {
  const given = id ?? `${method.toLowerCase()}${path.replaceAll(/[{}]/g, "")}`;
  const name = withoutSurrounding(given.replaceAll(/[^A-Za-z0-9_.-]+/g, "_"), "_");
  return (name === "" ? method.toLowerCase() : name).slice(0, 120);
}

function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let count = 2; taken.has(unique); count++) unique = `${name}_${count}`;
  taken.add(unique);
  return unique;
}

function definitionOf(
  api: ApiDescription,
  operation: Operation,
  name: string,
  sizes: BundleSizes,
): JsonObject {
  const { title, schema, request } = operationSchema(api, operation);
  const method = operation.method.toLowerCase();
  const { description } = operation.definition;
  const header = request.parameters.find(
    (parameter) => parameter.in === "header" && IDEMPOTENCY.test(parameter.name),
  );
  const answers = responsesOf(api, operation, sizes);
  const definition: unknown = {
    name,
    title,
    description: typeof description === "string" ? description.slice(0, 4_000) : "",
    inputSchema: argumentsSchema(schema),
    outputSchema: resultSchema(answers.body),
    annotations: {
      readOnlyHint: READS.has(method),
      destructiveHint: method === "delete",
      idempotentHint: READS.has(method) || REPEATABLE.has(method),
    },
    ...(header !== undefined && { idempotencyHeader: header.name }),
    request: { ...request, security: [] },
    responses: answers.responses,
  };
  const clean = sanitized(definition, MAX_DEPTH);
  return isJsonObject(clean) ? clean : {};
}

/** The schema of a call's arguments: credentials and the server belong to the connection, not to the caller. */
function argumentsSchema(schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return schema;
  const { security: _security, server: _server, contentType, ...rest } = properties;
  const isChoice = isJsonObject(contentType) && Array.isArray(contentType["enum"]);
  const names = Array.isArray(required) ? required.filter((name) => name !== "contentType") : [];
  return {
    ...schema,
    properties: { ...rest, ...(isChoice && { contentType }) },
    required: names,
  };
}

/** `data` of an answer: what came back, and how long it took. */
export function resultSchema(body: JsonObject | null): JsonObject {
  const { $schema, $defs, ...plain } = body ?? {};
  return {
    ...($schema !== undefined && { $schema }),
    ...($defs !== undefined && { $defs }),
    type: "object",
    required: ["status", "headers", "body", "elapsedMs", "problems"],
    properties: {
      status: { type: "integer" },
      headers: { type: "object", additionalProperties: { type: "string" } },
      body: plain,
      elapsedMs: { type: "number" },
      problems: { type: "array", items: { type: "object" } },
    },
  };
}

interface Answers {
  /** Schema of the body of the first documented success; null when none is stated. */
  readonly body: JsonObject | null;
  /** By status (`200`, `2XX`, `default`): media types and their schemas. */
  readonly responses: JsonObject;
}

function responsesOf(api: ApiDescription, operation: Operation, sizes: BundleSizes): Answers {
  const given = operation.definition["responses"];
  const responses: Record<string, Json> = {};
  let body: JsonObject | null = null;
  let left = MAX_RESPONSE_CHARS;
  for (const [status, value] of Object.entries(isObject(given) ? given : {})) {
    const response = dereferenced(api.document, value);
    if (response === null || !/^(?:[1-5]\d\d|[1-5]XX|default)$/i.test(status)) continue;
    const media: Record<string, Json> = {};
    for (const [type, schema] of mediaOf(api, operation, response)) {
      const copy = schema === undefined || sizes.exceeds(schema, left) ? null : schemaOf(api, schema);
      const size = copy === null ? 0 : JSON.stringify(copy).length;
      // What is left out is only not checked; the call works all the same.
      if (copy === null || size > left) {
        media[type] = null;
        continue;
      }
      left -= size;
      media[type] = copy;
      if (status.startsWith("2") && isJsonType(type)) body ??= copy;
    }
    responses[status.toUpperCase().replace("DEFAULT", "default")] = media;
  }
  return { body, responses };
}

function mediaOf(
  api: ApiDescription,
  operation: Operation,
  response: Record<string, unknown>,
): readonly (readonly [string, unknown])[] {
  if (api.dialect === "swagger-2.0") {
    const produces = operation.definition["produces"] ?? api.document["produces"];
    const types = Array.isArray(produces) ? produces.filter((type) => typeof type === "string") : [];
    if (response["schema"] === undefined) return [];
    return (types.length > 0 ? types : ["application/json"]).map((type) => [type, response["schema"]]);
  }
  const { content } = response;
  return Object.entries(isObject(content) ? content : {}).map(([type, entry]) => [
    type,
    dereferenced(api.document, entry)?.["schema"],
  ]);
}

function schemaOf(api: ApiDescription, schema: unknown): JsonObject | null {
  const bundler = new Bundler(api.document, false);
  const copy = bundler.copy(schema);
  return isObject(copy) ? bundled(copy, bundler, api.dialect) : null;
}

/** True for JSON and whatever is written in it. */
export function isJsonType(type: string): boolean {
  return /^[\w.+-]+\/(?:[\w.-]+\+)?json\b/i.test(type.trim());
}
