import { SERVICE } from "../kernel/service.ts";
import { KEY_HEADERS, METHODS, PROTECTED_RULE } from "../policy/methods.ts";
import { ACCESS_RULES } from "../policy/rules.ts";
import { SCOPES } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { ConnectedTool } from "../ports/connections.ts";
import { isProtected, toolListing } from "./declarations.ts";
import { discoveryMap, registryCounts, timestamp, urlOf, type DiscoverySource } from "./info.ts";
import { DOCUMENT_LOCATIONS } from "./locations.ts";

type Source = Pick<DiscoverySource, "settings" | "clock" | "catalog" | "site">;

/** The tool registry with the boundary. */
function renderToolRegistry(source: Source) {
  return {
    endpoint: urlOf(source, "/api/mcp"),
    counts: registryCounts(source),
    auth: { protected: PROTECTED_RULE, acceptedHeaders: [...KEY_HEADERS], scopes: [...SCOPES] },
    tools: source.catalog.tools.map(toolListing),
    generatedAt: timestamp(source),
  };
}

/** A connected tool as registry listings show it: like one of our own, with its server and whether it can be called. */
export function syncedListing(tool: ConnectedTool) {
  return {
    name: tool.id,
    server: tool.connection,
    state: tool.state,
    title: tool.title,
    description: tool.description,
    protected: true,
    requiredScope: "run",
    effect: tool.toolEffect,
    idempotent: tool.idempotent,
    openWorld: true,
    inputSchema: tool.inputSchema,
    digest: tool.digest,
    callWith: "execute_mcp_tool",
    credential: tool.credential,
    reachable: tool.reachable,
  };
}

/** With more connected tools than this a registry lists the canonical gateway's only. */
const MOST_LISTED = 200;

/** The registry with the tools of connections beside our own, as far as the caller may see them. */
export async function renderFullRegistry(context: CallContext) {
  const { connections } = context.services;
  const isAnonymous = context.caller.kind === "anonymous";
  const heads = isAnonymous ? [] : (await connections.heads()).filter(({ state }) => state !== "removed");
  const shown = heads.length <= MOST_LISTED ? heads : heads.filter(({ connection }) => connection === "mcp");
  const found = await Promise.all(
    shown.slice(0, MOST_LISTED).map(({ connection, name }) => connections.find(`${connection}:${name}`)),
  );
  return {
    ...renderToolRegistry(context.services),
    synced: found.flatMap((tool) => (tool === null ? [] : [syncedListing(tool)])),
    syncedTotal: heads.length,
    syncedNote: isAnonymous
      ? "Tools of other servers are listed with a key; test_mcp_tool tells of one by its name."
      : "Tools of other servers; call them by this name with execute_mcp_tool. GET /api/svc/connections/tools searches all of them.",
  };
}

/** What anybody can do here without a key. */
export function renderPublicCapabilities(source: Source) {
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
export function renderAccessSummary(source: Source) {
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
export function renderDiscoveryManifest(source: Source) {
  return {
    service: SERVICE.name,
    version: SERVICE.version,
    endpoint: urlOf(source, "/api/mcp"),
    discovery: discoveryMap(source),
    documents: DOCUMENT_LOCATIONS.map((document) => ({ ...document, url: urlOf(source, document.path) })),
    routes: source.site.routes.map((route) => ({
      method: route.method,
      path: route.path,
      summary: route.operation.description,
      access: route.access,
    })),
    generatedAt: timestamp(source),
  };
}
