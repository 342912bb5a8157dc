import { AppError, type Problem } from "../kernel/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import { isSecretName } from "../kernel/secrets.ts";
import { HTTP_METHODS, type HttpMethod } from "../ports/platform.ts";
import { DEFINITION_NAME } from "./definition.ts";
import { resultSchema } from "../sources/answers.ts";
import { listedDefinition, MAX_DEFINITIONS } from "./pinning.ts";
import type { ListedDefinition } from "../sources/api-definitions.ts";

const SHAPE =
  "{requests: [{name, method, path, title?, description?, query?, headers?, body?, contentType?, response?, effect?}]}";
const READS: ReadonlySet<HttpMethod> = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"]);
const FORBIDDEN_HEADERS =
  /^(?:host|content-length|connection|transfer-encoding|upgrade|te|trailer|authorization|cookie)$/i;

/** The requests that a person wrote down, as definitions. */
export function httpDefinitions(document: JsonObject): readonly ListedDefinition[] {
  const { requests } = document;
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > MAX_DEFINITIONS) {
    throw unfit([
      {
        pointer: "/document/requests",
        message: "A connection of kind http has a list of requests.",
        expected: SHAPE,
        fix: "Give at least one request with name, method and path.",
      },
    ]);
  }
  const problems: Problem[] = [];
  const names = new Set<string>();
  const found = requests.flatMap((request: Json, index) => {
    const at = `/document/requests/${index}`;
    if (!isJsonObject(request)) {
      problems.push({ pointer: at, message: "A request is an object.", expected: SHAPE });
      return [];
    }
    const definition = definitionOf(request, at, problems);
    if (definition === null) return [];
    if (names.has(definition.name)) {
      problems.push({ pointer: `${at}/name`, message: `The name "${definition.name}" is used twice.` });
    }
    names.add(definition.name);
    return [definition];
  });
  if (problems.length > 0) throw unfit(problems);
  return found;
}

function unfit(problems: readonly Problem[]): AppError {
  return new AppError("invalid_input", `The requests have ${problems.length} problems.`, { problems });
}

function definitionOf(request: JsonObject, at: string, problems: Problem[]): ListedDefinition | null {
  const { name, path, title, description, body, contentType, response, effect } = request;
  const verb = request["method"] ?? "GET";
  const method = HTTP_METHODS.find((known) => typeof verb === "string" && known === verb.toUpperCase());
  if (typeof name !== "string" || !DEFINITION_NAME.test(name)) {
    problems.push({
      pointer: `${at}/name`,
      message: "The name is missing, or has other characters.",
      expected: "letters, digits, _ . -",
    });
    return null;
  }
  if (method === undefined) {
    problems.push({ pointer: `${at}/method`, message: "Unknown method.", expected: HTTP_METHODS.join(", ") });
    return null;
  }
  if (typeof path !== "string" || !path.startsWith("/") || path.includes("#")) {
    problems.push({
      pointer: `${at}/path`,
      message: "The path is missing, or does not begin with /, or has a fragment.",
      expected: "a path that begins with /, with {name} where a value goes",
    });
    return null;
  }
  const [, search = ""] = path.split("?");
  const secret = [...new URLSearchParams(search).keys()].find((key) => isSecretName(key));
  if (secret !== undefined) {
    problems.push({
      pointer: `${at}/path`,
      message: `The path has what looks like a secret in its query ("${secret.slice(0, 60)}").`,
      fix: "Put it into a credential of kind apiKey, in query, and name that.",
    });
  }
  const places = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, word = ""]) => word);
  const groups = {
    path: { schema: pathGroup(places, request["path_parameters"]), names: places },
    query: groupOf(request["query"], `${at}/query`, problems),
    header: groupOf(request["headers"], `${at}/headers`, problems),
  };
  for (const header of groups.header?.names ?? []) {
    if (!FORBIDDEN_HEADERS.test(header) && /^[!#$%&'*+.^_`|~\w-]+$/.test(header)) continue;
    problems.push({
      pointer: `${at}/headers/${header}`,
      message: `The header "${header.slice(0, 60)}" cannot be set here.`,
      fix: /authorization|cookie/i.test(header) ? "Use a credential of the connection." : "Leave it out.",
    });
  }
  const type = typeof contentType === "string" ? contentType : "application/json";
  const properties: Record<string, Json> = {};
  const required: string[] = [];
  for (const [place, group] of Object.entries(groups)) {
    if (group === null || group.names.length === 0) continue;
    properties[place] = group.schema;
    if (Array.isArray(group.schema["required"]) && group.schema["required"].length > 0) required.push(place);
  }
  if (isJsonObject(body)) {
    properties["body"] = body;
    required.push("body");
  }
  const header = groups.header?.names.find((word) => /^(?:x-)?idempotency-key$/i.test(word));
  const parameters = [
    ...places.map((word) => ({ name: word, in: "path", style: "simple", explode: false })),
    ...(groups.query?.names ?? []).map((word) => ({ name: word, in: "query", style: "form", explode: true })),
    ...(groups.header?.names ?? []).map((word) => ({
      name: word,
      in: "header",
      style: "simple",
      explode: false,
    })),
  ];
  const reads = effect === "read" || (effect === undefined && READS.has(method));
  return listedDefinition(name, {
    name,
    title: typeof title === "string" ? title : name,
    description: typeof description === "string" ? description : "",
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    outputSchema: resultSchema(isJsonObject(response) ? response : null),
    annotations: {
      readOnlyHint: reads,
      destructiveHint: effect === "destructive" || (effect === undefined && method === "DELETE"),
      idempotentHint: reads || method === "PUT" || method === "DELETE",
    },
    ...(header !== undefined && { idempotencyHeader: header }),
    request: {
      method,
      path,
      servers: [],
      variables: {},
      parameters,
      security: [],
      contentTypes: isJsonObject(body) ? [type] : [],
      files: [],
    },
    responses: isJsonObject(response) ? { "2XX": { "application/json": response } } : {},
  });
}

interface Group {
  readonly schema: JsonObject;
  readonly names: readonly string[];
}

function pathGroup(places: readonly string[], schemas: Json | undefined): JsonObject {
  const known = isJsonObject(schemas) ? schemas : {};
  return {
    type: "object",
    title: "Path",
    properties: Object.fromEntries(
      places.map((word) => [word, known[word] ?? { type: ["string", "number"], minLength: 1 }]),
    ),
    required: places,
    additionalProperties: false,
  };
}

/** A group is a JSON Schema of an object, or the names of its members each with a schema. */
function groupOf(given: Json | undefined, at: string, problems: Problem[]): Group | null {
  if (given === undefined) return null;
  if (!isJsonObject(given)) {
    problems.push({ pointer: at, message: "This is an object.", expected: "names, each with a JSON Schema" });
    return null;
  }
  const isSchema = given["type"] === "object" && isJsonObject(given["properties"]);
  const properties = isSchema && isJsonObject(given["properties"]) ? given["properties"] : given;
  const schema: JsonObject = isSchema
    ? { additionalProperties: false, ...given }
    : { type: "object", properties, additionalProperties: false };
  return { schema, names: Object.keys(properties) };
}
