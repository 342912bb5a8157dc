/*
 * The house: which folder may import which. The import check enforces it and the diagram in ARCHITECTURE.md is drawn
 * from it, so the picture cannot differ from the code.
 */

/** The floors, from the ground up. */
export const FLOORS = ["ground", "domains", "adapters", "surface", "doors"] as const;

/** A floor of the house. */
export type Floor = (typeof FLOORS)[number];

/** A room of the house: a folder of `src/`, or a file right under it. */
export interface Room {
  readonly name: string;
  readonly purpose: string;
  readonly floor: Floor;
  /** The rooms it may import from, besides itself. */
  readonly imports: readonly string[];
}

const GROUND = ["kernel", "ports"];
const DOMAINS = [
  "commands",
  "forms",
  "sources",
  "workflows",
  "provenance",
  "artifacts",
  "handoffs",
  "policy",
  "events",
  "keys",
  "studio",
  "runs",
];

/** Every room, from the ground floor up. */
export const ROOMS: readonly Room[] = [
  {
    name: "kernel",
    floor: "ground",
    purpose: "errors, ids, canonical JSON, envelope, trace context",
    imports: [],
  },
  { name: "ports", floor: "ground", purpose: "the interfaces that the domains need", imports: ["kernel"] },
  { name: "commands", floor: "domains", purpose: "the table of suitectl's commands", imports: GROUND },
  {
    name: "forms",
    floor: "domains",
    purpose: "schema → form document; pure, shared with the web app",
    imports: ["kernel"],
  },
  {
    name: "sources",
    floor: "domains",
    purpose: "OpenAPI and AsyncAPI documents → schemas",
    imports: [...GROUND, "forms"],
  },
  {
    name: "workflows",
    floor: "domains",
    purpose: "document, validator, planner, interpreter",
    imports: [...GROUND, "forms"],
  },
  { name: "provenance", floor: "domains", purpose: "digests, signatures, Merkle log", imports: GROUND },
  {
    name: "artifacts",
    floor: "domains",
    purpose: "artifact model, export, share packets",
    imports: [...GROUND, "commands"],
  },
  { name: "handoffs", floor: "domains", purpose: "packets, receiver, outbox, demo suite", imports: GROUND },
  { name: "tracing", floor: "domains", purpose: "spans and OTLP export", imports: GROUND },
  {
    name: "runs",
    floor: "domains",
    purpose: "what callers may see and do with runs, approvals and traces",
    imports: [...GROUND, "workflows", "tracing"],
  },
  { name: "studio", floor: "domains", purpose: "design templates and tool specs", imports: GROUND },
  { name: "policy", floor: "domains", purpose: "agent policy, platforms, access rules", imports: GROUND },
  { name: "events", floor: "domains", purpose: "event table, CloudEvents, SSE, webhooks", imports: GROUND },
  { name: "keys", floor: "domains", purpose: "API keys and who a caller is", imports: GROUND },
  {
    name: "discovery",
    floor: "surface",
    purpose: "documents rendered from the registry",
    imports: [...GROUND, ...DOMAINS],
  },
  {
    name: "tools",
    floor: "surface",
    purpose: "the tools, one file a domain",
    imports: [...GROUND, ...DOMAINS, "discovery"],
  },
  {
    name: "resources",
    floor: "surface",
    purpose: "the resources by domain",
    imports: [...GROUND, ...DOMAINS, "discovery", "tools"],
  },
  {
    name: "prompts",
    floor: "surface",
    purpose: "the prompts by domain",
    imports: [...GROUND, ...DOMAINS, "discovery"],
  },
  {
    name: "registry",
    floor: "surface",
    purpose: "the only list of tools, resources, prompts",
    imports: ["ports", "tools", "resources", "prompts"],
  },
  { name: "storage", floor: "adapters", purpose: "SQLite, PostgreSQL, migrations", imports: GROUND },
  {
    name: "siblings",
    floor: "adapters",
    purpose: "guarded fetcher, one adapter a sibling",
    imports: [...GROUND, "handoffs"],
  },
  {
    name: "validation",
    floor: "adapters",
    purpose: "pooled worker that validates hostile schemas",
    imports: [...GROUND, "forms"],
  },
  {
    name: "engine",
    floor: "adapters",
    purpose: "durable execution",
    imports: [...GROUND, "workflows", "handoffs", "events", "tracing"],
  },
  {
    name: "logbook",
    floor: "adapters",
    purpose: "promises small changes at once and puts them into SQLite's tables on a thread of its own",
    imports: [...GROUND, "engine", "handoffs", "provenance", "storage"],
  },
  {
    name: "gateway",
    floor: "doors",
    purpose: "HTTP, JSON-RPC, MCP, auth, limits",
    imports: [...GROUND, ...DOMAINS, "discovery", "tracing"],
  },
  {
    name: "cli",
    floor: "doors",
    purpose: "suitectl",
    imports: [...GROUND, ...DOMAINS, "storage", "logbook"],
  },
];
