import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo } from "react";
import type { DefinitionDetail, DefinitionHead } from "@workflow-ui/client";
import { subworkflowKey, type SubworkflowView } from "#workflows/catalog-view.ts";
import { useExternal } from "../../lib/external.ts";
import { objectAt, objectsAt, textAt } from "../../lib/read.ts";
import { definitionQuery } from "../../api/connections.ts";
import { call } from "../../api/operations.ts";
import { useTools, type ToolInfo } from "../../api/tools.ts";
import { session } from "../../api/session.ts";
import type { DraftNode } from "../document/model.ts";
import { graphOf } from "../document/read-graph.ts";
import type { Subworkflows } from "./scope.ts";

/*
 * A connection can have a thousand operations. The editor asks for the heads that match what is typed, and for the
 * schemas of the few that a workflow uses.
 */

const MOST_FOUND = 100;
const NONE: readonly ToolInfo[] = [];

/** The tools that a step can call: our own, and those of the connections that match the typed text. */
export function useStepTools(typed = ""): readonly ToolInfo[] {
  const own = useTools().data ?? NONE;
  const { generation, keyed } = useExternal(session);
  const wanted = useDeferredValue(typed.trim());
  const connected = useQuery({
    queryKey: ["search_connected_tools", generation, wanted],
    enabled: keyed,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const input = { limit: MOST_FOUND, q: wanted };
      return (await call("search_connected_tools", input, { signal })).tools.map(toolOf);
    },
  }).data;
  return useMemo(() => merged(own, connected ?? NONE), [own, connected]);
}

/**
 * What a graph calls, with the schemas: our own tools, each tool of a connection that a step calls, and the workflows
 * that it runs, by `subworkflowKey`.
 */
export function useGraphTools(nodes: readonly DraftNode[]): {
  readonly tools: readonly ToolInfo[];
  readonly workflows: Subworkflows;
  /** False until each schema was read or is known to be missing. */
  readonly ready: boolean;
} {
  const own = useTools().data;
  const { generation, keyed } = useExternal(session);
  const used = connectedNames(nodes).join(" ");
  const names = useMemo(() => (used === "" || !keyed ? [] : used.split(" ")), [used, keyed]);
  const { found, pending } = useQueries({
    queries: names.map((name) => {
      const [connection = "", ...rest] = name.split(":");
      return definitionQuery(generation, connection, rest.join(":"));
    }),
    combine: foundOf,
  });
  const tools = useMemo(
    () =>
      merged(
        own ?? NONE,
        found.flatMap((definition, index) =>
          definition?.state === "active"
            ? [{ ...toolOf(definition), name: names[index] ?? definition.id }]
            : [],
        ),
      ),
    [own, found, names],
  );
  const wanted = subworkflowNames(nodes).join(" ");
  const runs = useQueries({
    queries: (wanted === "" ? [] : wanted.split(" ")).map((key) => subworkflowQuery(generation, key)),
    combine: publishedOf,
  });
  const { published } = runs;
  const ready = own !== undefined && !pending && !runs.pending;
  const now = useMemo(() => ({ tools, workflows: published, ready }), [tools, published, ready]);
  // What is drawn once the schemas are here is drawn in pieces, and holds up nothing.
  const drawn = useDeferredValue(now);
  return drawn.ready ? now : drawn;
}

/** The workflows that the steps run, each as `id@version`. */
function subworkflowNames(nodes: readonly DraftNode[]): readonly string[] {
  const keys = nodes
    .flatMap((node) => [node, ...(node.map?.body?.nodes ?? [])])
    .flatMap(({ subworkflow: { workflowId = "", version } = {} }) =>
      workflowId === "" ? [] : [subworkflowKey(workflowId, version)],
    );
  return [...new Set(keys)].toSorted();
}

/** Reads the published version that a step runs; null where there is none. */
function subworkflowQuery(generation: number, key: string) {
  return {
    queryKey: ["published_version", generation, key],
    retry: false,
    queryFn: async ({
      signal,
    }: {
      readonly signal: AbortSignal;
    }): Promise<readonly [string, SubworkflowView]> => {
      const [id = "", named = ""] = key.split("@");
      const options = { signal, interactive: false };
      const newest = async () => (await call("get_workflow", { id }, options)).workflow.publishedVersion;
      const version = named === "newest" ? await newest() : named;
      const read = await call("get_workflow_version", { id, version: String(version) }, options);
      const { digest, document } = read.version;
      const { inputs, outputs } = graphOf(document);
      return [key, { version: read.version.version, digest, inputs, outputs, effect: "none" }];
    },
  };
}

function publishedOf(
  results: readonly {
    readonly data: readonly [string, SubworkflowView] | undefined;
    readonly isPending: boolean;
  }[],
) {
  return {
    published: new Map(results.flatMap(({ data }) => (data === undefined ? [] : [data]))),
    pending: results.some(({ isPending }) => isPending),
  };
}

function foundOf(
  results: readonly { readonly data: DefinitionDetail | undefined; readonly isPending: boolean }[],
) {
  return {
    found: results.map((result) => result.data),
    pending: results.some((result) => result.isPending),
  };
}

/** What is known of a connection's tool replaces the same tool in the list. */
function merged(own: readonly ToolInfo[], connected: readonly ToolInfo[]): readonly ToolInfo[] {
  if (connected.length === 0) return own;
  const known = new Set(connected.map((tool) => tool.name));
  return [...own.filter((tool) => !known.has(tool.name)), ...connected];
}

/** The names of connected tools that the steps call, also inside maps. */
function connectedNames(nodes: readonly DraftNode[]): readonly string[] {
  const calls = nodes.flatMap((node) => {
    const body = objectAt(node, "map", "body");
    return [node, body, ...objectsAt(body, "nodes")];
  });
  const names = calls.map((call) => textAt(call, "tool")).filter((name) => /^[^\s:]+:\S+$/.test(name));
  return [...new Set(names)].toSorted();
}

function toolOf(definition: DefinitionHead | DefinitionDetail): ToolInfo {
  const { id, title, description, effect, idempotent } = definition;
  return {
    name: id,
    title,
    description,
    inputSchema: "inputSchema" in definition ? definition.inputSchema : { type: "object" },
    outputSchema: "outputSchema" in definition ? definition.outputSchema : null,
    isProtected: true,
    readOnly: effect === "read",
    destructive: effect === "destructive",
    idempotent,
    openWorld: true,
    hasApp: false,
    server: id.slice(0, id.indexOf(":")),
  };
}
