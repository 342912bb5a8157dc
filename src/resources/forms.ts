import { defineResource, type Resource } from "../ports/definitions.ts";

export const svcRenderedFormsResource = defineResource({
  uri: "svc://rendered-forms",
  name: "svc-rendered-forms",
  title: "rendered form persistence status",
  description: "rendered form persistence status (to be written)",
  read: () => ({ status: "unavailable" }),
});

export const svcRenderedFormByIdResource = defineResource({
  uri: "svc://rendered-form/{id}",
  name: "svc-rendered-form-by-id",
  title: "one rendered form when durable storage is configured",
  description: "one rendered form when durable storage is configured (to be written)",
  read: () => ({ status: "unavailable" }),
});

/** The resources of this domain. */
export const formsResources: readonly Resource[] = [svcRenderedFormsResource, svcRenderedFormByIdResource];
