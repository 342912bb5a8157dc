import { Type } from "typebox";
import { toolListing } from "../discovery/declarations.ts";
import { renderInfo } from "../discovery/info.ts";
import {
  renderAccessSummary,
  renderDiscoveryManifest,
  renderFullRegistry,
  renderPublicCapabilities,
  syncedListing,
} from "../discovery/summaries.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { SERVICE } from "../kernel/service.ts";
import { KEY_HEADERS } from "../policy/methods.ts";
import { allows } from "../ports/caller.ts";
import { maySee } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import { toolList, type Tool } from "../ports/operations.ts";
import { inputOf, schemaDocument, TextOrNull } from "../model/common.ts";
import { InfoView } from "../model/suite.ts";

const { defineTool, declared } = toolList();

/** How many of each thing there is. */
export const Counts = Type.Object({
  tools: Type.Integer(),
  publicTools: Type.Integer(),
  protectedTools: Type.Integer(),
  resources: Type.Integer(),
  prompts: Type.Integer(),
});
const Names = Type.Array(Type.String());
const Listing = Type.Object({
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  protected: Type.Boolean(),
  requiredScope: TextOrNull,
  effect: Type.String({ description: "What calling it can change: none, write, destructive or external." }),
  idempotent: Type.Boolean(),
  openWorld: Type.Boolean(),
  inputSchema: schemaDocument("JSON Schema of the arguments."),
});
const Synced = Type.Object({
  ...Listing.properties,
  server: Type.String(),
  state: Type.String({ description: "Only an active one can be called." }),
  digest: Type.String(),
  callWith: Type.String(),
  credential: Type.Union([Type.String(), Type.Null()], {
    description: "The name of the credential that calls use.",
  }),
  reachable: Type.String({ description: "What is known of its server." }),
});
const RouteOutput = Type.Object({
  method: Type.String(),
  path: Type.String(),
  access: Type.String({ description: "public, mixed or key." }),
});

const info = {
  input: inputOf({}),
  output: InfoView,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
} as const;

defineTool({
  ...info,
  name: "get_svc_info",
  title: "Service information",
  description:
    "Returns everything about the gateway, about 150 KB (get_svc_web_manifest is the 4 KB overview): every tool with its input schema and whether it needs a key, every resource and prompt, access rules and discovery addresses. The same document as GET /api/mcp.",
  run: (_args, { services }) => renderInfo(services),
});

defineTool({
  ...info,
  name: "get_info",
  title: "Service information (alias)",
  description: "Alias of get_svc_info, kept for older callers: the same document of about 150 KB.",
  run: (_args, { services }) => renderInfo(services),
});

defineTool({
  name: "get_health",
  title: "Service health",
  description:
    "Reports whether the service can do its work right now: storage (probed, not assumed), the workflow engine's load, and which services of the suite are configured and were reachable. Use it before a run or when something answers degraded. It never wakes a service of the suite; it reports what was last observed.",
  input: inputOf({}),
  output: Type.Object({
    status: Type.String({ description: "healthy, or degraded when storage cannot be written." }),
    service: Type.String(),
    version: Type.String(),
    uptimeMs: Type.Number(),
    checks: Type.Array(Type.Object({ name: Type.String(), status: Type.String(), detail: Type.String() }), {
      description: "One entry for each part that was looked at.",
    }),
    checkedAt: Type.String(),
  }),
  access: "public",
  effect: "none",
  quick: true,
  async run(_args, { services }) {
    // Before anything is looked at: what is reported is never older than the time beside it.
    const checkedAt = new Date(services.clock.now()).toISOString();
    const store = await services.store.status();
    const canWrite = store.ready && store.kind !== "none";
    const engine = await services.engine.status();
    const counted = (count: number | null, what: string): string => `${count ?? "an unknown number"} ${what}`;
    const siblings = services.siblings.all();
    const configured = siblings.filter((sibling) => sibling.configured);
    const failing = configured.filter(({ state }) => state === "failing" || state === "circuit_open");
    return {
      status: canWrite ? "healthy" : "degraded",
      service: SERVICE.name,
      version: SERVICE.version,
      uptimeMs: Math.round(process.uptime() * 1000),
      checks: [
        {
          name: "storage",
          status: canWrite ? "pass" : "fail",
          detail: canWrite
            ? `${store.kind}, schema version ${store.schemaVersion}, ${store.durability}`
            : (store.reason ?? "No persistence adapter is configured."),
        },
        {
          name: "engine",
          status: canWrite ? "pass" : "fail",
          detail: `role ${engine.role}, ${engine.active} active, ${counted(engine.waiting, "waiting")}, ${counted(engine.backlog, "in the backlog")}`,
        },
        {
          name: "siblings",
          status: failing.length === 0 ? "pass" : "warn",
          detail: `${configured.length} of ${siblings.length} configured${failing.length > 0 ? `; failing: ${failing.map(({ name }) => name).join(", ")}` : ""}`,
        },
      ],
      checkedAt,
    };
  },
});

