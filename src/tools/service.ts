import { Type } from "typebox";
import { defineTool, type Tool } from "../ports/definitions.ts";
import { anyData, params, unavailable } from "./shapes.ts";

export const getSvcInfo = defineTool({
  name: "get_svc_info",
  title: "Get svc info",
  description: "get svc info (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_svc_info"),
});

export const getInfo = defineTool({
  name: "get_info",
  title: "Get info",
  description: "get info (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_info"),
});

export const getHealth = defineTool({
  name: "get_health",
  title: "Get health",
  description: "get health (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_health"),
});

export const listMcpTools = defineTool({
  name: "list_mcp_tools",
  title: "List mcp tools",
  description: "list mcp tools (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("list_mcp_tools"),
});

export const testMcpTool = defineTool({
  name: "test_mcp_tool",
  title: "Test mcp tool",
  description:
    "whether the tool is registered and whether it needs the key (description to be written by the owner of this domain)",
  params: params({ name: Type.String() }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("test_mcp_tool"),
});

export const getPublicCapabilities = defineTool({
  name: "get_public_capabilities",
  title: "Get public capabilities",
  description: "get public capabilities (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_public_capabilities"),
});

export const getPublicAccessSummary = defineTool({
  name: "get_public_access_summary",
  title: "Get public access summary",
  description: "get public access summary (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_public_access_summary"),
});

export const getDiscoveryManifest = defineTool({
  name: "get_discovery_manifest",
  title: "Get discovery manifest",
  description: "get discovery manifest (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_discovery_manifest"),
});

/** The tools of this domain. */
export const serviceTools: readonly Tool[] = [
  getSvcInfo,
  getInfo,
  getHealth,
  listMcpTools,
  testMcpTool,
  getPublicCapabilities,
  getPublicAccessSummary,
  getDiscoveryManifest,
];
