import type { Adapter } from "../adapter.ts";

/** The canonical capability gateway. Its tools are listed and called with the MCP client, not with plain requests. */
export const mcpAdapter: Adapter = {
  name: "mcp",
  title: "Canonical MCP gateway",
  purpose: "Holds the canonical registry of tools; its definitions are synced, pinned and called from here.",
  timeoutMs: 8_000,
  transport: "mcp",
  calls: {},
  proofs: {},
};
