import type { Json, JsonObject } from "../kernel/json.ts";
import { SERVICE } from "../kernel/service.ts";
import { SESSION_COOKIE } from "../access/people/cookie.ts";
import type { Route } from "../ports/services.ts";
import { isProtected } from "./declarations.ts";
import type { DiscoverySource } from "./info.ts";
import { declaredOperation, NamedSchemas } from "./openapi-operations.ts";
import { SHARED_SCHEMAS } from "./schemas.ts";
import { inOne } from "../kernel/slices.ts";
import { withoutTrailing } from "../kernel/text.ts";

type Source = Pick<DiscoverySource, "settings" | "catalog" | "site">;

const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

/** openapi.yaml as an object: one operation a route, every tool's schemas as components. */
export function openapiDocument(source: Source): JsonObject {
  return inOne(openapiSlices(source));
}

/** The same, in slices: there are many operations. */
export function* openapiSlices(source: Source): Generator<void, JsonObject> {
  const paths: Record<string, Record<string, JsonObject>> = {};
  const named = new NamedSchemas();
  for (const route of source.site.routes) {
    const tags = [TAGS.find(({ of }) => of.test(route.path))?.name ?? "web"];
    const described = { tags, ...securityOf(route), ...declaredOperation(route, named) };
    (paths[route.path] ??= {})[route.method.toLowerCase()] = described;
    yield;
  }
  const tools: Record<string, JsonObject> = {};
  for (const { name, description, input, output } of source.catalog.tools) {
    tools[`${name}_arguments`] = { ...named.shortened(input), description };
    tools[`${name}_data`] = named.shortened(output);
    yield;
  }
  const schemas: Record<string, Json | undefined> = {
    ...SHARED_SCHEMAS,
    ...named.schemas(),
    ...tools,
  };
  schemas["ToolCall"] = toolCallSchema(source);
  schemas["ToolResult"] = toolResultSchema(source);
  schemas["ToolResponse"] = {
    allOf: [ref("JsonRpcResponse"), { type: "object", properties: { result: ref("ToolResult") } }],
  };
  return {
    openapi: "3.1.1",
    info: {
      title: SERVICE.title,
      version: SERVICE.version,
      summary: "Forms, workflows and handoffs over one JSON-RPC gateway.",
      description: `${SERVICE.summary}\n\nTools are called with JSON-RPC \`tools/call\` at \`/api/mcp\`. The arguments of a tool are the schema \`<tool>_arguments\`, the \`data\` of its successful answer is \`<tool>_data\`.`,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: withoutTrailing(source.settings.baseUrl, "/"), description: "This service." }],
    tags: TAGS.map(({ name, description }) => ({ name, description })),
    security: [{}],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "API key as a bearer token." },
        suiteKey: {
          type: "apiKey",
          in: "header",
          name: "X-Suite-API-Key",
          description: "API key in a header.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: SESSION_COOKIE,
          description:
            "The session of a signed-in person. Requests that change something also need the header X-Suite-Page: 1.",
        },
      },
      schemas,
    },
  };
}

const TAGS = [
  { name: "gateway", description: "The JSON-RPC and MCP endpoint.", of: /^\/api\/mcp$/ },
  {
    name: "handoffs",
    description: "Receiving handoff packets from services of the suite.",
    of: /receive-handoff/,
  },
  {
    name: "discovery",
    description: "Documents that describe this service.",
    of: /\.(txt|json|yaml)$|server-card$/,
  },
  { name: "operations", description: "Probes and metrics for operators.", of: /^\/(livez|readyz|metrics)$/ },
  { name: "service", description: "Everything else under the service's own paths.", of: /^\/api\// },
  { name: "web", description: "The web app.", of: /./ },
] as const;

function securityOf(route: Route): JsonObject {
  const session = { session: [] };
  if (route.access === "person") return { security: [session] };
  if (route.access === "key") return { security: [{ bearer: [] }, { suiteKey: [] }, session] };
  if (route.access === "mixed") return { security: [{}, { bearer: [] }, { suiteKey: [] }, session] };
  return {};
}

/** A `tools/call` request with the arguments of the tool it names. */
function toolCallSchema(source: Source): JsonObject {
  return {
    type: "object",
    description: "A JSON-RPC request that calls a tool.",
    required: ["jsonrpc", "method", "params"],
    properties: {
      jsonrpc: { type: "string", const: "2.0" },
      id: { type: ["string", "number"] },
      method: { type: "string", const: "tools/call" },
      params: {
        oneOf: source.catalog.tools.map((tool) => ({
          type: "object",
          title: tool.title,
          description: isProtected(tool) ? `Needs an API key with scope ${tool.access}.` : "Public.",
          required: ["name"],
          properties: {
            name: { type: "string", const: tool.name },
            arguments: ref(`${tool.name}_arguments`),
          },
        })),
      },
    },
  };
}

/** The result of a `tools/call`: the envelope as structured content, and its JSON as text. */
function toolResultSchema(source: Source): JsonObject {
  const data = [
    ...source.catalog.tools.map((tool) => ref(`${tool.name}_data`)),
    ref("Degraded"),
    { type: "object", required: ["error"], properties: { error: ref("Error") } },
  ];
  return {
    type: "object",
    description: "The result of tools/call. `isError` is the opposite of `ok`.",
    required: ["content", "structuredContent"],
    properties: {
      content: { type: "array", items: { type: "object" } },
      structuredContent: {
        type: "object",
        required: ["ok", "data"],
        properties: { ok: { type: "boolean" }, data: { anyOf: data } },
      },
      isError: { type: "boolean" },
    },
  };
}
