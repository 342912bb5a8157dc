import { Type } from "typebox";
import { defineTool, type Tool } from "../ports/definitions.ts";
import { anyData, jsonObject, params, unavailable } from "./shapes.ts";

export const syncNetworkTools = defineTool({
  name: "sync_network_tools",
  title: "Sync network tools",
  description: "sync network tools (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "admin",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("sync_network_tools"),
});

export const executeMcpTool = defineTool({
  name: "execute_mcp_tool",
  title: "Execute mcp tool",
  description: "execute a registered tool by name (description to be written by the owner of this domain)",
  params: params({ name: Type.String(), arguments: Type.Optional(jsonObject()) }),
  output: anyData,
  access: "run",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("execute_mcp_tool"),
});

/** The tools of this domain. */
export const networkTools: readonly Tool[] = [syncNetworkTools, executeMcpTool];
