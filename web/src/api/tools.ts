import { queryOptions, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { lackedFor, type JsonObject } from "@workflow-ui/client";
import { useExternal } from "../lib/external.ts";
import { call } from "./operations.ts";
import { rpc } from "./rpc.ts";
import { session } from "./session.ts";

/** A tool that a page or a step can call. */
export interface ToolInfo {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject | null;
  readonly isProtected: boolean;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
  readonly hasApp: boolean;
  /** The server a synced tool comes from; empty for our own. */
  readonly server: string;
}

/** A tool as MCP servers list it. */
interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: {
    readonly title?: string;
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
  readonly _meta?: { readonly ui?: { readonly resourceUri?: string } };
}

const GUEST = { kind: "anonymous", scopes: [] } as const;

/** All tools: our own, then those synced from other servers. */
export const toolsQuery = queryOptions({
  queryKey: ["tools"],
  staleTime: 5 * 60_000,
  queryFn: async ({ signal }): Promise<readonly ToolInfo[]> => {
    const params = { _meta: { "svc/outputs": "full" } };
    const { tools } = await rpc<{ readonly tools: readonly ListedTool[] }>("tools/list", params, signal);
    return tools.map((tool) =>
      toolInfo(tool, { isProtected: lackedFor(tool.name, GUEST) !== null, server: "" }),
    );
  },
});

/** Our own tools and, with a key, those synced from other servers that may be called. */
export function useTools(): UseQueryResult<readonly ToolInfo[]> {
  const { generation, keyed } = useExternal(session);
  const own = useQuery(toolsQuery);
  const synced = useQuery({
    queryKey: ["list_network_tools", generation],
    enabled: keyed,
    queryFn: async ({ signal }) =>
      (await call("list_network_tools", {}, { signal })).tools
        .filter(({ state }) => state === "active")
        .map(({ id, server, definition }) => ({
          ...toolInfo({ name: id, ...definition }, { isProtected: true, server }),
          name: id,
        })),
  });
  const more = synced.data;
  if (own.data === undefined || more === undefined || more.length === 0) return own;
  return { ...own, data: [...own.data, ...more] };
}

function toolInfo(tool: ListedTool, more: Pick<ToolInfo, "isProtected" | "server">): ToolInfo {
  const { name, annotations = {} } = tool;
  return {
    ...more,
    name,
    title: tool.title ?? annotations.title ?? name,
    description: tool.description ?? "",
    inputSchema: tool.inputSchema ?? { type: "object" },
    outputSchema: tool.outputSchema ?? null,
    readOnly: annotations.readOnlyHint === true,
    destructive: annotations.destructiveHint === true,
    idempotent: annotations.idempotentHint === true,
    openWorld: annotations.openWorldHint === true,
    hasApp: tool._meta?.ui?.resourceUri !== undefined,
  };
}
