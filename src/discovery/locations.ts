/** A document that describes this service, and where it is. */
export interface DocumentLocation {
  /** The key under which the info document lists it. */
  readonly key: string;
  readonly path: string;
  readonly contentType: string;
  readonly summary: string;
}

/** Every discovery document. Routes, the info document, compliance checks and llms.txt are made from this list. */
export const DOCUMENT_LOCATIONS = [
  {
    key: "llms",
    path: "/llms.txt",
    contentType: "text/plain; charset=utf-8",
    summary: "What the service is and where its documents are, in Markdown for language models.",
  },
  {
    key: "llmsFull",
    path: "/llms-full.txt",
    contentType: "text/plain; charset=utf-8",
    summary: "Every tool with its parameters, every resource and every prompt, in one Markdown text.",
  },
  {
    key: "llmsIndex",
    path: "/llms-index.json",
    contentType: "application/json; charset=utf-8",
    summary: "The same index as JSON: documents, tools, resources and prompts with their addresses.",
  },
  {
    key: "openapi",
    path: "/openapi.yaml",
    contentType: "application/yaml; charset=utf-8",
    summary: "OpenAPI 3.1: every HTTP route, and the schemas of every tool as components.",
  },
  {
    key: "asyncapi",
    path: "/asyncapi.yaml",
    contentType: "application/yaml; charset=utf-8",
    summary: "AsyncAPI 3.0: every event, its payload, and how it is delivered.",
  },
  {
    key: "webStatus",
    path: "/.well-known/web.json",
    contentType: "application/json; charset=utf-8",
    summary: "Web manifest: identity, endpoints, access boundary and where live status is computed.",
  },
  {
    key: "legacyWeb4",
    path: "/.well-known/web4.json",
    contentType: "application/json; charset=utf-8",
    summary: "The web manifest at its legacy address.",
  },
  {
    key: "provenance",
    path: "/.well-known/provenance.json",
    contentType: "application/json; charset=utf-8",
    summary: "Public signing keys, the newest signed checkpoint and how a record is verified.",
  },
  {
    key: "aiPlugin",
    path: "/.well-known/ai-plugin.json",
    contentType: "application/json; charset=utf-8",
    summary: "Plugin manifest that points assistants to the OpenAPI document.",
  },
  {
    key: "trust",
    path: "/.well-known/trust.json",
    contentType: "application/json; charset=utf-8",
    summary: "Trust policy: the public/protected boundary and the trusted-domain policy.",
  },
  {
    key: "robots",
    path: "/robots.txt",
    contentType: "text/plain; charset=utf-8",
    summary: "Robots policy: one group for every crawler.",
  },
  {
    key: "serverCard",
    path: "/.well-known/mcp/server-card.json",
    contentType: "application/json; charset=utf-8",
    summary: "MCP server card: identity, endpoint and protocol versions, readable before connecting.",
  },
  {
    key: "serverCardEndpoint",
    path: "/api/mcp/server-card",
    contentType: "application/mcp-server-card+json",
    summary: "The MCP server card at the location the protocol reserves beside the endpoint.",
  },
  {
    key: "mcpCatalog",
    path: "/.well-known/mcp/catalog.json",
    contentType: "application/json; charset=utf-8",
    summary: "MCP catalog of this site: one entry that points to the server card.",
  },
] as const satisfies readonly DocumentLocation[];

/** The key of a discovery document. */
export type DocumentKey = (typeof DOCUMENT_LOCATIONS)[number]["key"];
