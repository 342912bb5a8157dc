import { Type } from "typebox";
import { AppError } from "../kernel/errors.ts";
import { SERVICE } from "../kernel/service.ts";
import type { Json } from "../kernel/json.ts";
import { freeObject, inputOf } from "../model/common.ts";
import { InfoView } from "../model/suite.ts";
import { ToolsetName } from "../model/toolsets.ts";
import type { RequestFacts } from "../ports/http.ts";
import { operationsWith, Reply } from "../ports/operations.ts";
import type { Services } from "../ports/services.ts";
import { renderInfo } from "./info.ts";
import { isFixed, renderDocument } from "./documents.ts";
import { DOCUMENT_LOCATIONS } from "./locations.ts";

/** What the probes look at. */
export interface ProbeParts {
  readonly metrics: { render(services: Services): Promise<string> };
  /** True once the process has been asked to stop. */
  readonly isDraining: () => boolean;
  readonly hold: { readonly isOn: boolean; look(): Promise<void> };
  /** What is wrong with the proxy in front of this service. */
  readonly proxy: { readonly text: string | null };
  /** Where to report a vulnerability; null without a contact. */
  readonly securityContact: string | null;
}

const { operation, contentOperation, protocolOperation } = operationsWith<ProbeParts>();
const READ = {
  access: "public",
  effect: "none",
  idempotent: true,
  ignoresOthers: true,
  input: inputOf({}),
} as const;

