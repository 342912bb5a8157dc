import type { InputOf, OutputOf, ToolName } from "@workflow-ui/client";
import { QueryClient, queryOptions, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useExternal } from "../lib/external.ts";
import { at, bagAt, bagsAt, flagAt, textAt, type Bag } from "../lib/read.ts";
import { getJson, readResource, rpc, RpcError, toolData } from "./rpc.ts";
import { session } from "./session.ts";

/** The one cache of answers. Errors the service wrote are shown at once; only a lost connection is tried again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (count, error) => error instanceof RpcError && error.code === "unreachable" && count < 2,
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

/** A tool as `tools/list` shows it. */
export interface ToolInfo {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Bag;
  readonly outputSchema: Bag | null;
  readonly isProtected: boolean;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
  readonly hasApp: boolean;
  /** The server a synced tool comes from; empty for our own. */
  readonly server: string;
}

/** All tools: our own, then those synced from other servers. */
export const toolsQuery = queryOptions({
  queryKey: ["tools"],
  staleTime: 5 * 60_000,
  queryFn: async ({ signal }): Promise<readonly ToolInfo[]> => {
    const [list, info] = await Promise.all([rpc("tools/list", {}, { signal }), getJson("/api/mcp", signal)]);
    const guarded = new Map(
      bagsAt(info, "data", "tools").map((tool) => [textAt(tool, "name"), flagAt(tool, "protected")]),
    );
    return bagsAt(list, "tools").map((tool) => toToolInfo(tool, guarded.get(textAt(tool, "name")) ?? false));
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
      bagsAt(await getJson("/api/svc/network-tools", signal), "data", "tools")
        .filter((tool) => textAt(tool, "state") === "active")
        .map((tool) => ({
          ...toToolInfo(bagAt(tool, "definition"), true, textAt(tool, "server")),
          name: textAt(tool, "id"),
        })),
  });
  const more = synced.data;
  if (own.data === undefined || more === undefined || more.length === 0) return own;
  return { ...own, data: [...own.data, ...more] };
}

/** One entry of a `tools/list` answer, ours or anyone's. */
function toToolInfo(tool: Bag, isProtected: boolean, server = ""): ToolInfo {
  const name = textAt(tool, "name");
  const input = at(tool, "inputSchema");
  const output = at(tool, "outputSchema");
  return {
    name,
    title: textAt(tool, "title", textAt(tool, ["annotations", "title"], name)),
    description: textAt(tool, "description"),
    inputSchema: typeof input === "object" && input !== null ? { ...input } : { type: "object" },
    outputSchema: typeof output === "object" && output !== null ? { ...output } : null,
    isProtected,
    readOnly: flagAt(tool, "annotations", "readOnlyHint"),
    destructive: flagAt(tool, "annotations", "destructiveHint"),
    idempotent: flagAt(tool, "annotations", "idempotentHint"),
    openWorld: flagAt(tool, "annotations", "openWorldHint"),
    hasApp: textAt(tool, ["_meta", "ui", "resourceUri"]) !== "",
    server,
  };
}

/** The data of a tool that only reads. Keyed sessions see more, so the cache tells them apart. */
export function useToolData<N extends ToolName>(
  name: N,
  args: InputOf<N>,
  options: { enabled?: boolean; refetchMs?: number } = {},
): UseQueryResult<OutputOf<N>> {
  const { generation } = useExternal(session);
  return useQuery({
    queryKey: ["tool", name, args, generation],
    queryFn: ({ signal }) => toolData(name, args, { signal, interactive: false }),
    enabled: options.enabled ?? true,
    ...(options.refetchMs !== undefined && { refetchInterval: options.refetchMs }),
  });
}

/** A resource of the service. */
export function useResource(uri: string): UseQueryResult {
  const { generation } = useExternal(session);
  return useQuery({
    queryKey: ["resource", uri, generation],
    queryFn: async ({ signal }) => (await readResource(uri, { signal, interactive: false })) ?? null,
  });
}

/** A document of the service's own site. */
export function useDocument(path: string): UseQueryResult {
  const { generation } = useExternal(session);
  return useQuery({
    queryKey: ["document", path, generation],
    queryFn: ({ signal }) => getJson(path, signal),
  });
}
