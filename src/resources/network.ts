import { defineResource, type Resource } from "../ports/definitions.ts";

export const svcIntegrationsResource = defineResource({
  uri: "svc://integrations",
  name: "svc-integrations",
  title: "integration matrix",
  description: "integration matrix (to be written)",
  read: () => ({ status: "unavailable" }),
});

export const svcDelegationsResource = defineResource({
  uri: "svc://delegations",
  name: "svc-delegations",
  title: "delegation target registry and degraded durable status",
  description: "delegation target registry and degraded durable status (to be written)",
  read: () => ({ status: "unavailable" }),
});

export const svcNetworkSitesResource = defineResource({
  uri: "svc://network/sites",
  name: "svc-network-sites",
  title: "network-site discovery status",
  description: "network-site discovery status (to be written)",
  read: () => ({ status: "unavailable" }),
});

export const svcNetworkComplianceResource = defineResource({
  uri: "svc://network/compliance",
  name: "svc-network-compliance",
  title: "route and discovery compliance status",
  description: "route and discovery compliance status (to be written)",
  read: () => ({ status: "unavailable" }),
});

/** The resources of this domain. */
export const networkResources: readonly Resource[] = [
  svcIntegrationsResource,
  svcDelegationsResource,
  svcNetworkSitesResource,
  svcNetworkComplianceResource,
];
