import type { JsonObject } from "../kernel/json.ts";
import { SERVICE } from "../kernel/service.ts";
import { KEY_HEADERS, METHODS, PROTECTED_RULE } from "../policy/methods.ts";
import { ACCESS_RULES } from "../policy/rules.ts";
import { SCOPES } from "../ports/caller.ts";
import { isProtected, toolListing } from "./declarations.ts";
import { discoveryMap, registryCounts, timestamp, urlOf, type DiscoverySource } from "./info.ts";
import { DOCUMENT_LOCATIONS } from "./locations.ts";

type Source = Pick<DiscoverySource, "settings" | "clock" | "catalog" | "site">;

/** The tool registry with the boundary: what `list_mcp_tools` and `svc://mcp/tools` show. */
export function renderToolRegistry(source: Source): JsonObject {
  return {
    endpoint: urlOf(source, "/api/mcp"),
    counts: registryCounts(source),
    auth: { protected: PROTECTED_RULE, acceptedHeaders: [...KEY_HEADERS], scopes: [...SCOPES] },
    tools: source.catalog.tools.map(toolListing),
    generatedAt: timestamp(source),
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
