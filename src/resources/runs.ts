import { defineResource, type Resource } from "../ports/definitions.ts";

export const svcRunsResource = defineResource({
  uri: "svc://runs",
  name: "svc-runs",
  title: "run summaries",
  description: "run summaries (to be written)",
  read: () => ({ status: "unavailable" }),
});

export const svcRunByIdResource = defineResource({
  uri: "svc://run/{id}",
  name: "svc-run-by-id",
  title: "one run",
  description: "one run (to be written)",
  read: () => ({ status: "unavailable" }),
});

export const svcApprovalsResource = defineResource({
  uri: "svc://approvals",
  name: "svc-approvals",
  title: "approval queue with notes redacted",
  description: "approval queue with notes redacted (to be written)",
  read: () => ({ status: "unavailable" }),
});

/** The resources of this domain. */
export const runsResources: readonly Resource[] = [svcRunsResource, svcRunByIdResource, svcApprovalsResource];
