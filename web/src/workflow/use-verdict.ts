import type { JsonObject, Json, Plan, WorkflowProblem } from "@workflow-ui/client";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo } from "react";
import type { Graph } from "./document/model.ts";
import { count } from "../lib/format.ts";
import { useCalm } from "../lib/use-calm.ts";
import { call } from "../api/operations.ts";

/** A graph as the arguments and extras of the tools that take one. */
export function graphCall(graph: Graph): {
  readonly args: { readonly nodes: readonly Json[]; readonly edges: readonly Json[] };
  readonly meta: JsonObject;
} {
  const { nodes, edges, ...rest }: { nodes: Json[]; edges: Json[] } & JsonObject = JSON.parse(
    JSON.stringify(graph),
  );
  return { args: { nodes, edges }, meta: { "svc/document": rest } };
}

const NONE: readonly WorkflowProblem[] = [];

/** What the service says about the graph as it stands. */
export interface Verdict {
  readonly problems: readonly WorkflowProblem[];
  readonly plan: Plan | null;
  readonly checking: boolean;
  /** Strangers see a part of the workflow. */
  readonly isShownInPart: boolean;
  /** Problems by the id of the step they are about. */
  readonly byNode: ReadonlyMap<string, number>;
  readonly failed: Error | null;
}

/**
 * Validates and plans the graph a moment after the last change. Both are public and execute nothing. What strangers see
 * of a workflow lacks values and what it calls: neither is a problem of it, and no plan would be true.
 */
export function useVerdict(graph: Graph, isShownInPart: boolean): Verdict {
  const calm = useCalm(useDeferredValue(graph), 350);
  const check = useQuery({
    queryKey: ["verdict", calm, isShownInPart],
    queryFn: async ({ signal }): Promise<Pick<Verdict, "problems" | "plan">> => {
      if (isShownInPart) return { problems: NONE, plan: null };
      const { args, meta } = graphCall(calm);
      const options = { meta, signal, interactive: false };
      const [{ problems }, { plan }] = await Promise.all([
        call("validate_workflow", args, options),
        call("plan_workflow", args, options).catch((): { plan: Plan | null } => ({ plan: null })),
      ]);
      return { problems, plan };
    },
    placeholderData: (before) => before,
    staleTime: Infinity,
  });
  const problems = check.data?.problems ?? NONE;
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
    plan: check.data?.plan ?? null,
    checking: check.isFetching,
    isShownInPart,
    byNode,
    failed: check.error,
  };
}

/** How much was found, in the same words everywhere: what only warns stands in nobody's way. */
export function foundWords({ problems }: Pick<Verdict, "problems">): string {
  return count(
    problems.length,
    problems.some(({ severity }) => severity === "error") ? "problem" : "warning",
  );
}

/** The id of the step a problem's pointer leads into. */
export function nodeOf(graph: Graph, problem: WorkflowProblem): string {
  const index = /^\/nodes\/(\d+)/.exec(problem.pointer)?.[1];
  return index === undefined ? "" : (graph.nodes[Number(index)]?.id ?? "");
}
