import type { ToolInfo } from "../api/tools.ts";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";

/** What a tool may change, in a word; of connected ones the word that their connection has for it. */
export function effectWord(tool: ToolInfo): string {
  if (tool.readOnly) return "reads";
  if (tool.destructive) return "deletes";
  return tool.openWorld && tool.server === "" ? "sends" : "writes";
}

/** What a tool may change, as a badge. */
export function EffectBadge({ tool }: { readonly tool: ToolInfo }) {
  const tone = tool.readOnly ? "neutral" : tool.destructive ? "bad" : "warn";
  return <Badge tone={tone}>{effectWord(tool)}</Badge>;
}