const documents = DOCUMENT_LOCATIONS.map(({ key, path, contentType, summary }) =>
  contentOperation({
    ...READ,
    name: `read_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
    title: `Read ${path}`,
    description: summary,
    http: `GET ${path}`,
    kind: "file",
    contentType,
    output: contentType.includes("json")
      ? freeObject("A document of a format of its own.")
      : Type.String({ description: "The text of the document." }),
    async answer(_input, { services }) {
      return {
        status: 200,
        headers: {
          // Public, read-only metadata: any page may read it. Under /api/ the gateway refuses foreign origins.
          ...(!path.startsWith("/api/") && { "access-control-allow-origin": "*" }),
          "cache-control": isFixed(key) ? "public, max-age=300" : "no-cache",
        },
        contentType,
        content: await renderDocument(key, services),
      };
    },
  }),
);

const getInfo = operation({
  ...READ,
  name: "get_gateway_info",
  title: "Get the info document",
  description: "The info document: what this gateway serves and how to reach it.",
  http: "GET /api/mcp",
  output: InfoView,
  run(_input, { request, services }) {
    if (wantsEventStream(request)) {
      throw new AppError("method_not_allowed", "This endpoint has no event stream; send requests with POST.");
    }
    return new Reply(renderInfo(services), { headers: { vary: "Accept" } });
  },
});

const rpcSchema = (name: string) => Type.Unsafe<Json>({ $ref: `#/components/schemas/${name}` });
const JSON_RPC = {
  access: "mixed",
  effect: "external",
  idempotent: false,
  input: inputOf({}),
  wholeBody: Type.Union([
    rpcSchema("ToolCall"),
    rpcSchema("JsonRpcRequest"),
    Type.Array(rpcSchema("JsonRpcRequest")),
  ]),
  contentType: "application/json",
  output: Type.Union([
    rpcSchema("ToolResponse"),
    rpcSchema("JsonRpcResponse"),
    Type.Array(rpcSchema("JsonRpcResponse")),
  ]),
  failure: rpcSchema("JsonRpcResponse"),
  handle() {
    // Endpoints that exist are answered before the route table.
    throw new AppError("not_found", "There is no MCP endpoint at this address.", {
      nextAction: "Send requests to /mcp, or to /mcp/ and the name of a toolset from GET /api/svc/toolsets.",
    });
  },
} as const;

const callGateway = protocolOperation({
  ...JSON_RPC,
  name: "call_gateway",
  title: "Call the JSON-RPC gateway",
  description: "JSON-RPC 2.0: tools, resources and prompts.",
  http: "POST /api/mcp",
});

const getAgentInfo = operation({
  ...READ,
  name: "get_agent_endpoint",
  title: "Get the endpoint for agents",
  description: "What is at /mcp, the MCP endpoint that agents should use, and how to reach it.",
  http: "GET /mcp",
  output: Type.Object({ endpoint: Type.String(), transport: Type.String(), documentation: Type.String() }),
  run: (_input, { request, services }) => endpointInfo("/mcp", request, services),
});

function endpointInfo(
  path: string,
  request: RequestFacts,
  { settings }: Services,
): Reply<{ endpoint: string; transport: string; documentation: string }> {
  if (wantsEventStream(request))
    throw new AppError("method_not_allowed", "This endpoint has no event stream; send requests with POST.");
  const endpoint = new URL(path, settings.baseUrl).href;
  const documentation = new URL("/llms.txt", settings.baseUrl).href;
  return new Reply(
    { endpoint, transport: "streamable-http", documentation },
    { headers: { vary: "Accept" } },
  );
}

const callAgentEndpoint = protocolOperation({
  ...JSON_RPC,
  name: "call_agent_endpoint",
  title: "Call the endpoint for agents",
  description: "JSON-RPC 2.0: the few tools that are made for models.",
  http: "POST /mcp",
});

const getToolsetInfo = operation({
  ...READ,
  name: "get_toolset_endpoint",
  title: "Get the endpoint of a toolset",
  description: "What is at /mcp/<name>: the MCP endpoint of a toolset. It has no event stream of its own.",
  http: "GET /mcp/{name}",
  input: inputOf({ name: ToolsetName }),
  output: Type.Object({ endpoint: Type.String(), transport: Type.String(), documentation: Type.String() }),
  run: ({ name }, { request, services }) => endpointInfo(`/mcp/${name}`, request, services),
});

const callToolset = protocolOperation({
  ...JSON_RPC,
  name: "call_toolset",
  title: "Call a toolset",
  description: "JSON-RPC 2.0: the tools that an admin chose for this address.",
  http: "POST /mcp/{name}",
  input: inputOf({ name: ToolsetName }),
});

const getLive = operation({
  ...READ,
  name: "get_liveness",
  title: "Ask whether the process runs",
  description: "The process runs.",
  http: "GET /livez",
  output: Type.Object({ status: Type.Literal("live"), uptimeSeconds: Type.Integer() }),
  run: () => ({ status: "live" as const, uptimeSeconds: Math.round(process.uptime()) }),
});

const getReady = operation({
  ...READ,
  name: "get_readiness",
  title: "Ask whether the service can take work",
  description: "The service can take work: the store can write.",
  http: "GET /readyz",
  output: Type.Object({
    status: Type.Literal("ready"),
    version: Type.String({ description: "The version of this build." }),
    schema: Type.Integer({ description: "The schema of the database that this build works with." }),
    onHold: Type.Boolean({ description: "True while a restored database waits for a decision." }),
    store: Type.Object({ kind: Type.String(), ready: Type.Boolean() }),
    notice: Type.Optional(Type.String({ description: "What is wrong with the proxy in front of it." })),
  }),
  async run(_input, { services }, { isDraining, proxy, hold }) {
    if (isDraining()) throw new AppError("unavailable", "The service is shutting down.");
    const { kind, ready, schemaVersion } = await services.store.status();
    if (!ready && kind !== "none")
      throw new AppError("storage_unavailable", "The store cannot write.", { details: { store: kind } });
    return {
      status: "ready" as const,
      version: SERVICE.build,
      schema: schemaVersion,
      onHold: hold.isOn,
      store: { kind, ready },
      ...(proxy.text !== null && { notice: proxy.text }),
    };
  },
});

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
const getMetrics = contentOperation({
  ...READ,
  name: "get_metrics",
  title: "Get metrics",
  description: "Counters, times and states in the Prometheus text format.",
  http: "GET /metrics",
  kind: "file",
  contentType: METRICS_TYPE,
  output: Type.String({ description: "Prometheus text." }),
  answer: async (_input, { services }, { metrics }) => ({
    status: 200,
    contentType: METRICS_TYPE,
    content: await metrics.render(services),
  }),
});

const SECURITY = "/.well-known/security.txt";
const SECURITY_TYPE = "text/plain; charset=utf-8";
const SECURITY_MS = 180 * 86_400_000;
const getSecurityContact = contentOperation({
  ...READ,
  name: "get_security_contact",
  title: "Read security.txt",
  description: "Where to report a vulnerability of this instance (RFC 9116).",
  http: `GET ${SECURITY}`,
  // Without a contact there is no such document to serve.
  isServed: ({ securityContact }) => securityContact !== null,
  kind: "file",
  contentType: SECURITY_TYPE,
  output: Type.String({ description: "The text of the document." }),
  answer: (_input, { services: { settings, clock } }, { securityContact }) => ({
    status: 200,
    contentType: SECURITY_TYPE,
    content: `Contact: ${securityContact ?? ""}\nExpires: ${new Date(clock.now() + SECURITY_MS).toISOString()}\nCanonical: ${settings.baseUrl}${SECURITY}\n`,
  }),
});

/** What describes the service and what operators ask: the info document, discovery documents and probes. */
export const discoveryOperations = [
  getInfo,
  callGateway,
  getAgentInfo,
  callAgentEndpoint,
  getToolsetInfo,
  callToolset,
  ...documents,
  getLive,
  getReady,
  getMetrics,
  getSecurityContact,
];

function wantsEventStream(request: RequestFacts): boolean {
  const accept = request.headers["accept"] ?? "";
  return (
    accept.includes("text/event-stream") && !accept.includes("application/json") && !accept.includes("*/*")
  );
}
