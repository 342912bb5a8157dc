import { Type } from "typebox";
import { defineTool, type Tool } from "../ports/definitions.ts";
import { anyData, jsonObject, params, unavailable } from "./shapes.ts";

export const delegateArtifact = defineTool({
  name: "delegate_artifact",
  title: "Delegate artifact",
  description: "degraded/dry-run delegation packet (description to be written by the owner of this domain)",
  params: params({
    targetService: Type.String(),
    artifact: Type.Optional(jsonObject()),
    action: Type.Optional(Type.String()),
    dryRun: Type.Optional(Type.Boolean()),
  }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("delegate_artifact"),
});

export const listIntegrations = defineTool({
  name: "list_integrations",
  title: "List integrations",
  description: "list integrations (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("list_integrations"),
});

export const getIntegrationStatus = defineTool({
  name: "get_integration_status",
  title: "Get integration status",
  description: "one integration status card (description to be written by the owner of this domain)",
  params: params({ slug: Type.String() }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_integration_status"),
});

/** The tools of this domain. */
export const handoffsTools: readonly Tool[] = [delegateArtifact, listIntegrations, getIntegrationStatus];
