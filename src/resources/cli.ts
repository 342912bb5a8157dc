import { defineResource, type Resource } from "../ports/definitions.ts";

export const svcCliResource = defineResource({
  uri: "svc://cli",
  name: "svc-cli",
  title: "CLI integration status",
  description: "CLI integration status (to be written)",
  read: () => ({ status: "unavailable" }),
});

export const svcCliExamplesResource = defineResource({
  uri: "svc://cli/examples",
  name: "svc-cli-examples",
  title: "suitectl examples",
  description: "suitectl examples (to be written)",
  read: () => ({ status: "unavailable" }),
});

/** The resources of this domain. */
export const cliResources: readonly Resource[] = [svcCliResource, svcCliExamplesResource];
