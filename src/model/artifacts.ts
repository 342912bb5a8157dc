import { Type } from "typebox";
import type { JsonObject } from "../kernel/json.ts";
import { PRIVACY_CLASSES } from "./states.ts";
import { rpcCall, TextOrNull, Time, viewOf } from "./common.ts";

/** An artifact: what the service says of it, and beside that whatever its owner put into it. */
export const ArtifactView = Type.Unsafe<JsonObject>(
  Type.Object(
    {
      schemaVersion: Type.Literal("suite.artifact.v1"),
      id: Type.String(),
      title: Type.Optional(Type.String({ description: "Not shown to who may not read it." })),
      type: Type.Optional(Type.String()),
      privacy: Type.Optional(Type.Enum([...PRIVACY_CLASSES])),
      version: Type.Optional(Type.Integer({ minimum: 1, description: "Of a saved one." })),
      digest: Type.Optional(Type.String()),
      storage: Type.Object(
        {
          mode: Type.Enum(["generated_snapshot", "server_persistence"]),
          persisted: Type.Boolean(),
          note: Type.Optional(Type.String()),
        },
        { description: "How it is kept." },
      ),
      createdAt: Type.Optional(Time),
      updatedAt: Type.Optional(Time),
      deletedAt: Type.Optional(Time),
    },
    {
      title: "Artifact",
      description: "A document with a title, and beside that whatever its owner put into it.",
      additionalProperties: true,
    },
  ),
);

/** What is needed to pass an artifact on. */
export const SharePacketView = viewOf("SharePacket", "What is needed to pass an artifact on.", {
  schemaVersion: Type.Literal("suite.share.v1"),
  title: Type.String(),
  json: Type.String(),
  yaml: Type.String(),
  markdown: Type.String(),
  jsonRpc: rpcCall,
  suitectl: Type.Object({ save: Type.String(), export: Type.String() }),
  link: TextOrNull,
  linkNote: Type.String(),
  delivery: Type.String(),
});
