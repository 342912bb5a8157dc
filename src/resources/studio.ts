import { defineResource, type Resource } from "../ports/definitions.ts";

export const svcStudioResource = defineResource({
  uri: "svc://studio",
  name: "svc-studio",
  title: "design-sibling integration status and fallback preview policy",
  description: "design-sibling integration status and fallback preview policy (to be written)",
  read: () => ({ status: "unavailable" }),
});

export const svcStudioTemplatesResource = defineResource({
  uri: "svc://studio/templates",
  name: "svc-studio-templates",
  title: "deterministic fallback template registry",
  description: "deterministic fallback template registry (to be written)",
  read: () => ({ status: "unavailable" }),
});

/** The resources of this domain. */
export const studioResources: readonly Resource[] = [svcStudioResource, svcStudioTemplatesResource];
