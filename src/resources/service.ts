import { timestamp, urlOf } from "../discovery/info.ts";
import { DOCUMENT_LOCATIONS } from "../discovery/locations.ts";
import { renderFullRegistry } from "../discovery/summaries.ts";
import { trustPolicy } from "../policy/views.ts";
import type { Resource } from "../ports/definitions.ts";

/** The resources of this domain. */
export const serviceResources: readonly Resource[] = [
  {
    uri: "svc://mcp/tools",
    name: "svc-mcp-tools",
    title: "Tool registry",
    description:
      "Every tool with its input schema, what it can change, and on which side of the key boundary it is; with a key also the tools synced from other servers.",
    read: (context) => renderFullRegistry(context),
  },
  {
    uri: "svc://openapi",
    name: "svc-openapi",
    title: "API documentation",
    description:
      "Where the OpenAPI and AsyncAPI documents are, the server URL they describe, and every HTTP route.",
    read: ({ services }) => ({
      openapi: urlOf(services, "/openapi.yaml"),
      openapiVersion: "3.1.1",
      asyncapi: urlOf(services, "/asyncapi.yaml"),
      asyncapiVersion: "3.0.0",
      serverUrl: services.settings.baseUrl,
      rpcEndpoint: urlOf(services, "/api/mcp"),
      routes: services.site.routes.map(({ method, path, operation, access }) => ({
        method,
        path,
        summary: operation.description,
        access,
      })),
      generatedAt: timestamp(services),
    }),
  },
  {
    uri: "svc://llms",
    name: "svc-llms",
    title: "Discovery files",
    description:
      "Where the machine-readable discovery files are (llms.txt and its full and JSON forms, and all the others).",
    read: ({ services }) => ({
      llms: urlOf(services, "/llms.txt"),
      llmsFull: urlOf(services, "/llms-full.txt"),
      llmsIndex: urlOf(services, "/llms-index.json"),
      documents: DOCUMENT_LOCATIONS.map(({ key, path, contentType, summary }) => ({
        key,
        url: urlOf(services, path),
        contentType,
        summary,
      })),
      generatedAt: timestamp(services),
    }),
  },
  {
    uri: "svc://trust-policy",
    name: "svc-trust-policy",
    title: "Trust policy",
    description: "The public/protected boundary and the trusted-domain policy of this service.",
    read: ({ services }) => trustPolicy(services),
  },
];
