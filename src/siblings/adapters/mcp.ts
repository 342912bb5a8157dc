import type { Adapter } from "../adapter.ts";
import { urlUnder } from "../confirm.ts";

/** The canonical capability gateway. Its tools are listed and called with the MCP client, not with plain requests. */
export const mcpAdapter: Adapter = {
  name: "mcp",
  title: "Canonical MCP gateway",
  purpose: "Holds the canonical registry of tools; its definitions are synced, pinned and called from here.",
  timeoutMs: 8_000,
  transport: "mcp",
  proofs: {
    describe(result, { base, resultRef }) {
      const url = urlUnder(base, result["endpoint"]);
      if (url === null || url.href !== resultRef) return "The reference is not the gateway's endpoint.";
      return Array.isArray(result["tools"]) ? null : "The description has no list of tools.";
    },
  },
};