defineTool({
  name: "list_mcp_tools",
  title: "List the tools",
  description:
    "Lists every tool of this service in full, about 130 KB (tools/list is shorter): input schema, scope and what it can change; with a key also the tools synced from other servers, in `synced`. Use it to build a menu.",
  input: inputOf({}),
  output: Type.Object({
    endpoint: Type.String(),
    counts: Counts,
    auth: Type.Object(
      { protected: Type.String(), acceptedHeaders: Names, scopes: Names },
      { description: "The rule for protected tools, the accepted headers and the scopes." },
    ),
    tools: Type.Array(Listing),
    synced: Type.Array(Synced, { description: "Tools of other servers, named `server:name`." }),
    syncedTotal: Type.Integer({ description: "How many there are, listed or not." }),
    syncedNote: Type.String(),
    generatedAt: Type.String(),
  }),
  access: "public",
  effect: "none",
  run: (_args, { context }) => renderFullRegistry(context),
});

defineTool({
  name: "test_mcp_tool",
  title: "Check a tool's registration",
  description:
    "Tells whether a tool of that name is registered here and whether it needs an API key, with the scope and the names nearest to a mistyped one. It does not call the tool; use it before tools/call or execute_mcp_tool.",
  input: inputOf({
    name: Type.String({
      description: "The tool's name, as tools/list writes it, or the `server:name` of a synced tool.",
    }),
  }),
  output: Type.Object({
    name: Type.String(),
    registered: Type.Boolean(),
    source: Type.Union([Type.String(), Type.Null()], {
      description: "`own`, or the server of a synced tool.",
    }),
    callable: Type.Boolean({ description: "False for a synced tool that is quarantined." }),
    requiresKey: Type.Union([Type.Boolean(), Type.Null()], {
      description: "Null when it is not registered.",
    }),
    requiredScope: TextOrNull,
    callerMayCall: Type.Boolean({ description: "Whether you, as you are calling now, may call it." }),
    acceptedHeaders: Names,
    tool: Type.Union([Synced, Listing, Type.Null()], {
      description: "A synced tool has its server and state too.",
    }),
    nearest: Names,
    executed: Type.Literal(false),
  }),
  access: "public",
  effect: "none",
  async run({ name }, { context }) {
    const { services, caller } = context;
    const own = services.catalog.tool(name);
    const found = own === undefined && name.includes(":") ? await services.connections.find(name) : null;
    const synced =
      found !== null && found.state !== "removed" && maySee(caller, found.connection) ? found : null;
    const scope = own === undefined ? "run" : own.access === "public" ? null : own.access;
    const registered = own !== undefined || synced !== null;
    return {
      name,
      registered,
      source: own !== undefined ? "own" : (synced?.connection ?? null),
      // A synced tool whose definition changed is known and cannot be called until an operator accepts it.
      callable: own !== undefined || synced?.state === "active",
      requiresKey: registered ? scope !== null : null,
      requiredScope: registered ? scope : null,
      callerMayCall: registered && (scope === null || allows(caller, scope)),
      acceptedHeaders: [...KEY_HEADERS],
      tool: own !== undefined ? toolListing(own) : synced !== null ? syncedListing(synced) : null,
      nearest: registered ? [] : await nearestTools(name, context),
      executed: false as const,
    };
  },
});

