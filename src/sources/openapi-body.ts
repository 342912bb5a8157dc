import type { BodyEncoding } from "../../packages/forms/src/index.ts";
import { isObject } from "../kernel/json.ts";
import { dereferenced, type Bundler } from "./bundle.ts";
import type { ApiDescription, Operation } from "./openapi.ts";
import { exampleOf, styleOf } from "./openapi-parts.ts";

/** The body of a request as properties of the operation's schema. */
export interface OperationBody {
  readonly properties: Record<string, unknown>;
  readonly required: readonly string[];
  /** What ties the body to the chosen content type. */
  readonly conditions: Record<string, unknown>;
  readonly contentTypes: readonly string[];
  readonly files: readonly string[];
  /** How members of a form or multipart body are written, where the description says so. */
  readonly encoding?: Readonly<Record<string, BodyEncoding>>;
}

interface Media {
  readonly type: string;
  readonly schema: unknown;
  /** The schema as the document has it. */
  readonly source: unknown;
  readonly encoding?: Readonly<Record<string, BodyEncoding>>;
}

/** The request body of an operation, in every content type it takes; null when it has none. */
export function bodyOf(
  api: ApiDescription,
  operation: Operation,
  parameters: readonly Record<string, unknown>[],
  bundler: Bundler,
): OperationBody | null {
  const found =
    api.dialect === "swagger-2.0"
      ? swaggerBody(api, operation, parameters, bundler)
      : openapiBody(api, operation, bundler);
  if (!found) return null;
  const { media, isRequired, description } = found;
  const contentTypes = media.map(({ type }) => type);
  const [first] = media;
  const required = isRequired ? ["contentType", "body"] : [];
  const files = media.flatMap(({ type, source }) =>
    type.startsWith("multipart/") ? fileNames(api.document, source) : [],
  );
  const contentType = {
    type: "string",
    title: "Content type",
    ...(contentTypes.length === 1
      ? { const: contentTypes[0] }
      : { enum: contentTypes, default: contentTypes[0] }),
  };
  const encoding = media.find((entry) => entry.encoding !== undefined)?.encoding;
  const about = { title: "Body", ...(description !== undefined && { description }) };
  if (media.length === 1) {
    return {
      properties: { contentType, body: titled(first?.schema ?? {}, about) },
      required,
      conditions: {},
      contentTypes,
      files,
      ...(encoding && { encoding }),
    };
  }
  // Where no content type is chosen, the first one is sent, so its schema is the one that counts.
  const allOf = media.map(({ type, schema }, index) =>
    conditional(
      { properties: { contentType: { const: type } }, ...(index > 0 && { required: ["contentType"] }) },
      { properties: { body: titled(schema, about) } },
    ),
  );
  return {
    properties: { contentType, body: about },
    required,
    conditions: { allOf },
    contentTypes,
    files,
    ...(encoding && { encoding }),
  };
}

/** A rule of JSON Schema. Its keyword `then` makes no promise of it: it is data. */
function conditional(test: unknown, rule: unknown): Record<string, unknown> {
  // oxlint-disable-next-line unicorn/no-thenable
  return { if: test, then: rule };
}

function titled(schema: unknown, about: Record<string, unknown>): unknown {
  if (!isObject(schema)) return about;
  return typeof schema["$ref"] === "string" ? { allOf: [schema], ...about } : { ...about, ...schema };
}

function openapiBody(
  api: ApiDescription,
  operation: Operation,
  bundler: Bundler,
): { media: Media[]; isRequired: boolean; description?: string } | null {
  const body = dereferenced(api.document, operation.definition["requestBody"]);
  if (!body) return null;
  const { content, required, description } = body;
  const media = Object.entries(isObject(content) ? content : {}).map(([type, given]): Media => {
    const entry = dereferenced(api.document, given) ?? {};
    const copy = bundler.copy(isXml(type) ? XML_TEXT : (entry["schema"] ?? plainBody(type)));
    const examples = exampleOf(entry["example"], entry["examples"]);
    const isRef = isObject(copy) && typeof copy["$ref"] === "string";
    return {
      type,
      schema: isRef ? { allOf: [copy], ...examples } : { ...(isObject(copy) ? copy : {}), ...examples },
      source: entry["schema"],
      ...encodingOf(api.document, entry["encoding"]),
    };
  });
  if (media.length === 0) return null;
  // JSON first: it is what a form fills in best.
  media.sort((a, b) => Number(isJson(b.type)) - Number(isJson(a.type)));
  return { media, isRequired: required === true, ...(typeof description === "string" && { description }) };
}

