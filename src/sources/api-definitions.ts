import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, isObject, type Json, type JsonObject } from "../kernel/json.ts";
import { withoutSurrounding } from "../kernel/text.ts";
import { isJsonType, resultSchema } from "./answers.ts";
import { Bundler, bundled, BundleSizes, dereferenced } from "./bundle.ts";
import { describedCredential, type DescribedCredential } from "./openapi-security.ts";
import { operationSchema, readApi, type ApiDescription, type Operation } from "./openapi.ts";
import { parsedDescription } from "./look-up.ts";
import { sanitized } from "../kernel/sanitize.ts";

/** The largest schemas of answers that are kept beside an operation; larger ones are not checked against. */
const MAX_RESPONSE_CHARS = 192 * 1024;
/** Schemas nest deeper than other values. */
const MAX_DEPTH = 200;
const READS = new Set(["get", "head", "options", "trace", "query"]);
const REPEATABLE = new Set(["put", "delete"]);
const IDEMPOTENCY = /^(?:x-)?idempotency-key$/i;

/** An operation as a definition, in the shape of an MCP tool. */
export interface ListedDefinition {
  readonly name: string;
  readonly digest: string;
  /** The definition, or those of its members that its head is made of. */
  readonly about: JsonObject;
  /** The definition as JSON text; empty when its digest was known. */
  readonly text: string;
}

/** What a description says of itself. */
interface ApiSummary extends JsonObject {
  readonly title: string | null;
  readonly version: string | null;
  /** The version of OpenAPI or Swagger that it is written in; null when it is no such document. */
  readonly specification: string | null;
  readonly definitions: number;
  readonly servers: readonly string[];
  readonly security: readonly string[];
  readonly credential: DescribedCredential | null;
}

/** A description, read: what it says of itself and, when they are wanted, its operations. */
export interface ReadApi {
  readonly summary: ApiSummary;
  readonly definitions: readonly ListedDefinition[];
  /** Where requests go, of the first operation; null without one. */
  readonly first: JsonObject | null;
}

declare module "../ports/platform.ts" {
  interface WorkerTasks {
    read_definitions: {
      readonly input: { readonly url: string; readonly known: Readonly<Record<string, string>> | null };
      readonly output: Texts<
        Omit<ReadApi, "definitions"> & { readonly definitions: readonly Omit<ListedDefinition, "text">[] }
      >;
    };
  }
}

/** Reads the text of an API description. The cost depends on the document, so this runs in a worker thread. */
export function readDefinitions(
  text: string,
  documentUrl: string,
  known: Readonly<Record<string, unknown>> | null,
): ReadApi {
  const document = parsedDescription(text);
  const specification = isObject(document) ? (document["openapi"] ?? document["swagger"]) : undefined;
  if (!isObject(document) || typeof specification !== "string") {
    const nothing = {
      title: null,
      version: null,
      specification: null,
      definitions: 0,
      servers: [],
      security: [],
      credential: null,
    };
    return { summary: nothing, definitions: [], first: null };
  }
  const info = isObject(document["info"]) ? document["info"] : {};
  const { servers, components } = document;
  const schemes = isObject(components) ? components["securitySchemes"] : document["securityDefinitions"];
  let first: JsonObject | null = null;
  const definitions: ListedDefinition[] = [];
  // Each one becomes text at once: all of them together may be many times as large as the document.
  for (const { name, definition } of known === null ? [] : openapiDefinitions(document, documentUrl)) {
    first ??= definition;
    const { title, description, annotations, idempotencyHeader } = definition;
    const about = {
      title: title ?? null,
      description: typeof description === "string" ? description.slice(0, 300) : "",
      annotations: annotations ?? null,
      ...(idempotencyHeader !== undefined && { idempotencyHeader }),
    };
    const digest = digestOf(definition);
    const isKnown = known?.[name] === digest;
    definitions.push({ name, digest, about, text: isKnown ? "" : JSON.stringify(definition) });
  }
  const api = readApi(document, documentUrl);
  const summary: ApiSummary = {
    title: textOf(titleOfApi(document)),
    version: textOf(info["version"]),
    specification: textOf(specification),
    definitions: known === null ? api.operations.length : definitions.length,
    servers: (Array.isArray(servers) ? servers : []).flatMap((server: unknown) => {
      const url = isObject(server) ? textOf(server["url"]) : null;
      return url === null ? [] : [url];
    }),
    security: isObject(schemes)
      ? Object.keys(schemes)
          .slice(0, 20)
          .map((name) => textOf(name) ?? "")
      : [],
    credential: describedCredential(api),
  };
  return { summary, definitions, first };
}

function textOf(value: unknown): string | null {
  const clean = sanitized(value);
  return typeof clean === "string" ? clean.slice(0, 500) : null;
}

/** Every operation of an API description as a definition. */
export function* openapiDefinitions(
  document: unknown,
  documentUrl: string,
): Generator<{ readonly name: string; readonly definition: JsonObject }> {
  const api = readApi(document, documentUrl);
  if (api.operations.length === 0) {
    throw new AppError("invalid_input", "The API description has no operations.", {
      nextAction: "Give a description whose paths have operations.",
    });
  }
  const names = new Set<string>();
  const sizes = new BundleSizes(api.document);
  for (const operation of api.operations) {
    const name = uniqueName(nameOf(operation), names);
    yield { name, definition: definitionOf(api, operation, name, sizes) };
  }
}

function titleOfApi(document: unknown): string | null {
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
