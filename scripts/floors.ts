/*
 * The house: which folder may import which. The import check enforces it and the diagram in ARCHITECTURE.md is drawn
 * from it, so the picture cannot differ from the code.
 */

/** A room of the house: a folder of `src/`, or a file right under it. */
export interface Room {
  readonly name: string;
  readonly purpose: string;
  /** The rooms it may import from, besides itself. */
  readonly imports: readonly string[];
}

const GROUND = ["kernel", "ports"];
const DOMAINS = [
  "forms",
  "openapi",
  "workflows",
  "provenance",
  "artifacts",
  "handoffs",
  "policy",
  "events",
  "keys",
  "studio",
];

/** Every room, from the ground floor up. */
export const ROOMS: readonly Room[] = [
  { name: "kernel", purpose: "errors, ids, canonical JSON, envelope, trace context", imports: [] },
  { name: "ports", purpose: "the interfaces that the domains need", imports: ["kernel"] },
  { name: "forms", purpose: "schema → form document; pure, shared with the web app", imports: [] },
  { name: "openapi", purpose: "OpenAPI and AsyncAPI documents → schemas", imports: [...GROUND, "forms"] },
  { name: "workflows", purpose: "document, validator, planner, interpreter", imports: [...GROUND, "forms"] },
  { name: "provenance", purpose: "digests, signatures, Merkle log", imports: GROUND },
  { name: "artifacts", purpose: "artifact model, export, share packets", imports: GROUND },
  { name: "handoffs", purpose: "packets, receiver, outbox, demo suite", imports: GROUND },
  { name: "studio", purpose: "design templates and tool specs", imports: GROUND },
  { name: "policy", purpose: "agent policy, platforms, access rules", imports: GROUND },
  { name: "events", purpose: "event table, CloudEvents, SSE, webhooks", imports: GROUND },
  { name: "keys", purpose: "API keys and who a caller is", imports: GROUND },
  { name: "discovery", purpose: "documents rendered from the registry", imports: [...GROUND, ...DOMAINS] },
  { name: "tools", purpose: "the tools, one file a domain", imports: [...GROUND, ...DOMAINS, "discovery"] },
  {
    name: "resources",
    purpose: "the resources by domain",
    imports: [...GROUND, ...DOMAINS, "discovery", "tools"],
  },
  { name: "prompts", purpose: "the prompts by domain", imports: [...GROUND, ...DOMAINS, "discovery"] },
  {
    name: "registry",
    purpose: "the only list of tools, resources, prompts",
    imports: ["ports", "tools", "resources", "prompts"],
  },
  { name: "storage", purpose: "SQLite, PostgreSQL, migrations", imports: GROUND },
  { name: "siblings", purpose: "guarded fetcher, one adapter a sibling", imports: [...GROUND, "handoffs"] },
  {
    name: "validation",
    purpose: "pooled worker that validates hostile schemas",
    imports: [...GROUND, "forms"],
  },
  { name: "tracing", purpose: "spans and OTLP export", imports: GROUND },
  { name: "engine", purpose: "durable execution", imports: [...GROUND, "workflows", "events", "tracing"] },
  {
    name: "gateway",
    purpose: "HTTP, JSON-RPC, MCP, auth, limits",
    imports: [...GROUND, ...DOMAINS, "discovery", "tracing"],
  },
  { name: "cli", purpose: "suitectl", imports: [...GROUND, ...DOMAINS, "storage"] },
];
