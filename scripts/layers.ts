/*
 * The modules of `src/` and which of them each may import. `npm run check` enforces it, and the tables in
 * ARCHITECTURE.md are generated from it.
 */

/** The layers, from the bottom up. */
export const LAYERS = ["core", "domains", "adapters", "interface", "entry points"] as const;

/** A layer of the service. */
export type Layer = (typeof LAYERS)[number];

/** A module: a folder of `src/`, a file right under it, or a package that it uses. */
export interface Module {
  readonly name: string;
  /** Where it is, unless in `src/`. */
  readonly folder?: string;
  readonly purpose: string;
  readonly layer: Layer;
  /** The modules that it may import, besides itself. All of them stand before it in the list. */
  readonly imports: readonly string[];
}

const CORE = ["kernel", "model", "ports"];
const DOMAINS = [
  "forms",
  "sources",
  "rendering",
  "workflows",
  "formats",
  "provenance",
  "artifacts",
  "handoffs",
  "policy",
  "events",
  "audit",
  "access",
  "approvals",
  "notifications",
  "studio",
  "runs",
  "retention",
  "triggers",
  "guard",
];

/** Every module, from the bottom up: one may import only modules that stand before it. */
export const MODULES: readonly Module[] = [
  {
    name: "kernel",
    layer: "core",
    purpose: "errors, ids, canonical JSON, envelope, trace context",
    imports: [],
  },
  {
    name: "model",
    layer: "core",
    purpose: "the records and views that callers see, as typed schemas",
    imports: ["kernel"],
  },
  {
    name: "ports",
    layer: "core",
    purpose: "the interfaces that the domains need",
    imports: ["kernel", "model"],
  },
  {
    name: "audit",
    layer: "domains",
    purpose: "who did what when: entries, list, export",
    imports: CORE,
  },
  {
    name: "forms",
    folder: "packages/forms/src",
    layer: "domains",
    purpose: "schema → form document; a package, shared with the web app",
    imports: [],
  },
  {
    name: "sources",
    layer: "domains",
    purpose: "OpenAPI and AsyncAPI documents → schemas",
    imports: [...CORE, "forms"],
  },
  {
    name: "rendering",
    layer: "domains",
    purpose: "form documents: rendered, kept and found again, with examples of their calls",
    imports: [...CORE, "forms"],
  },
  {
    name: "events",
    layer: "domains",
    purpose: "event table, CloudEvents, SSE, webhooks",
    imports: [...CORE, "audit"],
  },
  {
    name: "workflows",
    layer: "domains",
    purpose: "document, validator, planner, interpreter",
    imports: [...CORE, "forms", "audit", "events"],
  },
  {
    name: "formats",
    layer: "domains",
    purpose: "workflows in the formats of others: import and export",
    imports: [...CORE, "forms", "workflows"],
  },
  {
    name: "provenance",
    layer: "domains",
    purpose: "digests, signatures, Merkle log",
    imports: [...CORE, "audit"],
  },
  {
    name: "artifacts",
    layer: "domains",
    purpose: "artifact model, export, share packets",
    imports: CORE,
  },
  { name: "handoffs", layer: "domains", purpose: "packets, receiver, outbox, demo suite", imports: CORE },
  { name: "tracing", layer: "domains", purpose: "spans and OTLP export", imports: CORE },
  {
    name: "access",
    layer: "domains",
    purpose: "who a caller is and may do: API keys, people, sessions, OAuth for MCP clients",
    imports: [...CORE, "audit"],
  },
  {
    name: "approvals",
    layer: "domains",
    purpose: "who may decide an approval, what is asked, shown and decided, and what people do with it",
    imports: [...CORE, "workflows", "provenance", "audit", "access"],
  },
  {
    name: "notifications",
    layer: "domains",
    purpose: "mail and webhooks that notify people of approvals",
    imports: [...CORE, "audit", "approvals", "events"],
  },
  {
    name: "runs",
    layer: "domains",
    purpose: "what callers may see and do with runs and traces",
    imports: ["audit", ...CORE, "workflows", "tracing", "provenance", "approvals"],
  },
  {
    name: "retention",
    layer: "domains",
    purpose: "how long runs are kept, and their removal",
    imports: [...CORE, "audit"],
  },
  {
    name: "triggers",
    layer: "domains",
    purpose: "what starts workflows by itself: schedules, webhooks, forms, events",
    imports: [...CORE, "audit", "forms", "workflows", "artifacts", "events", "runs"],
  },
  {
    name: "guard",
    layer: "domains",
    purpose: "decides about calls that leave or change something: rules, limits, approvals",
    imports: [...CORE, "audit", "workflows", "approvals"],
  },
  { name: "studio", layer: "domains", purpose: "design templates and tool specs", imports: CORE },
  {
    name: "policy",
    layer: "domains",
    purpose: "agent policy, platforms, access rules",
    imports: [...CORE, "audit"],
  },
  {
    name: "vault",
    layer: "domains",
    purpose: "credentials, their encryption, and the OAuth client",
    imports: [...CORE, "audit"],
  },
  {
    name: "storage",
    layer: "adapters",
    purpose: "SQLite, PostgreSQL, migrations",
    imports: [...CORE, "provenance"],
  },
  {
    name: "fetch",
    layer: "adapters",
    purpose: "the guarded fetcher: addresses, redirects, bounds",
    imports: CORE,
  },
  {
    name: "siblings",
    layer: "adapters",
    purpose: "one adapter a sibling",
    imports: [...CORE, "handoffs", "fetch"],
  },
  {
    name: "connections",
    layer: "adapters",
    purpose: "servers and APIs that people bring: definitions, calls, history",
    imports: [...CORE, "forms", "sources", "artifacts", "handoffs", "audit", "tracing", "siblings", "fetch"],
  },
  {
    name: "workers",
    layer: "adapters",
    purpose: "pool of threads for work whose cost depends on hostile input",
    imports: [...CORE, "forms", "sources", "rendering", "workflows", "formats"],
  },
  {
    name: "engine",
    layer: "adapters",
    purpose: "durable execution",
    imports: [...CORE, "workflows", "handoffs", "events", "tracing", "provenance", "audit", "approvals"],
  },
  {
    name: "cli",
    layer: "interface",
    purpose: "suitectl: its commands, which tools, resources and docs list",
    imports: [...CORE, ...DOMAINS, "storage"],
  },
  {
    name: "discovery",
    layer: "interface",
    purpose: "documents rendered from the registry",
    imports: [...CORE, ...DOMAINS],
  },
  {
    name: "tools",
    layer: "interface",
    purpose: "the tools, one file a domain",
    imports: [...CORE, ...DOMAINS, "cli", "discovery"],
  },
  {
    name: "resources",
    layer: "interface",
    purpose: "the resources by domain",
    imports: [...CORE, ...DOMAINS, "cli", "discovery", "tools"],
  },
  {
    name: "prompts",
    layer: "interface",
    purpose: "the prompts by domain",
    imports: [...CORE, ...DOMAINS, "discovery"],
  },
  {
    name: "agent",
    layer: "interface",
    purpose: "the tools at /mcp: few, for models, composed of operations",
    imports: [...CORE, ...DOMAINS],
  },
  {
    name: "registry",
    layer: "interface",
    purpose: "the only list of tools, resources, prompts",
    imports: [
      ...CORE,
      ...DOMAINS,
      "vault",
      "connections",
      "discovery",
      "tools",
      "resources",
      "prompts",
      "agent",
    ],
  },
  {
    name: "gateway",
    layer: "entry points",
    purpose: "HTTP, JSON-RPC, MCP, auth, limits",
    imports: [...CORE, ...DOMAINS, "discovery", "tracing"],
  },
];

/** The folders of `web/src`, from the bottom up: one imports folders of its own group and of those before it. */
export const WEB_GROUPS: readonly (readonly string[])[] = [
  ["lib", "api", "ui", "shell", "form-maker"],
  ["workflow", "runs", "receipt", "pages", "docs"],
  ["router", "main", "mcp-app"],
];

/** The modules of `src/` that are pure and shared with the web app. */
export const WEB_SHARED = ["kernel", "model", "sources", "rendering", "formats", "workflows", "provenance"];

/** The packages that the web app may import. It names them, and reaches no file of theirs but the shared parts in `ui`. */
export const WEB_PACKAGES =
  /^@workflow-ui\/(?:client|forms(?:\/(?:check|hints|sample))?|forms-react(?:\/ui\/[a-z-]+\.tsx?)?)$/;

/** What the packages may import besides their own files. More has to be weighed against the size budgets. */
export const PACKAGE_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  client: [],
  forms: [],
  "forms-react": ["@workflow-ui/forms", "@workflow-ui/forms/check", "react", "lucide-react"],
};
