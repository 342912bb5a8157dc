import { savedView } from "../artifacts/model.ts";
import { findArtifact, listArtifacts } from "../artifacts/registry.ts";
import { storageTruth } from "../artifacts/storage-truth.ts";
import type { Resource } from "../ports/definitions.ts";

/** The resources of this domain. */
export const artifactsResources: readonly Resource[] = [
  {
    uri: "svc://artifacts",
    name: "artifacts",
    title: "Saved artifacts",
    description:
      "The newest saved artifacts without their contents, public ones only without a key, and whether the server can keep artifacts at all.",
    read: async (context) => {
      const { store } = context.services;
      const { artifacts, nextCursor } = await listArtifacts({ limit: 50 }, context);
      const { kind, ready, reason } = await store.status();
      return {
        artifacts,
        nextCursor,
        persistence: { kind, ready, reason, claim: "Only artifacts listed here are kept by the server." },
      };
    },
  },
  {
    uri: "svc://artifact/{id}",
    idsFrom: { resource: "svc://artifacts", tool: "list_artifacts" },
    name: "artifact",
    title: "One saved artifact",
    description:
      "One saved artifact and how it is kept; content that is not public needs a key that may read it.",
    read: async (context, id) => ({ artifact: savedView(await findArtifact(id, context)) }),
  },
  {
    uri: "svc://storage",
    name: "storage",
    title: "Storage modes and their truth",
    description: "The storage modes, which are active, and what each guarantees at this moment, measured.",
    read: ({ services }) => storageTruth(services),
  },
];
