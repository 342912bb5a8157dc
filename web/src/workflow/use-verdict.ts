import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { callTool, type ToolAnswer } from "../api/rpc.ts";
import { bagsAt, textAt, type Bag } from "../lib/read.ts";
import type { Graph } from "./model.ts";

/** A graph as the arguments and extras of the tools that take one. */
export function graphCall(graph: Graph): { readonly args: Bag; readonly meta: Bag } {
  const { nodes, edges, inputs, outputs, policy, ui } = graph;
  return { args: { nodes, edges }, meta: { "svc/document": { inputs, outputs, policy, ui } } };
}

/** What the service says about the graph as it stands. */
export interface Verdict {
  readonly problems: readonly Bag[];
  readonly plan: Bag | null;
  readonly checking: boolean;
  /** Problems by the id of the step they are about. */
  readonly byNode: ReadonlyMap<string, number>;
  readonly failed: Error | null;
}

/** Validates and plans the graph a moment after the last change. Both are public and execute nothing. */
export function useVerdict(graph: Graph): Verdict {
  const calm = useCalm(useDeferredValue(graph), 350);
  const check = useQuery({
    queryKey: ["verdict", calm],
    queryFn: async ({ signal }) => {
      const { args, meta } = graphCall(calm);
      const ask = (tool: string): Promise<ToolAnswer> =>
        callTool(tool, args, { meta, signal, interactive: false });
      const [validated, planned] = await Promise.all([ask("validate_workflow"), ask("plan_workflow")]);
      return { validated: validated.data, planned: planned.ok ? planned.data : null };
    },
    placeholderData: (before) => before,
    staleTime: Infinity,
  });
  const problems = bagsAt(check.data?.validated, "problems");
  const byNode = useMemo(() => {
    const counts = new Map<string, number>();
    for (const problem of problems) {
      const id = nodeOf(graph, problem);
      if (id !== "") counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return counts;
  }, [problems, graph]);
  return {
    problems,
    plan: check.data?.planned ?? null,
    checking: check.isFetching,
    byNode,
    failed: check.error,
  };
}

/** The id of the step a problem's pointer leads into. */
export function nodeOf(graph: Graph, problem: Bag): string {
  const index = /^\/nodes\/(\d+)/.exec(textAt(problem, "pointer"))?.[1];
  return index === undefined ? "" : textAt(graph.nodes[Number(index)], "id");
}

function useCalm<T>(value: T, ms: number): T {
  const [calm, setCalm] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setCalm(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return calm;
}
