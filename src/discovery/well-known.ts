import type { JsonObject } from "../kernel/json.ts";
import { SERVICE } from "../kernel/service.ts";
import { trustPolicy, type PolicySource } from "../policy/views.ts";
import { BOUNDARY, discoveryMap, registryCounts, timestamp, urlOf, type DiscoverySource } from "./info.ts";
import { siblingBaseUrl } from "../ports/settings.ts";

/** The protocol versions the gateway speaks, newest first. */
const PROTOCOL_VERSIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

const SHORT = "Forms, durable workflows with approvals, and handoffs from tool and API definitions.";

type Source = Pick<DiscoverySource, "settings" | "clock" | "catalog" | "site">;

/** The web manifest: what `/.well-known/web.json` and `get_svc_web_manifest` show. */
export function renderWebManifest(source: Source) {
  return {
    schemaVersion: "svc.web-manifest.v1",
    id: SERVICE.id,
    name: SERVICE.name,
    title: SERVICE.title,
    version: SERVICE.version,
    description: SERVICE.summary,
    url: urlOf(source, "/"),
    endpoints: {
      rpc: urlOf(source, "/api/mcp"),
      handoffReceiver: urlOf(source, "/api/svc/receive-handoff"),
      demoSuite: urlOf(source, "/api/svc/demo-suite"),
      canonicalMcpGateway: `${siblingBaseUrl(source.settings, "mcp")}/api/mcp`,
    },
    counts: registryCounts(source),
    discovery: discoveryMap(source),
    access: {
      public: "Reading, rendering, validating, planning and previewing need no credential.",
      protected: "Persisting, running, deciding, sending and publishing need an API key.",
      browserStorage: "API keys are never kept in browser storage.",
    },
    liveStatus: {
      note: "This manifest declares; status is computed when asked for.",
      tools: [
        "get_svc_web_status",
        "get_svc_web_scorecard",
        "get_route_compliance",
        "get_discovery_compliance",
      ],
    },
    boundary: BOUNDARY,
    generatedAt: timestamp(source),
  };
}

/** trust.json: the trust policy with its addresses. */
export async function renderTrust(
  source: PolicySource & Pick<DiscoverySource, "clock">,
): Promise<JsonObject> {
  return {
    schemaVersion: "svc.trust.v1",
    service: SERVICE.name,
    version: SERVICE.version,
    ...(await trustPolicy(source)),
    provenance: urlOf(source, "/.well-known/provenance.json"),
    robots: urlOf(source, "/robots.txt"),
    generatedAt: timestamp(source),
  };
}

/** provenance.json: keys and checkpoint as the log describes them. */
export async function renderProvenance(
  source: Pick<DiscoverySource, "settings" | "clock" | "provenance">,
): Promise<JsonObject> {
  return {
    service: SERVICE.name,
    version: SERVICE.version,
    ...(await source.provenance.describe()),
    lookup: { tool: "lookup_svc_provenance", endpoint: urlOf(source, "/api/mcp") },
    verify: { tool: "verify_svc_provenance", endpoint: urlOf(source, "/api/mcp") },
    generatedAt: timestamp(source),
  };
}

/** ai-plugin.json: points assistants that read plugin manifests to the OpenAPI document. */
export function renderAiPlugin(source: Pick<Source, "settings">): JsonObject {
  return {
    schema_version: "v1",
    name_for_human: SERVICE.title,
    name_for_model: "workflow_ui",
    description_for_human: SHORT,
    description_for_model: `${SERVICE.summary} Call tools with JSON-RPC tools/call at /api/mcp. Public tools need no credential; protected tools need an API key and are refused without one. A degraded answer means that nothing happened.`,
    auth: { type: "none" },
    api: { type: "openapi", url: urlOf(source, "/openapi.yaml") },
    legal_info_url: urlOf(source, "/.well-known/trust.json"),
  };
}

/** The MCP server card (SEP-2127): identity, endpoint and protocol versions, nothing that tools/list says better. */
export function renderServerCard(source: Pick<Source, "settings">): JsonObject {
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
    name: `${namespaceOf(source.settings.baseUrl)}/${SERVICE.name}`,
    version: SERVICE.version,
    title: SERVICE.title,
    description: SHORT,
    websiteUrl: urlOf(source, "/"),
    remotes: [
      {
        type: "streamable-http",
        url: urlOf(source, "/api/mcp"),
        supportedProtocolVersions: [...PROTOCOL_VERSIONS],
        headers: [
          {
            name: "X-Suite-API-Key",
            description: "API key; needed for protected tools only.",
            isRequired: false,
            isSecret: true,
          },
        ],
      },
    ],
  };
}

/** The site's MCP catalog: where the card is. */
export function renderMcpCatalog(source: Pick<Source, "settings">): JsonObject {
  const host = new URL(source.settings.baseUrl).hostname.replace(/[[\]]/g, "");
  return {
    specVersion: "draft",
    entries: [
      {
        identifier: `urn:air:${host}:${SERVICE.name}`,
        displayName: SERVICE.title,
        type: "application/mcp-server-card+json",
        url: urlOf(source, "/api/mcp/server-card"),
      },
    ],
  };
}

/** Reverse-DNS form of the host; a bare address has none and is called by its own name. */
function namespaceOf(baseUrl: string): string {
  const host = new URL(baseUrl).hostname;
  if (host.startsWith("[") || /^[\d.]+$/.test(host) || !host.includes(".")) return "localhost";
  return host.split(".").reverse().join(".");
}
