import type { JsonObject } from "../kernel/json.ts";
import { SERVICE } from "../kernel/service.ts";
import { KEY_HEADERS, METHODS, PROTECTED_RULE } from "../policy/methods.ts";
import { ACCESS_RULES } from "../policy/rules.ts";
import { syncedTools } from "../handoffs/network-tools.ts";
import { SCOPES } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { NetworkToolRecord } from "../ports/records.ts";
import { viewOfNetworkTool } from "../workflows/catalog-view.ts";
import { isProtected, toolListing } from "./declarations.ts";
import { discoveryMap, registryCounts, timestamp, urlOf, type DiscoverySource } from "./info.ts";
import { DOCUMENT_LOCATIONS } from "./locations.ts";

type Source = Pick<DiscoverySource, "settings" | "clock" | "catalog" | "site">;

/** The tool registry with the boundary. */
function renderToolRegistry(source: Source): JsonObject {
  return {
    endpoint: urlOf(source, "/api/mcp"),
    counts: registryCounts(source),
    auth: { protected: PROTECTED_RULE, acceptedHeaders: [...KEY_HEADERS], scopes: [...SCOPES] },
    tools: source.catalog.tools.map(toolListing),
    generatedAt: timestamp(source),
  };
}

/** A synced tool as registry listings show it: like one of our own, with its server and whether it can be called. */
export function syncedListing(record: NetworkToolRecord): JsonObject {
  const { effect, idempotent, openWorld, scope, title, inputSchema } = viewOfNetworkTool(record);
  const { description } = record.definition;
  return {
    name: record.id,
    server: record.server,
    state: record.state,
    title,
    description: typeof description === "string" ? description : "",
    protected: true,
    requiredScope: scope,
    effect,
    idempotent,
    openWorld,
    inputSchema,
    digest: record.digest,
    callWith: "execute_mcp_tool",
  };
}

/** The registry with the tools synced from other servers beside our own, as far as the caller may see them. */
export async function renderFullRegistry(context: CallContext): Promise<JsonObject> {
  const synced = await syncedTools(context);
  return {
    ...renderToolRegistry(context.services),
    synced: synced.map(syncedListing),
    syncedNote:
      context.caller.kind === "anonymous"
        ? "Tools synced from other servers are listed with a key; test_mcp_tool tells of one by its name."
        : "Tools synced from other servers; call them by this name with execute_mcp_tool.",
  };
}

/** What anybody can do here without a key. */
export function renderPublicCapabilities(source: Source): JsonObject {
  const { tools, resources, prompts } = source.catalog;
  return {
    service: SERVICE.name,
    version: SERVICE.version,
    summary: SERVICE.summary,
    methods: METHODS.map((method) => ({ ...method })),
    tools: tools
      .filter((tool) => !isProtected(tool))
      .map(({ name, title, description, openWorld }) => ({ name, title, description, openWorld })),
    resources: resources.map(({ uri, title }) => ({ uri, title })),
    prompts: prompts.map(({ name, title }) => ({ name, title })),
    generatedAt: timestamp(source),
  };
}

/** The boundary in short: what is public, what needs which scope, by which rules. */
export function renderAccessSummary(source: Source): JsonObject {
  const { tools } = source.catalog;
  const byScope: Record<string, string[]> = {};
  for (const tool of tools) {
    if (tool.access !== "public") (byScope[tool.access] ??= []).push(tool.name);
  }
  return {
    counts: registryCounts(source),
    publicMethods: METHODS.filter(({ access }) => access === "public").map(({ method }) => method),
    publicTools: tools.filter((tool) => !isProtected(tool)).map((tool) => tool.name),
    protectedTools: tools.filter(isProtected).map((tool) => tool.name),
    protectedToolsByScope: byScope,
    routes: source.site.routes.map(({ method, path, access }) => ({ method, path, access })),
    acceptedHeaders: [...KEY_HEADERS],
    rules: Object.entries(ACCESS_RULES).map(([id, text]) => ({ id, text })),
    rule: PROTECTED_RULE,
    browserStorage: "API keys are never kept in browser storage; the web app holds one in memory only.",
  };
}

/** Every discovery document with its address, type and what it is for. */
export function renderDiscoveryManifest(source: Source): JsonObject {
  return {
    service: SERVICE.name,
    version: SERVICE.version,
    endpoint: urlOf(source, "/api/mcp"),
    discovery: discoveryMap(source),
    documents: DOCUMENT_LOCATIONS.map((document) => ({ ...document, url: urlOf(source, document.path) })),
    routes: source.site.routes.map((route) => ({
      method: route.method,
      path: route.path,
      summary: route.summary,
      access: route.access,
    })),
    generatedAt: timestamp(source),
  };
}
