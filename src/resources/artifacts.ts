import { defineResource, type Resource } from "../ports/definitions.ts";

export const svcArtifactsResource = defineResource({
  uri: "svc://artifacts",
  name: "svc-artifacts",
  title: "artifact registry status and persistence truth",
  description: "artifact registry status and persistence truth (to be written)",
  read: () => ({ status: "unavailable" }),
});

export const svcArtifactByIdResource = defineResource({
  uri: "svc://artifact/{id}",
  name: "svc-artifact-by-id",
  title: "one artifact status",
  description: "one artifact status (to be written)",
  read: () => ({ status: "unavailable" }),
});

export const svcStorageResource = defineResource({
  uri: "svc://storage",
  name: "svc-storage",
  title: "storage modes and truth model",
  description: "storage modes and truth model (to be written)",
  read: () => ({ status: "unavailable" }),
});

/** The resources of this domain. */
export const artifactsResources: readonly Resource[] = [
  svcArtifactsResource,
  svcArtifactByIdResource,
  svcStorageResource,
];