function encodingOf(
  document: unknown,
  given: unknown,
): { readonly encoding?: Readonly<Record<string, BodyEncoding>> } {
  if (!isObject(given) || Object.keys(given).length === 0) return {};
  const entries = Object.entries(given).map(([name, value]): [string, BodyEncoding] => {
    const { contentType, style, explode } = dereferenced(document, value) ?? {};
    return [
      name,
      {
        ...(typeof contentType === "string" && { contentType }),
        ...(typeof style === "string" && { style }),
        ...(typeof explode === "boolean" && { explode }),
      },
    ];
  });
  return { encoding: Object.fromEntries(entries) };
}

/** No form fills in XML: names, attributes and order would be guesses. It is given as text and sent as it is. */
const XML_TEXT = { type: "string", description: "The XML text that is sent." };

function isXml(type: string): boolean {
  return /^(?:text|application)\/(?:[\w.-]+\+)?xml\b/i.test(type);
}

function isJson(type: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(type);
}

/** What a body is when its schema is not given. */
function plainBody(type: string): Record<string, unknown> {
  if (isJson(type) || type === "*/*") return {};
  return type.startsWith("text/") ? { type: "string" } : { type: "string", format: "binary" };
}

function swaggerBody(
  api: ApiDescription,
  operation: Operation,
  parameters: readonly Record<string, unknown>[],
  bundler: Bundler,
): { media: Media[]; isRequired: boolean; description?: string } | null {
  const consumes = operation.definition["consumes"] ?? api.document["consumes"];
  const types = Array.isArray(consumes) ? consumes.filter((type) => typeof type === "string") : [];
  const body = parameters.find((parameter) => parameter["in"] === "body");
  if (body) {
    const schema = bundler.copy(body["schema"] ?? {});
    const { description } = body;
    const media = (types.length > 0 ? types : ["application/json"]).map((type) => ({
      type,
      schema: isXml(type) ? XML_TEXT : schema,
      source: schema,
    }));
    media.sort((a, b) => Number(isJson(b.type)) - Number(isJson(a.type)));
    return {
      media,
      isRequired: body["required"] === true,
      ...(typeof description === "string" && { description }),
    };
  }
  const fields = parameters.filter((parameter) => parameter["in"] === "formData");
  if (fields.length === 0) return null;
  const hasFile = fields.some((field) => field["type"] === "file");
  const usual = hasFile ? "multipart/form-data" : "application/x-www-form-urlencoded";
  const allowed = types.filter(
    (type) => type === "multipart/form-data" || (!hasFile && type === "application/x-www-form-urlencoded"),
  );
  const schema = {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [String(field["name"]), formField(field, bundler)])),
    required: fields.filter((field) => field["required"] === true).map((field) => String(field["name"])),
    additionalProperties: false,
  };
  const lists = fields.filter((field) => field["type"] === "array");
  const encoding = Object.fromEntries(lists.map((field) => [String(field["name"]), styleOf(field, "query")]));
  const media = (allowed.length > 0 ? allowed : [usual]).map((type) => ({
    type,
    schema,
    source: schema,
    ...(lists.length > 0 && { encoding }),
  }));
  return { media, isRequired: schema.required.length > 0 };
}

function formField(field: Record<string, unknown>, bundler: Bundler): unknown {
  const { name: _name, in: _in, required: _required, collectionFormat: _format, ...keywords } = field;
  const copy = bundler.copy(keywords);
  return isObject(copy) && copy["type"] === "file" ? { ...copy, type: "string", format: "binary" } : copy;
}

/** The members of a multipart body that are files, wherever in the schema they are described. */
function fileNames(document: unknown, given: unknown, levels = 4): string[] {
  const schema = dereferenced(document, given);
  if (!schema || levels === 0) return [];
  const { properties, allOf } = schema;
  const own = Object.entries(isObject(properties) ? properties : {})
    .filter(([, property]) => isFile(property) || (isObject(property) && isFile(property["items"])))
    .map(([name]) => name);
  const inherited = Array.isArray(allOf)
    ? allOf.flatMap((part) => fileNames(document, part, levels - 1))
    : [];
  return [...own, ...inherited];
}

function isFile(property: unknown): boolean {
  return (
    isObject(property) &&
    (property["format"] === "binary" || typeof property["contentMediaType"] === "string")
  );
}
