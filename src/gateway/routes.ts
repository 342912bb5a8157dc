import { ok } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { discoveryRoutes } from "../discovery/documents.ts";
import { renderInfo } from "../discovery/info.ts";
import { RECEIVER_ALIASES, RECEIVER_PATH, receiveHandoff, receiverReadiness } from "../handoffs/receiver.ts";
import { handoffRoutes } from "../handoffs/routes.ts";
import type { HttpRequest, HttpRoute } from "../ports/http.ts";
import type { Services } from "../ports/services.ts";
import { formRoutes } from "../sources/form-routes.ts";
import type { ProxyNotice } from "./client-address.ts";
import type { Metrics } from "./metrics.ts";

/** What the route table is made of. */
export interface RouteParts {
  readonly services: Services;
  readonly metrics: Metrics;
  /** True once the process has been asked to stop. */
  readonly isDraining: () => boolean;
  readonly proxy: ProxyNotice;
  /** Routes of parts that only the wiring knows: keys and events. */
  readonly more: readonly HttpRoute[];
}

/** Every HTTP route. The only list: OpenAPI, compliance checks and the router are made from it. */
export function createRoutes(parts: RouteParts): readonly HttpRoute[] {
  return [
    ...gatewayRoutes(parts.services),
    ...receiverRoutes(),
    ...handoffRoutes,
    ...formRoutes,
    ...discoveryRoutes,
    ...parts.more,
    ...operatorRoutes(parts),
  ];
}

function receiverRoutes(): readonly HttpRoute[] {
  return [RECEIVER_PATH, ...RECEIVER_ALIASES].flatMap((path): readonly HttpRoute[] => [
    {
      method: "GET",
      path,
      summary: "Readiness of the handoff receiver.",
      access: "public",
      handle: ({ context }) => ({
        status: 200,
        body: ok(receiverReadiness(context.services.settings.baseUrl)),
      }),
    },
    {
      method: "POST",
      path,
      summary: "Receives a suite.handoff.v1 packet; accepting one needs a key.",
      access: "mixed",
      async handle({ body, context }) {
        const { status, envelope } = await receiveHandoff(body, context);
        return { status, body: envelope };
      },
    },
  ]);
}

function gatewayRoutes(services: Services): readonly HttpRoute[] {
  return [
    {
      method: "GET",
      path: "/api/mcp",
      summary: "The info document: what this gateway serves and how to reach it.",
      access: "public",
      handle(request) {
        if (wantsEventStream(request)) {
          throw new AppError(
            "method_not_allowed",
            "This endpoint has no event stream; send requests with POST.",
          );
        }
        return { status: 200, headers: { vary: "Accept" }, body: ok(renderInfo(services)) };
      },
    },
    {
      method: "POST",
      path: "/api/mcp",
      summary: "JSON-RPC 2.0: tools, resources and prompts.",
      access: "mixed",
      handle() {
        throw new AppError("internal", "The JSON-RPC endpoint is answered before the route table.");
      },
    },
  ];
}

function wantsEventStream(request: HttpRequest): boolean {
  const accept = request.headers["accept"] ?? "";
  return (
    accept.includes("text/event-stream") && !accept.includes("application/json") && !accept.includes("*/*")
  );
}

function operatorRoutes({ services, metrics, isDraining, proxy }: RouteParts): readonly HttpRoute[] {
  return [
    {
      method: "GET",
      path: "/livez",
      summary: "The process runs.",
      access: "public",
      handle: () => ({
        status: 200,
        body: ok({ status: "live", uptimeSeconds: Math.round(process.uptime()) }),
      }),
    },
    {
      method: "GET",
      path: "/readyz",
      summary: "The service can take work: the store can write.",
      access: "public",
      async handle() {
        if (isDraining()) throw new AppError("unavailable", "The service is shutting down.");
        const store = await services.store.status();
        if (!store.ready && store.kind !== "none") {
          throw new AppError("storage_unavailable", "The store cannot write.", {
            details: { store: store.kind },
          });
        }
        return {
          status: 200,
          body: ok({
            status: "ready",
            store: { kind: store.kind, ready: store.ready },
            ...(proxy.text !== null && { notice: proxy.text }),
          }),
        };
      },
    },
    {
      method: "GET",
      path: "/metrics",
      summary: "Counters, times and states in the Prometheus text format.",
      access: "public",
      handle: async () => ({
        status: 200,
        contentType: "text/plain; version=0.0.4; charset=utf-8",
        content: await metrics.render(services),
      }),
    },
  ];
}
