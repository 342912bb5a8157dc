import type { Services } from "../ports/services.ts";

/** The storage modes of the interface, and what each truly guarantees at this moment. */
export async function storageTruth(services: Services) {
  const status = await services.store.status();
  const persists = status.ready && status.kind !== "none";
  const siblings = services.siblings.all().filter((sibling) => sibling.configured);
  const nextAction = persists
    ? null
    : status.kind === "none"
      ? "Set DATABASE_URL to sqlite:<file> or postgres://… and start again."
      : "See /readyz and the log; the service recovers by itself when the database can be written again.";
  return {
    mode: persists ? "server_persistence" : "degraded",
    database: {
      kind: status.kind,
      ready: status.ready,
      reason: status.reason,
      durability: status.durability,
      schemaVersion: status.schemaVersion,
      sizeBytes: status.sizeBytes,
      lastWriteProbe: { at: status.lastProbeAt, milliseconds: status.lastProbeMs },
    },
    modes: [
      {
        mode: "local_browser",
        label: "local browser",
        active: true,
        guarantee:
          "Drafts live in this browser's IndexedDB until it is cleared. The server has no copy. Keys are never kept there.",
      },
      {
        mode: "generated_snapshot",
        label: "generated snapshot",
        active: true,
        guarantee:
          "Made for one answer from what was sent. Nothing is kept; the same input gives the same snapshot.",
      },
      {
        mode: "delegated",
        label: "delegated",
        active: siblings.length > 0,
        guarantee:
          siblings.length > 0
            ? "Kept by the sibling that confirmed it, shown with its reference. Nothing is claimed before that."
            : "No sibling is configured, so nothing can be kept elsewhere.",
        siblings: siblings.map((sibling) => sibling.name),
      },
      {
        mode: "exported",
        label: "exported",
        active: true,
        guarantee: "JSON, YAML or Markdown in your hands. The server keeps no copy of an export.",
      },
      {
        mode: "server_persistence",
        label: "server persistence",
        active: persists,
        guarantee: persists
          ? `An answer that says saved was sent after the commit was on disk (${status.durability}).`
          : "Not available now: nothing is saved and nothing is called saved.",
      },
      {
        mode: "degraded",
        label: "degraded",
        active: !persists,
        guarantee: "Whatever would be saved answers degraded, with the reason and what to do.",
      },
    ],
    reason: status.reason,
    nextAction,
  };
}
