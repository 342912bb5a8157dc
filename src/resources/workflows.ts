import { defineResource, type Resource } from "../ports/definitions.ts";

export const svcWorkflowsResource = defineResource({
  uri: "svc://workflows",
  name: "svc-workflows",
  title: "persisted workflow registry",
  description: "persisted workflow registry (to be written)",
  read: () => ({ status: "unavailable" }),
});

export const svcWorkflowByIdResource = defineResource({
  uri: "svc://workflow/{id}",
  name: "svc-workflow-by-id",
  title: "one workflow",
  description: "one workflow (to be written)",
  read: () => ({ status: "unavailable" }),
});

export const svcTemplatesResource = defineResource({
  uri: "svc://templates",
  name: "svc-templates",
  title: "public workflow templates",
  description: "public workflow templates (to be written)",
  read: () => ({ status: "unavailable" }),
});

export const svcTemplateByIdResource = defineResource({
  uri: "svc://template/{id}",
  name: "svc-template-by-id",
  title: "one template",
  description: "one template (to be written)",
  read: () => ({ status: "unavailable" }),
});

/** The resources of this domain. */
export const workflowsResources: readonly Resource[] = [
  svcWorkflowsResource,
  svcWorkflowByIdResource,
  svcTemplatesResource,
  svcTemplateByIdResource,
];
