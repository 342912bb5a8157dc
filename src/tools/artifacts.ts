import { Type } from "typebox";
import { readArtifact, savedView, snapshotOf } from "../artifacts/model.ts";
import {
  deleteArtifact as removeArtifact,
  findArtifact,
  listArtifacts as listSaved,
  saveArtifactOnce,
  updateArtifact as reviseArtifact,
  type SavedArtifact,
} from "../artifacts/registry.ts";
import { storageTruth } from "../artifacts/storage-truth.ts";
import type { JsonObject } from "../kernel/json.ts";
import { redacted } from "../kernel/secrets.ts";
import { allows } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import { toolList, type Tool } from "../ports/operations.ts";
import { needed } from "./rules.ts";
import { ArtifactView, SharePacketView } from "../model/artifacts.ts";
import { inputOf, NEXT_CURSOR, TextOrNull, TimeOrNull } from "../model/common.ts";
import { jsonObject, pageOf } from "./shapes.ts";

const { defineTool, declared } = toolList();

const artifactParam = () =>
  jsonObject(
    "The artifact: `title` (required), `type`, `description`, `privacy` (public, internal, confidential or restricted) and whatever else it holds.",
  );
const idParam = () => Type.String({ description: "The id of a saved artifact, as list_artifacts shows it." });
const artifactOutput = Type.Object({ artifact: ArtifactView });
const changedOutput = Type.Object({
  ...artifactOutput.properties,
  provenance: Type.Object(
    { recordId: TextOrNull, digest: Type.Optional(Type.String()), note: Type.String() },
    { description: "The record of the change in the provenance log." },
  ),
});

const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);
const storageStatus = Type.Object(
  { kind: Type.String(), ready: Type.Boolean(), reason: TextOrNull },
  { description: "Whether the server can keep artifacts at all." },
);

defineTool({
  name: "get_storage_status",
  title: "Storage status",
  description:
    "Says which storage modes exist (local browser, generated snapshot, delegated, exported, server persistence, degraded), which are active, and what each truly guarantees now: database kind, durability, last write probe, size. Use it before promising a person that something is saved.",
  input: inputOf({}),
  output: Type.Object({
    mode: Type.String(),
    database: Type.Object({
      ...storageStatus.properties,
      durability: Type.String(),
      schemaVersion: Type.Integer(),
      sizeBytes: NumberOrNull,
      lastWriteProbe: Type.Object({ at: TimeOrNull, milliseconds: NumberOrNull }),
    }),
    modes: Type.Array(
      Type.Object({
        mode: Type.String(),
        label: Type.String(),
        active: Type.Boolean(),
        guarantee: Type.String(),
        siblings: Type.Optional(Type.Array(Type.String())),
      }),
    ),
    reason: TextOrNull,
    nextAction: TextOrNull,
  }),
  access: "public",
  effect: "none",
  run: (_args, { services }) => storageTruth(services),
});

defineTool({
  name: "list_artifacts",
  title: "List saved artifacts",
  description:
    'Lists the artifacts saved on the server, newest first, without their contents: get_artifact reads one. Without a key only public ones appear; with a key that may not read private records, also those that it saved itself. At most 50, or as many as `_meta["svc/limit"]` says (1 to 100). Further pages: pass `nextCursor` as `_meta["svc/cursor"]`.',
  input: inputOf({}),
  output: Type.Object({
    artifacts: Type.Array(ArtifactView),
    nextCursor: NEXT_CURSOR,
    storage: storageStatus,
  }),
  access: "public",
  effect: "none",
  quick: true,
  run: async (_args, { context }) => {
    const { store } = context.services;
    const { artifacts, nextCursor } = await listSaved(pageOf(context.meta), context);
    const status = await store.status();
    return {
      artifacts,
      nextCursor,
      storage: { kind: status.kind, ready: status.ready, reason: status.reason },
    };
  },
});

defineTool({
  name: "get_artifact",
  title: "Get a saved artifact",
  description:
    'Reads one saved artifact and how it is kept. Generated snapshots were never saved and are not found. Without a key that may read private records, only public artifacts and those of the caller itself are found. An older version: `_meta["svc/version"]`.',
  input: inputOf({ id: idParam() }),
  output: artifactOutput,
  access: "public",
  effect: "none",
  quick: true,
  run: async ({ id }, { context }) => {
    const wanted = context.meta["svc/version"];
    const version = typeof wanted === "number" ? wanted : undefined;
    return { artifact: savedView(await findArtifact(id, context, version)) };
  },
});

defineTool({
  name: "create_local_artifact",
  title: "Make a local artifact",
  description:
    "Makes an artifact document and saves nothing on the server (save_artifact does): a generated snapshot to keep in the browser or export.",
  input: inputOf({
    title: Type.String({ description: "What a person calls it." }),
    type: Type.Optional(
      Type.String({ description: "What it is, such as note, form or report; note by default." }),
    ),
    description: Type.Optional(Type.String({ description: "What it is about." })),
    sourceService: Type.Optional(Type.String({ description: "The service it came from." })),
    sourceRef: Type.Optional(Type.String({ description: "Where it came from: an address or an id." })),
    schema: Type.Optional(jsonObject("A JSON Schema that describes its content.")),
  }),
  output: artifactOutput,
  access: "public",
  effect: "none",
  run: (args) => ({ artifact: snapshotOf(readArtifact(args, "")) }),
});