async function nearestTools(name: string, { services, caller }: CallContext): Promise<readonly string[]> {
  const own = services.catalog.tools.map((candidate) => candidate.name);
  const heads = caller.kind === "anonymous" ? [] : await services.connections.heads();
  return nearestNames(name, [...own, ...heads.map((head) => `${head.connection}:${head.name}`)]);
}

defineTool({
  name: "get_public_capabilities",
  title: "Public capabilities",
  description:
    "Lists what anybody can do here without a credential, about 50 KB: the public methods and tools with their descriptions, the resources and the prompts. Use it to plan work that must not need a key.",
  input: inputOf({}),
  output: Type.Object({
    service: Type.String(),
    version: Type.String(),
    summary: Type.String(),
    methods: Type.Array(
      Type.Object({ method: Type.String(), access: Type.String(), purpose: Type.String() }),
    ),
    tools: Type.Array(
      Type.Object({
        name: Type.String(),
        title: Type.String(),
        description: Type.String(),
        openWorld: Type.Boolean(),
      }),
    ),
    resources: Type.Array(Type.Object({ uri: Type.String(), title: Type.String() })),
    prompts: Type.Array(Type.Object({ name: Type.String(), title: Type.String() })),
    generatedAt: Type.String(),
  }),
  access: "public",
  effect: "none",
  run: (_args, { services }) => renderPublicCapabilities(services),
});

defineTool({
  name: "get_public_access_summary",
  title: "Public access summary",
  description:
    "Sums up the public/protected boundary, about 40 KB: names of public and protected tools, the scope each protected one needs, the HTTP routes with their access, the accepted headers and the rules with their ids. For one tool, resource or path ask evaluate_agent_access instead.",
  input: inputOf({}),
  output: Type.Object({
    counts: Counts,
    publicMethods: Names,
    publicTools: Names,
    protectedTools: Names,
    protectedToolsByScope: Type.Record(Type.String(), Names),
    routes: Type.Array(RouteOutput),
    acceptedHeaders: Names,
    rules: Type.Array(Type.Object({ id: Type.String(), text: Type.String() })),
    rule: Type.String(),
    browserStorage: Type.String(),
  }),
  access: "public",
  effect: "none",
  run: (_args, { services }) => renderAccessSummary(services),
});

defineTool({
  name: "get_discovery_manifest",
  title: "Discovery manifest",
  description:
    "Lists every discovery document (llms.txt, OpenAPI, the well-known files, ...) with address and content type, and every HTTP route; about 70 KB. Whether they really answer is computed by get_discovery_compliance and get_route_compliance.",
  input: inputOf({}),
  output: Type.Object({
    service: Type.String(),
    version: Type.String(),
    endpoint: Type.String(),
    discovery: Type.Record(Type.String(), Type.String()),
    documents: Type.Array(
      Type.Object({
        key: Type.String(),
        path: Type.String(),
        url: Type.String(),
        contentType: Type.String(),
        summary: Type.String(),
      }),
    ),
    routes: Type.Array(Type.Object({ ...RouteOutput.properties, summary: Type.String() })),
    generatedAt: Type.String(),
  }),
  access: "public",
  effect: "none",
  run: (_args, { services }) => renderDiscoveryManifest(services),
});

/** The tools of this domain. */
export const serviceTools: readonly Tool[] = declared;
