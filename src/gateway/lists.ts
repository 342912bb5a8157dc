import { SERVICE } from "../kernel/service.ts";
import { isJsonObject, isList, type Json, type JsonObject } from "../kernel/json.ts";
import { propertiesOf } from "../kernel/schema-words.ts";
import type { EntryPoint, Prompt, Resource } from "../ports/definitions.ts";
import type { Tool } from "../ports/operations.ts";
import type { Registry } from "../ports/services.ts";

/** How long a client may keep a list: it changes only with a new version of the service. */
const LIST_TTL_MS = 300_000;
const MIME_TYPE = "application/json";

/** A result that never changes while the process lives, serialised once for each generation. */
export interface FixedResult {
  readonly legacy: Buffer;
  readonly modern: Buffer;
}

/** The lists, serialised once. */
export interface Lists {
  readonly tools: FixedResult;
  /** The tools with the whole schemas of their outputs; made when asked for. */
  readonly fullTools: () => FixedResult;
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
export function createLists(
  registry: Registry,
  entry: Pick<EntryPoint, "listsOutputs" | "listsTemplates">,
): Lists {
  const toolsWith = (outputs: Outputs): FixedResult =>
    fixedText(`{"tools":[${registry.tools.map((tool) => toolDeclaration(tool, outputs)).join(",")}]}`);
  let full: FixedResult | undefined;
  const isTemplate = ({ uri }: Resource): boolean => uri.includes("{");
  const templates = registry.resources.filter(isTemplate);
  const listed = registry.resources.filter((one) => entry.listsTemplates === true || !isTemplate(one));
  return {
    tools: toolsWith(entry.listsOutputs ? "names" : "none"),
    fullTools: () => (full ??= toolsWith("full")),
    resources: fixed({ resources: listed.map(resourceDeclaration) }),
    templates: fixed({ resourceTemplates: templates.map(templateDeclaration) }),
    prompts: fixed({ prompts: registry.prompts.map(promptDeclaration) }),
  };
}

/** Serialises a result for both generations. */
export function fixed(result: JsonObject): FixedResult {
  return fixedText(JSON.stringify(result));
}

function fixedText(text: string): FixedResult {
  const members = modernMembers({ ttlMs: LIST_TTL_MS, scope: "public" });
  return { legacy: Buffer.from(text), modern: Buffer.from(`{${members},${text.slice(1)}`) };
}

/** How much a list says about outputs. */
type Outputs = "none" | "names" | "full";

/** A tool as `tools/list` shows it, as JSON. */
function toolDeclaration(tool: Tool, outputs: Outputs): string {
  const declaration = {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.input,
    ...(outputs !== "none" && { outputSchema: envelopeSchema(tool, outputs === "full") }),
    annotations: {
      readOnlyHint: tool.effect === "none",
      destructiveHint: tool.effect === "destructive",
      idempotentHint: tool.idempotent,
      openWorldHint: tool.openWorld,
    },
    ...(tool.ui !== undefined && { _meta: { ui: { resourceUri: tool.ui } } }),
  };
  // Why a member takes anything is for who declares it.
  const isSaid = (name: string, value: unknown): unknown => (name === "x-free" ? undefined : value);
  return JSON.stringify(declaration, isSaid);
}

/**
 * The envelope around a tool's output. By default the members of its data by name alone: a model reads the whole list
 * and pays for it. The whole shape is for programs that ask for it.
 */
function envelopeSchema(tool: Tool, isFull: boolean): JsonObject {
  const properties = Object.keys(propertiesOf(tool.output)).map((name) => [name, {}]);
  const data = isFull ? {} : { properties: Object.fromEntries(properties) };
  return {
    type: "object",
    properties: { ok: { type: "boolean" }, data: { type: "object", ...data } },
    required: ["ok", "data"],
    // Only a success promises the shape of `data`.
    ...(isFull && {
      anyOf: [
        { properties: { ok: { const: true }, data: shapeOf(JSON.parse(JSON.stringify(tool.output))) } },
        { properties: { ok: { const: false } } },
      ],
    }),
  };
}

/** Members of a schema that explain and do not constrain. */
const EXPLAINING: ReadonlySet<string> = new Set(["title", "description", "x-free"]);

/** A schema of an output without its explanations. */
function shapeOf(schema: Json, isMap = false): Json {
  if (isList(schema)) return schema.map((item) => shapeOf(item));
  if (!isJsonObject(schema)) return schema;
  const shape: Record<string, Json> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (value !== undefined && (isMap || !EXPLAINING.has(name)))
      shape[name] = shapeOf(value, !isMap && name === "properties");
  }
  return shape;
}

function resourceDeclaration(resource: Resource): JsonObject {
  const { uri, name, title, description, mimeType = MIME_TYPE } = resource;
  return { uri, name, title, description, mimeType };
}

function templateDeclaration(resource: Resource): JsonObject {
  const { uri, name, title, description, mimeType = MIME_TYPE } = resource;
  return { uriTemplate: uri, name, title, description, mimeType };
}

function promptDeclaration(prompt: Prompt): JsonObject {
  return {
    name: prompt.name,
    title: prompt.title,
    description: prompt.description,
    arguments: prompt.arguments.map(({ name, description, required }) => ({ name, description, required })),
  };
}