defineTool({
  name: "clone_artifact",
  title: "Clone an artifact",
  description:
    "Copies a given artifact as a generated snapshot that names what it was cloned from. Nothing is saved on the server; the original is not touched.",
  examples: [{ artifact: { title: "Report" } }],
  input: inputOf({ artifact: artifactParam() }),
  output: artifactOutput,
  access: "public",
  effect: "none",
  run: ({ artifact }) => {
    const original = readArtifact(artifact);
    const origin = typeof artifact.id === "string" ? artifact.id : original.digest;
    return { artifact: snapshotOf(readArtifact({ ...original.content, clonedFrom: origin })) };
  },
});

defineTool({
  name: "export_artifact",
  title: "Export an artifact",
  description:
    "Writes a given artifact as JSON, YAML or Markdown text. The same artifact always gives the same text, and the text reads back equal. Content marked confidential or restricted is withheld unless the caller's key may read private records.",
  examples: [{ artifact: { title: "Report" } }],
  input: inputOf({
    artifact: artifactParam(),
    format: Type.Optional(
      Type.Unsafe<"json" | "yaml" | "markdown">({
        type: "string",
        enum: ["json", "yaml", "markdown"],
        description: "The format of the text; json by default.",
      }),
    ),
  }),
  output: Type.Object({
    format: Type.String(),
    mediaType: Type.String(),
    fileName: Type.String(),
    text: Type.String(),
    mode: Type.Literal("exported"),
  }),
  access: "public",
  effect: "none",
  async run({ artifact, format }, { context }) {
    const { exportArtifact } = await import("../artifacts/export.ts");
    return {
      ...exportArtifact(exportable(artifact, context), format ?? "json"),
      mode: "exported" as const,
    };
  },
});

defineTool({
  name: "create_share_packet",
  title: "Make a share packet",
  description:
    "Prepares everything needed to pass an artifact on: JSON, YAML, Markdown, the JSON-RPC call and suitectl commands that save it elsewhere, and a link that opens it in the web app. Secrets are taken out. Nothing is sent or saved.",
  examples: [{ artifact: { title: "Report" } }],
  input: inputOf({ artifact: artifactParam() }),
  output: Type.Object({ packet: SharePacketView }),
  access: "public",
  effect: "none",
  async run({ artifact }, { context }) {
    const { sharePacket } = await import("../artifacts/share.ts");
    return { packet: sharePacket(exportable(artifact, context), context.services.settings.baseUrl) };
  },
});

defineTool({
  name: "save_artifact",
  title: "Save an artifact",
  description:
    "Saves an artifact on the server (create_local_artifact saves nothing) as version 1 and answers after it is on disk, with its id, digest and provenance. Degraded without a database: then nothing is saved.",
  examples: [{ artifact: { title: "Report" } }],
  input: inputOf({ artifact: artifactParam() }),
  output: changedOutput,
  access: "write",
  effect: "write",
  idempotent: false,
  keyed: true,
  run: async ({ artifact }, { context }) => saved(await saveArtifactOnce(artifact, context)),
});

defineTool({
  name: "update_artifact",
  title: "Update an artifact",
  description:
    'Adds a version to a saved artifact: given properties replace those of the newest version. Name the version your change was made from in `artifact.version` or `_meta["svc/expectedRevision"]`; if another caller was faster, the answer is a conflict and nothing changes.',
  examples: [{ id: "artifact_1", artifact: { title: "Report" } }],
  input: inputOf({
    id: idParam(),
    artifact: Type.Optional(
      jsonObject(
        "Required: the properties that change, and `version` for the one they are based on. Without it the call is refused.",
      ),
    ),
  }),
  output: changedOutput,
  access: "write",
  effect: "write",
  idempotent: true,
  rules: ({ artifact }) => needed("artifact", artifact, "an object with the properties that change"),
  run: async ({ id, artifact = {} }, { context }) => {
    const expected = context.meta["svc/expectedRevision"] ?? artifact.version;
    return saved(await reviseArtifact(id, artifact, typeof expected === "number" ? expected : null, context));
  },
});

defineTool({
  name: "delete_artifact",
  title: "Delete an artifact",
  description:
    "Deletes a saved artifact: its content is no longer served, a tombstone and its provenance stay. It cannot be undone by a tool.",
  input: inputOf({ id: idParam() }),
  output: changedOutput,
  access: "write",
  effect: "destructive",
  idempotent: true,
  run: async ({ id }, { context }) => saved(await removeArtifact(id, context)),
});

/** The answer to a change: the artifact as it is now on disk, and the record of the change. */
function saved({ record, provenanceId }: SavedArtifact) {
  const provenance =
    provenanceId === null
      ? { recordId: null, note: "Nothing changed, so nothing was recorded." }
      : {
          recordId: provenanceId,
          digest: record.digest,
          note: "Recorded in the same commit. verify_svc_provenance proves it.",
        };
  return { artifact: savedView(record), provenance };
}

/** What of an artifact may leave in a text: private content stays with callers who may read it. */
function exportable(artifact: JsonObject, context: CallContext): JsonObject {
  const { privacy, type, content } = readArtifact(artifact);
  if (privacy === "public" || privacy === "internal" || allows(context.caller, "read-private")) {
    return { ...artifact, ...content };
  }
  return { title: `An artifact marked ${privacy}`, type, privacy, content: redacted(privacy) };
}

/** The tools of this domain. */
export const artifactsTools: readonly Tool[] = declared;
