import { Type } from "typebox";
import { defineTool, type Tool } from "../ports/definitions.ts";
import { anyData, jsonObject, params, unavailable } from "./shapes.ts";

export const getStorageStatus = defineTool({
  name: "get_storage_status",
  title: "Get storage status",
  description: "get storage status (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_storage_status"),
});

export const listArtifacts = defineTool({
  name: "list_artifacts",
  title: "List artifacts",
  description: "list artifacts (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("list_artifacts"),
});

export const getArtifact = defineTool({
  name: "get_artifact",
  title: "Get artifact",
  description: "artifact storage status by id (description to be written by the owner of this domain)",
  params: params({ id: Type.String() }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_artifact"),
});

export const createLocalArtifact = defineTool({
  name: "create_local_artifact",
  title: "Create local artifact",
  description:
    "generated snapshot; no server persistence claimed (description to be written by the owner of this domain)",
  params: params({
    title: Type.String(),
    type: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    sourceService: Type.Optional(Type.String()),
    sourceRef: Type.Optional(Type.String()),
    schema: Type.Optional(jsonObject()),
  }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("create_local_artifact"),
});

export const cloneArtifact = defineTool({
  name: "clone_artifact",
  title: "Clone artifact",
  description: "clone as generated snapshot (description to be written by the owner of this domain)",
  params: params({ artifact: jsonObject() }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("clone_artifact"),
});

export const exportArtifact = defineTool({
  name: "export_artifact",
  title: "Export artifact",
  description: "export (description to be written by the owner of this domain)",
  params: params({
    artifact: jsonObject(),
    format: Type.Optional(
      Type.Unsafe<"json" | "yaml" | "markdown">({ type: "string", enum: ["json", "yaml", "markdown"] }),
    ),
  }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("export_artifact"),
});

export const createSharePacket = defineTool({
  name: "create_share_packet",
  title: "Create share packet",
  description:
    "share packet with JSON, YAML, Markdown, JSON-RPC and suitectl examples (description to be written by the owner of this domain)",
  params: params({ artifact: jsonObject() }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("create_share_packet"),
});

export const saveArtifact = defineTool({
  name: "save_artifact",
  title: "Save artifact",
  description:
    "degraded when no persistence adapter is configured (description to be written by the owner of this domain)",
  params: params({ artifact: jsonObject() }),
  output: anyData,
  access: "write",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("save_artifact"),
});

export const updateArtifact = defineTool({
  name: "update_artifact",
  title: "Update artifact",
  description: "degraded when no persistence adapter (description to be written by the owner of this domain)",
  params: params({ id: Type.String(), artifact: Type.Optional(jsonObject()) }),
  output: anyData,
  access: "write",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("update_artifact"),
});

export const deleteArtifact = defineTool({
  name: "delete_artifact",
  title: "Delete artifact",
  description: "degraded when no persistence adapter (description to be written by the owner of this domain)",
  params: params({ id: Type.String() }),
  output: anyData,
  access: "write",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("delete_artifact"),
});

/** The tools of this domain. */
export const artifactsTools: readonly Tool[] = [
  getStorageStatus,
  listArtifacts,
  getArtifact,
  createLocalArtifact,
  cloneArtifact,
  exportArtifact,
  createSharePacket,
  saveArtifact,
  updateArtifact,
  deleteArtifact,
];
