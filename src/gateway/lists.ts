import { SERVICE } from "../kernel/service.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { Prompt, Resource } from "../ports/definitions.ts";
import type { Tool } from "../ports/operations.ts";
import type { Registry } from "./catalog.ts";

/** How long a client may keep a list: it changes only with a new version of the service. */
const LIST_TTL_MS = 300_000;
const MIME_TYPE = "application/json";

/** A result that never changes while the process lives, serialised once for each era. */
export interface FixedResult {
  readonly legacy: Buffer;
  readonly modern: Buffer;
}

/** The lists, serialised once. */
export interface Lists {
  readonly tools: FixedResult;
  readonly resources: FixedResult;
  readonly templates: FixedResult;
  readonly prompts: FixedResult;
}

/** How we introduce ourselves. */
export const SERVER_INFO: JsonObject = { name: SERVICE.name, title: SERVICE.title, version: SERVICE.version };

const SERVER_META = JSON.stringify({ "io.modelcontextprotocol/serverInfo": SERVER_INFO });

/** The members that a result of the newer revision has besides its own, as JSON text without braces. */
export function modernMembers(cache?: {
  readonly ttlMs: number;
  readonly scope: "public" | "private";
}): string {
  const caching = cache === undefined ? "" : `"ttlMs":${cache.ttlMs},"cacheScope":"${cache.scope}",`;
  return `"resultType":"complete",${caching}"_meta":${SERVER_META}`;
}

/** Serialises every list. */
export function createLists(registry: Registry, withOutputs = true): Lists {
  const templates = registry.resources.filter((resource) => resource.uri.includes("{"));
  return {
    tools: fixed({ tools: registry.tools.map((tool) => toolDeclaration(tool, withOutputs)) }),
    resources: fixed({ resources: registry.resources.map(resourceDeclaration) }),
    templates: fixed({ resourceTemplates: templates.map(templateDeclaration) }),
    prompts: fixed({ prompts: registry.prompts.map(promptDeclaration) }),
  };
}

/** Serialises a result for both eras. */
export function fixed(result: JsonObject): FixedResult {
  const text = JSON.stringify(result);
  const members = modernMembers({ ttlMs: LIST_TTL_MS, scope: "public" });
  return { legacy: Buffer.from(text), modern: Buffer.from(`{${members},${text.slice(1)}`) };
}

/** A tool as `tools/list` shows it. */
function toolDeclaration(tool: Tool, withOutputs: boolean): JsonObject {
  const declaration = {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.input,
    ...(withOutputs && { outputSchema: envelopeSchema(tool) }),
    annotations: {
      readOnlyHint: tool.effect === "none",
      destructiveHint: tool.effect === "destructive",
      idempotentHint: tool.idempotent,
      openWorldHint: tool.openWorld,
    },
    ...(tool.ui !== undefined && { _meta: { ui: { resourceUri: tool.ui } } }),
  };
  const plain: JsonObject = JSON.parse(JSON.stringify(declaration));
  return plain;
}

/**
 * The envelope around a tool's output, with the members of its data by name alone: a model reads the whole list
 * and pays for it. OpenAPI has the whole schema, as `<tool>_data`.
 */
function envelopeSchema(tool: Tool): JsonObject {
  const output: Json = JSON.parse(JSON.stringify(tool.output));
  const members = isJsonObject(output) && isJsonObject(output["properties"]) ? output["properties"] : {};
  const properties = Object.keys(members).map((name) => [name, {}]);
  return {
    type: "object",
    properties: {
      ok: { type: "boolean" },
      data: { type: "object", properties: Object.fromEntries(properties) },
    },
    required: ["ok", "data"],
  };
}

function resourceDeclaration(resource: Resource): JsonObject {
  const { uri, name, title, description } = resource;
  return { uri, name, title, description, mimeType: MIME_TYPE };
}

function templateDeclaration(resource: Resource): JsonObject {
  const { uri, name, title, description } = resource;
  return { uriTemplate: uri, name, title, description, mimeType: MIME_TYPE };
}

function promptDeclaration(prompt: Prompt): JsonObject {
  return {
    name: prompt.name,
    title: prompt.title,
    description: prompt.description,
    arguments: prompt.arguments.map(({ name, description, required }) => ({ name, description, required })),
  };
}
