import { defineResource, type Resource } from "../ports/definitions.ts";

export const svcMcpToolsResource = defineResource({
  uri: "svc://mcp/tools",
  name: "svc-mcp-tools",
  title: "tool registry and auth boundary",
  description: "tool registry and auth boundary (to be written)",
  read: () => ({ status: "unavailable" }),
});

export const svcOpenapiResource = defineResource({
  uri: "svc://openapi",
  name: "svc-openapi",
  title: "API documentation location and server URL",
  description: "API documentation location and server URL (to be written)",
  read: () => ({ status: "unavailable" }),
});

export const svcLlmsResource = defineResource({
  uri: "svc://llms",
  name: "svc-llms",
  title: "machine-readable discovery file locations",
  description: "machine-readable discovery file locations (to be written)",
  read: () => ({ status: "unavailable" }),
});

export const svcTrustPolicyResource = defineResource({
  uri: "svc://trust-policy",
  name: "svc-trust-policy",
  title: "public/protected boundary and trusted-domain policy",
  description: "public/protected boundary and trusted-domain policy (to be written)",
  read: () => ({ status: "unavailable" }),
});

/** The resources of this domain. */
export const serviceResources: readonly Resource[] = [
  svcMcpToolsResource,
  svcOpenapiResource,
  svcLlmsResource,
  svcTrustPolicyResource,
];
