import { Type } from "typebox";
import { defineTool, type Tool } from "../ports/definitions.ts";
import { anyData, jsonObject, params, unavailable } from "./shapes.ts";

export const getAgentPolicy = defineTool({
  name: "get_agent_policy",
  title: "Get agent policy",
  description: "get agent policy (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_agent_policy"),
});

export const listAgentPlatforms = defineTool({
  name: "list_agent_platforms",
  title: "List agent platforms",
  description: "list agent platforms (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("list_agent_platforms"),
});

export const getAgentPlatform = defineTool({
  name: "get_agent_platform",
  title: "Get agent platform",
  description: "one agent platform policy (description to be written by the owner of this domain)",
  params: params({ id: Type.String() }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_agent_platform"),
});

export const getRobotsPolicy = defineTool({
  name: "get_robots_policy",
  title: "Get robots policy",
  description: "get robots policy (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_robots_policy"),
});

export const getAiPolicy = defineTool({
  name: "get_ai_policy",
  title: "Get ai policy",
  description: "get ai policy (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_ai_policy"),
});

export const getTrustPolicy = defineTool({
  name: "get_trust_policy",
  title: "Get trust policy",
  description: "get trust policy (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_trust_policy"),
});

export const evaluateAgentAccess = defineTool({
  name: "evaluate_agent_access",
  title: "Evaluate agent access",
  description: "public-safe or key-required verdict (description to be written by the owner of this domain)",
  params: params({ target: Type.String(), action: Type.Optional(Type.String()) }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("evaluate_agent_access"),
});

export const updateAgentPolicy = defineTool({
  name: "update_agent_policy",
  title: "Update agent policy",
  description:
    "protected policy mutation placeholder (description to be written by the owner of this domain)",
  params: params({ policy: jsonObject() }),
  output: anyData,
  access: "admin",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("update_agent_policy"),
});

export const refreshAgentPlatformRegistry = defineTool({
  name: "refresh_agent_platform_registry",
  title: "Refresh agent platform registry",
  description: "refresh agent platform registry (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "admin",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("refresh_agent_platform_registry"),
});

/** The tools of this domain. */
export const policyTools: readonly Tool[] = [
  getAgentPolicy,
  listAgentPlatforms,
  getAgentPlatform,
  getRobotsPolicy,
  getAiPolicy,
  getTrustPolicy,
  evaluateAgentAccess,
  updateAgentPolicy,
  refreshAgentPlatformRegistry,
];
