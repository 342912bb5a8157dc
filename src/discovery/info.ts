import { SERVICE } from "../kernel/service.ts";
import { METHODS, PROTECTED_RULE } from "../policy/methods.ts";
import type { Services } from "../ports/services.ts";
import { siblingBaseUrl } from "../ports/settings.ts";
import { isProtected, promptEntry, resourceEntry, toolEntry } from "./declarations.ts";
import { DOCUMENT_LOCATIONS } from "./locations.ts";
import { withoutTrailing } from "../kernel/text.ts";

/** What the renderers read: settings, the registry, the route table and the time. */
export type DiscoverySource = Pick<
  Services,
  "settings" | "clock" | "catalog" | "site" | "provenance" | "store"
>;

/** An absolute address on this service. */
export function urlOf(source: Pick<DiscoverySource, "settings">, path: string): string {
  return withoutTrailing(source.settings.baseUrl, "/") + path;
}

/** The time of the answer, as every document writes it. */
export function timestamp(source: Pick<DiscoverySource, "clock">): string {
  return new Date(source.clock.now()).toISOString();
}

/** How many of each thing the registry holds. */
export function registryCounts(source: Pick<DiscoverySource, "catalog">) {
  const { tools, resources, prompts } = source.catalog;
  const protectedTools = tools.filter(isProtected).length;
  return {
    tools: tools.length,
    publicTools: tools.length - protectedTools,
    protectedTools,
    resources: resources.length,
    prompts: prompts.length,
  };
}

/** Every discovery document's address by its key. */
export function discoveryMap(source: Pick<DiscoverySource, "settings">) {
  return Object.fromEntries(DOCUMENT_LOCATIONS.map(({ key, path }) => [key, urlOf(source, path)]));
}

/** Which tools are whose. */
export const BOUNDARY =
  "This service owns only the tools listed here. The canonical capability gateway remains the registry of the whole suite; its other services own, execute and confirm their own work.";

/** The info document: what `GET /api/mcp` and `get_svc_info` answer. */
export function renderInfo(source: Pick<DiscoverySource, "settings" | "clock" | "catalog">) {
  const { tools, resources, prompts } = source.catalog;
  return {
    name: SERVICE.name,
    version: SERVICE.version,
    endpoint: urlOf(source, "/api/mcp"),
    transport: "json-rpc-2.0",
    canonicalMcpGateway: `${siblingBaseUrl(source.settings, "mcp")}/api/mcp`,
    capabilities: {
      tools: tools.map((tool) => tool.name),
      resources: resources.map((resource) => resource.uri),
      prompts: prompts.map((prompt) => prompt.name),
    },
    counts: registryCounts(source),
    tools: tools.map(toolEntry),
    resources: resources.map(resourceEntry),
    prompts: prompts.map(promptEntry),
    auth: {
      public: METHODS.filter(({ access }) => access === "public").map(({ method }) => method),
      protected: PROTECTED_RULE,
    },
    discovery: discoveryMap(source),
    boundary: BOUNDARY,
    generatedAt: timestamp(source),
  };
}
